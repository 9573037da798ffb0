#!/usr/bin/env python3
"""Measures the error after full multigrid: laplace decks with a known solution, solved once to rounding, once by a single
iteration of each kind, and once to a tolerance from each start.

The error of a single iteration is given relative to the discretisation error. Seconds are those of the solves only, medians of
`--repeat` runs that alternate between the starts.

    bench/full_multigrid.py --program bin/halocline --ranks 2 --json bench/results/full_multigrid.json
"""
import pathlib
import statistics
import tempfile

from deck_runs import parser_of, run_deck
from record import store

STARTS = {
    "cycle": {"start": "cycle"},
    "full": {"start": "full"},
    "full, two cycles": {"start": "full", "start_cycles": 2},
}


def sines(axes):
    product = " * ".join(f"sin(pi*{axis})" for axis in axes)
    return {"source": f"{len(axes)} * pi^2 * {product}", "exact": product}


def dirichlet(value, faces):
    return {face: {"kind": "dirichlet", "value": value} for face in faces}


HARMONIC = "exp(x)*sin(y) + z^3"
WALLS = dirichlet(HARMONIC, ("west", "east", "south", "north", "bottom", "top"))


def problems(scale):
    plane, box = [256 // scale] * 2, [128 // scale] * 3
    return {
        "2D cells, sines": {"mesh": {"cells": plane}, "laplace": sines("xy")},
        "2D nodes, sines": {"mesh": {"cells": plane}, "laplace": {**sines("xy"), "centring": "node"}},
        "3D cells, sines": {"mesh": {"cells": box}, "laplace": sines("xyz")},
        "3D cells, two wavelengths": {
            "mesh": {"cells": box},
            "laplace": {"source": "3*pi^2*sin(pi*x)*sin(pi*y)*sin(pi*z) + 10*pi^2*sin(5*pi*x)*sin(2*pi*y)*sin(pi*z)",
                        "exact": "sin(pi*x)*sin(pi*y)*sin(pi*z) + sin(5*pi*x)*sin(2*pi*y)*sin(pi*z)/3"}},
        "3D cells, values on walls": {"mesh": {"cells": box},
                                      "laplace": {"source": "-6*z", "exact": HARMONIC, "boundary": WALLS}},
        "3D cells, walls of three kinds": {
            "mesh": {"cells": box},
            "laplace": {"source": "-6*z", "exact": HARMONIC,
                        "boundary": {**WALLS, "west": {"kind": "robin", "a": 1, "b": 1, "value": "z^3"},
                                     "top": {"kind": "neumann", "value": "3*z^2"}}}},
        "2D cells, stretched": {"mesh": {"cells": [side // 2 for side in plane], "growth": [1.01, 1.01]},
                                "laplace": sines("xy")},
    }


def solve(given, folder, problem, ranks, start, tolerance, iterations):
    method = {**STARTS[start], "relative_tolerance": tolerance, "iterations": iterations}
    laplace = {"centring": "cell", **problem["laplace"]}
    deck = {"physics": "laplace", **problem, "laplace": laplace, "solver": {"method": "multigrid", "multigrid": method}}
    return run_deck(given, folder, deck, ranks, exit_codes=(0, 3))


def seconds(runs):
    return statistics.median(run["solves"][0]["seconds"] for run in runs)


def measure(given, folder, problem, ranks):
    """The error of the discretisation, one row per start, and the last summary."""
    discretisation = solve(given, folder, problem, ranks, "full", 1e-13, 400)["quantities"]["error_2"]
    once, whole = {start: [] for start in STARTS}, {start: [] for start in STARTS}
    for _ in range(given.repeat):
        for start in STARTS:
            once[start].append(solve(given, folder, problem, ranks, start, 1e-13, 1))
            whole[start].append(solve(given, folder, problem, ranks, start, given.tolerance, 400))
    rows = [{"start": start, "error_ratio": once[start][0]["quantities"]["error_2"] / discretisation,
             "seconds_of_first_iteration": seconds(once[start]), "iterations": whole[start][0]["solves"][0]["iterations"],
             "outcome": whole[start][0]["solves"][0]["outcome"], "seconds": seconds(whole[start])} for start in STARTS]
    return discretisation, rows, whole["full"][-1]


def main():
    parser = parser_of(__doc__, repeat=5)
    parser.add_argument("--tolerance", type=float, default=1e-10, help="of the solves that go on")
    parser.add_argument("--scale", type=int, default=1, help="divides the cells along each axis")
    given = parser.parse_args()
    measured, provenance = [], {}
    with tempfile.TemporaryDirectory() as name:
        for ranks in given.ranks:
            for title, problem in problems(given.scale).items():
                error, rows, summary = measure(given, pathlib.Path(name), problem, ranks)
                provenance = summary["provenance"]
                measured.append({"problem": title, "ranks": ranks, "cells": problem["mesh"]["cells"],
                                 "error_of_discretisation": error, "rows": rows})
                print(f"{title}, {ranks} ranks: error of the discretisation {error:.2e}")
                for row in rows:
                    print(f"  {row['start']:17} error {row['error_ratio']:9.3f} times, {row['seconds_of_first_iteration']:8.4f} s; "
                          f"{row['iterations']:3} iterations {row['outcome']}, {row['seconds']:8.4f} s", flush=True)
    if given.json:
        store(given.json, provenance, remark=given.remark, tolerance=given.tolerance, repeat=given.repeat,
              problems=measured)


if __name__ == "__main__":
    main()
