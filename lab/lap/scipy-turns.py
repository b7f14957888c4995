"""SciPy's side of the LAP benchmark: one JSON line in, one out. Times only the solver's call, in milliseconds."""

import json
import sys
import time

import numpy as np
import scipy
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import min_weight_full_bipartite_matching


def main():
    dense = sparse = None
    for line in sys.stdin:
        request = json.loads(line)
        if request["ask"] == "versions":
            answer = {"scipy": scipy.__version__, "numpy": np.__version__, "python": sys.version.split()[0]}
        elif request["ask"] == "load":
            n = request["n"]
            dense = np.fromfile(request["file"]).reshape(n, n)
            rows, columns = np.nonzero(np.isfinite(dense))
            sparse = csr_matrix((dense[rows, columns], (rows, columns)), shape=(n, n))
            answer = {}
        else:
            solve, matrix = {
                "linear_sum_assignment": (linear_sum_assignment, dense),
                "min_weight_full_bipartite_matching": (min_weight_full_bipartite_matching, sparse),
            }[request["ask"]]
            start = time.perf_counter()
            rows, columns = solve(matrix)
            elapsed = time.perf_counter() - start
            answer = {"ms": elapsed * 1e3, "cost": float(dense[rows, columns].sum())}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
