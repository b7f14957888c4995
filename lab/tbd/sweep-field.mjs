/**
 * Everything that passes of all variants over the same frames share, so that a pass costs its pipelines and its time: frames, states, the twin's states
 * after 1, 2, … frames, and records for each depth and vector.
 */
import { BEFORE_DETECT_DEFAULTS, createCpuTbd } from "rmap/pixels";
import { createStorage, readStorage } from "../../dist/gpu/buffers.js";
import { PassTimer } from "../../dist/gpu/timer.js";
import { loadKernel } from "../../dist/gpu/wgsl/kernel.js";
import { Shader } from "../../dist/gpu/wgsl/shader.js";
import { weights } from "../../dist/pixels/before-detect/cpu.js";
import { moved, offsetsBack } from "../../dist/pixels/before-detect/vectors.js";
import { passText, vectorConstants } from "./pass-text.mjs";
import { noiseFrames } from "./scenes.mjs";
import { isPapers, variantName } from "./variant.mjs";

/** Frames that the state before a pass has seen. */
const BEFORE = 8;
/** Records of a uniform lie at multiples of this many bytes. */
const STRIDE = 256;
/** Passes between two readings of the clock. */
const TIMED = 2048;

export class SweepField {
  #shaders = new Map();
  #layouts = new Map();
  #buffers = new Map();
  #groups = new Map();

  /** @param vectors whole ones */
  constructor(session, size, vectors, depths) {
    this.session = session;
    this.size = size;
    this.vectors = vectors;
    this.depths = depths;
    this.pixels = size.width * size.height;
    this.timer = new PassTimer(session, TIMED);
  }

  async prepare() {
    const { session, size, vectors, depths, pixels } = this;
    const { width, height } = size;
    const most = depths.at(-1);
    const frames = noiseFrames(width, height, BEFORE + most);
    const passed = frames.slice(BEFORE);
    for (const name of ["before", "state 0", "state 1"]) this.#storage(name, vectors.length * pixels);
    for (const name of ["best", "which"]) this.#storage(name, pixels);
    this.#storage("errors", most + 1);
    this.#storage("frames", most * pixels);
    const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
    this.texture = session.device.createTexture({ size: [width, height, most], format: "r32float", usage });
    const { queue } = session.device;
    passed.forEach(({ pixels: values }, k) => {
      queue.writeBuffer(this.#buffer("frames"), 4 * k * pixels, values);
      const to = { texture: this.texture, origin: [0, 0, k] };
      queue.writeTexture(to, values, { bytesPerRow: 4 * width }, [width, height]);
    });
    const cpu = createCpuTbd();
    await cpu.begin(size, { ...BEFORE_DETECT_DEFAULTS, vectors, decimation: 1 });
    for (let k = 0; k < BEFORE; k++) await cpu.advance([frames[k]], k);
    queue.writeBuffer(this.#buffer("before"), 0, await cpu.state());
    this.largest = [0];
    for (const depth of depths) {
      await cpu.advance([passed[depth - 1]], BEFORE + depth - 1);
      const state = await cpu.state();
      this.largest[depth] = largestOf(state);
      queue.writeBuffer(this.#storage(`twin ${depth}`, state.length), 0, state);
      const offsets = offsetsBack(vectors, 0, depth);
      queue.writeBuffer(this.#storage(`offsets ${depth}`, offsets.length), 0, offsets);
      const turned = vectors.flatMap(({ x, y }) => [wrap(moved(x, depth), width), wrap(moved(y, depth), height)]);
      queue.writeBuffer(this.#storage(`turned ${depth}`, turned.length), 0, Uint32Array.from(turned));
      await session.finished();
    }
    this.#storage("not turned", 2 * vectors.length);
    this.error = await loadKernel(session, new URL("../kernels/before-detect/state-error.wgsl", import.meta.url));
    const compared = this.error.struct("Compared");
    this.#records("compared", compared, (depth) => [{ ...size, vectors: vectors.length, number: depth }]);
    this.#records("nothing", compared, () => [{ width: 0, height: 0, vectors: 0, number: 0 }]);
    this.idle = await this.#idle();
  }

  /**
   * Pipelines of a variant and a workgroup: of each depth one, or one for each vector.
   * @returns a promise of a list for each depth, and how many are compiled
   */
  compile(variant, workgroup) {
    let made = 0;
    const compiled = new Map();
    const pipelinesAt = (depth) => {
      const { shader, module, layout, constants } = this.#shader(variant, depth);
      const kernels = (isPapers(variant) && variant.kernel === "constant" ? this.vectors : [null]).map((vector, v) => {
        const more = vector === null ? {} : vectorConstants(variant, vector, v);
        const all = { ...constants, THREADS_X: workgroup[0], THREADS_Y: workgroup[1], ...more };
        const key = shader.code + JSON.stringify(all);
        if (!compiled.has(key)) {
          made++;
          compiled.set(key, this.#pipeline({ layout, compute: { module, constants: all } }));
        }
        return compiled.get(key);
      });
      return Promise.all(kernels);
    };
    return { pipelines: Promise.all(this.depths.map(pipelinesAt)), made };
  }

  #pipeline(descriptor) {
    const { device, description } = this.session;
    if (description.kind === "software") return device.createComputePipeline(descriptor);
    return device.createComputePipelineAsync(descriptor);
  }

  /** Commands that compare the state after a pass of each depth with the twin's, and then time as many passes of it as wanted. */
  async record(variant, workgroup, pipelines, repetitions) {
    const { session, depths } = this;
    return await session.scoped(variantName(variant), () => {
      const encoder = session.device.createCommandEncoder();
      encoder.clearBuffer(this.#buffer("errors"));
      depths.forEach((depth, n) => {
        encoder.copyBufferToBuffer(this.#buffer("before"), this.#buffer("state 0"));
        this.#record(encoder, variant, workgroup, pipelines[n], depth, 0);
        this.#compare(encoder, depth, variant.kernel === "in-place");
        for (let k = 0; k < repetitions; k++) {
          this.#record(encoder, variant, workgroup, pipelines[n], depth, (k + 1) % 2, this.timer.next());
        }
      });
      this.timer.resolve(encoder);
      return encoder.finish();
    });
  }

  /** Of each depth the largest difference over the largest |P|, and milliseconds of the passes. */
  async run(commands, repetitions) {
    const { session, depths } = this;
    return await session.scoped("a sweep", async () => {
      session.device.queue.submit([commands]);
      const [errors] = await readStorage(session, [this.#buffer("errors")]);
      const times = await this.timer.read();
      const largest = new Float32Array(errors);
      return depths.map((depth) => ({
        error: largest[depth] / this.largest[depth],
        times: times.splice(0, repetitions),
      }));
    });
  }

  /** One recursion: a dispatch for each vector, or one for all. */
  #record(encoder, variant, workgroup, pipelines, depth, turn, timestampWrites) {
    const pass = encoder.beginComputePass(timestampWrites && { timestampWrites });
    const group = this.#group(variant, depth, turn);
    const { length } = this.vectors;
    const { width, height } = this.size;
    const tiles = [Math.ceil(width / workgroup[0]), Math.ceil(height / workgroup[1])];
    const records = isPapers(variant) ? this.vectors.keys() : [length + turn];
    let n = 0;
    for (const record of records) {
      pass.setPipeline(pipelines[pipelines.length === 1 ? 0 : n++]);
      pass.setBindGroup(0, group, [STRIDE * ((depth - 1) * (length + 2) + record)]);
      pass.dispatchWorkgroups(...tiles);
    }
    pass.end();
  }

  #compare(encoder, depth, inPlace) {
    const pass = encoder.beginComputePass();
    const groups = Math.ceil(Math.min(this.pixels, 2 ** 18) / this.error.workgroupSize[0]);
    this.error.dispatch(pass, this.#compared(depth, inPlace), [groups], [STRIDE * (depth - 1)]);
    pass.end();
  }

  #compared(depth, inPlace, records = "compared") {
    const key = `${records} ${depth} ${inPlace}`;
    if (!this.#groups.has(key)) {
      const bound = {
        compared: { buffer: this.#buffer(records), size: STRIDE },
        state: this.#buffer(inPlace ? "state 0" : "state 1"),
        twin: this.#buffer(`twin ${depth}`),
        turned: this.#buffer(inPlace ? `turned ${depth}` : "not turned"),
        errors: this.#buffer("errors"),
      };
      this.#groups.set(key, this.error.bind(bound));
    }
    return this.#groups.get(key);
  }

  #shader(variant, depth) {
    const key = `${variantName(variant)} ${variant.body === "loop" && isPapers(variant) ? "" : depth}`;
    let made = this.#shaders.get(key);
    if (made === undefined) {
      const { device } = this.session;
      const { file, texts, constants } = passText(variant, depth, this.vectors, []);
      const shader = new Shader(file, texts);
      const layout = this.#layout(shader);
      made = { shader, layout, constants, module: device.createShaderModule({ label: key, code: shader.code }) };
      this.#shaders.set(key, made);
    }
    return made;
  }

  /** Variants that bind alike share bind groups. */
  #layout(shader) {
    const bindings = [...shader.declarations.bindings.values()];
    const entries = bindings.map(({ binding, space, access }) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      ...(space === "uniform"
        ? { buffer: { type: "uniform", hasDynamicOffset: true } }
        : space === "storage"
          ? { buffer: { type: access === "read_write" ? "storage" : "read-only-storage" } }
          : { texture: { sampleType: "unfilterable-float", viewDimension: "2d-array" } }),
    }));
    const key = JSON.stringify([entries, bindings.map(({ name }) => name)]);
    if (!this.#layouts.has(key)) {
      const { device } = this.session;
      const group = device.createBindGroupLayout({ entries });
      const layout = device.createPipelineLayout({ bindGroupLayouts: [group] });
      this.#layouts.set(key, Object.assign(layout, { group, number: this.#layouts.size, bindings }));
    }
    return this.#layouts.get(key);
  }

  #group(variant, depth, turn) {
    const { shader, layout } = this.#shader(variant, depth);
    const key = `${layout.number} ${depth} ${turn}`;
    if (!this.#groups.has(key)) {
      const inPlace = variant.kernel === "in-place";
      const resources = {
        run: { buffer: this.#passes(shader), size: STRIDE },
        frames:
          variant.input === "texture" ? this.texture.createView({ dimension: "2d-array" }) : this.#buffer("frames"),
        offsets: this.#buffer(`offsets ${depth}`),
        turned: this.#buffer(`turned ${depth}`),
        ...(inPlace
          ? { state: this.#buffer("state 0") }
          : { before: this.#buffer(`state ${turn}`), after: this.#buffer(`state ${1 - turn}`) }),
        best: this.#buffer("best"),
        which: this.#buffer("which"),
      };
      const entries = layout.bindings.map(({ name, binding }) => {
        const resource = resources[name];
        return { binding, resource: resource instanceof GPUBuffer ? { buffer: resource } : resource };
      });
      this.#groups.set(key, this.session.device.createBindGroup({ layout: layout.group, entries }));
    }
    return this.#groups.get(key);
  }

  /** Of each depth a record for each vector, then the two for all vectors at once, forwards and backwards through the rows. */
  #passes(shader) {
    const struct = shader.struct("Pass");
    const name = `passes of ${struct.words}`;
    if (this.#buffers.has(name)) return this.#buffer(name);
    const [a, b] = weights(BEFORE_DETECT_DEFAULTS.alpha);
    const hasDepth = struct.members.some(({ name }) => name === "depth");
    const { vectors, size } = this;
    return this.#records(name, struct, (depth) => {
      const reach = offsetsBack(vectors, 0, depth).reduce((most, offset) => Math.max(most, Math.abs(offset)), 0);
      const one = { ...size, vectors: vectors.length, reach, a, b, ...(hasDepth && { depth, seen: 0 }) };
      const apart = vectors.map((_, first) => ({ ...one, first, backwards: 0 }));
      return [...apart, ...[0, 1].map((backwards) => ({ ...one, first: 0, backwards }))];
    });
  }

  /** A buffer of records, from depth 1 on. */
  #records(name, struct, recordsOf) {
    const records = Array.from({ length: this.depths.at(-1) }, (_, n) => recordsOf(n + 1)).flat();
    const bytes = new Uint8Array(STRIDE * records.length);
    records.forEach((record, n) => {
      bytes.set(new Uint8Array(struct.pack([record]).buffer), STRIDE * n);
    });
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const buffer = this.session.device.createBuffer({ size: bytes.length, usage });
    this.session.device.queue.writeBuffer(buffer, 0, bytes);
    this.#buffers.set(name, buffer);
    return buffer;
  }

  /** Milliseconds that a pass of one idle workgroup takes by the same clock: the median of many. */
  async #idle() {
    const encoder = this.session.device.createCommandEncoder();
    for (let n = 0; n < 100; n++) {
      const pass = encoder.beginComputePass({ timestampWrites: this.timer.next() });
      this.error.dispatch(pass, this.#compared(1, false, "nothing"), [1], [0]);
      pass.end();
    }
    this.timer.resolve(encoder);
    this.session.device.queue.submit([encoder.finish()]);
    return medianOf(await this.timer.read());
  }

  #buffer(name) {
    return this.#buffers.get(name);
  }

  #storage(name, words) {
    const buffer = createStorage(this.session, name, words);
    this.#buffers.set(name, buffer);
    return buffer;
  }

  destroy() {
    this.timer.destroy();
    this.texture.destroy();
    for (const buffer of this.#buffers.values()) buffer.destroy();
  }
}

const wrap = (value, size) => ((value % size) + size) % size;

function largestOf(values) {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (Math.abs(values[i]) > most) most = Math.abs(values[i]);
  return most;
}

export function medianOf(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
