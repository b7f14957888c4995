"""Images and sequences that nobody names: tiny, odd, 16-bit, flat, checkered, noise, large; sequences that change size, end early or are killed."""
import json
import os
import shutil
import signal
import subprocess
import time
import cv2
import numpy as np


def images(seed, large):
    r = np.random.RandomState(seed)
    y, x = np.mgrid[0:97, 0:131]
    wave = 128 + 60 * np.sin(x / 5.0) * np.cos(y / 7.0) + 40 * np.exp(-((x - 60) ** 2 + (y - 40) ** 2) / 60.0)
    made = {
        "1x1": np.full((1, 1), 77, np.uint8),
        "7x5": r.randint(0, 256, (5, 7)).astype(np.uint8),
        "1x300": r.randint(0, 256, (300, 1)).astype(np.uint8),
        "131x97": np.rint(wave).astype(np.uint8),
        "16bit": np.rint(wave * 257).astype(np.uint16),
        "colour": r.randint(0, 256, (61, 83, 3)).astype(np.uint8),
        "flat": np.full((64, 64), 128, np.uint8),
        "black": np.zeros((50, 70), np.uint8),
        "checker1": ((x + y) % 2 * 255).astype(np.uint8),
        "checker8": ((x // 8 + y // 8) % 2 * 255).astype(np.uint8),
        "noise": r.randint(0, 256, (120, 160)).astype(np.uint8),
    }
    if large:
        base = cv2.GaussianBlur(r.randint(0, 256, (750, 1000)).astype(np.float32), (0, 0), 3)
        base = 128 + (base - base.mean()) * 40 / base.std()
        made["4000x3000"] = np.clip(np.rint(cv2.resize(base, (4000, 3000), interpolation=cv2.INTER_CUBIC)), 0, 255).astype(np.uint8)
    return made


METHODS = {
    "sift": ["--format", "npy"], "sift 0": ["--format", "npy", "--first-octave", "0"], "openvidia": ["--format", "npy"],
    "harris": ["--quality", "0.02"], "klt": [], "canny": [], "sobel": [], "log": [], "dog": [],
}
EXTENSION = {"sift": "npy", "sift 0": "npy", "openvidia": "npy", "harris": "csv", "klt": "csv", "canny": "png", "sobel": "png", "log": "png", "dog": "png"}


def read(file):
    if file.endswith(".png"): return cv2.imread(file, 0).astype(float)
    if file.endswith(".csv"):
        rows = open(file).read().splitlines()[1:]
        return np.array([[float(v) for v in row.split(",")] for row in rows]).reshape(-1, 3)
    return np.load(file).astype(float)


def agree(a, b, method):
    """The share of rows or pixels that both have."""
    if method in ("canny", "sobel", "log", "dog"):
        # Grey levels may round either way; edges are 0 or 255.
        return float((np.abs(a - b) <= (0 if method == "canny" else 1)).mean()) if a.shape == b.shape else 0.0
    if len(a) == 0 or len(b) == 0: return float(len(a) == len(b))
    from scipy.spatial import cKDTree
    keys = lambda rows: rows[:, :4] if "sift" in method or method == "openvidia" else rows[:, :2]
    one, other = keys(a), keys(b)
    return min((cKDTree(q).query(p)[0] <= 0.015).mean() for p, q in ((one, other), (other, one)))


def odd_lines(rmap, line, work, devices, flags, told):
    made = images(flags.seed, flags.large)
    for name, image in made.items():
        cv2.imwrite(f"{work}/odd-{name}.png", image)
    for method, options in METHODS.items():
        small = {n: i for n, i in made.items() if n != "4000x3000"}
        for names in [list(small)] + ([["4000x3000"]] if flags.large else []):
            found = {}
            for device in devices:
                out = f"{work}/odd-{method.replace(' ', '')}-{device}"
                shutil.rmtree(out, ignore_errors=True)
                os.makedirs(out)
                extension = EXTENSION[method]
                detect = lambda files, to: rmap("detect", *files, "--method", method.split()[0], "--device", device, "-o", to, *options, fails=True)
                at_once = len(names) > 1 and detect([f"{work}/odd-{n}.png" for n in names], out).returncode == 0
                for n in names:
                    # Where one of them is refused, each has a run of its own.
                    file = f"{out}/{'odd-' if at_once else ''}{n}.{extension}"
                    run = None if at_once else detect([f"{work}/odd-{n}.png"], file)
                    found[n, device] = read(file) if run is None or run.returncode == 0 else f"exit {run.returncode}: {run.stderr.strip()}"
            bad, worst = [], 1.0
            for n in names:
                answers = [found[n, device] for device in devices]
                if any(isinstance(a, str) for a in answers):
                    refused = [a for a in answers if isinstance(a, str)]
                    if not all(a.startswith("exit 2: ") and "\n" not in a for a in refused): bad.append(f"{n}: {refused[0][:200]}")
                    else: print(f"         {method} {n} refused: {refused[0][:160]}")
                elif len(answers) > 1:
                    share = agree(answers[0], answers[1], method)
                    worst = min(worst, share)
                    # As of OpenCV's corners, 99 %: ties of the least distance are few among few points.
                    if share < (0.99 if method == "klt" else 0.995): bad.append(f"{n} {share:.4f}")
            counts = " ".join(f"{n} {len(found[n, devices[0]])}" if not isinstance(found[n, devices[0]], str) else f"{n} refused" for n in names)
            line("images", f"detect --method {method} --device {' and '.join(devices)}", f"{counts}; least agreement {worst:.4f} {'; '.join(bad)}", not bad)
    sequences(rmap, line, work, made["131x97"])


def sequences(rmap, line, work, image):
    def frames(name, count=4):
        folder = f"{work}/seq-{name}"
        os.makedirs(folder, exist_ok=True)
        for k in range(count): cv2.imwrite(f"{folder}/{k:03d}.png", np.roll(image, 2 * k, 1))
        return folder

    def refused(name, folder, *options):
        out = f"{folder}-out"
        run = rmap("link", f"{folder}/*.png", "--device", "cpu", "--top", 50, "-o", out, *options, fails=True)
        text = run.stderr.strip()
        line("images", f"link, {name}", f"exit {run.returncode}: {text[:200]}", run.returncode == 2 and "\n" not in text and not os.path.exists(f"{out}/tracks.csv"))

    folder = frames("size")
    cv2.imwrite(f"{folder}/002.png", image[:90])
    refused("the third frame of another size", folder, "--solve")
    folder = frames("truncated")
    whole = open(f"{folder}/003.png", "rb").read()
    open(f"{folder}/003.png", "wb").write(whole[: len(whole) // 2])
    refused("the last frame truncated", folder, "--solve")
    folder = frames("empty")
    open(f"{folder}/001.png", "wb").close()
    refused("an empty file", folder, "--solve")
    refused("one frame", frames("one", 1), "--solve")
    flat = f"{work}/seq-flat"
    os.makedirs(flat, exist_ok=True)
    for k in range(3): cv2.imwrite(f"{flat}/{k}.png", np.full((40, 40), 90, np.uint8))
    refused("flat frames", flat, "--solve")
    # Killed while it works: what an earlier run wrote is whole, or gone, and a further run does what a first would.
    folder = frames("killed", 8)
    out = f"{folder}-out"
    command = ["link", f"{folder}/*.png", "--device", "cpu", "--top", "60", "--solve", "-o", out]
    rmap(*command)
    first = open(f"{out}/tracks.csv").read()
    for wait in (0.4, 0.8, 1.2):
        run = subprocess.Popen(["node", rmap.main, *command], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        run.send_signal(signal.SIGKILL)
        run.wait()
    for name in ("result.json", "instance.json"):
        if os.path.exists(f"{out}/{name}"): json.load(open(f"{out}/{name}"))
    rmap(*command)
    line("images", "link, killed three times, and again", "the same tracks as the first run" if open(f"{out}/tracks.csv").read() == first else "other tracks", open(f"{out}/tracks.csv").read() == first)
    for name, options in {"a missing image": ["nothing.png"], "text as PNG": ["text.png"]}.items():
        open(f"{work}/text.png", "w").write("no image\n")
        run = rmap("detect", f"{work}/{options[0]}", "--method", "sift", fails=True)
        line("images", f"detect, {name}", f"exit {run.returncode}: {run.stderr.strip()[:160]}", run.returncode == 2 and "\n" not in run.stderr.strip())
