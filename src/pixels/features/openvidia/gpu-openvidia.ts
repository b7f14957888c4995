/** OpenVIDIA's features on a GPU, from the image to the descriptors: made once for images of one size. */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import { tilesOf } from "../../../gpu/dispatch.js";
import { DeviceLists } from "../../../gpu/lists.js";
import type { GpuSession } from "../../../gpu/session.js";
import { loadKernel } from "../../../gpu/wgsl/kernel.js";
import { type Step, Workspace } from "../../../gpu/workspace.js";
import { blurSteps } from "../../gpu-filters.js";
import { PlaneUpload } from "../../gpu-plane.js";
import type { Plane, Size } from "../../image.js";
import { descriptorConstants } from "../sift/descriptor.js";
import { LIST_GROUPS, pitchOf, spaceOf } from "../sift/space.js";
import {
  CORNER_CONSTANTS,
  DIRECTION_CONSTANTS,
  IMAGE_TAPS,
  type OpenvidiaOptions,
  strongestFirst,
  TENSOR_TAPS,
} from "./openvidia.js";

/** Planes of the structure tensor: xx, xy and yy. */
const TENSOR = 3;

export async function createGpuOpenvidia(session: GpuSession, { width, height }: Size, options: OpenvidiaOptions) {
  const load = (name: string, constants: Record<string, number> = {}) =>
    loadKernel(session, new URL(`${name}.wgsl`, import.meta.url), { constants });
  const [blur, products, corners, directions, descriptor] = await Promise.all([
    load("../../blur"),
    load("./openvidia-products"),
    load("./openvidia-corners", CORNER_CONSTANTS),
    load("./openvidia-directions", DIRECTION_CONSTANTS),
    load("../sift/descriptor", descriptorConstants(options)),
  ]);
  const work = new Workspace(session, "openvidia");
  const size = { width, height };
  work.storage("image", width * height);
  work.storage("products", TENSOR * width * height);
  work.storage("counters", corners.struct("Counters").words);
  const blurs = { alongX: blur, alongY: blur };
  const tiles = tilesOf(products, size);
  const filters: Step[] = [
    ...blurSteps(work, blurs, size, IMAGE_TAPS, "image", "pyramid", { pitch: pitchOf(width) }),
    { kernel: products, groups: tiles },
    ...blurSteps(work, blurs, size, TENSOR_TAPS, "products", "tensor", { planes: TENSOR }),
  ];
  const steps = ([room]: readonly number[]): Step[] => {
    work.storage("places", corners.struct("Place").words * room);
    work.storage("keypoints", directions.struct("Oriented").words * room);
    work.storage("descriptors", (DESCRIPTOR_LENGTH / 4) * room);
    const settings = { soft: options.randomness, peak: options.threshold, edge: 0, orientations: 1 };
    const rooms = { candidateRoom: 0, placeRoom: room, keypointRoom: room };
    const record = spaceOf([{ offset: 0, width, height, firstGroup: 0 }], { ...settings, ...rooms });
    work.uniform("space", corners.struct("Space"), record);
    return [
      ...filters,
      { kernel: corners, groups: tiles },
      ...[directions, descriptor].map((kernel) => ({ kernel, groups: [Math.min(LIST_GROUPS, room)] as const })),
    ];
  };
  const room = Math.max(1024, Math.ceil((width * height) / 128));
  const lists = new DeviceLists(work, { counters: "counters", counts: ([, , found]) => [found], steps }, [room]);
  const upload = new PlaneUpload(work, width * height);
  const [place, oriented] = [corners.struct("Place"), directions.struct("Oriented")];
  return {
    detect: (image: Plane): Promise<Keypoints> =>
      lists.fill({
        before: async (encoder, _, isAgain) => (isAgain ? undefined : await upload.send(encoder, image, "image")),
        parts: ([found]) => [
          { name: "places", bytes: place.size * found },
          { name: "keypoints", bytes: oriented.size * found },
          { name: "descriptors", bytes: DESCRIPTOR_LENGTH * found },
        ],
        decode: ([places, keypoints, descriptors]) => {
          const [x, y, response] = ["x", "y", "response"].map((name) => place.floats(places, name));
          const bytes = new Uint8Array(descriptors.slice().buffer);
          const records = Array.from(oriented.floats(keypoints, "angle"), (angle, k) => ({
            x: x[k],
            y: y[k],
            response: response[k],
            angle,
            descriptor: bytes.subarray(DESCRIPTOR_LENGTH * k, DESCRIPTOR_LENGTH * (k + 1)),
          }));
          return strongestFirst(records);
        },
      }),
    destroy: () => work.destroy(),
  };
}
