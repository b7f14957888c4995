import { argument, choice, commandOfMethods } from "./declaration/declaration.js";
import { COMMON } from "./match/common.js";
import { openvidiaMatching, siftMatching } from "./match/descriptors.js";
import { kltMatching } from "./match/klt.js";
import { inputFile } from "./options/files.js";

const METHODS = { sift: siftMatching, openvidia: openvidiaMatching, klt: kltMatching };

export const match = commandOfMethods(
  {
    group: "Images",
    summary: "Match the features of two images, or track points from one into the other.",
    arguments: {
      a: argument("image, or keypoints (.key, .sift, .csv) of rmap detect --method sift", inputFile),
      b: argument("the same of the other image", inputFile),
    },
    options: COMMON,
    examples: [],
  },
  {
    option: choice("--method <name>", "what is matched, and how", Object.keys(METHODS))
      .or("sift")
      .formerly("--detector")
      .formerly("--klt", "klt"),
    of: METHODS,
  },
);
