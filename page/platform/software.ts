/** src/gpu/software.ts: a browser brings its drivers itself, and `device: "software"` means whichever it has. */
export const hasSystemLoader = (): boolean => true;
export const softwareDriver = (): { readonly manifest: string } => ({ manifest: "the browser's driver" });
export const pinLoader = (): void => {};
