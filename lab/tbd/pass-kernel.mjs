/** The kernels that passes.mjs compares: one pass of one frame over whole vectors of up to four pixels. */

/**
 * @param way kind, layout of the state, pixels a thread, whether it runs backwards where run.backwards says so, workgroup
 * @returns the WGSL, the workgroups, and the bytes that a pass must move
 */
export function passKernel({ kind, layout, pixels = 1, workgroup: [x, y] }, { width, height, vectors }) {
  if (kind === "nothing") {
    return { code: "@compute @workgroup_size(1) fn main() {}", groups: [1, 1], bytes: 0 };
  }
  const wide = width / pixels;
  const groups = [Math.ceil(wide / x), Math.ceil(height / y)];
  const value = pixels === 4 ? "vec4f" : "f32";
  const number = pixels === 4 ? "vec4u" : "u32";
  const head = `
struct Run { a: f32, b: f32, backwards: u32, vectors: i32 }
const W = ${wide}; const H = ${height}; const V = ${vectors.length};
@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read> frame: array<${value}>;
@group(0) @binding(2) var<storage, read> before: array<${value}>;
@group(0) @binding(3) var<storage, read_write> after: array<${value}>;
@group(0) @binding(4) var<storage, read_write> best: array<${value}>;
@group(0) @binding(5) var<storage, read_write> which: array<${number}>;
fn cell(v: i32, x: i32, y: i32) -> u32 { return u32(${layout === "row" ? "(y * V + v) * W + x" : "(v * H + y) * W + x"}); }
`;
  const main = (body) => `
@compute @workgroup_size(${x}, ${y})
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let x = i32(thread.x);
  if (x >= W || thread.y >= u32(H)) { return; }
  let y = select(i32(thread.y), H - 1 - i32(thread.y), run.backwards == 1u);
${body}
}
`;
  const cells = width * height;
  if (kind === "copy") {
    const code = head.replace(/@group.*(frame|best|which).*\n/g, "");
    const body = "  for (var v = 0; v < V; v++) { after[cell(v, x, y)] = before[cell(v, x, y)]; }";
    return { code: code + main(body), groups, bytes: 8 * vectors.length * cells };
  }
  const bytes = (8 * vectors.length + 12) * cells;
  const tops = `
  var top = ${value}(-3.4e38);
  var number = ${number}(0);
  let newest = run.b * frame[u32(y * W + x)];`;
  const take = (v, sum) => `
    let sum_${v} = ${sum};
    after[cell(${v}, x, y)] = sum_${v};
    number = select(number, ${number}(${v}), sum_${v} > top);
    top = max(top, sum_${v});`;
  const left = "\n  best[u32(y * W + x)] = top;\n  which[u32(y * W + x)] = number;";
  if (kind.endsWith("as an argument")) {
    const code = `${head}
@group(0) @binding(6) var<storage, read> offsets: array<vec2i>;
fn first(v: i32, x: i32, y: i32) -> f32 {
  if (x < 0 || x >= W || y < 0 || y >= H) { return 0.0; }
  return before[cell(v, x, y)];
}
`;
    // A compiler can unroll a loop whose end it knows.
    const end = kind === "vectors as an argument" ? "V" : "run.vectors";
    const loop = `
  for (var v = 0; v < ${end}; v++) {
    let sum = run.a * first(v, x - offsets[v].x, y - offsets[v].y) + newest;
    after[cell(v, x, y)] = sum;
    if (sum > top) { top = sum; number = u32(v); }
  }`;
    return { code: code + main(tops + loop + left), groups, bytes };
  }
  const compiled = vectors.map(({ x: dx, y: dy }, v) => {
    // The vector's row lies in the image, and what of it lies beside the image is 0.
    const inside = dy === 0 ? "true" : dy > 0 ? `y >= ${dy}` : `y < H - ${-dy}`;
    const row = `clamp(y - ${dy}, 0, H - 1)`;
    const there = (at, isThere) => `select(${value}(0.0), before[cell(${v}, ${at}, ${row})], ${isThere} && ${inside})`;
    if (pixels === 1) {
      const isThere = dx === 0 ? "true" : dx > 0 ? `x >= ${dx}` : `x < W - ${-dx}`;
      return take(v, `run.a * ${there(`clamp(x - ${dx}, 0, W - 1)`, isThere)} + newest`);
    }
    const own = `let own_${v} = ${there("x", "true")};`;
    if (dx === 0) return `\n    ${own}${take(v, `run.a * own_${v} + newest`)}`;
    const side = dx > 0 ? there("max(x - 1, 0)", "x > 0") : there("min(x + 1, W - 1)", "x < W - 1");
    // Four pixels from dx to the left on: of the four beside these, and of these.
    const lanes = [0, 1, 2, 3].map((lane) => {
      const from = lane - dx;
      return from < 0 || from > 3 ? `side_${v}[${(from + 4) % 4}]` : `own_${v}[${from}]`;
    });
    return `\n    ${own} let side_${v} = ${side};${take(v, `run.a * vec4f(${lanes.join(", ")}) + newest`)}`;
  });
  return { code: head + main(tops + compiled.join("") + left), groups, bytes };
}
