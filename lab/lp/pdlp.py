"""Solves the linear relaxation of an MPS file by PDLP in HiGHS (pip install highspy), and writes the duals of its rows `last…` as text: number of the row, dual.

    python3 lab/lp/pdlp.py FILE.mps TOLERANCE SECONDS THREADS DUALS

It prints one JSON object; its seconds are those of the processor.
"""

import json
import sys
import time

import highspy

file, tolerance, limit, threads, duals = sys.argv[1:]
highs = highspy.Highs()
highs.setOptionValue("output_flag", False)
highs.readModel(file)
lp = highs.getLp()
lp.integrality_ = []
highs.passModel(lp)
for name, value in {
    "solver": "pdlp",
    "pdlp_optimality_tolerance": float(tolerance),
    "primal_feasibility_tolerance": float(tolerance),
    "dual_feasibility_tolerance": float(tolerance),
    "time_limit": float(limit),
    "threads": int(threads),
    "run_crossover": "off",
}.items():
    if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
        sys.exit(f"HiGHS {highs.version()} has no option {name}")
began = time.process_time()
highs.run()
seconds = time.process_time() - began
info = highs.getInfo()
row_dual = highs.getSolution().row_dual
with open(duals, "w") as out:
    for name, dual in zip(lp.row_names_, row_dual):
        if name.startswith("last"):
            out.write(f"{name[4:]} {dual!r}\n")
print(
    json.dumps(
        {
            "solver": f"HiGHS {highs.version()} PDLP",
            "seconds": seconds,
            "status": highs.modelStatusToString(highs.getModelStatus()),
            "iterations": info.pdlp_iteration_count,
            "objective": info.objective_function_value,
            "columns": lp.num_col_,
            "rows": lp.num_row_,
        }
    )
)
