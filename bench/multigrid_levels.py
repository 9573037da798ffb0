#!/usr/bin/env python3
"""Measures the time of each level in a V-cycle.

Without its finest level, a cycle for n^3 cells is a cycle for (n/2)^3 cells. So the time of a level is the cycle time on its
mesh minus that on the next coarser mesh, each measured in a separate run. Nothing is timed inside a cycle, which runs as in
any solve (as one graph on a device). Cells of a cube with Dirichlet walls, conjugate gradients in double precision; the mean
of all cycles of a solve without set-up, in the fastest of `--repeat` alternating runs. A device runs asynchronously to the
host's clock: there `--bench` uses the cycles of `halocline bench multigrid`, which are timed by events.

    bench/multigrid_levels.py --program bin/halocline --cells 256 --ranks 1 --json bench/results/multigrid_levels.json
    bench/multigrid_levels.py --program bin/halocline --bench --repeat 1 --json bench/results/multigrid_levels_h100.json
"""
import json
import pathlib
import tempfile

from deck_runs import parser_of, run_or_exit
from multigrid import solve
from record import store


def meshes(finest):
    """256, 128, … down to the coarsest that can be halved evenly."""
    cells = [finest]
    while cells[-1] % 2 == 0 and cells[-1] > 2:
        cells.append(cells[-1] // 2)
    return cells


def cycle(given, folder, cells, precision):
    """Seconds of one cycle, and the summary of the run."""
    summary = solve(given, folder, given.ranks[0], cells, precision, sweeps=2)
    regions = {region["name"]: region for region in summary["timings"]["regions"]}
    of_cycles = regions["multigrid: cycle"]
    return of_cycles["seconds"]["mean"] / of_cycles["calls"], summary["provenance"]


def benchmarked_cycle(given, folder, cells, precision):
    """The same, timed on a device."""
    file = folder / "cycles.json"
    run_or_exit([str(given.program), "bench", "multigrid", "--size", str(cells), "--json", str(file)])
    record = json.loads(file.read_text())
    named = {"run": "double", "single": "single"}[precision]
    row = next(row for row in record["rows"] if row["problem"].startswith(f"V-cycle, {named}, "))
    return row["median_seconds"], {**record, "revision": record["commit"], "started": record["date"]}


def main():
    parser = parser_of(__doc__, repeat=5)
    parser.add_argument("--cells", type=int, default=512, help="along each axis of the finest mesh")
    parser.add_argument("--precisions", nargs="+", default=["run", "single"], help="of cycles")
    parser.add_argument("--bench", action="store_true", help="cycles of `halocline bench multigrid`")
    parser.set_defaults(ranks=[1])
    given = parser.parse_args()
    measure = benchmarked_cycle if given.bench else cycle
    fastest = {}
    with tempfile.TemporaryDirectory() as name:
        for _ in range(given.repeat):
            for precision in given.precisions:
                for cells in meshes(given.cells):
                    seconds, provenance = measure(given, pathlib.Path(name), cells, precision)
                    fastest[precision, cells] = min(seconds, fastest.get((precision, cells), seconds))
    rows = []
    for precision in given.precisions:
        whole = fastest[precision, given.cells]
        for cells in meshes(given.cells):
            of_cycle, below = fastest[precision, cells], fastest.get((precision, cells // 2), 0)
            rows.append({"precision_of_cycles": precision, "cells": cells, "seconds_of_cycle": of_cycle,
                         "seconds_of_level": of_cycle - below, "share": (of_cycle - below) / whole,
                         "share_below": below / whole})
            print(f"{precision:7} {cells:5}^3 cycle {1e3 * of_cycle:9.3f} ms, "
                  f"level {1e3 * (of_cycle - below):9.3f} ms, {100 * rows[-1]['share']:5.1f} %", flush=True)
    if given.json:
        store(given.json, provenance, remark=given.remark, ranks=given.ranks[0], rows=rows)


if __name__ == "__main__":
    main()
