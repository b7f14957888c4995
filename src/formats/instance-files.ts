/** The files of an instance folder. */
export const INSTANCE_FILES = [
  "pairs.csv",
  "pairs.npy",
  "triplets.csv",
  "triplets.npy",
  "ends.csv",
  "ends.npy",
  "unused.csv",
  "unused.npy",
  "divisions.csv",
  "divisions.npy",
  "exclusions.csv",
  "exclusions.npy",
  "instance.json",
  "detections.csv",
];
