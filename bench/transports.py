#!/usr/bin/env python3
"""Measures what halos take by each transport that this machine has, by size: what runs find out as they start.

`--repeat` runs on each number of ranks, cut into slabs so that each has two neighbours. In the table the median over
the runs of what an exchange with both neighbours took on the slowest rank.

    bench/transports.py --program bin/halocline --ranks 2 4 --json bench/results/transports.json
"""
import argparse
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

from record import store

SIDE = 256  # of slabs: four layers of numbers of eight bytes are 2 MiB


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the driver")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2])
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--launcher", default="mpirun -n", help="their number follows")
    parser.add_argument("--remark", help="kept in the result: what the machine was told beside the command")
    parser.add_argument("--json", help="where the result goes")
    return parser.parse_args()


def run(given, folder, ranks):
    deck = {"physics": "wave", "precision": "single", "wave": {"initial": "z"}, "time": {"step": 1e-4, "steps": 1},
            "mesh": {"cells": [SIDE, SIDE, 4 * ranks], "processes": [1, 1, ranks], "periodic": [False, False, True]},
            "output": {"snapshots": {"interval": 0}, "scalars": {"interval": 0}}}
    (folder / "deck.yaml").write_text(json.dumps(deck))
    command = [*shlex.split(given.launcher), str(ranks), given.program, "run", str(folder / "deck.yaml"), "--output",
               str(folder / "out"), "--overwrite", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"transports: exit {done.returncode} of {shlex.join(command)}\n{done.stdout}{done.stderr}")
    return json.loads((folder / "out/summary.json").read_text())


def measure(given, folder, ranks):
    summaries = [run(given, folder, ranks) for _ in range(given.repeat)]
    if any(not summary["halo"]["measured"] for summary in summaries):
        sys.exit(f"transports: {ranks} ranks had nothing to choose from; left out: {summaries[0]['halo']['left_out']}")
    rows = []
    for same in zip(*(summary["halo"]["measured"] for summary in summaries)):
        runs = {name: [row["seconds"][name] for row in same] for name in same[0]["seconds"]}
        rows.append({"ranks": ranks, "to": same[0]["to"], "bytes": same[0]["bytes"],
                     "seconds": {name: statistics.median(times) for name, times in runs.items()},
                     "chosen": [row["chosen"] for row in same], "runs": runs})
        print(f"{ranks} ranks, {rows[-1]['bytes']:9} bytes to {rows[-1]['to']}: "
              + ", ".join(f"{name} {1e6 * time:9.1f} us" for name, time in rows[-1]["seconds"].items()), flush=True)
    return rows, summaries[-1]["provenance"]


def main():
    given = arguments()
    rows, provenance = [], {}
    with tempfile.TemporaryDirectory() as name:
        for ranks in given.ranks:
            more, provenance = measure(given, pathlib.Path(name), ranks)
            rows += more
    if given.json:
        store(given.json, provenance, remark=given.remark, rows=rows)


if __name__ == "__main__":
    main()
