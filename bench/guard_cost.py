#!/usr/bin/env python3
"""Measures the cost of checking a run's state as often as the default of `guard.every`.

For each case, `--repeat` pairs of runs, with the default and with `guard.every: 0`, alternating. `share` is the time of a
check relative to the time of the steps between two checks, within one run. `ratio` compares the medians of both kinds of
runs, which also includes the machine's noise.

    bench/guard_cost.py --program bin/halocline --ranks 1 2 --json bench/results/guard_cost.json
"""
import pathlib
import statistics
import tempfile

from deck_runs import parser_of, run_deck
from record import store

EVERY = 200  # the default

CASES = {
    "wave, 128^3, single": {"physics": "wave", "precision": "single", "mesh": {"cells": [128] * 3},
                            "wave": {"initial": "sin(3*x)*sin(2*y)*sin(4*z)"}, "time": {"step": 0.001, "steps": 600}},
    "weighted sum, 128^3, double": {"physics": "wave", "mesh": {"cells": [128] * 3},
                                    "wave": {"method": "weighted_sum", "weights": [0.4, 0.04, 0.03, 0.02, 0.01],
                                             "initial": "x"}, "time": {"step": 1, "steps": 600}},
    "heat, 64^3, cg": {"physics": "heat", "mesh": {"cells": [64] * 3}, "heat": {"initial": "exp(-9*x)*y"},
                       "time": {"step": 1e-5, "steps": 200}, "solver": {"cg": {"relative_tolerance": 1e-4}}},
    "wave, 64 cells": {"physics": "wave", "mesh": {"cells": [64]}, "wave": {"initial": "sin(3*x)"},
                       "time": {"step": 0.001, "steps": 40000}},
    "wave, 100,000 cells": {"physics": "wave", "mesh": {"cells": [100000]}, "wave": {"initial": "sin(3*x)"},
                            "time": {"step": 1e-6, "steps": 4000}},
}


def region(summary, name):
    return next((one for one in summary["timings"]["regions"] if one["name"] == name), {"calls": 0, "seconds": {"mean": 0}})


def measure(given, folder, name, ranks):
    seconds, shares, summary = {True: [], False: []}, [], {}
    for _ in range(given.repeat):
        for looks, found in seconds.items():
            deck = {**CASES[name], **({} if looks else {"guard": {"every": 0}})}
            summary = run_deck(given, folder, deck, ranks)
            found.append(summary["timings"]["advance"])
            if looks:
                look, step = region(summary, "guard"), region(summary, "step")
                shares.append(look["seconds"]["mean"] / look["calls"] / (EVERY * step["seconds"]["mean"] / step["calls"]))
    medians = {looks: statistics.median(found) for looks, found in seconds.items()}
    row = {"case": name, "ranks": ranks, "share": statistics.median(shares), "shares": shares,
           "ratio": medians[True] / medians[False], "seconds": seconds[True], "seconds_without": seconds[False]}
    print(f"{name:28} {ranks} ranks: share {100 * row['share']:.3f} %, runs with / without {row['ratio']:.3f}", flush=True)
    return row, summary["provenance"]


def main():
    parser = parser_of(__doc__, repeat=5)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    given = parser.parse_args()
    rows, provenance = [], {}
    with tempfile.TemporaryDirectory() as name:
        for case in given.cases:
            for ranks in given.ranks:
                row, provenance = measure(given, pathlib.Path(name), case, ranks)
                rows.append(row)
    if given.json:
        store(given.json, provenance, remark=given.remark, every=EVERY, rows=rows)


if __name__ == "__main__":
    main()
