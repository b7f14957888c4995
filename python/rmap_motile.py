"""Solves the graph of a motile.Solver by rmap: copy the file. docs/how-to/graphs.md says what it does."""

import subprocess
from collections import defaultdict

import numpy as np
import zarr
from motile.variables import EdgeSelected, NodeAppear, NodeDisappear, NodeSelected, NodeSplit


def solve_with_rmap(solver, folder, axes=("y", "x"), children=1, exclusive=(), command=("npx", "rmap")):
    graph = solver.graph
    nodes, edges = list(graph.nodes), list(graph.edges)
    number = {node: n for n, node in enumerate(nodes)}

    def cost(kind, keys):
        index = solver.variables.get(kind)
        return np.array([0 if index is None else solver.costs[int(index[key])] for key in keys], float)

    select, appear, disappear = (cost(kind, nodes) for kind in (NodeSelected, NodeAppear, NodeDisappear))
    sets = defaultdict(list)
    for s, group in enumerate(exclusive):
        for node in group:
            sets[node].append(s)
    width = max(map(len, sets.values()), default=1)
    alone = np.array([node not in sets for node in nodes])
    properties = {name: [graph.nodes[node][name] for node in nodes] for name in axes}
    properties.update(t=[graph.nodes[node][graph.frame_attribute] for node in nodes])
    properties.update(cost=select, birth=appear, death=disappear)
    properties.update(unused=np.where(alone, np.minimum(0, select + appear + disappear), 0))
    properties.update(exclusion=[sets[node] + [-1] * (width - len(sets[node])) for node in nodes])
    if children > 1:
        properties.update(division=cost(NodeSplit, nodes))
    file = zarr.open_group(f"{folder}/graph.geff", mode="w")
    kinds = [("t", "time"), *((name, "space") for name in axes)]
    file.attrs["geff"] = dict(geff_version="1.2", directed=True, axes=[dict(name=n, type=k) for n, k in kinds])
    file["nodes/ids"] = np.arange(len(nodes), dtype=np.uint64)
    file["edges/ids"] = np.array([[number[a], number[b]] for a, b in edges], np.uint64)
    file["edges/props/cost/values"] = cost(EdgeSelected, edges)
    for name, values in properties.items():
        file[f"nodes/props/{name}/values"] = np.array(values)
    subprocess.run([*command, "solve", f"{folder}/graph.geff", "-o", folder], check=True)
    found = zarr.open_group(f"{folder}/solution.geff", mode="r")
    margin = found["edges/props/margin/values"][:] if "margin" in found["edges/props"] else None
    return [(nodes[a], nodes[b]) for a, b in found["edges/ids"][:].astype(int)], margin
