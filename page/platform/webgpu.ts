/** The package webgpu: the browser's own GPU under Dawn's names. */
interface Adapter {
  readonly limits: { readonly maxStorageBuffersPerShaderStage: number };
}

interface Gpu {
  requestAdapter(options?: object): Promise<Adapter | null>;
}

/** Arrays that the kernels of an ascent bind at most. Chromium offers 10 of them, so that its page solves on the CPU (lab/notes/page.md). */
const MOST_ARRAYS = 12;

const gpu = (globalThis as { navigator?: { gpu?: Gpu } }).navigator?.gpu;

const able: Gpu = {
  async requestAdapter(options) {
    const adapter = (await gpu?.requestAdapter(options)) ?? null;
    return adapter !== null && adapter.limits.maxStorageBuffersPerShaderStage >= MOST_ARRAYS ? adapter : null;
  },
};

/** Dawn lists its adapters in the message that refuses an unknown one; a browser has one, or none. */
const listed: Gpu = {
  requestAdapter: async () => {
    throw new Error(gpu === undefined ? "no adapter" : "backend: 'webgpu', name: ''");
  },
};

export const create = ([flag]: readonly string[]): Gpu => (flag.startsWith("adapter=") ? listed : able);
export const globals = {};
