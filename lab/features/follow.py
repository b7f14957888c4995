"""
`rmap follow` and OpenCV's calcOpticalFlowPyrLK with selection on made videos whose motion is known: a texture of waves under a camera that shifts, turns and grows, noise of 2 grey
levels, light that changes by up to 15 % and flickers by 2 % or is constant, and a disc of another texture that passes. A point is right within 2 px of where its place has gone.

    python3 lab/features/follow.py OUT [--frames 500] [--seeds 2,3] [--rows FILE] [RMAP OPTION …]      (python3-opencv)
"""

import argparse
import json
import pathlib
import resource
import subprocess
import time

import cv2
import numpy as np

WIDTH, HEIGHT, RADIUS, RIGHT, TOP = 320, 240, 45, 2.0, 300
PROVENANCE = ("version", "revision", "node", "cpu", "cores", "memory", "platform", "date")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def texture(seed, waves=96):
    random = np.random.default_rng(seed)
    f = 0.004 * 40 ** random.random(waves)
    angle, phase = 2 * np.pi * random.random(waves), 2 * np.pi * random.random(waves)
    height = (0.004 / f) ** 0.5
    height *= 40 / np.sqrt((height**2).sum() / 2)
    parts = np.float32([2 * np.pi * f * np.cos(angle), 2 * np.pi * f * np.sin(angle), phase, height]).T
    return lambda x, y: 128 + sum(a * np.cos(kx * x + ky * y + p) for kx, ky, p, a in parts)


def camera(t):
    """A and b of image place = A (place on the ground) + b."""
    grown, turned = 1 + 0.25 * np.sin(2 * np.pi * t / 400), 0.35 * np.sin(2 * np.pi * t / 300)
    a = grown * np.array([[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]])
    middle = np.array([(WIDTH - 1) / 2, (HEIGHT - 1) / 2])
    return a, middle - a @ middle + [60 * np.sin(2 * np.pi * t / 250), 40 * np.sin(2 * np.pi * t / 170)]


def disc_at(t):
    return np.array([(-60 + 2.2 * t) % 440 - 60, 120 + 70 * np.sin(2 * np.pi * t / 130)])


def video(count, seed, changes):
    ground, disc = texture(seed), texture(seed + 1000)
    random = np.random.default_rng(seed + 5)
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(np.float32)
    frames = np.empty((count, HEIGHT, WIDTH), np.uint8)
    for t in range(count):
        a, b = camera(t)
        back = np.linalg.inv(a).astype(np.float32)
        u, v = x - np.float32(b[0]), y - np.float32(b[1])
        image = ground(back[0, 0] * u + back[0, 1] * v, back[1, 0] * u + back[1, 1] * v)
        middle = np.float32(disc_at(t))
        inside = (x - middle[0]) ** 2 + (y - middle[1]) ** 2 < RADIUS**2
        if inside.any():
            image[inside] = disc(x[inside] - middle[0], y[inside] - middle[1])
        flicker = 0.02 * random.normal()
        light = 1 + 0.15 * np.sin(2 * np.pi * t / 90) + flicker if changes else 1.0
        image = 110 + light * 0.8 * (image - 110) + 80 * (light - 1) + random.normal(0, 2, image.shape)
        frames[t] = np.clip(np.round(image), 0, 255)
    return frames


def peer(frames):
    """Rows frame, track, x, y of OpenCV: there and back within 1 px, window 21, 4 levels, corners again every 5 frames with what is followed masked."""
    points, names, begun, rows = np.zeros((0, 2), np.float32), np.zeros(0, int), 0, []
    how = {"winSize": (21, 21), "maxLevel": 3, "criteria": (3, 30, 0.01)}
    for t, frame in enumerate(frames):
        if t > 0 and len(points) > 0:
            there, status, _ = cv2.calcOpticalFlowPyrLK(frames[t - 1], frame, points[:, None], None, **how)
            back, returned, _ = cv2.calcOpticalFlowPyrLK(frame, frames[t - 1], there, None, **how)
            there, near = there[:, 0], np.hypot(*(back[:, 0] - points).T) < 1
            kept = (status[:, 0] > 0) & (returned[:, 0] > 0) & near & (there >= 0).all(1) & (there <= [WIDTH - 1, HEIGHT - 1]).all(1)
            points, names = there[kept], names[kept]
        if t % 5 == 0 and len(points) < TOP:
            mask = np.full(frame.shape, 255, np.uint8)
            for px, py in points:
                cv2.circle(mask, (round(px), round(py)), 6, 0, -1)
            found = cv2.goodFeaturesToTrack(frame, TOP - len(points), 0.01, 7, mask=mask)
            if found is not None:
                points, names = np.vstack([points, found[:, 0]]), np.r_[names, begun + np.arange(len(found))]
                begun += len(found)
        rows += [(t, name, *place) for name, place in zip(names, points)]
    return np.array(rows)


def judged(rows, count):
    rows = rows[np.lexsort((rows[:, 0], rows[:, 1]))]
    cameras, discs = [camera(t) for t in range(count)], [disc_at(t) for t in range(count)]
    error, age, birth = np.full(len(rows), np.nan), np.zeros(len(rows)), rows[0]
    for n, row in enumerate(rows):
        if n == 0 or row[1] != birth[1]:
            birth = row
        t, begun, place = int(row[0]), int(birth[0]), birth[2:4]
        age[n] = t - begun
        away = np.hypot(*(place - discs[begun]))
        if abs(away - RADIUS) < 14:
            continue  # begun on the disc's edge: of neither
        a, b = cameras[begun]
        now = place - discs[begun] + discs[t] if away < RADIUS else cameras[t][0] @ np.linalg.solve(a, place - b) + cameras[t][1]
        error[n] = np.hypot(*(row[2:4] - now))
    known, frame = ~np.isnan(error), rows[:, 0].astype(int)
    right, wrong = known & (error <= RIGHT), known & (error > RIGHT)
    alive = np.bincount(frame, minlength=count)
    drift = {}
    for least, most in ((1, 10), (90, 110), (190, 210)):
        of = right & (age >= least) & (age <= most)
        if of.any():
            drift[f"{least} to {most}"] = [float(np.median(error[of])), float(np.quantile(error[of], 0.95))]
    return {
        "tracks": len(np.unique(rows[:, 1])),
        "alive": float(alive.mean()),
        "leastAlive": int(alive.min()),
        "falsePercent": float(100 * wrong.sum() / known.sum()),
        "falseLast": int((wrong & (frame == count - 1)).sum()),
        "longestRight": int(age[right].max()),
        "errorByAge": drift,
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=500)
    parser.add_argument("--seeds", default="2,3")
    parser.add_argument("--rows")
    flags, options = parser.parse_known_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    for seed in map(int, flags.seeds.split(",")):
        for light in ("changes", "constant"):
            frames = video(flags.frames, seed, light == "changes")
            np.save(flags.out / "video.npy", frames)
            command = ["node", ROOT / "dist/cli/main.js", "follow", flags.out / "video.npy", "--top", str(TOP), "-o", flags.out / "tracks.csv", "--json", *options]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            ran = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            begun = time.process_time()
            others = peer(frames)
            cpu = {"rmap follow": after.ru_utime - before.ru_utime, "OpenCV": time.process_time() - begun}
            found = {"rmap follow": np.loadtxt(flags.out / "tracks.csv", delimiter=",", skiprows=1, usecols=(0, 1, 2, 3)), "OpenCV": others}
            for name, rows in found.items():
                row = {"benchmark": "follow", "what": name, "seed": seed, "light": light, "frames": flags.frames, **judged(rows, flags.frames), "cpuSeconds": round(cpu[name], 2), "opencv": cv2.__version__, **{key: ran[key] for key in PROVENANCE}}
                print(json.dumps(row), flush=True)
                if flags.rows:
                    with open(flags.rows, "a") as file:
                        file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
