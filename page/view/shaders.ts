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

/** Links as lines of one pixel, between detections. */
export const LINES = [
  `#version 300 es
in vec2 place;
in float depth;
in vec4 colour;
uniform vec2 slab;
uniform float opacity;
out vec4 shade;
${PLACE}
void main() {
  gl_Position = clip(pixels(place));
  shade = vec4(colour.rgb, depth < slab.x || depth > slab.y ? 0.0 : colour.a * opacity);
}`,
  `#version 300 es
precision highp float;
in vec4 shade;
out vec4 result;
void main() { result = vec4(shade.rgb * shade.a, shade.a); }`,
];

/** Corners of lines with a width, in pixels around the middle. */
export const STROKES = [
  `#version 300 es
in vec2 place;
in vec3 at;
in vec4 colour;
uniform vec2 size;
out vec4 shade;
out vec2 inside;
flat out float dashed;
void main() {
  gl_Position = vec4(2.0 * place / size, 0.0, 1.0);
  shade = colour;
  inside = at.xy;
  dashed = at.z;
}`,
  `#version 300 es
precision highp float;
in vec4 shade;
in vec2 inside;
flat in float dashed;
uniform float width;
out vec4 result;
void main() {
  float alpha = shade.a * clamp(0.5 * width - abs(inside.y) + 0.5, 0.0, 1.0);
  if (dashed > 0.5 && mod(inside.x, 4.0 * width + 3.0) > 2.5 * width + 1.0) discard;
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
