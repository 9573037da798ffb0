#!/usr/bin/env python3
"""Measures the cost of snapshots with and without I/O ranks: seconds per step of a wave without snapshots, with snapshots that
all ranks write and wait for, and with snapshots that are sent to I/O ranks, with the same number of compute ranks,
alternating, `--repeat` times.

All ranks have equally many threads, so that each I/O rank has a core of its own; OMP_NUM_THREADS overrides this. The interval
between snapshots is chosen so that writing takes about half of the time. The cost is the difference of the medians.

    bench/io_ranks.py --program bin/halocline --cells 512 --ranks 2 --io-ranks 1 --json bench/results/x.json
"""
import os
import pathlib
import statistics
import tempfile

from deck_runs import parser_of, run_deck
from record import store


def arguments():
    parser = parser_of(__doc__, repeat=3)
    parser.add_argument("--cells", type=int, required=True, help="along each axis")
    parser.add_argument("--precision", default="single")
    parser.add_argument("--io-ranks", type=int, default=1)
    parser.add_argument("--snapshots", type=int, default=8, help="in a run")
    parser.add_argument("--load", type=float, default=0.5, help="part of the time that the disk is to be busy")
    return parser.parse_args()


def run(given, folder, io_ranks, steps, interval):
    deck = {"physics": "wave", "precision": given.precision, "mesh": {"cells": [given.cells] * 3},
            "wave": {"initial": "x*(1-x)*y*(1-y)*z"}, "time": {"step": 0.1 / given.cells, "steps": steps},
            "output": {"snapshots": {"interval": interval}, "scalars": {"interval": 0}}, "io": {"ranks": io_ranks}}
    summary = run_deck(given, folder, deck, given.ranks[0] + io_ranks)
    return summary["timings"], summary


def interval_of(given, folder):
    """Steps between snapshots with which the disk is busy for the requested fraction of the time. Both times are medians of
    three runs, in which a snapshot is written while the other ranks compute, as in the measured runs."""
    steps, snapshots = 300, 2
    step = statistics.median(run(given, folder, 0, steps, 0)[0]["advance"] / steps for _ in range(3))
    apart = max(1, round(1.5 / step))
    runs = [run(given, folder, given.io_ranks, snapshots * apart, apart)[0] for _ in range(3)]
    writing = statistics.median(timings["writing_snapshots"] / (snapshots + 1) for timings in runs)
    return max(1, round(writing / given.load / step)), writing


def main():
    given = arguments()
    threads = max(1, (os.cpu_count() - given.io_ranks) // given.ranks[0])
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        interval, writing = interval_of(given, folder)
        steps = interval * given.snapshots
        cases = {"no snapshots": (0, 0), "all ranks write": (0, interval), "I/O ranks write": (given.io_ranks, interval)}
        seconds = {case: [] for case in cases}
        waited, loads, summary = [], [], {}
        for _ in range(given.repeat):
            for case, (io_ranks, each) in cases.items():
                timings, summary = run(given, folder, io_ranks, steps, each)
                seconds[case].append(timings["advance"])
            waited.append(summary["timings"]["waiting_for_buffers"]["most"])
            # The last snapshot is written after the steps.
            written = timings["writing_snapshots"] * given.snapshots / (given.snapshots + 1)
            loads.append(written / timings["advance"])
        medians = {case: statistics.median(times) for case, times in seconds.items()}
        slower = {case: time / medians["no snapshots"] - 1 for case, time in medians.items()}
    print(f"wave {given.cells}^3 on {given.ranks[0]} ranks, a snapshot of {writing:.3f} s every {interval} steps, "
          f"disk busy for {statistics.median(loads):.2f} of the time")
    for case, time in medians.items():
        print(f"  {case}: {1e3 * time / steps:.4f} ms a step, slower by {100 * slower[case]:.1f} %")
    if given.json:
        store(given.json, summary["provenance"], remark=given.remark, cells=given.cells, precision=given.precision,
              ranks=given.ranks[0], io_ranks=given.io_ranks, interval=interval, steps=steps,
              threads=int(os.environ["OMP_NUM_THREADS"]), seconds_of_a_snapshot=writing,
              seconds_of_runs=seconds, slower=slower, waiting_for_buffers=waited, disk_busy=loads)


if __name__ == "__main__":
    main()
