"""
OpenVIDIA's features and SIFT's, found and matched by rmap between images of a made video whose motion is known: the share of mutual matches that are right, to 2 px, and how many they are.
The camera, the light and the noise are those of follow.py; the ground is a photograph, since its texture of waves has no corners of edges.

    npm run build && /usr/bin/python3 lab/features/edgels.py OUT [--image ../shared/images/cudasift-left.pgm] [--rows lab/results/follow.jsonl]
"""

import argparse
import json
import pathlib
import subprocess

import cv2
import numpy as np
from follow import HEIGHT, PROVENANCE, RIGHT, ROOT, WIDTH, camera

AHEAD, BEGINNINGS = (1, 5, 20, 60), (0, 110, 220, 330)


def rmap(*arguments):
    command = ["node", ROOT / "dist/cli/main.js", *arguments, "--device", "cpu", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def frame(photograph, t):
    """The middle of the photograph is the middle of the ground."""
    a, b = camera(t)
    rows, columns = photograph.shape
    corner = np.array([columns - WIDTH, rows - HEIGHT]) / 2
    image = cv2.warpAffine(photograph, np.c_[a, b - a @ corner], (WIDTH, HEIGHT), borderMode=cv2.BORDER_REFLECT)
    random = np.random.default_rng(t)
    light = 1 + 0.15 * np.sin(2 * np.pi * t / 90) + 0.02 * random.normal()
    return np.clip(np.round(light * image + random.normal(0, 2, image.shape)), 0, 255).astype(np.uint8)


def columns(file, *names):
    rows = np.genfromtxt(file, delimiter=",", names=True)
    return np.stack([np.atleast_1d(rows[name]) for name in names], 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--image", default="../shared/images/cudasift-left.pgm")
    parser.add_argument("--rows")
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    photograph = cv2.imread(flags.image, cv2.IMREAD_GRAYSCALE)
    for method in ("openvidia", "sift"):
        files = {}
        for t in sorted({begun + ahead for begun in BEGINNINGS for ahead in (0, *AHEAD)}):
            image, files[t] = str(flags.out / f"{t}.png"), str(flags.out / f"{t}-{method}.csv")
            cv2.imwrite(image, frame(photograph, t))
            rmap("detect", image, "--method", method, "-o", files[t])
        for ahead in AHEAD:
            right = known = 0
            for t in BEGINNINGS:
                out = str(flags.out / "matches.csv")
                ran = rmap("match", files[t], files[t + ahead], "--mutual", "-o", out)
                pairs = columns(out, "i", "j").astype(int)
                here, there = columns(files[t], "x", "y")[pairs[:, 0]], columns(files[t + ahead], "x", "y")[pairs[:, 1]]
                (a, b), (c, d) = camera(t), camera(t + ahead)
                place = (c @ np.linalg.solve(a, (here - b).T)).T + d
                error = np.hypot(*(there - place).T)
                right, known = right + int((error <= RIGHT).sum()), known + len(error)
            row = {"benchmark": "follow-matches", "what": method, "ahead": ahead, "pairs": len(BEGINNINGS), "matches": known / len(BEGINNINGS), "rightPercent": 100 * right / max(1, known)}
            print(json.dumps(row), flush=True)
            if flags.rows:
                with open(flags.rows, "a") as file:
                    file.write(json.dumps({**row, **{key: ran[key] for key in PROVENANCE if key in ran}}) + "\n")


if __name__ == "__main__":
    main()
