#!/usr/bin/env python3
"""Measures errors of flows and waves that the READMEs of their physics state.

    bench/stated_errors.py standing-jump --program bin/halocline --json bench/results/standing_jump.json
    bench/stated_errors.py sponge --program bin/halocline --json bench/results/sponge.json

standing-jump: of the discharge of shallow-water's deck bump-shock.yaml, which is the same everywhere in the exact solution: the
largest error, in the cell of the jump, and the largest more than eight cells behind it.
sponge: the fraction of its amplitude that returns of a packet of waves, from the energy that is left, by the wavelengths that
fit into the sponge and the `reflection` asked for.
"""
import argparse
import csv
import json
import math
import pathlib
import tempfile

import h5py
import numpy

from deck_runs import run_or_exit
from record import place, store

ROOT = pathlib.Path(__file__).resolve().parent.parent
JUMP = ROOT / "physics/shallow-water/decks/bump-shock.yaml"
DISCHARGE = 0.18  # of that deck


def run(given, folder, deck, *settings):
    """Runs a deck into `folder`/out; that folder, and the provenance of the run."""
    out = folder / "out"
    run_or_exit([given.program, "run", str(deck), "--output", str(out), "--overwrite", "--quiet", *settings])
    return out, json.loads((out / "summary.json").read_text())["provenance"]


def standing_jump(given, folder):
    rows = []
    for limiter in ("van_leer", "minmod"):
        for cells in (50, 100, 200, 400):
            out, provenance = run(given, folder, JUMP, "--set", f"mesh.cells=[{cells}]",
                                  "--set", f"shallow-water.limiter={limiter}")
            with h5py.File(max(out.glob("snapshot_*.vti"))) as file:
                errors = numpy.abs(numpy.squeeze(file["VTKHDF/CellData/momentum_x"][:]) / DISCHARGE - 1)
            jump = int(errors.argmax())
            rows.append({"limiter": limiter, "cells": cells, "in_the_jump": errors[jump], "behind": errors[jump + 9:].max()})
    return rows, provenance


def sponge(given, folder):
    length, width = 1.8, 0.2
    rows = []
    for waves in (1, 2, 4.5):
        for reflection in (1e-2, 1e-3, 1e-4, 1e-5):
            middle = f"(x - {length / 2})"
            # The packet parts in two; after this time both halves are back in the middle, where they touch no sponge.
            deck = {"physics": "wave", "mesh": {"cells": [576], "upper": [length]}, "time": {"step": 0.001, "steps": 1800},
                    "wave": {"initial": f"exp(-{middle}^2/2/0.127^2)*cos({2 * math.pi * waves / width}*{middle})",
                             "sponge": {"width": width, "reflection": reflection}},
                    "output": {"snapshots": {"interval": 0}, "scalars": {"interval": 1800}}}
            (folder / "deck.yaml").write_text(json.dumps(deck))
            out, provenance = run(given, folder, folder / "deck.yaml")
            with (out / "scalars.csv").open() as file:
                energies = [float(row["energy"]) for row in csv.DictReader(file)]
            rows.append({"wavelengths": waves, "reflection": reflection, "returned": math.sqrt(energies[-1] / energies[0])})
    return rows, provenance


STUDIES = {"standing-jump": standing_jump, "sponge": sponge}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=list(STUDIES))
    parser.add_argument("--program", required=True, help="the driver")
    parser.add_argument("--json", type=place, help="where the result goes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        rows, provenance = STUDIES[given.study](given, pathlib.Path(scratch))
    for row in rows:
        print(row)
    if given.json:
        store(given.json, provenance, rows=rows)


main()
