"""python3 -m unittest discover python, in a checkout with `npm ci` done; needs NumPy, and matplotlib for the notebook."""

import contextlib
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import rmap

ROOT = Path(__file__).parent.parent
COMMAND = ["node", str(ROOT / "dist" / "cli" / "main.js")]


def lines(count=4, frames=12):
    """Targets that move along parallel lines, a detection of each in every frame."""
    frame, target = (values.ravel() for values in np.meshgrid(np.arange(frames), np.arange(count), indexing="ij"))
    return frame, 3.0 * frame + 0.25 * target, 20.0 * target + 0.5 * frame, target


def solved(*arrays, **options):
    return rmap.track(*arrays, command=COMMAND, device="cpu", **options)


class Track(unittest.TestCase):
    def test_tracks_have_the_order_of_the_arrays_and_are_those_of_the_targets(self):
        frame, x, y, target = lines()
        shuffled = np.random.default_rng(3).permutation(len(frame))
        tracked = solved(frame[shuffled], x[shuffled], y[shuffled])
        names = {t: set(tracked.track[target[shuffled] == t]) for t in range(4)}
        self.assertTrue(all(len(found) == 1 for found in names.values()), names)
        self.assertEqual(len(set.union(*names.values())), 4)
        self.assertEqual(tracked.status, "optimal")
        self.assertLessEqual(tracked.lower_bound, tracked.upper_bound)
        # A margin for each link, none at the last detection of a track.
        last = frame[shuffled] == frame.max()
        self.assertTrue((tracked.margin[~last] > 0).all())
        self.assertTrue(np.isnan(tracked.margin[last]).all())

    def test_the_folder_has_a_proof_that_check_confirms_and_the_same_tracks(self):
        frame, x, y, _ = lines()
        with tempfile.TemporaryDirectory() as folder:
            tracked = solved(frame + 1000, x, y, dt=0.5, output=folder)
            done = subprocess.run(
                [*COMMAND, "check", tracked.proof, tracked.output / "detections.csv"], capture_output=True, text=True
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(tracked.output / "tracks.csv") as file:
                rows = list(csv.DictReader(file))
        order = np.argsort(frame, kind="stable")
        self.assertEqual([int(row["track"]) for row in rows], tracked.track[order].tolist())
        self.assertEqual([int(row["frame"]) for row in rows], (frame[order] + 1000).tolist())

    def test_positions_may_be_in_space(self):
        frame, x, y, target = lines()
        # In the plane two targets are one place.
        crowded, z = np.where(target == 3, y - 20.0, y), np.where(target == 3, 30.0, 5.0)
        tracked = solved(frame, x + 0.25 * (target != 3), crowded, z=z)
        self.assertTrue(all(len(set(tracked.track[target == t])) == 1 for t in range(4)))
        flat = np.full(len(frame), np.nan)
        self.assertEqual(solved(frame, x, y, 3.0 + 0 * x, 0.5 + 0 * x, z=z, vz=flat).status, "optimal")
        with self.assertRaisesRegex(rmap.InputError, "vz: is missing; give vx, vy, vz, or none of them"):
            solved(frame, x, y, flat, flat, z=z)
        with self.assertRaisesRegex(rmap.InputError, "vz: positions have no z"):
            solved(frame, x, y, vz=flat)
        with self.assertRaisesRegex(rmap.InputError, r"z\[1\]: nan is no finite number"):
            solved([0, 1], [0, 0], [0, 0], z=[0, np.nan])

    def test_daughters_have_their_mothers_tracks(self):
        # Sixteen still cells, of which every second one divides after its sixth frame.
        random = np.random.default_rng(1)
        rows = [
            (p, 30 * (n % 4) + side * 4 + 0.3 * random.normal(), 30 * (n // 4) + 0.3 * random.normal(), n)
            for p in range(12)
            for n in range(16)
            for side in ([0] if p < 6 or n % 2 else [-1, 1])
        ]
        frame, x, y, cell = np.array(rows).T
        tracked = solved(frame, x, y)
        born = (frame >= 6) & (cell % 2 == 0)
        self.assertTrue((tracked.parent[~born] == -1).all())
        for n in range(0, 16, 2):
            mother = tracked.track[(frame == 0) & (cell == n)][0]
            self.assertEqual(set(tracked.parent[born & (cell == n)]), {mother})
        self.assertIsNone(solved(*lines()[:3]).parent)

    def test_velocities_may_be_missing(self):
        frame, x, y, _ = lines()
        vx = np.where(frame % 3 == 0, np.nan, 3.0)
        self.assertEqual(solved(frame, x, y, vx, np.where(np.isnan(vx), np.nan, 0.5)).status, "optimal")

    def test_a_larger_gap_than_required_is_a_result_and_no_error(self):
        tracked = rmap.track(*lines()[:3], command=COMMAND, device="cpu", iterations=1, require_gap=0, cuts="none")
        self.assertIn(tracked.status, ("optimal", "gap", "stopped", "stalled"))

    def test_what_does_not_fit_is_refused_with_its_place(self):
        two = [0, 1]
        for arrays, options, message in [
            (([0, 1.5], two, two), {}, r"frame\[1\]: 1.5"),
            (([0, -1], two, two), {}, r"frame\[1\]: -1"),
            ((two, [1, 2, 3], two), {}, r"x: has 3 entries, and frame has 2"),
            ((two, [1, np.nan], two), {}, r"x\[1\]: nan"),
            ((two, two, ["a", "b"]), {}, r"y: holds no numbers"),
            ((two, [two], two), {}, r"x: has shape \(1, 2\)"),
            (([], [], []), {}, r"frame: is empty"),
            ((two, two, two, two), {}, r"vy: is missing; give vx, vy"),
            ((two, two, two, [0, np.inf], two), {}, r"vx\[1\]: inf"),
            ((two, two, two), {"gap": -1}, r"--gap"),
            ((two, two, two), {"gaap": 1}, r"--gaap.*--gap"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(rmap.InputError, message):
                solved(*arrays, **options)

    def test_a_program_that_is_missing_or_fails_is_named(self):
        frame, x, y, _ = lines()
        with self.assertRaisesRegex(rmap.RmapError, "npm install rmap"):
            rmap.track(frame, x, y, command=["no-such-program"])
        with self.assertRaisesRegex(rmap.RmapError, "exit code 7|broken"):
            rmap.track(frame, x, y, command=[sys.executable, "-c", "import sys; sys.exit('broken')"])


class Package(unittest.TestCase):
    def test_the_wheel_is_built_and_installed_offline_and_has_the_version_of_rmap(self):
        version = json.loads((ROOT / "package.json").read_text())["version"]
        self.assertEqual(rmap.__version__, version)
        with tempfile.TemporaryDirectory() as folder:
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
            wheel = [*pip, "wheel", "--no-index", "--no-deps", "-w", folder, str(ROOT / "python")]
            subprocess.run(wheel, check=True)
            (built,) = Path(folder).glob("*.whl")
            self.assertIn(version, built.name)
            target = Path(folder) / "installed"
            subprocess.run([*pip, "install", "--no-index", "--no-deps", "--target", target, built], check=True)
            found = [sys.executable, "-c", "import rmap; print(rmap.__file__)"]
            done = subprocess.run(found, cwd=folder, env={**os.environ, "PYTHONPATH": str(target)}, capture_output=True)
            self.assertIn(str(target), done.stdout.decode())

    def test_the_notebook_runs_and_draws_tracks(self):
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        cells = json.loads((ROOT / "python" / "tracks.ipynb").read_text())["cells"]
        names = {}
        with contextlib.chdir(ROOT / "python"):
            os.environ["RMAP"] = " ".join(COMMAND)
            for cell in cells:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)
        drawn = pyplot.gcf().axes[0].lines
        self.assertEqual(len(drawn), len(set(names["tracked"].track)))


if __name__ == "__main__":
    unittest.main()
