#!/usr/bin/env python3
"""Measures how runs scale over ranks with one device each: seconds per step of a wave, per sweep of the 25-point stencil, per
Jacobi iteration in 1D or 2D with the norm of every iteration, per iteration of conjugate gradients with multigrid cycles in
single precision, or per step of gravitating bodies.

Each case runs with few and with many steps, `--repeat` times alternately. The difference of the medians is the time of the
steps in between, without start and end. Weak scaling: `--cells` along each axis for each rank, in slabs along the last axis;
strong scaling: `--cells` along each axis in all. Bodies scale strongly only. Efficiency is relative to the first number of
ranks.

The gate compares each row with a single rank: the same deck with few steps runs on both, and quantities, the residuals of all
iterations and, up to 4 GiB per field, the last fields are compared. If the cells do not fit into the memory of one device,
they are halved along each axis until they do. A row that differs by more than its tolerance is stored with `passed: false`,
and the exit code is 1.

    bench/scaling.py --program bin/halocline --case wave --cells 1024 --ranks 1 2 4 --weak --json bench/results/x.json
"""
import csv
import math
import pathlib
import re
import statistics
import sys
import tempfile

from deck_runs import parser_of, run_deck, run_or_exit, seconds_of_steps
from record import store

FIELDS_UP_TO = 1 << 32  # bytes; the gate does not compare larger fields


def arguments():
    parser = parser_of(__doc__, repeat=3)
    parser.add_argument("--case", choices=list(CASES), required=True)
    parser.add_argument("--cells", type=int, required=True, help="along each axis; number of bodies")
    parser.add_argument("--precision", default="single")
    parser.add_argument("--weak", action="store_true", help="`--cells` for each rank, not in all")
    parser.add_argument("--steps", type=int, nargs=2, default=[50, 250], help="few and many")
    parser.add_argument("--transports", nargs="+", default=["auto"])
    parser.add_argument("--overlap", nargs="+", choices=["true", "false"], default=["true"])
    parser.add_argument("--tune", choices=["off", "read", "search"], default="read", help="where tiles of sweeps come from")
    parser.add_argument("--one-process", action="store_true", help="one rank that uses all devices; bodies only")
    return parser.parse_args()


def wave(cells, steps):
    return {"physics": "wave", "mesh": {"cells": cells, "processes": [1, 1, 0]},
            "wave": {"initial": "x*(1-x)*y*(1-y)*z"}, "time": {"step": 0.1 / max(cells), "steps": steps}}


def stencil(cells, steps):
    return {"physics": "wave", "mesh": {"cells": cells, "processes": [1, 1, 0]}, "time": {"step": 1, "steps": steps},
            "wave": {"method": "weighted_sum", "weights": [0.25, 0.0625, 0.03125, 0.015625, 0.015625],
                     "initial": "2*random(7) - 1"}}


def jacobi(cells, steps):
    return {"physics": "laplace", "mesh": {"cells": cells, "processes": [1, 0]},
            "laplace": {"centring": "cell", "source": "x+y"},
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


def bodies(count, steps):
    return {"physics": "nbody", "nbody": {"initial": "plummer", "plummer": {"bodies": count[0]}, "softening": 0.05},
            "time": {"step": 0.001, "steps": steps}}


CASES = {"wave": wave, "stencil": stencil, "jacobi": jacobi, "rod": rod, "multigrid": multigrid, "bodies": bodies}
AXES = {"rod": 1, "jacobi": 2, "bodies": 1}
# Columns that are compared if others are sums of cancelling terms, which have no significant digits.
COLUMNS = {"bodies": ["step", "time", "energy", "kinetic_energy", "potential_energy"]}


def run_case(given, folder, cells, ranks, settings, steps, output=None, exit_codes=(0, 3)):
    deck = {**CASES[given.case](cells, steps), "precision": given.precision, "tune": given.tune}
    flags = []
    if given.case != "bodies":
        deck["halo"] = settings
    elif given.one_process:
        ranks, flags = 1, ["--devices", str(ranks)]
    if output:
        deck["output"] = output
    return run_deck(given, folder, deck, ranks, *flags, exit_codes=exit_codes)


def tolerances(given, count):
    """Largest relative differences from a single rank that are accepted in fields and in tables, and the reason."""
    single, double = 2.0 ** -24, 2.0 ** -53
    if given.case == "bodies":
        rounding = (single if given.precision == "single" else double) * math.sqrt(count)
        return rounding, rounding, "forces are summed in another order: random rounding errors of that many terms"
    if given.case == "multigrid":
        return 100 * single, 100 * single, "levels are agglomerated differently: rounding errors of a cycle in single precision"
    return 0.0, 1024 * double, ("every point is computed by the same operations; each term of a sum of positive terms takes part "
                                "in at most 256 additions and 64 merges, in both runs")


def columns_of(table, case):
    with table.open() as lines:
        rows = list(csv.DictReader(lines))
    names = COLUMNS.get(case, rows[0] if rows else [])
    return {name: [float(row[name]) for row in rows] for name in names if name != "method"}


def difference_of_tables(case, one, many):
    """Largest difference between columns of the tables of two folders, relative to the largest number in the column."""
    largest = 0.0
    for name in ("scalars.csv", "residuals.csv"):
        if (one / name).exists() != (many / name).exists():
            return math.inf
        mine, theirs = ({} if not (folder / name).exists() else columns_of(folder / name, case) for folder in (one, many))
        if {name: len(column) for name, column in mine.items()} != {name: len(column) for name, column in theirs.items()}:
            return math.inf
        for column, numbers in mine.items():
            scale = max(map(abs, numbers), default=0.0)
            for a, b in zip(numbers, theirs[column]):
                if a != b:
                    largest = max(largest, abs(a - b) / scale if scale > 0 and math.isfinite(a - b) else math.inf)
    return largest


def difference_of_fields(given, one, many):
    """Largest difference between the fields of the last snapshots, relative to the largest value of the field."""
    mine, theirs = (sorted(folder.glob("snapshot_*.*")) for folder in (one, many))
    if [path.name for path in mine] != [path.name for path in theirs] or not mine:
        return math.inf
    said = run_or_exit([given.program, "diff", str(mine[-1]), str(theirs[-1])], exit_codes=(0, 3)).strip()
    difference = re.search(r"difference is (\S+?)(, but not the precision, the time or all bits are the same)?$", said)
    return float(difference[1]) if difference else 0.0 if said == "same bits" else math.inf


def single_rank(given, folder, cells, steps):
    """Runs a single rank. Returns its cells (those given, halved along each axis until they fit) and its output section."""
    while True:
        output = {"scalars": {"interval": 0}, "snapshots": {"interval": 0}}
        if math.prod(cells) * (4 if given.precision == "single" else 8) <= FIELDS_UP_TO:
            del output["snapshots"]
        if run_case(given, folder, cells, 1, {"transport": "auto"}, steps, output, exit_codes=(0, 2, 3)):
            return cells, output
        if min(cells) < 16:
            sys.exit(f"scaling: a single rank refuses the deck, even of {cells} cells")
        cells = [extent // 2 for extent in cells]


def gate(given, folder, row, steps, answers):
    """Compares the answer of a row with that of a single rank; `answers` keeps the latter for rows of the same cells."""
    key, many = tuple(row["cells"]), folder / "many"
    many.mkdir(exist_ok=True)
    if key not in answers:
        one = folder / f"one_{len(answers)}"
        one.mkdir()
        answers[key] = one, *single_rank(given, one, row["cells"], steps)
    one, cells, output = answers[key]
    run_case(given, many, cells, row["ranks"], {name: row[name] for name in ("transport", "overlap")}, steps, output)
    one, many = one / "out", many / "out"
    of_fields, of_tables, why = tolerances(given, math.prod(cells))
    fields = None if "snapshots" in output else difference_of_fields(given, one, many)
    tables = difference_of_tables(given.case, one, many)
    passed = (fields is None or fields <= of_fields) and tables <= of_tables
    print(f"  {cells} cells, {steps} steps: {'as' if passed else 'NOT AS'} on a single rank, tables within {tables:.2g}"
          + ("" if fields is None else f", fields within {fields:.2g}"), flush=True)
    return {"cells": cells, "steps": steps, "fields": fields, "tables": tables, "tolerance_of_fields": of_fields,
            "tolerance_of_tables": of_tables, "since": why, "passed": passed}


def seconds_of(given, folder, cells, ranks, settings, steps):
    summary = run_case(given, folder, cells, ranks, settings, steps)
    solves = summary["solves"]
    if solves and solves[0]["iterations"] != steps:
        sys.exit(f"scaling: the solve ended after {solves[0]['iterations']} iterations ({solves[0]['outcome']}), not after {steps}: "
                 "fewer --steps")
    return seconds_of_steps(summary), summary


def measure(given, folder, ranks, settings):
    cells = [given.cells] * AXES.get(given.case, 3)
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
    rows, summary, answers = [], {}, {}
    with tempfile.TemporaryDirectory() as name:
        for ranks in given.ranks:
            for transport in given.transports if ranks > 1 else ["auto"]:
                for overlap in given.overlap if ranks > 1 else ["true"]:
                    settings = {"transport": transport, "overlap": overlap == "true"}
                    row, summary = measure(given, pathlib.Path(name), ranks, settings)
                    rows.append(row)
                    slower = row["seconds_a_step"] / rows[0]["seconds_a_step"]
                    row["efficiency"] = (1 if given.weak else rows[0]["ranks"] / ranks) / slower
                    print(f"{given.case} {row['cells']} {ranks} ranks, {row['transports'] or 'no halos'}, overlap {overlap}: "
                          f"{1e3 * row['seconds_a_step']:.4f} ms a step, efficiency {row['efficiency']:.3f}", flush=True)
                    if ranks > 1:
                        row["gate"] = gate(given, pathlib.Path(name), row, given.steps[0], answers)
    if given.json:
        store(given.json, summary["provenance"], remark=given.remark, case=given.case, precision=given.precision,
              weak=given.weak, rows=rows, sweeps=summary["sweeps"])
    sys.exit(0 if all(row["gate"]["passed"] for row in rows if "gate" in row) else 1)


if __name__ == "__main__":
    main()
