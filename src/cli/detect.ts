import { choice, commandOfMethods, severalArguments } from "./declaration/declaration.js";
import { COMMON } from "./detect/method.js";
import { DETECT_METHODS } from "./detect/methods.js";
import { imageInput } from "./options/files.js";

export const detect = commandOfMethods(
  {
    group: "Images",
    summary: "Find spots, keypoints, corners, edges or targets in images.",
    arguments: {
      image: severalArguments(
        "images, folders of them, or files of many frames: PNG, TIFF, PGM, PPM, .npy, .y4m",
        imageInput,
      ),
    },
    options: COMMON,
    examples: [],
  },
  {
    option: choice("--method <name>", "what is looked for, and how", Object.keys(DETECT_METHODS)).needed(),
    of: DETECT_METHODS,
  },
);
