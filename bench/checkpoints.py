#!/usr/bin/env python3
"""Measures the cost of checkpoints: seconds of a physics' steps with a checkpoint every so many seconds of wall time, and
without any, alternating, `--repeat` times each. The cost is the difference of the medians.

A run lasts for `--checkpoints` and a half intervals. The checkpoint at the end of the run, and the wait for one that is still
being written then, are not counted. If all steps take the same time, as on a GPU, runs without checkpoints may take fewer of
them: with `--shorter 4`, a quarter.

    bench/checkpoints.py --program bin/halocline --cells 256 --every 30 --ranks 2 --json bench/results/x.json
"""
import os
import pathlib
import statistics
import tempfile

from deck_runs import parser_of, run_deck
from record import store

DECKS = {
    "wave": lambda cells: {"wave": {"initial": "x*(1-x)*y*(1-y)*z"}, "time": {"step": 0.1 / cells}},
    "heat": lambda cells: {"heat": {"initial": "1 + x*(1-x)*y*(1-y)*z"},
                           "time": {"method": "ssp_rk2", "step": 0.1 / cells**2}},
}


def arguments():
    parser = parser_of(__doc__, repeat=3)
    parser.add_argument("--physics", choices=DECKS, default="wave")
    parser.add_argument("--cells", type=int, required=True, help="along each axis")
    parser.add_argument("--precision", default="double")
    parser.add_argument("--every", type=float, default=30, help="seconds from one checkpoint to the next")
    parser.add_argument("--checkpoints", type=int, default=3, help="while a run steps")
    parser.add_argument("--shorter", type=int, default=1, help="part of the steps that runs without checkpoints take")
    parser.add_argument("--folder", type=pathlib.Path, help="on the disk that is to be written to")
    return parser.parse_args()


def run(given, folder, steps, every):
    deck = {"physics": given.physics, "precision": given.precision, "mesh": {"cells": [given.cells] * 3},
            **DECKS[given.physics](given.cells)}
    deck["time"]["steps"] = steps
    if every:
        deck["checkpoint"] = {"every": {"wall": every}, "keep": 1}
    summary = run_deck(given, folder, deck, given.ranks[0])
    return summary["timings"], summary


def main():
    given = arguments()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = pathlib.Path(name)
        step = run(given, folder, 20, 0)[0]["advance"] / 20
        some = max(20, round(5 / step))
        step = run(given, folder, some, 0)[0]["advance"] / some
        steps = round((given.checkpoints + 0.5) * given.every / step)
        seconds, timings, summary = {"no checkpoints": [], "checkpoints": []}, [], {}
        for _ in range(given.repeat):
            for case, every, number in (("no checkpoints", 0, steps // given.shorter), ("checkpoints", given.every, steps)):
                taken, summary = run(given, folder, number, every)
                stepping = taken["advance"] - taken.get("waiting_for_checkpoints", {"most": 0})["most"]
                seconds[case].append(stepping * steps / number)
                print(f"{case}: {stepping:.3f} s for {number} steps", flush=True)
            timings.append({key: value for key, value in taken.items() if "checkpoint" in key})
        state = sum(path.stat().st_size for path in folder.glob("out/checkpoint_*/*"))
    medians = {case: statistics.median(times) for case, times in seconds.items()}
    slower = medians["checkpoints"] / medians["no checkpoints"] - 1
    print(f"{given.physics} {given.cells}^3 in {given.precision} precision on {given.ranks[0]} ranks, {steps} steps, "
          f"{state / 1e9:.2f} GB every {given.every:g} s: slower by {100 * slower:.2f} %; {timings[-1]}")
    if given.json:
        store(given.json, summary["provenance"], remark=given.remark, physics=given.physics, cells=given.cells,
              precision=given.precision, ranks=given.ranks[0], threads=os.environ.get("OMP_NUM_THREADS"), steps=steps,
              shorter=given.shorter, every=given.every, checkpoints=given.checkpoints, bytes_of_a_checkpoint=state, seconds_of_runs=seconds,
              timings_of_checkpoints=timings, slower=slower)


if __name__ == "__main__":
    main()
