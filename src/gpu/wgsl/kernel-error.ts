/** A kernel and the code around it do not fit: a name, an import, a type or an override. The message has file and line. */
export class KernelError extends Error {
  override readonly name = "KernelError";
}
