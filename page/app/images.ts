/** Images under the tracks: one of them for a frame, in the order of their names. */
import { computed, effect, signal } from "@preact/signals";
import { frame, scene } from "./state.js";

export const IMAGE_FILE = /\.(png|jpe?g|webp|gif|bmp|avif)$/i;

interface Shown {
  readonly bitmap: ImageBitmap;
  readonly size: readonly [number, number];
}

const files = signal<readonly File[]>([]);
export const image = signal<Shown | null>(null);
/** Whether y grows downwards: positions over images are pixels. */
export const isDown = computed(() => image.value !== null || scene.value?.isImage === true);

export function setImages(given: readonly File[]): void {
  files.value = [...given].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

export function followImages(): void {
  let newest = 0;
  effect(() => {
    const list = files.value;
    const number = ++newest;
    const file = list[Math.min(list.length - 1, frame.value)];
    if (file === undefined) {
      image.value = null;
      return;
    }
    createImageBitmap(file).then((bitmap) => {
      if (number !== newest) return;
      image.value?.bitmap.close();
      image.value = { bitmap, size: [bitmap.width, bitmap.height] };
    });
  });
}
