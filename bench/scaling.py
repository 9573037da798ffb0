#!/usr/bin/env python3
"""Measures how runs scale over ranks, with one device each: seconds of a step of a wave, of a sweep of the 25-point
stencil, of a Jacobi iteration in 1D or 2D with the norm of every iteration, or of an iteration of conjugate gradients with
cycles of multigrid in single precision.

A case is run with few and with many steps, `--repeat` times in turn; the difference of the medians is the time of the
steps in between, without start and end. Weak: so many cells along each axis for each rank, in slabs along the last
axis; strong: so many in all. Efficiency is that of the same case on the first number of ranks.

    bench/scaling.py --program bin/halocline --case wave --cells 1024 --ranks 1 2 4 --weak --json bench/results/x.json
"""
import pathlib
import statistics
import tempfile

from deck_runs import parser_of, run_deck
from record import store


def arguments():
    parser = parser_of(__doc__, repeat=3)
    parser.add_argument("--case", choices=list(CASES), required=True)
    parser.add_argument("--cells", type=int, required=True, help="along each axis")
    parser.add_argument("--precision", default="single")
    parser.add_argument("--weak", action="store_true", help="cells for each rank, not in all")
    parser.add_argument("--steps", type=int, nargs=2, default=[50, 250], help="few and many")
    parser.add_argument("--transports", nargs="+", default=["auto"])
    parser.add_argument("--overlap", nargs="+", choices=["true", "false"], default=["true"])
    return parser.parse_args()


def wave(cells, steps):
    return {"physics": "wave", "mesh": {"cells": cells, "processes": [1, 1, 0]},
            "wave": {"initial": "x*(1-x)*y*(1-y)*z"}, "time": {"step": 0.1 / max(cells), "steps": steps}}


def stencil(cells, steps):
    return {"physics": "wave", "mesh": {"cells": cells, "processes": [1, 1, 0]}, "time": {"step": 1, "steps": steps},
            "wave": {"method": "weighted_sum", "weights": [0.25, 0.0625, 0.03125, 0.015625, 0.015625],
                     "initial": "x*(1-x)*y*(1-y)*z"}}


def jacobi(cells, steps):
    return {"physics": "laplace", "mesh": {"cells": cells, "processes": [1, 0]},
            "laplace": {"centring": "cell", "source": "x-y"},
            "solver": {"method": "jacobi", "jacobi": {"relative_tolerance": 0, "iterations": steps}}}


def rod(cells, steps):
    # That of decks/laplace-1d.yaml, which ends sooner.
    ends = {"west": {"kind": "dirichlet", "value": 5}, "east": {"kind": "dirichlet", "value": 10}}
    return {"physics": "laplace", "mesh": {"cells": cells, "upper": cells}, "laplace": {"boundary": ends},
            "solver": {"method": "jacobi", "jacobi": {"quantity": "change", "relative_tolerance": 0, "iterations": steps}}}


def multigrid(cells, steps):
    # Cells are cubes, however many ranks they are for.
    return {"physics": "laplace", "mesh": {"cells": cells, "upper": [n / cells[0] for n in cells], "processes": [1, 1, 0]},
            "laplace": {"centring": "cell", "source": "sin(17*x)*cos(31*y)+z"},
            "solver": {"method": "cg", "cg": {"preconditioner": "multigrid", "relative_tolerance": 0, "iterations": steps,
                                              "multigrid": {"precision": "single"}}}}


CASES = {"wave": wave, "stencil": stencil, "jacobi": jacobi, "rod": rod, "multigrid": multigrid}


def seconds_of(given, folder, cells, ranks, settings, steps):
    deck = {**CASES[given.case](cells, steps), "precision": given.precision, "halo": settings}
    summary = run_deck(given, folder, deck, ranks, exit_codes=(0, 3))
    solves = summary["solves"]
    return (solves[0]["seconds"] if solves else summary["timings"]["advance"]), summary


def measure(given, folder, ranks, settings):
    cells = [given.cells] * {"rod": 1, "jacobi": 2}.get(given.case, 3)
    if given.weak:
        cells[-1] *= ranks
    few, many = given.steps
    seconds, summary = {few: [], many: []}, {}
    for _ in range(given.repeat):
        for steps, times in seconds.items():
            time, summary = seconds_of(given, folder, cells, ranks, settings, steps)
            times.append(time)
    each = (statistics.median(seconds[many]) - statistics.median(seconds[few])) / (many - few)
    return {"ranks": ranks, "cells": cells, **settings, "transports": summary["halo"]["transport"],
            "seconds_a_step": each, "seconds_of_runs": seconds}, summary


def main():
    given = arguments()
    rows, summary = [], {}
    with tempfile.TemporaryDirectory() as name:
        for ranks in given.ranks:
            for transport in given.transports if ranks > 1 else ["auto"]:
                for overlap in given.overlap if ranks > 1 else ["true"]:
                    settings = {"transport": transport, "overlap": overlap == "true"}
                    row, summary = measure(given, pathlib.Path(name), ranks, settings)
                    rows.append(row)
                    slower = row["seconds_a_step"] / rows[0]["seconds_a_step"]
                    row["efficiency"] = (1 if given.weak else rows[0]["ranks"] / ranks) / slower
                    print(f"{given.case} {row['cells']} {ranks} ranks, {row['transports']}, overlap {overlap}: "
                          f"{1e3 * row['seconds_a_step']:.4f} ms a step, efficiency {row['efficiency']:.3f}", flush=True)
    if given.json:
        store(given.json, summary["provenance"], remark=given.remark, case=given.case, precision=given.precision,
              weak=given.weak, rows=rows, sweeps=summary["sweeps"])


if __name__ == "__main__":
    main()
