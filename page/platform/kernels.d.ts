/** The texts of all kernels by their places, which the build puts in. */
declare module "rmap:kernels" {
  export const kernels: Readonly<Record<string, string>>;
}
