#!/usr/bin/python3
"""Energy conservation of a star cluster over a hundred crossing times: Plummer's sphere in double precision.

    bench/nbody_energy.py PROGRAM [--bodies 1000] [--json bench/results/nbody_energy.json]

A crossing time is G M^(5/2) / (2 |E|)^(3/2) (Heggie and Mathieu 1986): 6.26 in units where G, M and the scale are 1. The
trend is the slope of a straight line through the drift of the second half, given with its standard error.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from record import place, store

EVERY = 100


def run(given, scratch):
    crossing = 1 / (2 * 3 * math.pi / 64) ** 1.5
    steps = math.ceil(100 * crossing / given.step / EVERY) * EVERY
    deck = {"physics": "nbody", "precision": "double",
            "nbody": {"initial": "plummer", "plummer": {"bodies": given.bodies}, "softening": given.softening},
            "time": {"step": given.step, "steps": steps},
            "output": {"scalars": {"interval": EVERY}, "snapshots": {"interval": 0}}}
    (scratch / "deck.yaml").write_text(json.dumps(deck))
    subprocess.run([given.program, "run", scratch / "deck.yaml", "--output", scratch / "out", "--quiet"], check=True)
    rows = list(csv.DictReader((scratch / "out/scalars.csv").read_text().splitlines()))
    columns = {name: np.array([float(row[name]) for row in rows]) for name in ("time", "energy")}
    drift = (columns["energy"] - columns["energy"][0]) / abs(columns["energy"][0])
    return crossing, columns["time"], drift, json.loads((scratch / "out/summary.json").read_text())


def slope_of(times, values):
    """Slope of a straight line and its standard error, for correlated values: from the means of ten blocks."""
    parts = [(t.mean(), v.mean()) for t, v in zip(np.array_split(times, 10), np.array_split(values, 10))]
    t, v = map(np.array, zip(*parts))
    slope, constant = np.polyfit(t, v, 1)
    left = v - slope * t - constant
    return slope, math.sqrt(left @ left / (len(t) - 2) / ((t - t.mean()) @ (t - t.mean())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--step", type=float, default=1 / 64)
    parser.add_argument("--softening", type=float, default=0.25)
    parser.add_argument("--json", type=place, help="where the result goes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        crossing, times, drift, summary = run(given, pathlib.Path(scratch))
    half = len(times) // 2
    slope, error = slope_of(times[half:], drift[half:])
    result = {"bodies": given.bodies, "step": given.step, "softening": given.softening, "crossing_time": crossing,
              "crossing_times": times[-1] / crossing, "largest_drift": float(np.abs(drift).max()),
              "spread_of_second_half": float(drift[half:].std()), "slope_of_second_half": float(slope),
              "error_of_slope": float(error), "has_trend": bool(abs(slope) > 3 * error),
              "largest_drift_of_angular_momentum": max(
                  kept["largest_relative_drift"] for name, kept in summary["conserved"].items() if "angular" in name)}
    print(json.dumps(result, indent=1))
    if given.json:
        store(given.json, summary["provenance"], times=times[::10].tolist(), energy_drift=drift[::10].tolist(), **result)
    sys.exit(1 if result["has_trend"] else 0)


main()
