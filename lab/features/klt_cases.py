"""KLT's tracking of §6.4: analytic blobs moved by known shifts, OpenCV's points, one step and thirty in a chain."""
import re
import cv2
import numpy as np
from synth import blobs, render

W, H = 640, 480


def shift(dx, dy): return np.array([[1, 0, dx], [0, 1, dy], [0, 0, 1.0]])


def inside(p, d, m=20):
    r = p + d
    return (p > m).all(1) & (p < [W - m, H - m]).all(1) & (r > m).all(1) & (r < [W - m, H - m]).all(1)


def write_points(file, p): np.savetxt(file, p, "%.6f", delimiter=",", header="x,y", comments="")


def klt_lines(rmap, script, line, work, devices, flags, told):
    r = np.random.RandomState(flags.seed)
    B = blobs(flags.seed if flags.own else 2, 1500, W, H, smin=1.2, smax=8.0)
    shifts = [tuple(np.round(r.uniform(-1, 1, 2) * s, 2)) for s in (0.5, 1, 4, 14)] if flags.own else [(0.25, 0), (0.5, 0.5), (3.3, -2.7), (12.6, 7.4)]
    far = (-27.3, 22.6) if flags.own else (31.2, -18.9)
    step = np.array([-0.29, 0.41] if flags.own else [0.37, -0.23])
    for noise in (0, 3):
        a = render(B, W, H, noise=noise, seed=21)
        cv2.imwrite(f"{work}/a.pgm", a)
        corners = cv2.goodFeaturesToTrack(a, 500, 0.01, 7)[:, 0].astype(float)
        for d in shifts + ([far] if noise == 0 else []):
            b = render(B, W, H, shift(*d), noise=noise, seed=22)
            cv2.imwrite(f"{work}/b.pgm", b)
            p = corners[inside(corners, d)]
            write_points(f"{work}/points.csv", p)
            np.savetxt(f"{work}/shift.H", shift(*d))
            q, st, _ = cv2.calcOpticalFlowPyrLK(a, b, p.astype(np.float32)[:, None], None, winSize=(21, 21), maxLevel=3, criteria=(3, 30, 0.01))
            e = np.hypot(*((q[:, 0] - p) - d).T)
            near = (st[:, 0] > 0) & (e < 1)
            peer = f"OpenCV {near.sum()} of {len(p)}, rmse {np.sqrt((e[near] ** 2).mean()):.4f}"
            for device in devices:
                def track(*options):
                    rmap("match", f"{work}/a.pgm", f"{work}/b.pgm", "--method", "klt", "--points", f"{work}/points.csv", "--device", device, "-o", f"{work}/t.csv", *options)
                    printed = script("evaluate.py", "flow", f"{work}/t.csv", f"{work}/shift.H")
                    return printed, [float(v) for v in re.findall(r"\d+\.?\d*", printed.replace("within 1 px", "within").replace("p95", ""))]
                name = f"match --klt, noise {noise}, shift {d}{told[device]}"
                if d == far:
                    printed, n = track("--one-way")
                    line("6.4", f"{name} --one-way", f"{printed}; {peer}", n[2] >= (200 if not flags.own else near.sum() - 2))
                    printed, n = track("--levels", 5)
                    line("6.4", f"{name} --levels 5", printed, n[2] == n[1] and n[2] >= (370 if not flags.own else 0.98 * len(p)))
                else:
                    printed, n = track("--one-way")
                    line("6.4", f"{name} --one-way", f"{printed}; {peer}", n[2] == n[0] and n[3] <= (0.015 if noise == 0 else 0.09))
        for device in devices[:1]:
            F = [render(B, W, H, shift(*(step * i)), noise=noise, seed=100 + i) for i in range(30)]
            p = cv2.goodFeaturesToTrack(F[0], 500, 0.01, 7)[:, 0].astype(float)
            p = p[inside(p, step * 30)]
            q, alive = p.copy(), np.ones(len(p), bool)
            for i in range(1, 30):
                cv2.imwrite(f"{work}/a.pgm", F[i - 1]); cv2.imwrite(f"{work}/b.pgm", F[i])
                write_points(f"{work}/points.csv", q)
                rmap("match", f"{work}/a.pgm", f"{work}/b.pgm", "--method", "klt", "--one-way", "--points", f"{work}/points.csv", "--device", device, "-o", f"{work}/t.csv")
                rows = np.genfromtxt(f"{work}/t.csv", delimiter=",", skip_header=1)
                rows = rows[rows[:, 1] == 1]
                alive &= rows[:, 4] > 0
                q = np.where(rows[:, 4:5] > 0, rows[:, 2:4], q)
            e = np.hypot(*(q - p - step * 29).T)
            median = np.median(e[alive])
            line("6.4", f"match --klt, 30 frames in a chain, noise {noise}{told[device]}", f"{alive.sum()} of {len(p)} alive, median {median:.4f} px, {(e[alive] < 1).sum()} within 1 px", median <= (0.012 if noise == 0 else 0.1))
