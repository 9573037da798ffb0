#!/usr/bin/python3
"""Plots the time of each level in a V-cycle, from records of bench/multigrid_levels.py.

    tools/plot_levels.py bench/results/multigrid_levels.json [--out FILE]

Writes docs/images/multigrid_levels.png by default. Needs the packages of plot.py.
"""
import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
import numpy as np  # noqa: E402
from plot import STYLE, save, title  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
CYCLES = {"run": "cycles in double", "single": "cycles in single"}
LEAST_NAMED = 0.03  # smaller shares are not labelled


def draw(record):
    precisions = list(dict.fromkeys(row["precision_of_cycles"] for row in record["rows"]))
    figure, axes = plt.subplots(figsize=(8, 1.3 + 0.75 * len(precisions)))
    for place, precision in enumerate(precisions):
        rows = [row for row in record["rows"] if row["precision_of_cycles"] == precision]
        begin = 0
        colours = matplotlib.colormaps["viridis"](np.linspace(0.15, 0.95, len(rows)))
        for row, colour in zip(rows, colours):
            axes.barh(place, row["share"], left=begin, height=0.6, color=colour, edgecolor="white", linewidth=0.6)
            if row["share"] >= LEAST_NAMED:
                ink = "white" if np.mean(colour[:3]) < 0.5 else "black"
                axes.text(begin + row["share"] / 2, place, f"{row['cells']}³\n{row['share']:.0%}", ha="center",
                          va="center", fontsize=8, color=ink)
            begin += row["share"]
        axes.text(1.01, place, f"{1e3 * rows[0]['seconds_of_cycle']:.3g} ms", va="center", fontsize=9)
    axes.set_yticks(range(len(precisions)), [CYCLES[precision] for precision in precisions])
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.invert_yaxis()
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    finest = record["rows"][0]["cells"]
    title(axes, f"Levels of a V-cycle for {finest}³ cells", record["hardware"])
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "docs/images/multigrid_levels.png")
    options = parser.parse_args()
    plt.rcParams.update(STYLE)
    save(draw(json.loads(options.file.read_text(encoding="utf-8"))), options.out)


if __name__ == "__main__":
    main()
