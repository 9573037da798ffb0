#!/usr/bin/env python3
"""Measures whole steps of conservation laws in runs of decks: cells times steps per second.

A case is run with few and with many steps, alternating, `--repeat` times. The difference of the medians is the time of the
steps in between, without start and end: stages, exchange, walls and the choice of the step by the fastest wave. The record
also has the bytes that a step must move.

    bench/law_rates.py --program bin/halocline --cells 128 256 --json bench/results/law_rates_h100.json

Numbers per field and cell in a step of SSP-RK2: the first stage reads and writes it, the second reads the first stage's result
and the initial state, and writes; the fastest wave reads once: 6.
"""
import math
import pathlib
import statistics
import tempfile

from deck_runs import parser_of, run_deck
from record import store

NUMBERS = 6


def arguments():
    parser = parser_of(__doc__, repeat=3)
    parser.set_defaults(ranks=[1])
    parser.add_argument("--cells", type=int, nargs="+", default=[128, 256], help="along each axis")
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--precisions", nargs="+", default=["double", "single"])
    parser.add_argument("--steps", type=int, nargs=2, default=[20, 120], help="few and many")
    return parser.parse_args()


def euler(axes, **scheme):
    """A sound wave across a moving gas, on a periodic box."""
    initial = {"density": "1 + 0.2*sin(2*pi*(x + y + z))", "velocity_x": 0.5, "velocity_y": -0.3, "velocity_z": 0.4,
               "pressure": "1 + 0.1*cos(2*pi*(x - y))"}
    if axes < 3:
        del initial["velocity_z"]
        initial["density"] = "1 + 0.2*sin(2*pi*(x + y))"
    return {"physics": "euler", "euler": {"initial": initial, **scheme}, "time": {"method": "ssp_rk2", "courant": 0.3}}


def shallow_water():
    return {"physics": "shallow-water", "time": {"method": "ssp_rk2", "courant": 0.3},
            "shallow-water": {"initial": {"depth": "1 + 0.1*sin(2*pi*x)", "bathymetry": "0.1*cos(2*pi*y)"}}}


# By name: the deck, the axes and the fields of a state.
CASES = {
    "Euler 3D, PLM (MC), HLLC": (euler(3, limiter="mc"), 3, 5),
    "Euler 3D, PLM (van Leer), HLLC": (euler(3), 3, 5),
    "Euler 3D, WENO5, HLLC": (euler(3, reconstruction="weno5"), 3, 5),
    "Euler 2D, PLM (van Leer), HLLC": (euler(2), 2, 4),
    "shallow water 2D, PLM (van Leer), HLL": (shallow_water(), 2, 4),
}


def cells_of(axes, size):
    """Cells along each axis; a plane has as many cells as a cube of that size."""
    return [size] * 3 if axes == 3 else [round(math.sqrt(size**3))] * 2


def main():
    given = arguments()
    few, many = given.steps
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for case, precision, size, ranks in ((c, p, n, r) for c in given.cases for p in given.precisions
                                             for n in given.cells for r in given.ranks):
            deck, axes, fields = CASES[case]
            cells = cells_of(axes, size)
            deck = {**deck, "precision": precision, "mesh": {"cells": cells, "periodic": [True] * axes}}
            seconds = {few: [], many: []}
            for _ in range(given.repeat):
                for steps, times in seconds.items():
                    summary = run_deck(given, pathlib.Path(name), {**deck, "time": {**deck["time"], "steps": steps}}, ranks)
                    times.append(summary["timings"]["advance"])
            step = (statistics.median(seconds[many]) - statistics.median(seconds[few])) / (many - few)
            moved = NUMBERS * fields * (8 if precision == "double" else 4)
            rows.append({"case": case, "precision": precision, "cells": cells, "ranks": ranks, "seconds_a_step": step,
                         "seconds": seconds, "cell_steps_a_second": math.prod(cells) / step, "bytes_a_cell_and_step": moved,
                         "bytes_a_second": moved * math.prod(cells) / step})
            print(f"{case:40} {precision:7} {' x '.join(map(str, cells)):16} {ranks} ranks {1e3 * step:9.4f} ms "
                  f"{1e-9 * rows[-1]['cell_steps_a_second']:7.3f}e9 cells a second", flush=True)
            if given.json:
                store(given.json, summary["provenance"], remark=given.remark, steps=given.steps, rows=rows)


if __name__ == "__main__":
    main()
