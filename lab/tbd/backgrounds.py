"""Sequences with a fixed pattern and a flicker, of the frames that `rmap render` wrote: python3 lab/tbd/backgrounds.py SCENE OUT (lab/notes/before-detection.md)"""

import pathlib
import sys

import numpy as np

scene, out = map(pathlib.Path, sys.argv[1:])
frames = np.load(scene / "frames.npy").astype(np.float32)
count, height, width = frames.shape
random = np.random.default_rng(3)
pattern = random.normal(0, 1, (height, width))
offset = random.normal(0, 1, count)[:, None, None]
light = 1 + 0.05 * random.normal(0, 1, count)[:, None, None]
uneven = 20 + 5 * random.normal(0, 1, (height, width))
hot = np.where(random.random((height, width)) < 0.001, 3.0, 0)
x, y = np.arange(width)[None], np.arange(height)[:, None]
vignette = 10 + 10 * np.exp(-((x - 128) ** 2 + (y - 128) ** 2) / 1e4)
slow = (1 + 0.1 * np.sin(np.arange(count) / 7))[:, None, None]
out.mkdir(parents=True, exist_ok=True)
for name, background in {
    "offsets": pattern + offset,
    "light": light * uneven,
    "hot": hot + offset,
    "vignette": slow * vignette,
}.items():
    np.save(out / f"{name}.npy", (frames + background).astype(np.float32))
