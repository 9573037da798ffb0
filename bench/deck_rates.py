#!/usr/bin/env python3
"""Measures the time of a solver's iteration in runs of decks, and its minimum memory traffic in bytes per second.

Each case is run twice with different limits of iterations or steps, alternating, `--repeat` times; the difference of the
medians is the time of those in between, without start and end. Cases differ in coefficients, boundaries, fields,
precision and ranks. The rate of each is compared with that of constant coefficients and Dirichlet walls by the same method
and precision; a wave is compared with conjugate gradients.

    bench/deck_rates.py --program bin/halocline --cells 512 --ranks 1 2 4 --json bench/results/deck_rates_h100.json

Bytes of an iteration or a step per unknown, in numbers of the run's precision:
    Jacobi                         reads b and x, writes the new x: 3, plus one per coefficient
    conjugate gradients on devices p, z, x read, p, x written; r, p read, r written: 8 without coefficients;
                                   with them x, p, z read, x, p written; p read, q written; r, q read, r written: 10,
                                   plus one per coefficient
    conjugate gradients on hosts   10, plus one per coefficient
    leapfrog steps of a wave       u and the previous u read, the next written: 3; in a medium also its speed
"""
import argparse
import json
import pathlib
import shlex
import statistics
import sys
import tempfile

from deck_runs import run_or_exit
from record import place, store

SOURCE = "sin(17*x)*cos(31*y)+z"
COEFFICIENTS = 4  # the diagonal and the faces across each of three axes

FACES = ("west", "east", "south", "north", "bottom", "top")


def walls(kind, *faces, **numbers):
    """Settings that give these faces a condition."""
    settings = {}
    for face in faces:
        for key, value in {"kind": kind, **numbers}.items():
            settings[f"laplace.boundary.{face}.{key}"] = value
    return settings


LAPLACE = {
    "Dirichlet walls": {},
    "insulated but for one wall": walls("neumann", *FACES[1:]),
    "Robin walls": walls("robin", *FACES, a=2, b=1),
    "reflecting but for one wall": walls("reflecting", *FACES[1:]),
    "periodic along x": {"mesh.periodic": "[true, false, false]"},
    "periodic along y and z": {"mesh.periodic": "[false, true, true]"},
    "stretched mesh: four coefficients": {"mesh.growth": "[1.001, 1.001, 1.001]"},
}
HEAT = {"conductivity that varies: four coefficients": {"heat.conductivity": "1+x*y+z"}}
# With zeros beyond the faces.
WAVE = {
    "wave: two fields": {},
    "wave in a medium: three fields": {"wave.speed": "1+x*y"},
    "wave in a medium with a sponge: three fields": {"wave.speed": "1+x*y", "wave.sponge.width": 0.05},
}
CASES = {**LAPLACE, **HEAT, **WAVE}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the driver")
    parser.add_argument("--cells", type=int, default=512, help="along each axis")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1])
    parser.add_argument("--methods", nargs="+", default=["jacobi", "cg"])
    parser.add_argument("--precisions", nargs="+", default=["double", "single"])
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--iterations", type=int, nargs=2, default=[20, 120], help="that two runs end after", metavar=("FEW", "MANY"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--tune", choices=["off", "read", "search"], default="read", help="as a deck has it")
    parser.add_argument("--transports", nargs="+", default=["auto"], help="between ranks, each measured")
    parser.add_argument("--launcher", default="mpirun -n", help="for several ranks; their number follows")
    parser.add_argument("--remark", help="kept in the result: what the machine was told beside the command")
    parser.add_argument("--json", type=place, help="where the result goes")
    return parser.parse_args()


def deck_of(case, cells):
    """The base deck, to which the settings of a case are added."""
    deck = {"mesh": {"cells": [cells] * 3}, "output": {"snapshots": {"interval": 0}, "scalars": {"interval": 0}}}
    if case in WAVE:
        return {**deck, "physics": "wave", "time": {"step": 0.1 / cells}, "wave": {"initial": "x*(1-x)*y*(1-y)*z"}}
    deck["solver"] = {"cg": {"relative_tolerance": 0}, "jacobi": {"relative_tolerance": 0}}
    if case in HEAT:
        return {**deck, "physics": "heat", "heat": {"initial": SOURCE}, "time": {"step": 0.01, "steps": 1}}
    return {**deck, "physics": "laplace", "laplace": {"centring": "cell", "source": SOURCE}}


def run(given, folder, case, method, precision, ranks, transport, limit):
    """Seconds of the iterations or steps, their number, and the contents of summary.json."""
    (folder / "deck.yaml").write_text(json.dumps(deck_of(case, given.cells)))  # JSON is valid YAML
    command = [given.program, "run", str(folder / "deck.yaml"), "--output", str(folder / "out"), "--overwrite", "--quiet"]
    settings = {**CASES[case], "precision": precision, "halo.transport": transport, "tune": given.tune}
    if case in WAVE:
        settings["time.steps"] = limit
    else:
        settings |= {"solver.method": method, f"solver.{method}.iterations": limit}
    for path, value in settings.items():
        command += ["--set", f"{path}={value}"]
    if ranks > 1:
        command = [*shlex.split(given.launcher), str(ranks), *command]
    run_or_exit(command, exit_codes=(0, 3))
    summary = json.loads((folder / "out" / "summary.json").read_text())
    if case in WAVE:
        return summary["timings"]["advance"], limit, summary
    return summary["solves"][0]["seconds"], summary["solves"][0]["iterations"], summary


def measure(given, *of_run):
    few, many = given.iterations
    seconds, made = {few: [], many: []}, {}
    for _ in range(given.repeat):
        for limit, times in seconds.items():
            time, made[limit], summary = run(given, *of_run, limit)
            times.append(time)
    if made[many] <= made[few]:
        sys.exit(f"deck_rates: all is over after {made[few]} iterations")
    each = (statistics.median(seconds[many]) - statistics.median(seconds[few])) / (made[many] - made[few])
    return each, seconds, summary


def numbers(case, method, on_device):
    """Numbers per unknown that an iteration or a step moves."""
    if case in WAVE:
        return 4 if "medium" in case else 3
    coefficients = COEFFICIENTS if "coefficients" in case else 0
    if method == "jacobi":
        return 3 + coefficients
    return 8 if on_device and coefficients == 0 else 10 + coefficients


def base_of(row, rows):
    """The row for comparison: the first by the same method, or for a wave by conjugate gradients."""
    method = "cg" if row["case"] in WAVE else row["method"]
    alike = [other for other in rows if other["precision"] == row["precision"]]
    return next((other for other in alike if other["method"] == method), row)


def main():
    given = arguments()
    rows, provenance = [], {}
    with tempfile.TemporaryDirectory() as name:
        for ranks, transport in ((n, t) for n in given.ranks for t in (given.transports if n > 1 else ["auto"])):
            for precision, case in ((p, c) for p in given.precisions for c in given.cases):
                for method in ["leapfrog"] if case in WAVE else given.methods:
                    each, seconds, summary = measure(given, pathlib.Path(name), case, method, precision, ranks, transport)
                    provenance = summary["provenance"]
                    on_device = provenance["backend"] in ("Cuda", "HIP")
                    moved = numbers(case, method, on_device) * (8 if precision == "double" else 4)
                    row = {"case": case, "method": method, "precision": precision, "ranks": ranks,
                           "transport": transport, "seconds_an_iteration": each, "seconds_of_solves": seconds,
                           "bytes_an_unknown": moved, "bytes_per_second": moved * given.cells**3 / each}
                    rows.append(row)
                    row["of_dirichlet"] = row["bytes_per_second"] / base_of(row, rows)["bytes_per_second"]
                    print(f"{case:43} {method:8} {precision:7} {ranks} ranks {transport} {1e3 * each:8.4f} ms "
                          f"{1e-9 * row['bytes_per_second']:8.1f} GB/s {row['of_dirichlet']:6.3f}", flush=True)
                    if given.json:  # rows are minutes apart: earlier ones are kept if a later one fails
                        store(given.json, provenance, remark=given.remark, cells=given.cells, iterations=given.iterations,
                              rows=rows)


if __name__ == "__main__":
    main()
