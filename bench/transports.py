#!/usr/bin/env python3
"""Measures the time of halo exchanges by each transport of this machine, by size: what runs measure at their start.

`--repeat` runs on each number of ranks, cut into slabs so that each has two neighbours. The table has the median over
the runs of the time of an exchange with both neighbours on the slowest rank.

    bench/transports.py --program bin/halocline --ranks 2 4 --json bench/results/transports.json
"""
import pathlib
import statistics
import sys
import tempfile

from deck_runs import parser_of, run_deck
from record import store

SIDE = 256  # of slabs: four layers of eight-byte numbers are 2 MiB


def run(given, folder, ranks):
    deck = {"physics": "wave", "precision": "single", "wave": {"initial": "z"}, "time": {"step": 1e-4, "steps": 1},
            "mesh": {"cells": [SIDE, SIDE, 4 * ranks], "processes": [1, 1, ranks], "periodic": [False, False, True]}}
    return run_deck(given, folder, deck, ranks)


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
    given = parser_of(__doc__, repeat=9).parse_args()
    rows, provenance = [], {}
    with tempfile.TemporaryDirectory() as name:
        for ranks in given.ranks:
            more, provenance = measure(given, pathlib.Path(name), ranks)
            rows += more
    if given.json:
        store(given.json, provenance, remark=given.remark, rows=rows)


if __name__ == "__main__":
    main()
