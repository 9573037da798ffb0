#!/usr/bin/env python3
"""Iterations of conjugate gradients with multigrid for elastic squares and cubes that are clamped at one wall and bent by their
weight: by size, Poisson's ratio and a stiff inclusion, to 1e-8.

Seconds are those of the solve, the median of `--repeat` runs. With `--device` the memory that runs take of NVIDIA GPUs is
stored, from what nvidia-smi shows every fifth of a second.

    bench/elasticity.py --program bin/halocline --ranks 2 --squares 64 1024 --cubes 32 128 --json bench/results/elasticity_host.json
"""
import contextlib
import pathlib
import statistics
import subprocess
import tempfile
import threading

from deck_runs import parser_of, run_deck
from record import store

# Poisson's ratio, and how stiff a square or cube in the middle is, half as long as the body.
CASES = {"Poisson's ratio 0.3": (0.3, 1), "Poisson's ratio 0.45": (0.45, 1), "inclusion 1000 times as stiff": (0.3, 1000)}


def deck(axes, cells, poisson, stiffness):
    inside = " && ".join(f"abs({axis} - 0.5) < 0.25" for axis in "xyz"[:axes])
    return {"physics": "elasticity", "mesh": {"cells": [cells] * axes},
            "elasticity": {"poisson": poisson, "young": f"{inside} ? {stiffness} : 1" if stiffness != 1 else 1,
                           "force": {"xyz"[axes - 1]: -1}, "boundary": {"west": {"kind": "clamped"}}},
            "solver": {"method": "cg", "cg": {"preconditioner": "multigrid", "multigrid": {"precision": "single"},
                                              "relative_tolerance": 1e-8}}}


class DeviceMemory:
    """The most memory of all GPUs in use within a block, beyond what is in use at its start."""

    @staticmethod
    def used():
        said = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True,
                              text=True, check=True).stdout
        return sum(int(line) for line in said.split()) * 2**20

    def __enter__(self):
        self.before = self.most = self.used()
        self.over = threading.Event()
        self.watch = threading.Thread(target=self.poll)
        self.watch.start()
        return self

    def poll(self):
        while not self.over.wait(0.2):
            self.most = max(self.most, self.used())

    def __exit__(self, *_):
        self.over.set()
        self.watch.join()

    @property
    def bytes(self):
        return self.most - self.before


def solved(given, folder, axes, cells, name):
    with DeviceMemory() if given.device else contextlib.nullcontext() as watched:
        runs = [run_deck(given, folder, deck(axes, cells, *CASES[name]), given.ranks[0]) for _ in range(given.repeat)]
    memory = {"device_bytes": watched.bytes} if watched else {}
    solve = runs[0]["solves"][0]
    row = {"axes": axes, "cells": cells, "case": name, "iterations": solve["iterations"],
           "seconds": statistics.median(run["solves"][0]["seconds"] for run in runs),
           "whole_seconds": statistics.median(run["timings"]["total"] for run in runs), **memory}
    print(row, flush=True)
    return row, runs[0]["provenance"]


def main():
    parser = parser_of(__doc__, 1)
    parser.add_argument("--squares", type=int, nargs="*", default=[], help="cells along an axis")
    parser.add_argument("--cubes", type=int, nargs="*", default=[], help="cells along an axis")
    parser.add_argument("--device", action="store_true", help="store the memory that runs take of GPUs")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for axes, sizes in ((2, given.squares), (3, given.cubes)):
            for cells in sizes:
                for case in CASES:
                    row, provenance = solved(given, pathlib.Path(name), axes, cells, case)
                    rows.append(row)
    if given.json:
        store(given.json, provenance, remark=given.remark, ranks=given.ranks[0], rows=rows)


if __name__ == "__main__":
    main()
