import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createStorage, readStorage, uploadStorage, uploadUniform } from "../../../src/gpu/buffers.js";
import { Recorder } from "../../../src/gpu/recorder.js";
import { type Kernel, loadKernel } from "../../../src/gpu/wgsl/kernel.js";
import { KernelError } from "../../../src/gpu/wgsl/kernel-error.js";
import { useSoftwareSession } from "../software-session.js";
import { withFiles } from "./files.js";

const session = useSoftwareSession();
const beside = (name: string) => new URL(name, import.meta.url);

/** As docs/explanation/gpu.md shows it. */
async function scaled(values: Float32Array<ArrayBuffer>, factor: number, offset: number): Promise<Float32Array> {
  return await session().scoped("scale", async () => {
    const kernel = await loadKernel(session(), beside("./scale.wgsl"), { constants: { THREADS: 32 } });
    const run = { count: values.length, factor, offset };
    const buffers = {
      run: uploadUniform(session(), "run", kernel.struct("Run").pack([run])),
      values: uploadStorage(session(), "values", values),
    };
    const times = { scale: 0, readback: 0 };
    const recorder = new Recorder<"scale">(session(), times, { now: () => performance.now() / 1000, profile: false });
    const [threads] = kernel.workgroupSize;
    recorder.kernel("scale", (pass) => {
      kernel.dispatch(pass, kernel.bind(buffers), [Math.ceil(values.length / threads)]);
    });
    const [bytes] = await recorder.readBack([buffers.values]);
    for (const buffer of Object.values(buffers)) buffer.destroy();
    return new Float32Array(bytes);
  });
}

test("a kernel with an imported piece, a uniform record and a storage array computes what its twin does", async () => {
  const values = Float32Array.from({ length: 1000 }, (_, k) => k);
  expect(await scaled(values, 2, 0.5)).toEqual(values.map((value) => 2 * value + 0.5));
});

test("docs/explanation/gpu.md shows these files", () => {
  const docs = readFileSync("docs/explanation/gpu.md", "utf8");
  expect(docs).toContain(readFileSync(beside("./scale.wgsl"), "utf8").trim());
  expect(docs).toContain(readFileSync(beside("./affine.wgsl"), "utf8").trim());
});

test("records lie on the device where the struct's layout says", async () => {
  const record = (n: number) => ({
    count: n,
    pair: [-n, 2 * n],
    inner: { a: n + 0.5, direction: [n, -n, 3 * n], b: 7 * n },
    tail: [n, n + 1, n + 2],
    corners: [
      [n, 2 * n, 3 * n],
      [4 * n, 5 * n, 6 * n],
    ],
    far: -5 * n,
    wide: n / 4,
    last: [n, n, n, -n],
  });
  const kernel = await loadKernel(session(), beside("./records.wgsl"));
  const layout = kernel.struct("Record");
  const records = [1, 20, 300].map(record);
  const from_ = uploadStorage(session(), "from", layout.pack(records));
  const to = createStorage(session(), "to", records.length * layout.words);
  await dispatch(kernel, kernel.bind({ from_, to }), records.length);
  const [bytes] = await readStorage(session(), [to]);
  const oneMore = (value: unknown): unknown => {
    if (typeof value === "number") return value + 1;
    if (Array.isArray(value)) return value.map(oneMore);
    return Object.fromEntries(Object.entries(value as object).map(([name, inner]) => [name, oneMore(inner)]));
  };
  expect(layout.unpack(bytes)).toEqual(records.map(oneMore));
  expect([...layout.integers(bytes, "count")]).toEqual(records.map(({ count }) => count + 1));
  expect([...layout.floats(bytes, "wide")]).toEqual(records.map(({ wide }) => wide + 1));
  expect(() => layout.floats(bytes, "count")).toThrow(/field count of struct Record is no f32/);
  expect(() => layout.integers(bytes, "middle")).toThrow(/Record has no field middle/);
});

describe("what does not fit is named", () => {
  const load = (name: string, options = {}) => loadKernel(session(), beside(name), options);

  test("a buffer that is missing, with the line that declares it", async () => {
    const kernel = await load("./scale.wgsl");
    const values = createStorage(session(), "values", 1);
    expect(() => kernel.bind({ values })).toThrow(
      /^test\/gpu\/wgsl\/scale\.wgsl:7: run is declared, and nothing is bound/,
    );
  });

  test("a buffer that the kernel does not declare, unless it comes from a pool", async () => {
    const kernel = await load("./scale.wgsl");
    const values = createStorage(session(), "values", 1);
    const run = uploadUniform(session(), "run", new Uint32Array(3));
    expect(() => kernel.bind({ run, valeus: values })).toThrow(
      /^test\/gpu\/wgsl\/scale\.wgsl declares no valeus to bind; it has run, values$/,
    );
    await session().scoped("bind", () => kernel.bind({ run }, { values, other: values }));
  });

  test("an override that is unknown or not set", async () => {
    await expect(load("./scale.wgsl", { constants: { THREAD: 1 } })).rejects.toThrow(
      /scale\.wgsl has no override THREAD; it has THREADS/,
    );
    await withFiles(
      { "a.wgsl": "// a\noverride N: u32;\n@compute @workgroup_size(N) fn main() {}" },
      async (folder) => {
        await expect(loadKernel(session(), new URL("a.wgsl", folder))).rejects.toThrow(
          /a\.wgsl:2: override N has no default/,
        );
        const kernel = await loadKernel(session(), new URL("a.wgsl", folder), { constants: { N: 16 } });
        expect(kernel.workgroupSize).toEqual([16, 1, 1]);
      },
    );
  });

  test("what the compiler refuses, in the piece where it stands", async () => {
    const files = {
      "a.wgsl": "#import piece\n\n@compute @workgroup_size(1) fn main() { _ = twice(1); }",
      "piece.wgsl": "// A piece.\nfn twice(x: f32) -> f32 {\n  return 2 * y;\n}",
    };
    await withFiles(files, async (folder) => {
      const loading = loadKernel(session(), new URL("a.wgsl", folder));
      await expect(loading).rejects.toThrow(KernelError);
      await expect(loading).rejects.toThrow(/piece\.wgsl:3:14: unresolved value 'y'/);
    });
  });
});

test("a text given at run time stands in for an imported file, and another text is another kernel", async () => {
  const files = {
    "a.wgsl": `#import rule
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = rule(3); }`,
  };
  await withFiles(files, async (folder) => {
    const outcomes: number[] = [];
    for (const rule of ["x * x", "x + 1"]) {
      const texts = { rule: `fn rule(x: f32) -> f32 { return ${rule}; }` };
      const kernel = await loadKernel(session(), new URL("a.wgsl", folder), { texts });
      const out = createStorage(session(), "out", 1);
      await dispatch(kernel, kernel.bind({ out }), 1);
      outcomes.push(new Float32Array((await readStorage(session(), [out]))[0])[0]);
    }
    expect(outcomes).toEqual([9, 4]);
  });
});

test("a texture is bound by its name too", async () => {
  const files = {
    "a.wgsl": `@group(0) @binding(3) var image: texture_2d<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { for (var x = 0; x < 4; x++) { out[x] = textureLoad(image, vec2i(x, 0), 0).x; } }`,
  };
  await withFiles(files, async (folder) => {
    const kernel = await loadKernel(session(), new URL("a.wgsl", folder));
    const texture = session().device.createTexture({
      size: [4, 1],
      format: "r32float",
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    session().device.queue.writeTexture({ texture }, Float32Array.of(1, 2, 3, 4), {}, [4, 1]);
    const out = createStorage(session(), "out", 4);
    await dispatch(kernel, kernel.bind({ image: texture.createView(), out }), 1);
    expect(new Float32Array((await readStorage(session(), [out]))[0])).toEqual(Float32Array.of(1, 2, 3, 4));
  });
});

async function dispatch(kernel: Kernel, group: GPUBindGroup, workgroups: number): Promise<void> {
  await session().scoped(kernel.name, () => {
    const encoder = session().device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    kernel.dispatch(pass, group, [workgroups]);
    pass.end();
    session().device.queue.submit([encoder.finish()]);
  });
}
