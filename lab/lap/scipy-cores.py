"""SciPy's side of the LAPs on a GPU: batches of dense LAPs by linear_sum_assignment on all cores.

    python3 lab/lap/scipy-cores.py [size,laps ...]      prints one JSON line per batch, as gpu.mjs does

Every process takes an equal share of a batch of uniform f32 costs in [0, 1), fresh in each repetition, which it draws itself. The
time is that of the slowest process for its share: processes are started and costs drawn before, and all set out together.
"""

import json
import multiprocessing
import os
import sys
import time
from datetime import datetime, timezone

import numpy as np
import scipy
from scipy.optimize import linear_sum_assignment

REPETITIONS = 5
WARM_UPS = 1
STANDARD = ["50,50", "100,100", "200,200", "300,300", "512,512", "50,2000", "1024,128", "2048,64"]


def solve_share(core, cores, size, laps, seed, barrier, seconds):
    """The share of one process: LAPs core, core + cores, ...; puts its time of each repetition into `seconds`."""
    for repetition in range(-WARM_UPS, REPETITIONS):
        costs = [
            np.random.default_rng([seed, repetition + WARM_UPS, lap]).random((size, size), dtype=np.float32)
            for lap in range(core, laps, cores)
        ]
        barrier.wait(timeout=600)
        start = time.perf_counter()
        for matrix in costs:
            linear_sum_assignment(matrix)
        elapsed = time.perf_counter() - start
        if repetition >= 0:
            seconds[repetition * cores + core] = elapsed


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf8") as lines:
        return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def measure(size, laps):
    cores = len(os.sched_getaffinity(0))
    seed = size * 7919 + laps
    barrier = multiprocessing.Barrier(cores)
    seconds = multiprocessing.Array("d", REPETITIONS * cores, lock=False)
    processes = [
        multiprocessing.Process(target=solve_share, args=(core, cores, size, laps, seed, barrier, seconds))
        for core in range(cores)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        if process.exitcode != 0:
            raise SystemExit(f"a process ended with {process.exitcode}; no time is reported")
    slowest = sorted(1e3 * max(seconds[k * cores : (k + 1) * cores]) for k in range(REPETITIONS))
    return {
        "benchmark": "lap-scipy-cores",
        "size": size,
        "laps": laps,
        "cores": cores,
        "milliseconds": {"median": slowest[len(slowest) // 2], "least": slowest[0], "most": slowest[-1]},
        "seed": seed,
        "scipy": scipy.__version__,
        "numpy": np.__version__,
        "python": sys.version.split()[0],
        "revision": os.environ.get("RMAP_REVISION"),
        "cpu": cpu_model(),
        "platform": sys.platform,
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


if __name__ == "__main__":
    for batch in sys.argv[1:] or STANDARD:
        size, laps = map(int, batch.split(","))
        print(json.dumps(measure(size, laps)), flush=True)
