/** WGSL files as compute pipelines. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { GpuSession } from "./session.js";

/**
 * The pipeline of the one entry point in a `.wgsl` file beside the calling module, cached per device and constants.
 * `file` is a URL, as in new URL("./fill.wgsl", import.meta.url); `constants` sets the file's `override` declarations.
 * `shared` is put in front: declarations that several kernels have in common, since WGSL has no include.
 */
export function loadKernel(
  session: GpuSession,
  file: URL,
  constants: Readonly<Record<string, number>> = {},
  shared: URL | null = null,
): Promise<GPUComputePipeline> {
  const path = fileURLToPath(file);
  const label = `${path.slice(path.lastIndexOf("/") + 1)} ${JSON.stringify(constants)}`;
  return session.pipeline(`${path} ${label}`, label, async () => {
    const code = [shared, file].map((part) => (part === null ? "" : readFileSync(part, "utf8"))).join("\n");
    const module = session.device.createShaderModule({ label, code });
    return await session.device.createComputePipelineAsync({ label, layout: "auto", compute: { module, constants } });
  });
}

/** Binds buffers to group 0 of a pipeline, in the order of their binding numbers. */
export function bind(session: GpuSession, pipeline: GPUComputePipeline, buffers: readonly GPUBuffer[]): GPUBindGroup {
  return session.device.createBindGroup({
    label: pipeline.label,
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
}
