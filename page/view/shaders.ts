/** Places are in units of the recording around the scene's centre; `scale` turns them into pixels. */
const PLACE = `
uniform vec2 centre;
uniform vec2 scale;
uniform vec2 size;
vec2 pixels(vec2 place) { return (place - centre) * scale; }
vec4 clip(vec2 at) { return vec4(2.0 * at / size, 0.0, 1.0); }
`;

export const POINTS = [
  `#version 300 es
in vec2 place;
in float depth;
in vec4 colour;
uniform vec2 slab;
uniform float diameter;
out vec4 shade;
${PLACE}
void main() {
  gl_Position = depth < slab.x || depth > slab.y ? vec4(2.0, 2.0, 0.0, 1.0) : clip(pixels(place));
  gl_PointSize = diameter + 1.0;
  shade = colour;
}`,
  `#version 300 es
precision highp float;
in vec4 shade;
uniform float diameter;
out vec4 result;
void main() {
  float edge = 0.5 * diameter - length(gl_PointCoord - 0.5) * (diameter + 1.0);
  float alpha = shade.a * clamp(edge + 0.5, 0.0, 1.0);
  result = vec4(shade.rgb * alpha, alpha);
}`,
];

/** A link is an instance: a quad along it, or a line of one pixel where it is thin. */
export const LINKS = [
  `#version 300 es
in vec2 tail;
in vec2 head;
in vec2 depths;
in vec4 colour;
in float missed;
in float entered;
uniform vec2 slab;
uniform float width;
uniform float opacity;
uniform float frame;
uniform float fade;
uniform bool thin;
out vec4 shade;
out vec2 at;
flat out float dashed;
${PLACE}
void main() {
  vec2 a = pixels(tail);
  vec2 b = pixels(head);
  vec2 along = b - a;
  float length_ = max(length(along), 1e-3);
  vec2 unit = along / length_;
  float side = float(gl_VertexID & 1) * 2.0 - 1.0;
  float end = float(gl_VertexID >> 1);
  float half_ = 0.5 * width + 1.0;
  vec2 corner = mix(a - unit * half_, b + unit * half_, end) + vec2(-unit.y, unit.x) * side * half_;
  vec2 place = thin ? (gl_VertexID == 0 ? a : b) : corner;
  bool isOut = max(depths.x, depths.y) < slab.x || min(depths.x, depths.y) > slab.y;
  gl_Position = isOut ? vec4(2.0, 2.0, 0.0, 1.0) : clip(place);
  float age = fade > 0.0 ? clamp((frame - entered) / fade, 0.0, 1.0) : 0.0;
  shade = vec4(colour.rgb, colour.a * opacity * (1.0 - 0.75 * age));
  at = vec2(end * (length_ + 2.0 * half_), side * half_);
  dashed = missed;
}`,
  `#version 300 es
precision highp float;
in vec4 shade;
in vec2 at;
flat in float dashed;
uniform float width;
uniform bool thin;
out vec4 result;
void main() {
  float alpha = shade.a;
  if (!thin) {
    alpha *= clamp(0.5 * width - abs(at.y) + 0.5, 0.0, 1.0);
    if (dashed > 0.5 && mod(at.x, 4.0 * width + 3.0) > 2.5 * width + 1.0) discard;
  }
  result = vec4(shade.rgb * alpha, alpha);
}`,
];

/** An image of pixels around their positions, under everything. */
export const IMAGE = [
  `#version 300 es
uniform vec2 extent;
uniform vec2 middle;
out vec2 texel;
${PLACE}
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  texel = corner;
  gl_Position = clip(pixels(corner * extent - 0.5 - middle));
}`,
  `#version 300 es
precision highp float;
in vec2 texel;
uniform sampler2D image;
uniform float opacity;
out vec4 result;
void main() { result = texture(image, texel) * opacity; }`,
];
