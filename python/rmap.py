"""Links detections into tracks with rmap, and says how far from optimal they can be.

The module runs the command line of rmap (Node.js 20 or newer, `npm install rmap`) with NumPy arrays:

    import rmap
    tracked = rmap.track(frame, x, y, output="results/mine")
    tracked.track      # the track of each detection, in the order of the arrays
    tracked.status     # "optimal" is proved

Every option of `rmap solve` is a keyword: `gap=0.1` is `--gap 0.1`, `exact=True` is `--exact`, `triplets=False` is `--no-triplets`.
"""

import json
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

__version__ = "0.2.0"
__all__ = ["InputError", "RmapError", "Tracked", "track"]


class RmapError(RuntimeError):
    """rmap could not be run, or failed."""


class InputError(RmapError, ValueError):
    """Arrays or options that rmap refuses; the message names place, value and remedy."""


@dataclass(frozen=True)
class Tracked:
    """Tracks, and what is proved of them. The arrays have one entry for each detection, in the order of the input."""

    track: np.ndarray
    """Track of each detection, from 0; −1 where it is in none."""
    margin: np.ndarray | None
    """The cost that any set of tracks without the link from here to the track's next detection adds at least; NaN at the end of a track. None
    where margins were not computed."""
    start_margin: np.ndarray | None
    """The same of a track's start; NaN where none starts. None where tracks may not start."""
    end_margin: np.ndarray | None
    """The same of a track's end."""
    parent: np.ndarray | None
    """The mother's track of each detection of a daughter's; −1 elsewhere. None where no target divides."""
    status: str
    """optimal: proved. gap: as close as was asked for. stopped, stalled: not as close. unsolved: no tracks were found."""
    lower_bound: float
    """Certified: no tracks cost less; −inf where nothing is proved."""
    upper_bound: float
    """Cost of the tracks; inf where there are none."""
    gap: float
    """Of the two, in percent of the upper bound."""
    notes: tuple[str, ...]
    """Assumptions, estimates and omissions."""
    output: Path | None
    """The folder of tracks.csv, tracks.svg and result.json."""
    proof: Path | None
    """The proof, which `rmap check` checks with `output / "detections.csv"`; None without `output`, or where nothing was proved."""
    result: dict
    """All that result.json says."""


def track(frame, x, y, vx=None, vy=None, *, z=None, vz=None, dt=None, output=None, command=None, **options):
    """Links detections into tracks.

    :param frame: frame numbers, whole and from 0, in any order; shape (n,)
    :param x, y: positions in any unit; shape (n,)
    :param z: depth in the same unit, for positions in space [they are in a plane]
    :param vx, vy, vz: measured velocities in that unit a second, or a frame without `dt`; NaN where there is none
    :param dt: seconds from frame to frame
    :param output: a folder for the detections, tracks, picture and proof [none is written]
    :param command: how rmap is started, a list of words [the variable RMAP, else `npx rmap`]
    :param options: of `rmap solve`
    :raises InputError: for arrays and options that do not fit
    """
    columns = _columns({"frame": frame, "x": x, "y": y, "z": z}, {"vx": vx, "vy": vy, "vz": vz})
    order = np.argsort(columns["frame"], kind="stable")
    text = ("" if dt is None else f"# dt={float(dt)!r}\n") + _csv(columns, order)
    words = [*_command(command), "solve"]
    if output is None:
        words += ["-"]
    else:
        output = Path(output)
        output.mkdir(parents=True, exist_ok=True)
        # The proof is about a file that is there.
        detections = output / "detections.csv"
        detections.write_text(text)
        words += [str(detections), "--output", str(output)]
    words += ["--json", "--assignment", *_options(options)]
    row = _run(words, text if output is None else "")
    return _tracked(row, columns["frame"], order, output)


def _columns(places, velocities):
    axes = ["vx", "vy"] if places["z"] is None else ["vx", "vy", "vz"]
    missing = [name for name in axes if velocities[name] is None]
    if 0 < len(missing) < len(axes):
        raise InputError(f"{missing[0]}: is missing; give {', '.join(axes)}, or none of them")
    if velocities["vz"] is not None and "vz" not in axes:
        raise InputError("vz: positions have no z; give z, or leave vz out")
    columns = {}
    for name, values in (places | velocities).items():
        if values is None and name not in ("frame", "x", "y"):
            continue
        try:
            columns[name] = np.asarray(values, dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: holds no numbers ({error})") from None
        if columns[name].ndim != 1:
            raise InputError(f"{name}: has shape {columns[name].shape}; give one number for each detection")
        if len(columns[name]) != len(columns["frame"]):
            raise InputError(f"{name}: has {len(columns[name])} entries, and frame has {len(columns['frame'])}")
        if name in places:
            _refuse(name, columns[name], ~np.isfinite(columns[name]), "is no finite number; leave that detection out")
    if len(columns["frame"]) == 0:
        raise InputError("frame: is empty; give at least one detection")
    wrong = (columns["frame"] < 0) | (columns["frame"] != np.floor(columns["frame"]))
    _refuse("frame", columns["frame"], wrong, "is no frame number; give whole numbers from 0")
    for name in velocities:
        if name in columns:
            _refuse(name, columns[name], np.isinf(columns[name]), "is infinite; give NaN where no velocity was measured")
    return columns


def _refuse(name, values, wrong, why):
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError(f"{name}[{k}]: {values[k]} {why}")


def _csv(columns, order):
    def cells(name):
        values = columns[name][order]
        if name == "frame":
            return map(str, values.astype(np.int64).tolist())
        return ("" if value != value else repr(value) for value in values.tolist())

    rows = zip(*(cells(name) for name in columns))
    return "\n".join([",".join(columns), *map(",".join, rows), ""])


def _command(command):
    words = list(command) if command is not None else shlex.split(os.environ.get("RMAP", "npx rmap"))
    if not words:
        raise InputError("command: is empty; name the program that starts rmap")
    found = shutil.which(words[0])
    if found is None:
        raise RmapError(f"{words[0]}: is not installed; install Node.js 20 or newer, and rmap by `npm install rmap`")
    return [found, *words[1:]]


def _options(options):
    words = []
    for name, value in options.items():
        option = name.rstrip("_").replace("_", "-")
        if value is None:
            continue
        if value is True or value is False:
            words.append(f"--{option}" if value else f"--no-{option}")
        else:
            words += [f"--{option}", str(value)]
    return words


# Exit codes: 2 is bad input, and with 3 there is a result that is below what was required of it.
_BAD_INPUT, _BELOW_REQUIRED, _INTERRUPTED = 2, 3, 130


def _run(words, text):
    done = subprocess.run(words, input=text, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode == _INTERRUPTED:
        raise KeyboardInterrupt
    try:
        if done.returncode not in (0, 1, _BELOW_REQUIRED):
            raise ValueError
        return json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        lines = [line for line in done.stderr.splitlines() if line.startswith("rmap: ")] or done.stderr.splitlines()
        why = lines[-1].removeprefix("rmap: ") if lines else f"ended with exit code {done.returncode}"
        raise (InputError if done.returncode == _BAD_INPUT else RmapError)(why) from None


def _tracked(row, frame, order, output):
    assignment = row.pop("assignment")

    def by_row(values, dtype):
        if values is None:
            return None
        out = np.empty(len(order), dtype=dtype)
        out[order] = np.array([np.nan if value is None else value for value in values], dtype=dtype)
        return out

    if assignment is None:
        none = dict.fromkeys(("margin", "start_margin", "end_margin", "parent"))
        found = {"track": np.full(len(order), -1), **none}
    else:
        if not np.array_equal(assignment["frame"], frame[order]):
            raise RmapError("rmap answered for other detections; this is a defect, please report it")
        parent = assignment.get("parent")
        found = {
            "track": by_row(assignment["track"], int),
            "parent": parent if parent is None else by_row([-1 if one is None else one for one in parent], int),
            **{name: by_row(assignment[name], float) for name in ("margin", "start_margin", "end_margin")},
        }
    proof = output and output / "proof.json"

    def number(name, otherwise):
        return otherwise if row[name] is None else row[name]

    return Tracked(
        **found,
        status=row["status"],
        lower_bound=number("lowerBound", -np.inf),
        upper_bound=number("upperBound", np.inf),
        gap=number("gapPercent", np.inf),
        notes=tuple(row["notes"]),
        output=output,
        proof=proof if proof is not None and proof.exists() else None,
        result=row,
    )
