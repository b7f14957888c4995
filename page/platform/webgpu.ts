/** The package webgpu: the browser's own GPU under Dawn's names. */
interface Adapter {
  readonly limits: { readonly maxStorageBuffersPerShaderStage: number };
}

interface Gpu {
  readonly wgslLanguageFeatures: ReadonlySet<string>;
  requestAdapter(options?: object): Promise<Adapter | null>;
}

/** Arrays that a kernel binds at most (test/gpu/wgsl/shader.test.ts). Chromium offers as many; browsers may offer 8. */
const MOST_ARRAYS = 10;

const gpu = (globalThis as { navigator?: { gpu?: Gpu } }).navigator?.gpu;

const able: Gpu = {
  wgslLanguageFeatures: gpu?.wgslLanguageFeatures ?? new Set(),
  async requestAdapter(options) {
    const adapter = (await gpu?.requestAdapter(options)) ?? null;
    return adapter !== null && adapter.limits.maxStorageBuffersPerShaderStage >= MOST_ARRAYS ? adapter : null;
  },
};

/** Dawn lists its adapters in the message that refuses an unknown one; a browser has one, or none. */
const listed: Gpu = {
  ...able,
  requestAdapter: async () => {
    throw new Error(gpu === undefined ? "no adapter" : "backend: 'webgpu', name: ''");
  },
};

export const create = ([flag]: readonly string[]): Gpu => (flag.startsWith("adapter=") ? listed : able);
export const globals = {};
