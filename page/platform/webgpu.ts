/** The package webgpu: the browser's own GPU under Dawn's names. */
interface Gpu {
  requestAdapter(options?: object): Promise<unknown>;
}

const gpu = (globalThis as { navigator?: { gpu?: Gpu } }).navigator?.gpu;
const none: Gpu = { requestAdapter: async () => null };

/** Dawn lists its adapters in the message that refuses an unknown one; a browser has one, or none. */
const listed: Gpu = {
  requestAdapter: async () => {
    throw new Error(gpu === undefined ? "no adapter" : "backend: 'webgpu', name: ''");
  },
};

export const create = ([flag]: readonly string[]): Gpu => (flag.startsWith("adapter=") ? listed : (gpu ?? none));
export const globals = {};
