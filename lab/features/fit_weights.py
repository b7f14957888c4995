#!/usr/bin/python3
"""Fits the weights of rmap link on scenes of several textures, and says how they do on others, which were not fitted to.

    npm run build && python3 lab/features/fit_weights.py OUT [--reference FOLDER] [--rmap FILE]

OUT keeps the scenes and what was found in them, so that a second run goes on. weights.json is written there by rmap fit-links."""
import argparse, csv, json, os, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("out")
parser.add_argument("--reference", default=f"{root}/../shared/specs/reference/features")
parser.add_argument("--rmap", default=f"{root}/dist/cli/main.js")
flags = parser.parse_args()
os.makedirs(flags.out, exist_ok=True)
os.environ["FEATURES_TMP"] = os.path.abspath(flags.out)
sys.path.insert(0, flags.reference)
import numpy as np
from movers import truth_l

FITTED = [("plane", "brick", 103), ("plane", "camera", 100), ("movers", "brick", 111), ("movers", "gravel", 112), ("movers", "grass", 113), ("movers", "astronaut", 114)]
REPORTED = [("plane", "brick", 3), ("plane", "gravel", 4), ("movers", "brick", 11), ("movers", "gravel", 12), ("movers", "grass", 13), ("movers", "astronaut", 14)]
PLACES = {"plane": 400, "movers": 600}
SIDE = 400


def rmap(*arguments): return subprocess.run(["node", flags.rmap, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def linked(kind, name, seed):
    """The folder of rmap link, with truth.csv."""
    scene = f"{flags.out}/{kind}-{name}-{seed}"
    folder = f"{scene}-link"
    if os.path.exists(f"{folder}/truth.csv"): return folder
    subprocess.run([sys.executable, f"{flags.reference}/scene.py", "write", scene, kind, name, str(seed)], check=True, capture_output=True)
    rmap("link", f"{scene}/*.png", "--top", PLACES[kind], "--peak", 0.01, "--device", "cpu", "-o", folder)
    truth = np.load(f"{scene}/truth.npz")
    found = list(csv.DictReader(row for row in open(f"{folder}/detections.csv") if not row.startswith("#")))
    frames, layers = [], []
    for t, layer in enumerate(truth["layer"]):
        rows = [row for row in found if int(row["frame"]) == t]
        at = np.array([[float(row["x"]), float(row["y"])] for row in rows]).reshape(-1, 2)
        frames.append((at, np.array([float(row["sigma"]) for row in rows])))
        x, y = np.clip(np.rint(at).astype(int), 0, SIDE - 1).T
        layers.append(layer[y, x])
    links, _ = truth_l(frames, list(truth["H"]), layers)
    with open(f"{folder}/truth.csv", "w") as file:
        file.write("frame,i,j\n")
        for t, link in enumerate(links):
            file.writelines(f"{t},{i},{j}\n" for i, j in enumerate(link) if j >= 0)
    return folder


def loss(folder, weights):
    """Mean −log likelihood of a candidate."""
    candidates = np.loadtxt(f"{folder}/candidates.csv", delimiter=",", skiprows=1)
    true = {tuple(row) for row in np.loadtxt(f"{folder}/truth.csv", delimiter=",", skiprows=1, dtype=int)}
    is_true = np.array([tuple(row) in true for row in candidates[:, :3].astype(int)])
    odds = candidates[:, 3 : 3 + len(weights)] @ np.array(weights)
    return np.logaddexp(0, np.where(is_true, -odds, odds)).mean()


print(rmap("fit-links", *(linked(*scene) for scene in FITTED), "-o", f"{flags.out}/weights.json"), end="")
weights = json.load(open(f"{flags.out}/weights.json"))["weights"]
EARLIER = {
    "without the camera's motion": [-0.9098, 1.8326, -0.2424, -0.766, -7.6472, -1.0769, -2.7645, 0.3123, -0.3062, -2.1145, 1.8231, 1.909],
    "without the ratios as well, fitted to camera and astronaut alone": [5.2389, -1.5117, 0.1664, -3.1326, -2.5089, -1.2239, -3.4097, 0.1482, -0.4087, -2.7236],
}
for scene in REPORTED:
    folder = linked(*scene)
    before = "".join(f"; {name} {loss(folder, earlier):.4f}" for name, earlier in EARLIER.items())
    print(f"{' '.join(map(str, scene))}: loss a candidate {loss(folder, weights):.4f}{before}")
