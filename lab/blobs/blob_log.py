"""Spots of images by scikit-image's blob_log at many thresholds, the greatest first, as long as they are `most` or fewer. Answers each line of JSON on standard input with one: {file, ...} of a .npy (H, W) f32, with noise of 1.

The scale space is made once an image: the maxima above a threshold are those of the least threshold that are above it, and blob_log prunes them. That this is what
blob_log itself finds is asserted for one threshold of each image where `check` is given.
"""
import json
import sys

import numpy as np
import skimage
from scipy.ndimage import gaussian_laplace
from skimage.feature import blob_log, peak_local_max
from skimage.feature.blob import _prune_blobs


def answer(file, least, greatest, count, thresholds, most, check):
    image = np.load(file).astype(np.float64)
    sigmas = np.linspace(least, greatest, count)
    # As in blob_log of 0.19.
    cube = np.stack([-gaussian_laplace(image, s) * s**2 for s in sigmas], axis=-1)
    peaks = peak_local_max(cube, threshold_abs=thresholds[-1], exclude_border=False, footprint=np.ones((3, 3, 3)))
    values = cube[tuple(peaks.T)]
    found = []
    for threshold in thresholds:
        kept = peaks[values > threshold].astype(float)
        if len(kept) == 0:
            found.append([])
            continue
        blobs = np.column_stack([kept[:, :2], sigmas[kept[:, 2].astype(int)]])
        # Lower thresholds would find still more, nearly all of them false.
        if len(blobs) > 3 * most:
            break
        found.append(_prune_blobs(blobs, 0.5, sigma_dim=1))
        if len(found[-1]) > most:
            found.pop()
            break
    if check is not None and check < len(found):
        own = blob_log(image, min_sigma=least, max_sigma=greatest, num_sigma=count, threshold=thresholds[check])
        order = lambda blobs: sorted(map(tuple, np.asarray(blobs).reshape(-1, 3).tolist()))
        assert order(own) == order(found[check]), f"{file}: not what blob_log finds"
    return [[[float(x), float(y), float(s)] for y, x, s in blobs] for blobs in found]


for line in sys.stdin:
    print(json.dumps({"version": skimage.__version__, "found": answer(**json.loads(line))}), flush=True)
