"""The adapter for motile, with what it uses of motile stood in for: motile needs a solver of integer programs."""

import itertools
import pathlib
import re
import sys
import tempfile
import types
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).parent.parent
NAMES = ["EdgeSelected", "NodeAppear", "NodeDisappear", "NodeSelected", "NodeSplit"]


def adapter():
    variables = types.ModuleType("motile.variables")
    for name in NAMES:
        setattr(variables, name, type(name, (), {}))
    sys.modules["motile"] = types.ModuleType("motile")
    sys.modules["motile.variables"] = variables
    import rmap_motile

    return rmap_motile.solve_with_rmap, variables


class Solver:
    """The attributes of motile.Solver that the adapter reads: the graph, the places of variables by node or edge, and one array of costs."""

    def __init__(self, graph, costs):
        self.graph = graph
        self.variables = {}
        self.costs = np.zeros(0)
        for kind, by_key in costs.items():
            self.variables[kind] = {key: len(self.costs) + n for n, key in enumerate(by_key)}
            self.costs = np.append(self.costs, list(by_key.values()))


def cheapest(graph, costs, variables, children, exclusive):
    """The least cost by motile's own words: a node is selected, appears without a parent, disappears without a child, and splits with two."""
    nodes, edges = list(graph.nodes), list(graph.edges)
    best = np.inf
    of = lambda name, key: costs[getattr(variables, name)][key]
    for chosen in itertools.product([False, True], repeat=len(edges)):
        kept = [edge for edge, is_kept in zip(edges, chosen) if is_kept]
        into = {node: sum(b == node for _, b in kept) for node in nodes}
        out = {node: sum(a == node for a, _ in kept) for node in nodes}
        used = {node for node in nodes if into[node] + out[node] > 0}
        if max(into.values()) > 1 or max(out.values()) > children:
            continue
        if any(len(used & set(group)) > 1 for group in exclusive):
            continue
        total = sum(of("EdgeSelected", edge) for edge in kept)
        for node in nodes:
            selected = of("NodeSelected", node)
            ends = (into[node] == 0) * of("NodeAppear", node) + (out[node] == 0) * of("NodeDisappear", node)
            if node in used:
                total += selected + ends + (out[node] == 2) * of("NodeSplit", node)
            elif not any(node in group for group in exclusive):
                total += min(0, selected + ends)
        best = min(best, total)
    return best


def structure(folder):
    """What geff's validate_structure requires, as read in its source; the package itself needs a registry."""
    import zarr

    group = zarr.open_group(folder, mode="r")
    meta = group.attrs["geff"]
    assert re.match(r"\d+\.\d+", meta["geff_version"]) and isinstance(meta["directed"], bool)
    assert np.issubdtype(group["nodes/ids"].dtype, np.integer)
    assert np.issubdtype(group["edges/ids"].dtype, np.unsignedinteger) and group["edges/ids"].shape[1:] == (2,)
    for of in ("nodes", "edges"):
        count, props = group[f"{of}/ids"].shape[0], group[f"{of}/props"]
        stated = meta[f"{of[:-1]}_props_metadata"]
        assert set(props) == set(stated)
        for name, said in stated.items():
            values = props[name]["values"]
            assert said["identifier"] == name and values.shape == (count,)
            assert np.issubdtype(values.dtype, np.dtype(said["dtype"]))
            assert "missing" not in props[name] or (props[name]["missing"].dtype, props[name]["missing"].shape) == (bool, (count,))
    for axis in meta["axes"]:
        assert axis["min"] <= axis["max"] if "min" in axis else "max" not in axis
        assert "values" in group["nodes/props"][axis["name"]] and "missing" not in group["nodes/props"][axis["name"]]


class Motile(unittest.TestCase):
    def test_the_optimum_is_that_of_motiles_program(self):
        try:
            import zarr  # noqa: F401
        except ImportError:
            self.skipTest("zarr is not installed")
        solve_with_rmap, variables = adapter()
        random = np.random.default_rng(3)
        for trial in range(4):
            frames = [[f"{t}{letter}" for letter in "abc"[: random.integers(2, 4)]] for t in range(3)]
            nodes = {node: dict(frame=t + 7, y=float(n), x=2.0 * t) for t, row in enumerate(frames) for n, node in enumerate(row)}
            pairs = [(a, b) for p, q in zip(frames, frames[1:]) for a in p for b in q if random.random() < 0.7]
            edges = {pair: {} for pair in pairs[:11]}
            if not edges:
                continue
            graph = types.SimpleNamespace(nodes=nodes, edges=edges, frame_attribute="frame")
            draw = lambda keys, least, most: {key: float(random.integers(least, most)) for key in keys}
            kinds = {"EdgeSelected": draw(edges, -9, 2), "NodeSelected": draw(nodes, -3, 4), "NodeAppear": draw(nodes, 0, 4)}
            kinds |= {"NodeDisappear": draw(nodes, 0, 3), "NodeSplit": draw(nodes, -1, 3)}
            costs = {getattr(variables, name): of for name, of in kinds.items()}
            exclusive = [frames[1][:2]] if trial % 2 else []
            children = 1 + trial % 2
            with tempfile.TemporaryDirectory() as folder:
                command = ("node", str(ROOT / "dist/cli/main.js"))
                chosen, _ = solve_with_rmap(
                    Solver(graph, costs), folder, children=children, exclusive=exclusive, command=command
                )
                structure(f"{folder}/solution.geff")
                total = sum(costs[variables.EdgeSelected][edge] for edge in chosen)
                parents = [b for _, b in chosen]
                mothers = [a for a, _ in chosen]
                for node in nodes:
                    ends = (node not in parents) * kinds["NodeAppear"][node]
                    ends += (node not in mothers) * kinds["NodeDisappear"][node] + kinds["NodeSelected"][node]
                    if node in parents or node in mothers:
                        total += ends + (mothers.count(node) == 2) * kinds["NodeSplit"][node]
                    elif not any(node in group for group in exclusive):
                        total += min(0, ends)
                self.assertEqual(total, cheapest(graph, costs, variables, children, exclusive), f"trial {trial}")


if __name__ == "__main__":
    unittest.main()
