/** Images under the tracks: one of them for a frame, in their order. */
import { computed, effect, signal } from "@preact/signals";
import type { Decoded } from "../worker/protocol.js";
import { frame, message, scene } from "./state.js";

export const IMAGE_FILE = /\.(png|jpe?g|webp|gif|bmp|avif)$/i;

interface Shown {
  readonly bitmap: ImageBitmap;
  readonly size: readonly [number, number];
}

const images = signal<readonly (File | Decoded)[]>([]);
export const image = signal<Shown | null>(null);
/** Whether y grows downwards: positions over images are pixels. */
export const isDown = computed(() => image.value !== null || scene.value?.isImage === true);

export function setImages(given: readonly (File | Decoded)[]): void {
  images.value = given;
}

export function followImages(): void {
  let newest = 0;
  effect(() => {
    const list = images.value;
    const number = ++newest;
    const shown = list[Math.min(list.length - 1, frame.value)];
    if (shown === undefined) {
      image.value = null;
      return;
    }
    createImageBitmap(shown instanceof File ? shown : coloured(shown)).then(
      (bitmap) => {
        if (number !== newest) return;
        image.value?.bitmap.close();
        image.value = { bitmap, size: [bitmap.width, bitmap.height] };
      },
      () => {
        const name = shown instanceof File ? shown.name : "an image";
        message.value = { text: `${name}: the browser cannot show it; save it as PNG again`, isError: true };
      },
    );
  });
}

function coloured({ width, height, channels, samples }: Decoded): ImageData {
  const data = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let n = 0; n < width * height; n++)
    for (let colour = 0; colour < 3; colour++) data[4 * n + colour] = samples[channels === 3 ? 3 * n + colour : n];
  return new ImageData(data, width, height);
}
