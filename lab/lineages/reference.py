"""
The optimum of an instance folder without triplets as a flow with sets, by HiGHS's Python package (pip install highspy): bound and cost of the linear or the integer program.

    python lab/lineages/reference.py FOLDER linear|integer [SECONDS]
"""

import csv
import json
import os
import sys

import highspy
import numpy as np

folder, kind, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 900.0
settings = json.load(open(f"{folder}/instance.json"))
start = np.concatenate([[0], np.cumsum(settings["counts"])])
count = start[-1]


def rows_of(name):
    path = f"{folder}/{name}.csv"
    return list(csv.reader(open(path)))[1:] if os.path.exists(path) else []


links = [(start[int(f)] + int(i), start[int(f) + 1] + int(j), float(c)) for f, i, j, c in rows_of("pairs")]
division = {start[int(f)] + int(i): float(c) for f, i, c in rows_of("divisions")}
sets = {}
for f, i, s in rows_of("exclusions"):
    sets.setdefault(s, []).append(start[int(f)] + int(i))

# Columns: links, then births, deaths and divisions of each detection.
births, deaths, splits = len(links), len(links) + count, len(links) + 2 * count
cost = np.zeros(len(links) + 3 * count)
upper = np.ones(len(cost))
cost[: len(links)] = [c for _, _, c in links]
cost[births + start[1] : deaths] = settings["birth"]
cost[deaths : deaths + start[-2]] = settings["death"]
upper[splits:] = 0
for d, c in division.items():
    cost[splits + d], upper[splits + d] = c, 1
into, out = [[] for _ in range(count)], [[] for _ in range(count)]
for e, (i, j, _) in enumerate(links):
    out[i].append(e)
    into[j].append(e)

rows = []
for d in range(count):
    used = [(e, 1.0) for e in [*into[d], births + d]]
    rows.append((0, 0, [*used, (splits + d, 1.0), *((e, -1.0) for e in [*out[d], deaths + d])]))
    rows.append((0, 1, used))
    if d in division:
        rows.append((-highspy.kHighsInf, 0, [(splits + d, 1.0), (deaths + d, 1.0), *((e, -1.0) for e, _ in used)]))
for members in sets.values():
    rows.append((-highspy.kHighsInf, 1, [(e, 1.0) for d in members for e in [*into[d], births + d]]))

program = highspy.HighsLp()
program.num_col_, program.num_row_ = len(cost), len(rows)
program.col_cost_, program.col_lower_, program.col_upper_ = cost, np.zeros(len(cost)), upper
program.row_lower_ = np.array([low for low, _, _ in rows], float)
program.row_upper_ = np.array([high for _, high, _ in rows], float)
program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
program.a_matrix_.start_ = np.concatenate([[0], np.cumsum([len(entries) for _, _, entries in rows])])
program.a_matrix_.index_ = np.array([e for _, _, entries in rows for e, _ in entries])
program.a_matrix_.value_ = np.array([value for _, _, entries in rows for _, value in entries])
if kind == "integer":
    program.integrality_ = [highspy.HighsVarType.kInteger] * len(cost)
highs = highspy.Highs()
highs.setOptionValue("output_flag", False)
highs.setOptionValue("time_limit", seconds)
highs.passModel(program)
highs.run()
info = highs.getInfo()
bound = info.mip_dual_bound if kind == "integer" else info.objective_function_value
print(folder, kind, highs.modelStatusToString(highs.getModelStatus()), info.objective_function_value, bound, f"{highs.getRunTime():.1f} s")
