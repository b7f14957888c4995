"""What of Mücke 2007 OpenCV does beside rmap: the camera's pose from a reference image, by the homography of `rmap match`, and the images in between.

    npm run build && /usr/bin/python3 lab/features/pose.py OUT [--image ../shared/images/cudasift-left.pgm] [--rows lab/results/features-choices.jsonl]

The image is a plane one unit before a camera of known focal length, which then turns by known angles and moves; its second view is drawn with noise of 2 grey levels. Of the pose that
cv2.decomposeHomographyMat makes of the homography the errors are printed, and CPU milliseconds of one thread of each of the others, the median of 20.
"""

import argparse
import json
import pathlib
import resource
import subprocess

import cv2
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--image", default="../shared/images/cudasift-left.pgm")
parser.add_argument("--rows")
flags = parser.parse_args()
flags.out.mkdir(parents=True, exist_ok=True)
cv2.setNumThreads(1)

image = cv2.imread(flags.image, cv2.IMREAD_GRAYSCALE)
height, width = image.shape
camera = np.array([[width, 0, width / 2], [0, width, height / 2], [0, 0, 1.0]])
distortion = np.array([-0.2, 0.05, 0, 0, 0])
normal = np.array([0, 0, 1.0])


def rotation_of(degrees):
    return cv2.Rodrigues(np.radians(np.array(degrees, float)))[0]


def pose(degrees, move, seed):
    """Errors of the rotation in degrees, and of the direction of the move."""
    rotation, move = rotation_of(degrees), np.array(move, float)
    true = camera @ (rotation + np.outer(move, normal)) @ np.linalg.inv(camera)
    view = cv2.warpPerspective(image, true, (width, height)).astype(float)
    view = np.clip(np.round(view + np.random.default_rng(seed).normal(0, 2, view.shape)), 0, 255).astype(np.uint8)
    files = [str(flags.out / name) for name in ("reference.png", f"view-{seed}.png")]
    for file, one in zip(files, (image, view)):
        cv2.imwrite(file, one)
    command = ["node", "dist/cli/main.js", "match", *files, "--model", "homography", "--device", "cpu", "--json"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    homography = np.array(found["homography"]).reshape(3, 3)
    _, rotations, moves, normals = cv2.decomposeHomographyMat(homography, camera)
    best = max(range(len(normals)), key=lambda k: normals[k].ravel() @ normal)
    turned = rotations[best] @ rotation.T
    moved = moves[best].ravel()
    cosine = moved @ move / np.linalg.norm(moved) / np.linalg.norm(move)
    return {
        "degrees": degrees,
        "rotationError": float(np.degrees(np.linalg.norm(cv2.Rodrigues(turned)[0]))),
        "directionError": float(np.degrees(np.arccos(min(1, cosine)))),
        "matches": found.get("inliers"),
    }


def milliseconds(work):
    times = []
    for _ in range(21):
        before = resource.getrusage(resource.RUSAGE_SELF)
        work()
        after = resource.getrusage(resource.RUSAGE_SELF)
        times.append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return float(np.median(times[1:]))


def sobel():
    x, y = (cv2.Sobel(image, cv2.CV_32F, *axis) for axis in ((1, 0), (0, 1)))
    return x, y, cv2.phase(x, y), np.abs(x) + np.abs(y)


def pyramid():
    levels = [image]
    for _ in range(4):
        levels.append(cv2.pyrDown(levels[-1]))


laplace = np.array([[1, 1, 1], [1, -8, 1], [1, 1, 1.0]])
poses = [pose([3, 8, 12], [0.1, -0.05, 0.05], 1), pose([-12, 10, -20], [-0.15, 0.1, 0.1], 2), pose([15, -15, 30], [0.1, 0.2, 0.15], 3)]
times = {
    "sobel x, y, direction, |Gx| + |Gy|": milliseconds(sobel),
    "laplace of eight neighbours": milliseconds(lambda: cv2.filter2D(image, cv2.CV_32F, laplace)),
    "pyramid of five levels": milliseconds(pyramid),
    "undistort": milliseconds(lambda: cv2.undistort(image, camera, distortion)),
}
row = {"benchmark": "beside-rmap", "image": pathlib.Path(flags.image).name, "width": width, "height": height, "poses": poses, "milliseconds": times, "opencv": cv2.__version__}
print(json.dumps(row, indent=1))
if flags.rows is not None:
    git = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    date = subprocess.run(["date", "-u", "+%Y-%m-%dT%H:%M:%S.000Z"], capture_output=True, text=True).stdout.strip()
    with open(flags.rows, "a") as rows:
        rows.write(json.dumps({**row, "revision": git, "date": date}) + "\n")
