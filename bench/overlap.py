#!/usr/bin/env python3
"""Measures the overlap of a wave's messages with computation, by runs with and without overlap, alternating.

For each cube of cells and each number of ranks, `--repeat` pairs of runs. A run leaves a trace of all ranks: the time of a
step, the time that messages were in flight, and the time that ranks only waited for them. The first steps of a run are
ignored. Both runs of a pair must record the same bits.

    bench/overlap.py --program bin/halocline --cells 48 96 --ranks 2 4 --json bench/results/overlap.json
"""
import json
import pathlib
import statistics
import sys
import tempfile

from deck_runs import parser_of, run_deck
from record import store

STEPS, FIRST = 620, 20


def arguments():
    parser = parser_of(__doc__, repeat=5)
    parser.add_argument("--cells", type=int, nargs="+", default=[48, 96, 192], help="along each axis")
    parser.add_argument("--precision", default="single")
    parser.add_argument("--transport", default="auto", help="halo.transport of the runs")
    return parser.parse_args()


def spans(events, rank, name):
    """Begin and end in seconds of the spans of one name, in order."""
    return sorted((1e-6 * e["ts"], 1e-6 * (e["ts"] + e["dur"])) for e in events
                  if e["pid"] == rank and e["ph"] == "X" and e["tid"] == 0 and e["name"] == name)


def messages(events, rank):
    ends = {e["id"]: 1e-6 * e["ts"] for e in events if e["pid"] == rank and e["ph"] == "e"}
    return sorted((1e-6 * e["ts"], ends[e["id"]]) for e in events if e["pid"] == rank and e["ph"] == "b")


def run(given, folder, cells, ranks, overlap):
    """Seconds per step, of messages in flight and of waiting for them, the mean of the ranks; and the recorded values."""
    deck = {"physics": "wave", "precision": given.precision, "mesh": {"cells": [cells] * 3},
            "wave": {"initial": "sin(3*x)*sin(2*y)*sin(4*z)", "receivers": [{"position": [0.3, 0.4, 0.5]}]},
            "time": {"step": 0.2 / cells, "steps": STEPS}, "halo": {"overlap": overlap, "transport": given.transport}}
    summary = run_deck(given, folder, deck, ranks, "--trace")
    events = json.loads((folder / "out/trace.json").read_text())["traceEvents"]
    times = []
    for rank in range(ranks):
        steps = spans(events, rank, "step")
        since = steps[FIRST][0]
        count = STEPS - FIRST
        inside = [sum(end - begin for begin, end in found if begin >= since) / count
                  for found in (messages(events, rank), spans(events, rank, "halo: wait"))]
        times.append(((steps[-1][1] - since) / count, *inside))
    recorded = (folder / "out/traces.csv").read_text()
    return [statistics.mean(column) for column in zip(*times)], recorded, summary


def measure(given, folder, cells, ranks):
    times, recorded = {True: [], False: []}, set()
    for _ in range(given.repeat):
        for overlap, found in times.items():
            seconds, traces, summary = run(given, folder, cells, ranks, overlap)
            found.append(seconds)
            recorded.add(traces)
    if len(recorded) != 1:
        sys.exit(f"overlap: {cells}^3 on {ranks} ranks: runs differ")
    rows = []
    for overlap, found in times.items():
        step, under_way, waiting = (statistics.median(column) for column in zip(*found))
        rows.append({"cells": cells, "ranks": ranks, "precision": given.precision, "overlap": overlap,
                     "seconds_a_step": step, "seconds_under_way": under_way, "seconds_waiting": waiting,
                     "runs": found})
        print(f"{cells:5}^3 {ranks} ranks, overlap {str(overlap):5}: {1e6 * step:9.1f} us a step, messages under way "
              f"{1e6 * under_way:8.1f} us, waited for {1e6 * waiting:8.1f} us", flush=True)
    print(f"       with / without: {rows[0]['seconds_a_step'] / rows[1]['seconds_a_step']:.3f}", flush=True)
    return rows, summary["provenance"]


def main():
    given = arguments()
    rows, provenance = [], {}
    with tempfile.TemporaryDirectory() as name:
        for cells in given.cells:
            for ranks in given.ranks:
                more, provenance = measure(given, pathlib.Path(name), cells, ranks)
                rows += more
    if given.json:
        store(given.json, provenance, remark=given.remark, rows=rows)


if __name__ == "__main__":
    main()
