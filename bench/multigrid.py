#!/usr/bin/env python3
"""Measures solves of Poisson's equation by multigrid, in runs of decks.

Cells of a cube with Dirichlet walls, to 1e-10 of the initial residual, in double precision: conjugate gradients with cycles in
double or single precision, or (`--methods multigrid`) the method multigrid, iterative refinement by cycles. Every solve is the
first and only one of its run, so that planning and graph capture count. Cases alternate, `--repeat` times; medians are
compared.

    bench/multigrid.py --program bin/halocline --cells 128 256 512 --sweeps 2 3 --json bench/results/multigrid_h100.json
"""
import itertools
import pathlib
import statistics
import tempfile

from deck_runs import parser_of, run_deck
from record import store


def solve(given, folder, ranks, cells, precision, sweeps, method="cg", start="cycle"):
    """The summary of a run."""
    cycles = {"precision": precision, "sweeps": sweeps, "start": start}
    options = {"relative_tolerance": 1e-10}
    options |= {"preconditioner": "multigrid", "multigrid": cycles} if method == "cg" else cycles
    deck = {"physics": "laplace", "mesh": {"cells": [cells] * 3},
            "laplace": {"centring": "cell", "source": "sin(17*x)*cos(31*y)+z"},
            "solver": {"method": method, method: options}}
    return run_deck(given, folder, deck, ranks)


def main():
    parser = parser_of(__doc__, repeat=5)
    parser.add_argument("--cells", type=int, nargs="+", default=[128, 256, 512], help="along each axis")
    parser.add_argument("--precisions", nargs="+", default=["run", "single"], help="of cycles")
    parser.add_argument("--sweeps", type=int, nargs="+", default=[2], help="of the smoother on each way")
    parser.add_argument("--methods", nargs="+", default=["cg"], choices=["cg", "multigrid"])
    parser.add_argument("--starts", nargs="+", default=["cycle"], choices=["cycle", "full"])
    parser.set_defaults(ranks=[1])
    given = parser.parse_args()
    cases = list(
        itertools.product(given.ranks, given.cells, given.precisions, given.sweeps, given.methods, given.starts))
    seconds, last = {case: [] for case in cases}, {}
    with tempfile.TemporaryDirectory() as name:
        for _ in range(given.repeat):
            for case in cases:
                summary = solve(given, pathlib.Path(name), *case)
                last[case] = summary["solves"][0]
                seconds[case].append(last[case]["seconds"])
    rows = []
    for case in cases:
        ranks, cells, precision, sweeps, method, start = case
        rows.append({"ranks": ranks, "cells": cells, "method": method, "start": start,
                     "precision_of_cycles": precision, "sweeps": sweeps,
                     "iterations": last[case]["iterations"], "seconds": seconds[case], "median_seconds": statistics.median(seconds[case])})
        print(f"{ranks} ranks {cells:5}^3 {method:9} {start:5} {precision:7} {sweeps} sweeps "
              f"{rows[-1]['iterations']:3} iterations {1e3 * rows[-1]['median_seconds']:9.2f} ms", flush=True)
    if given.json:
        store(given.json, summary["provenance"], remark=given.remark, rows=rows)


if __name__ == "__main__":
    main()
