#!/usr/bin/env python3
"""Measures what an iteration of a solver takes in runs of decks, and the bytes a second that it moves at least.

Each case is run twice with different limits of iterations, alternating, `--repeat` times; the difference of the medians
is the time of the iterations in between, without start and end. Cases differ in coefficients, boundaries, precision and
ranks; the rate of each is put beside that of constant coefficients with Dirichlet walls by the same method and
precision.

    bench/deck_rates.py --program bin/halocline --cells 512 --ranks 1 2 4 --json bench/results/deck_rates_h100.json

Bytes of an iteration and an unknown, in numbers of the run's precision:
    Jacobi                         b, x and the new x: 3, and one for each coefficient
    conjugate gradients on devices p, z, x read, p, x written; r, p read, r written: 8 without coefficients;
                                   with them x, p, z read, x, p written; p read, q written; r, q read, r written: 10,
                                   and one for each coefficient
    conjugate gradients on hosts   10, and one for each coefficient
"""
import argparse
import json
import pathlib
import shlex
import statistics
import sys
import tempfile

from deck_runs import run_or_exit
from record import store

FEW, MANY = 20, 120
SOURCE = "sin(17*x)*cos(31*y)+z"
COEFFICIENTS = 4  # the diagonal and the faces across each of three axes

FACES = ("west", "east", "south", "north", "bottom", "top")


def walls(kind, *faces, **numbers):
    """Settings that give those faces a condition."""
    settings = {}
    for face in faces:
        for key, value in {"kind": kind, **numbers}.items():
            settings[f"laplace.boundary.{face}.{key}"] = value
    return settings


CASES = {
    "Dirichlet walls": {},
    "insulated but for one wall": walls("neumann", *FACES[1:]),
    "Robin walls": walls("robin", *FACES, a=2, b=1),
    "reflecting but for one wall": walls("reflecting", *FACES[1:]),
    "periodic along y and z": {"mesh.periodic": "[false, true, true]"},
    "stretched mesh: four coefficients": {"mesh.growth": "[1.001, 1.001, 1.001]"},
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the driver")
    parser.add_argument("--cells", type=int, default=512, help="along each axis")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1])
    parser.add_argument("--methods", nargs="+", default=["jacobi", "cg"])
    parser.add_argument("--precisions", nargs="+", default=["double", "single"])
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--transports", nargs="+", default=["auto"], help="between ranks, each measured")
    parser.add_argument("--launcher", default="mpirun -n", help="for several ranks; their number follows")
    parser.add_argument("--remark", help="kept in the result: what the machine was told beside the command")
    parser.add_argument("--json", help="where the result goes")
    return parser.parse_args()


def solve(given, folder, method, precision, ranks, settings, iterations):
    """The only solve of one run, as summary.json tells it, and the summary."""
    command = [given.program, "run", str(folder / "deck.yaml"), "--output", str(folder / "out"), "--overwrite", "--quiet"]
    every = {**settings, "solver.method": method, f"solver.{method}.iterations": iterations, "precision": precision}
    for path, value in every.items():
        command += ["--set", f"{path}={value}"]
    if ranks > 1:
        command = [*shlex.split(given.launcher), str(ranks), *command]
    run_or_exit(command, exit_codes=(0, 3))
    summary = json.loads((folder / "out" / "summary.json").read_text())
    return summary["solves"][0], summary


def measure(given, folder, method, precision, ranks, settings):
    seconds, made = {FEW: [], MANY: []}, {}
    for _ in range(given.repeat):
        for limit, times in seconds.items():
            report, summary = solve(given, folder, method, precision, ranks, settings, limit)
            made[limit] = report["iterations"]
            times.append(report["seconds"])
    if made[MANY] <= made[FEW]:
        sys.exit(f"deck_rates: all is over after {made[FEW]} iterations")
    each = (statistics.median(seconds[MANY]) - statistics.median(seconds[FEW])) / (made[MANY] - made[FEW])
    return each, seconds, summary


def numbers(method, coefficients, on_device):
    """Of the bytes that an iteration moves for an unknown."""
    if method == "jacobi":
        return 3 + coefficients
    return 8 if on_device and coefficients == 0 else 10 + coefficients


def main():
    given = arguments()
    deck = f"""physics: laplace
mesh:
  cells: [{given.cells}, {given.cells}, {given.cells}]
laplace:
  centring: cell
  source: {SOURCE}
solver:
  cg: {{relative_tolerance: 0}}
  jacobi: {{relative_tolerance: 0}}
output:
  snapshots: {{interval: 0}}
"""
    rows, provenance = [], {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "deck.yaml").write_text(deck)
        for ranks, transport in ((n, t) for n in given.ranks for t in (given.transports if n > 1 else ["auto"])):
            for method in given.methods:
                for precision in given.precisions:
                    for case in given.cases:
                        settings = {**CASES[case], "halo.transport": transport}
                        each, seconds, summary = measure(given, folder, method, precision, ranks, settings)
                        provenance = summary["provenance"]
                        coefficients = COEFFICIENTS if "coefficients" in case else 0
                        on_device = provenance["backend"] in ("Cuda", "HIP")
                        moved = numbers(method, coefficients, on_device) * (8 if precision == "double" else 4)
                        rows.append({"case": case, "method": method, "precision": precision, "ranks": ranks,
                                     "transport": transport, "seconds_an_iteration": each, "seconds_of_solves": seconds,
                                     "bytes_an_unknown": moved, "bytes_per_second": moved * given.cells**3 / each})
                        base = next(row for row in rows if row["method"] == method and row["precision"] == precision)
                        rows[-1]["of_dirichlet"] = rows[-1]["bytes_per_second"] / base["bytes_per_second"]
                        print(f"{case:36} {method:7} {precision:7} {ranks} ranks {transport} {1e3 * each:8.4f} ms "
                              f"{1e-9 * rows[-1]['bytes_per_second']:8.1f} GB/s {rows[-1]['of_dirichlet']:6.3f}", flush=True)
    if given.json:
        store(given.json, provenance, remark=given.remark, cells=given.cells, iterations=[FEW, MANY], rows=rows)


if __name__ == "__main__":
    main()
