#!/usr/bin/env python3
"""Compares the speed of a new build with that of an old one, on one machine in one session.

Every round measures the old build, the new one and the old one again, in random order, so that a change in the machine's load
affects all three. A row's time is the median of its rounds. The spread is the distance between the medians of two series that
are both of the old build: of pairs resampled from all of its rounds, 19 of 20 are closer. The new build may be slower by the
spread and by `--allowed` of the old one's time.

The physical location of a program's memory determines how much of it caches hold: with arrays of twice a cache's size, the
same program takes 0.25 s in one run and 0.33 s in another. In a fixed order a program gets the memory that the previous one
has freed, which would always favour one build. Therefore a random amount of memory is allocated before each program and held
while it runs.

    bench/compare_builds.py --old OLD/bin --new NEW/bin --rounds 7 --json bench/results/compared_builds.json

Rows: the sweeps of sweep_bench, each separately; iterations of conjugate gradients, a solve by multigrid, steps of waves, heat,
reactions and conservation laws in decks; our side of the race against hypre; TeaLeaf's benchmark decks, both whole commands and
only their solves. With `--device`: steps of waves, reactions and heat, large and small, and solves by multigrid. OLD and NEW are
`bin` folders of build trees.
"""
import argparse
import json
import mmap
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from law_rates import euler, shallow_water
from record import place, store

QUIET = {"output": {"snapshots": {"interval": 0}, "scalars": {"interval": 0}}}
CHANCE = random.Random(1)
TEALEAF = pathlib.Path(__file__).resolve().parent.parent / "decks/tealeaf"


def conjugate_gradients(precision, cells, iterations):
    return {"physics": "laplace", "precision": precision, "mesh": {"cells": [cells] * 3},
            "laplace": {"source": "sin(17*x)*cos(31*y)+z"},
            "solver": {"method": "cg", "cg": {"relative_tolerance": 1e-300, "iterations": iterations}}, **QUIET}


def multigrid(cells):
    return {"physics": "laplace", "mesh": {"cells": [cells] * 3}, "laplace": {"source": "sin(17*x)*cos(31*y)+z"},
            "solver": {"method": "multigrid", "multigrid": {"start": "full"}}, **QUIET}


def steps(physics, cells, number, size, **time_section):
    return {"physics": physics, "mesh": {"cells": [cells] * 3}, "time": {"step": size, "steps": number, **time_section},
            physics: {"initial": "sin(3*x)*sin(2*y)*sin(z)"}, **QUIET}


def explicit_heat(cells, number):
    deck = steps("heat", cells, number, 0.08 / cells ** 2, method="ssp_rk3")
    deck["heat"]["conductivity"] = "1+x*y"
    return deck


def law(deck, cells, number):
    return {**deck, "mesh": {"cells": cells, "periodic": [True] * len(cells)}, "time": {**deck["time"], "steps": number}, **QUIET}


def gray_scott(cells, number):
    return {"physics": "gray-scott", "mesh": {"cells": [cells] * 2, "upper": [cells / 100] * 2, "periodic": [True] * 2},
            "time": {"method": "ssp_rk2", "step": 1, "steps": number}, "precision": "single",
            "gray-scott": {"u": {"initial": "1 - 0.5*random(1)"}, "v": {"initial": "0.25*random(2)"}}, **QUIET}


# By name: a deck and its allowed exit codes (a solve that is stopped after some iterations does not converge).
DECKS = {
    "cg double 128^3, 100 iterations": (conjugate_gradients("double", 128, 100), (0, 3)),
    "cg single 128^3, 100 iterations": (conjugate_gradients("single", 128, 100), (0, 3)),
    "full multigrid double 128^3": (multigrid(128), (0,)),
    "wave 128^3, 100 steps": (steps("wave", 128, 100, 1e-4), (0,)),
    "wave 16^3, 3000 steps": (steps("wave", 16, 3000, 1e-4), (0,)),
    "heat 64^3, 10 steps": (steps("heat", 64, 10, 1e-3), (0,)),
    "heat 96^3 with a conductivity, ssp_rk3, 60 steps": (explicit_heat(96, 60), (0,)),
    "heat 64^3, bdf2, 10 steps": (steps("heat", 64, 10, 1e-3, method="bdf2"), (0,)),
    "Euler 192^2, WENO5, 60 steps": (law(euler(2, reconstruction="weno5"), [192] * 2, 60), (0,)),
    "Euler 192^2, PLM (van Leer), 60 steps": (law(euler(2), [192] * 2, 60), (0,)),
    "Euler 48^3, WENO5, 20 steps": (law(euler(3, reconstruction="weno5"), [48] * 3, 20), (0,)),
    "Euler 48^3, PLM (MC), 20 steps": (law(euler(3, limiter="mc"), [48] * 3, 20), (0,)),
    "shallow water 256^2, PLM (van Leer), 60 steps": (law(shallow_water(), [256] * 2, 60), (0,)),
    "gray-scott single 512^2, 300 steps": (gray_scott(512, 300), (0,)),
}


def device_steps(physics, cells, number, **options):
    """Steps without anything between them that waits."""
    section = options.pop("section", {"initial": "sin(3*x)*y"})
    time_section = options.pop("time", {"step": 1e-5})
    return {"physics": physics, "time": {**time_section, "steps": number}, physics: section, "guard": {"every": 0},
            "output": {"snapshots": {"interval": 0}, "scalars": {"interval": 0}},
            "mesh": {"cells": cells, **options.pop("mesh", {})}, **options}


def device_wave(cells, number, precision="single", mesh=None, **section):
    return device_steps("wave", [cells] * 3, number, section={"initial": "x*(1-x)*y*(1-y)*z", **section}, precision=precision,
                        mesh=mesh or {})


def device_solves(cells, precision, conductivity, solver, step=0.01):
    return device_steps("heat", cells, 12, section={"initial": "sin(3*x)*y", "conductivity": conductivity}, time={"step": step},
                        precision=precision, solver=solver)


def device_multigrid(cells, precision="double", conductivity=1):
    return device_solves(cells, precision, conductivity,
                         {"method": "cg", "cg": {"preconditioner": "multigrid", "relative_tolerance": 1e-10}})


BY_CELL = "1+x*y"
SUM = {"method": "weighted_sum", "weights": [0.4, 0.05, 0.03, 0.01, 0.01]}
PERIODIC = {"periodic": [True] * 3}
# For `--device`: runs without pauses, of which the solves or, without any, the whole time of all steps counts.
DEVICE_DECKS = {
    "wave single 512^3": device_wave(512, 2000),
    "wave single 512^3, speed by cell": device_wave(512, 2000, speed="1+x"),
    "wave single 512^3, speed by cell, sponge": device_wave(512, 2000, speed="1+x", sponge={"width": 0.1}),
    "wave double 512^3": device_wave(512, 2000, "double"),
    "wave single 64^3, periodic": device_wave(64, 20000, mesh=PERIODIC),
    "25-point sum single 512^3": device_wave(512, 2000, **SUM),
    "gray-scott double 256^2, ssp_rk3": {**gray_scott(256, 20000), "precision": "double", "guard": {"every": 0}},
    "gray-scott single 4096^2, ssp_rk2": {**gray_scott(4096, 400), "guard": {"every": 0}},
    "heat double 256^2, explicit_euler": device_steps("heat", [256, 256], 20000, time={"method": "explicit_euler", "step": 3e-6}),
    "heat double 256^2, rk4": device_steps("heat", [256, 256], 20000, time={"method": "rk4", "step": 3e-6}),
    "heat double 384^3, conductivity by cell, ssp_rk3":
        device_steps("heat", [384] * 3, 100, time={"method": "ssp_rk3", "step": 3e-7},
                     section={"initial": "sin(3*x)*y", "conductivity": BY_CELL}),
    "multigrid double 256^3": device_multigrid([256] * 3),
    "multigrid double 4096^2": device_multigrid([4096] * 2),
    "multigrid single 4096^2": device_multigrid([4096] * 2, "single"),
    "multigrid double 1024^2, conductivity by cell": device_multigrid([1024] * 2, conductivity=BY_CELL),
    "multigrid double 4096^2, conductivity by cell": device_multigrid([4096] * 2, conductivity=BY_CELL),
    "multigrid single 4096^2, conductivity by cell": device_multigrid([4096] * 2, "single", BY_CELL),
    "multigrid double 128^3, conductivity by cell": device_multigrid([128] * 3, conductivity=BY_CELL),
    "multigrid double 320^3, conductivity by cell": device_multigrid([320] * 3, conductivity=BY_CELL),
    "multigrid single 320^3, conductivity by cell": device_multigrid([320] * 3, "single", BY_CELL),
    "cg double 512^3, conductivity by cell":
        device_solves([512] * 3, "double", BY_CELL, {"method": "cg", "cg": {"relative_tolerance": 1e-10}}, step=1e-5),
}
# Our side of the races against hypre, the fourth solve of a process.
RACES = {
    "Poisson 128^3 to 1e-8": ["--refine", "--full", "--sweeps", "3"],
    "Poisson 128^3, checkerboard of 1e4, to 1e-8": ["--cycle", "W", "--sweeps", "2", "--jump", "1e4"],
}
TEA = {"tea_bm_2, cg": ("tea_bm_2.in", []), "tea_bm_3, cg": ("tea_bm_3.in", []),
       "tea_bm_3, multigrid": ("tea_bm_3.in", ["--set", "solver.method=cg", "--set", "solver.cg.preconditioner=multigrid"])}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, help="its bin folder", type=pathlib.Path)
    parser.add_argument("--new", required=True, help="its bin folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--allowed", type=float, default=0.02, help="slower by that part, beyond the spread, still passes")
    parser.add_argument("--device", action="store_true", help="only runs of decks, of the size of a GPU")
    parser.add_argument("--rows", default="", help="with --device: only rows whose names match this regular expression")
    parser.add_argument("--json", type=place, help="where the result goes")
    return parser.parse_args()


def taken_memory(chance):
    """Some blocks of memory, with holes between them."""
    pieces = [mmap.mmap(-1, chance.randrange(1, 300) << 20) for _ in range(chance.randrange(2, 8))]
    for piece in pieces:
        if chance.random() < 0.5:
            piece.madvise(mmap.MADV_HUGEPAGE)
        for place in range(0, len(piece), mmap.PAGESIZE):
            piece[place] = 1
    return chance.sample(pieces, len(pieces) // 2)


def run(folder, command, exit_codes=(0,), output=None):
    """Runs a program of a build with that build's libraries, whose output is kept in a file; returns the seconds it took."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder.resolve().parent / "lib"),
                   "GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=65536"}
    held = taken_memory(CHANCE)  # until this function returns
    start = time.perf_counter()
    done = subprocess.run([str(folder / command[0]), *command[1:]], capture_output=True, text=True, env=environment)
    seconds = time.perf_counter() - start
    if done.returncode not in exit_codes:
        sys.exit(f"exit {done.returncode} of {command} in {folder}\n{done.stdout}{done.stderr}")
    if output:
        output.write_text(done.stdout)
    return seconds


def sweeps(folder, scratch):
    result = scratch / "sweeps.json"
    run(folder, ["sweep_bench", "--json", str(result)])
    return {f"sweep: {case['name']}": case["minimum_seconds"] for case in json.loads(result.read_text())["cases"]}


def run_deck(folder, deck, out, settings=(), exit_codes=(0,)):
    whole = run(folder, ["halocline", "run", str(deck), "--output", str(out), "--overwrite", "--quiet", *settings],
                exit_codes)
    return whole, json.loads((out / "summary.json").read_text())


def seconds_of_solves(summary):
    """Of all solves; earlier versions list all of them and have no totals."""
    totals = summary.get("solve_totals")
    return totals["seconds"] if totals else sum(solve["seconds"] for solve in summary["solves"])


def decks(folder, scratch):
    rows = {}
    for name, (deck, exit_codes) in DECKS.items():
        path = scratch / "deck.yaml"
        path.write_text(json.dumps(deck))
        _, summary = run_deck(folder, path, scratch / "out", exit_codes=exit_codes)
        region = next(region for region in summary["timings"]["regions"] if region["name"] == "step")
        # Up to version 0.2.0 this is a number, the seconds of rank 0.
        step = region["seconds"]
        rows[name] = seconds_of_solves(summary) or (step["mean"] if isinstance(step, dict) else step)
    for name, (deck, settings) in TEA.items():
        whole, summary = run_deck(folder, TEALEAF / deck, scratch / "out", settings)
        rows[f"{name}: solves"] = seconds_of_solves(summary)
        rows[f"{name}: whole command"] = whole
    return rows, summary["provenance"]


def device_decks(folder, scratch, chosen):
    rows = {}
    for name, deck in DEVICE_DECKS.items():
        if not re.search(chosen, name):
            continue
        path = scratch / "deck.yaml"
        path.write_text(json.dumps(deck))
        _, summary = run_deck(folder, path, scratch / "out")
        rows[name] = seconds_of_solves(summary) or summary["timings"]["advance"]
    return rows, summary["provenance"]


def races(folder, scratch):
    rows = {}
    for name, options in RACES.items():
        output = scratch / "race.txt"
        run(folder, ["poisson_bench", "--cells", "128", "--single-cycles", "--repeats", "4", "--json", *options], output=output)
        rows[name] = json.loads(output.read_text().splitlines()[-1])["seconds"]
    return rows


def measured(folder, scratch, given):
    if given.device:
        return device_decks(folder, scratch, given.rows)
    rows, provenance = decks(folder, scratch)
    return {**sweeps(folder, scratch), **rows, **races(folder, scratch)}, provenance


def spread_of(rounds, size):
    """Relative distance between the medians of two series of `size` rounds of one build, the 95th percentile."""
    medians = [statistics.median(CHANCE.choices(rounds, k=size)) for _ in range(2000)]
    apart = sorted(abs(a - b) / min(a, b) for a, b in zip(medians[::2], medians[1::2]))
    return apart[len(apart) * 19 // 20]


def compared(given, scratch):
    """Rows by name, and the provenances of the old and the new build."""
    series = {"old": {}, "new": {}, "old again": {}}
    provenance = {}
    for number in range(given.rounds):
        for which in CHANCE.sample(list(series), len(series)):
            rows, provenance[which] = measured(given.new if which == "new" else given.old, scratch, given)
            for name, seconds in rows.items():
                series[which].setdefault(name, []).append(seconds)
        print(f"round {number + 1} of {given.rounds}", file=sys.stderr)
    table = []
    for name in series["old"]:
        rounds_of_old = series["old"][name] + series["old again"][name]
        old, new = statistics.median(rounds_of_old), statistics.median(series["new"][name])
        spread = spread_of(rounds_of_old, given.rounds)
        table.append({"row": name, "old_seconds": old, "new_seconds": new, "ratio": round(new / old, 4),
                      "spread": round(spread, 4), "passes": bool(new <= old * (1 + given.allowed + spread)),
                      "rounds": {which: [round(seconds, 7) for seconds in series[which][name]] for which in series}})
    return table, provenance


def main():
    given = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        table, provenance = compared(given, pathlib.Path(scratch))
    for row in table:
        print(f"{row['row']:48} {1e3 * row['old_seconds']:10.3f} ms  {row['ratio']:6.3f}  spread {row['spread']:6.3f}"
              f"{'' if row['passes'] else '  SLOWER'}")
    if given.json:
        store(given.json, provenance["new"], old_commit=provenance["old"]["revision"], rounds=given.rounds,
              allowed=given.allowed, rows=table)
    sys.exit(0 if all(row["passes"] for row in table) else 1)


main()
