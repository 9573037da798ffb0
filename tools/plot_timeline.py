#!/usr/bin/env python3
"""Plots the activity of a rank and its device in a few steps, with and without overlap, from traces of runs (--trace).

    tools/plot_timeline.py --store bench/results/timeline.json --with DIR --without DIR   stores steps of two runs
    tools/plot_timeline.py bench/results/timeline.json                                    draws docs/images/timeline.png
"""
import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANES = ["host", "device: sweeps", "device: messages"]
COLOURS = {"interior": "#4477aa", "shell": "#66ccee", "halo: pack and send": "#ee6677", "halo: exchange": "#aa3377",
           "halo: receive and unpack": "#ccbb44"}
STEPS, FIRST = 3, 20


def steps_of(folder):
    """Spans of rank 0 in a few steps, by the device's clock: lane, name, begin and end in microseconds."""
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    spans = [(e["tid"], e["name"], e["ts"], e["ts"] + e["dur"]) for e in events if e["ph"] == "X" and e["pid"] == 0]
    steps = sorted(span for span in spans if span[0] == 1 and span[1] == "step")[FIRST:FIRST + STEPS]
    begin, end = steps[0][2], steps[-1][3]
    return [[LANES[lane], name, first - begin, last - begin] for lane, name, first, last in sorted(spans)
            if lane > 0 and name in COLOURS and first >= begin and last <= end]


def store(given):
    record = {}
    for key, folder in (("with overlap", given.with_overlap), ("without overlap", given.without)):
        summary = json.loads((folder / "summary.json").read_text())
        provenance = summary["provenance"]
        record.update({name: provenance[name] for name in ("machine", "hardware", "backend", "version")})
        record.update(commit=provenance["revision"], date=provenance["started"], remark=given.remark,
                      command="halocline run DECK --trace, with halo.overlap true and false")
        record[key] = steps_of(folder)
    given.store.write_text(json.dumps(record, indent=1) + "\n")


def draw(path):
    record = json.loads(path.read_text())
    figure, axes = plt.subplots(2, 1, figsize=(9, 4), sharex=True, layout="constrained")
    for axis, key in zip(axes, ("with overlap", "without overlap")):
        for lane, name, begin, end in record[key]:
            axis.barh(LANES.index(lane), end - begin, left=begin, color=COLOURS[name], height=0.7, label=name)
        axis.set_yticks([1, 2], [lane.split(": ")[1] for lane in LANES[1:]])
        axis.set_title(key, fontsize=10)
    handles = {text: handle for axis in axes for handle, text in zip(*axis.get_legend_handles_labels())}
    axes[0].legend(handles.values(), handles.keys(), loc="upper center", ncol=len(handles), fontsize=8)
    for axis in axes:
        axis.set_ylim(0.5, 3.3)
    axes[1].set_xlabel("microseconds on the device of rank 0")
    figure.savefig(ROOT / "docs/images/timeline.png", dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=pathlib.Path, nargs="?")
    parser.add_argument("--store", type=pathlib.Path)
    parser.add_argument("--with", dest="with_overlap", type=pathlib.Path, help="folder of a run")
    parser.add_argument("--without", type=pathlib.Path)
    parser.add_argument("--remark")
    given = parser.parse_args()
    if given.store:
        store(given)
    if given.result:
        draw(given.result)


if __name__ == "__main__":
    main()
