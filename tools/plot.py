#!/usr/bin/python3
"""Draws a finished run: a slice through each field of its last snapshot or the bodies in it, how the residuals fell,
what receivers recorded, and how far the energy drifted.

    plot.py FOLDER [--step N] [--normal x|y|z] [--at POSITION]

Writes slice_<field>.png or bodies.png, residuals.png, traces.png and energy.png into FOLDER and prints their names. Needs
matplotlib and h5py.
"""

import argparse
import csv
import json
import os
import sys
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
import numpy as np  # noqa: E402
from matplotlib.colors import ListedColormap, LogNorm, Normalize  # noqa: E402
from matplotlib.ticker import MaxNLocator  # noqa: E402

AXES = "xyz"
INK = "#2b2f36"
STYLE = {
    "figure.dpi": 160, "savefig.bbox": "tight", "savefig.pad_inches": 0.15, "font.family": "DejaVu Sans",
    "font.size": 10, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": "#8a8f98", "axes.linewidth": 0.8,
    "xtick.color": INK, "ytick.color": INK, "axes.titlesize": 12, "axes.titleweight": "medium",
    "axes.titlelocation": "left", "axes.grid": False, "grid.color": "#d9dce1", "grid.linewidth": 0.6,
}
# Without the black at its lower end, which would hide the frame.
WARM = ListedColormap(matplotlib.colormaps["inferno"](np.linspace(0.06, 1, 256)))


class Snapshot:
    """One snapshot file and the mesh it lies on."""

    def __init__(self, path):
        self.file = h5py.File(path, "r")
        with h5py.File(path.parent / "mesh.h5", "r") as mesh:
            self.edges = [mesh[axis][()] for axis in AXES if axis in mesh]
        self.step = int(self.file.attrs["step"][0])
        self.time = float(self.file["VTKHDF/FieldData/TimeValue"][0])

    def fields(self):
        """(name, unit, on cells?, values by z, y, x); of a vector the magnitude."""
        for group, on_cells in (("CellData", True), ("PointData", False)):
            for name, data in self.file["VTKHDF"][group].items():
                values = data[()].reshape(*data.attrs["shape"], -1).astype(float)
                several = values.shape[3] > 1
                values = np.linalg.norm(values, axis=3) if several else values[..., 0]
                unit = data.attrs["unit"].decode().strip("\0")
                yield (f"|{name}|" if several else name), unit, on_cells, values


class Bodies:
    """The points of one snapshot file."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.position = file["VTKHDF/Points"][()].astype(float)
            self.fields = {name: data[()].astype(float) for name, data in file["VTKHDF/PointData"].items()}
            self.step = int(file.attrs["step"][0])
            self.time = float(file["VTKHDF/FieldData/TimeValue"][0])


def has_points(path):
    with h5py.File(path, "r") as file:
        return file["VTKHDF"].get("Points", getlink=True).__class__ is h5py.HardLink


def cut(snapshot, on_cells, values, normal, at):
    """The plane of a three-dimensional field that is nearest to `at` on the axis `normal`, and its position."""
    edges = snapshot.edges[normal]
    places = 0.5 * (edges[1:] + edges[:-1]) if on_cells else edges
    at = 0.5 * (edges[0] + edges[-1]) if at is None else at
    nearest = int(np.argmin(np.abs(places - at)))
    return np.take(values, nearest, axis=2 - normal), places[nearest]


def colours_of(values):
    """Colour map and scale: around zero for signed fields, logarithmic where most of a positive field would vanish in
    linear colours."""
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    if low < 0 < high and 0.1 < -low / high < 10:
        most = max(-low, high)
        return "RdBu_r", Normalize(-most, most)
    if low > 0 and high > 100 * np.median(finite):
        return WARM, LogNorm(low, high)
    return WARM, Normalize(low, high if high > low else low + 1)


def labelled(name, unit):
    return f"{name}  [{unit}]" if unit else name


def title(axes, heading, detail):
    axes.set_title(heading, pad=22)
    axes.text(0, 1.02, detail, transform=axes.transAxes, fontsize=8.5, color="#6b7280", va="bottom")


def draw_line(axes, snapshot, name, unit, on_cells, values):
    edges = snapshot.edges[0]
    places = 0.5 * (edges[1:] + edges[:-1]) if on_cells else edges
    axes.plot(places, values, color="#2f6db5", linewidth=1.8, marker="o" if len(places) <= 40 else None, markersize=3.5)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_xlabel("x")
    axes.set_ylabel(labelled(name, unit))
    axes.grid(True)
    axes.spines[["top", "right"]].set_visible(False)


def draw_plane(figure, axes, planes, name, unit, on_cells, values):
    (across, horizontal), (up, vertical) = planes
    shading = "flat" if on_cells else "gouraud"
    colours, scale = colours_of(values)
    picture = axes.pcolormesh(horizontal, vertical, values, shading=shading, cmap=colours, norm=scale, rasterized=True)
    width, height = np.ptp(horizontal), np.ptp(vertical)
    axes.set_aspect("equal" if 0.2 < width / height < 5 else "auto")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    # A bar of the picture's own height, however flat that is.
    bar = figure.colorbar(picture, cax=axes.inset_axes([1.04, 0, 0.045, 1]))
    bar.set_label(labelled(name, unit) + (", logarithmic" if isinstance(scale, LogNorm) else ""))
    bar.outline.set_linewidth(0.6)


def draw_field(snapshot, field, heading, normal, at):
    name, unit, on_cells, values = field
    dimensions = len(snapshot.edges)
    detail = f"step {snapshot.step}, time {snapshot.time:g}"
    figure, axes = plt.subplots(figsize=(7, 4) if dimensions == 1 else (6.6, 5.4))
    if dimensions == 1:
        draw_line(axes, snapshot, name, unit, on_cells, values[0, 0])
    else:
        shown = [axis for axis in range(dimensions) if dimensions == 2 or axis != normal]
        if dimensions == 3:
            plane, place = cut(snapshot, on_cells, values, normal, at)
            detail += f", {AXES[normal]} = {place:.4g}"
        else:
            plane = values[0]
        draw_plane(figure, axes, [(AXES[a], snapshot.edges[a]) for a in shown], name, unit, on_cells, plane)
    finite = values[np.isfinite(values)]
    if finite.size:
        detail += f"; {finite.min():.5g} to {finite.max():.5g}" + (" in the whole box" if dimensions == 3 else "")
    if not np.isfinite(values).all():
        detail += f"; {np.count_nonzero(~np.isfinite(values))} values are not finite"
    title(axes, f"{heading}: {name}", detail)
    return figure


def draw_bodies(paths, heading, normal):
    """The bodies of the last snapshot as seen along an axis, by speed; the paths of few, through all snapshots."""
    bodies = Bodies(paths[-1])
    across, up = (axis for axis in range(3) if axis != normal)
    figure, axes = plt.subplots(figsize=(6.6, 5.4))
    few = len(bodies.position) <= 16
    if few:
        way = np.array([Bodies(path).position for path in paths])
        axes.plot(way[..., across], way[..., up], color="#c3c8d0", linewidth=0.9, zorder=1)
    speed = np.linalg.norm(bodies.fields["velocity"], axis=1) if "velocity" in bodies.fields else None
    size = 40 if few else max(0.5, 8000 / len(bodies.position))
    picture = axes.scatter(bodies.position[:, across], bodies.position[:, up], c=speed, s=size, cmap=WARM, linewidths=0,
                           rasterized=True, zorder=2)
    detail = f"{len(bodies.position)} {'body' if len(bodies.position) == 1 else 'bodies'}"
    if not few:
        # A few that are far out would leave the rest a dot.
        middle = np.median(bodies.position, axis=0)
        reach = 1.3 * np.percentile(np.abs(bodies.position - middle).max(axis=1), 95)
        axes.set_xlim(middle[across] - reach, middle[across] + reach)
        axes.set_ylim(middle[up] - reach, middle[up] + reach)
        outside = np.count_nonzero((np.abs(bodies.position - middle)[:, [across, up]] > reach).any(axis=1))
        if outside:
            detail += f", {outside} of them outside of the frame"
    axes.set_aspect("equal", adjustable="datalim" if few else "box")
    axes.set_xlabel(AXES[across])
    axes.set_ylabel(AXES[up])
    if speed is not None:
        bar = figure.colorbar(picture, cax=axes.inset_axes([1.04, 0, 0.045, 1]))
        bar.set_label("speed")
        bar.outline.set_linewidth(0.6)
    title(axes, f"{heading}: bodies", f"{detail}; seen along {AXES[normal]}; step {bodies.step}, time {bodies.time:g}")
    return figure


def read_drift(path):
    """Times, and the drift of the energy as part of |kinetic| + |potential|; nothing where none is recorded."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if len(rows) < 2 or "energy_drift" not in rows[0]:
        return [], []
    return tuple(np.array([float(row[name]) for row in rows]) for name in ("time", "energy_drift"))


def draw_drift(times, drift, heading):
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.axhline(0, color="#d9dce1", linewidth=0.8)
    axes.plot(times, drift, color="#2f6db5", linewidth=1.4)
    axes.set_xlim(times[0], times[-1])
    axes.set_xlabel("time")
    axes.set_ylabel("change of the energy / (|kinetic| + |potential|)")
    # At each number: the power of ten of all would stand where the second line of the title is.
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
    axes.grid(True)
    axes.spines[["top", "right"]].set_visible(False)
    title(axes, f"{heading}: energy", f"{len(times)} times; largest drift {np.nanmax(np.abs(drift)):.2e}")
    return figure


def read_residuals(path):
    """The solves of a run that had something to do, a residual above zero: (step, method, iterations, residuals) each."""
    solves = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            solve = solves.setdefault((int(row["step"]), int(row["solve"])), (row["method"], [], []))
            solve[1].append(int(row["iteration"]))
            solve[2].append(float(row["residual"]))
    return [(step, method, np.array(n), np.array(r)) for (step, _), (method, n, r) in solves.items() if max(r) > 0]


def draw_residuals(solves, heading):
    figure, axes = plt.subplots(figsize=(7, 4.4))
    steps = [step for step, *_ in solves]
    colours = matplotlib.colormaps["viridis"]
    norm = Normalize(min(steps), max(steps) if max(steps) > min(steps) else min(steps) + 1)
    for step, _, iterations, residuals in solves:
        start = residuals[0] if residuals[0] > 0 else 1.0
        axes.semilogy(iterations, residuals / start, color=colours(0.92 * norm(step)), linewidth=1.4,
                      alpha=0.9 if len(solves) < 30 else 0.5)
    axes.set_xlabel("iteration")
    axes.set_ylabel("residual / initial residual  (2-norm)")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlim(left=0)
    axes.grid(True, which="major")
    axes.spines[["top", "right"]].set_visible(False)
    if max(steps) > min(steps):
        picture = matplotlib.cm.ScalarMappable(norm, ListedColormap(colours(np.linspace(0, 0.92, 256))))
        bar = figure.colorbar(picture, ax=axes, pad=0.03)
        bar.set_label("step")
        bar.ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        bar.outline.set_linewidth(0.6)
    most = max(int(n[-1]) for _, _, n, _ in solves)
    methods = ", ".join(sorted({method for _, method, *_ in solves}))
    title(axes, f"{heading}: residuals",
          f"{methods}; {len(solves)} solve{'s' * (len(solves) > 1)}, at most {most} iterations; logarithmic")
    return figure


def read_traces(path):
    """Times, and what each receiver recorded by name."""
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    columns = np.array(rows, dtype=float).reshape(-1, len(names)).T
    return columns[0], dict(zip(names[1:], columns[1:]))


def draw_traces(times, traces, heading):
    """One below the other, all on one scale."""
    figure, axes = plt.subplots(figsize=(7, 1.6 + 0.75 * len(traces)))
    largest = max(np.nanmax(np.abs(values), initial=0) for values in traces.values()) or 1.0
    for row, (name, values) in enumerate(traces.items()):
        axes.axhline(-row, color="#d9dce1", linewidth=0.6)
        axes.plot(times, 0.48 * values / largest - row, color="#2f6db5", linewidth=1.2)
    axes.set_yticks([-row for row in range(len(traces))], list(traces))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-len(traces) + 0.4, 0.6)
    axes.set_xlim(times[0], times[-1] if times[-1] > times[0] else times[0] + 1)
    axes.set_xlabel("time")
    axes.spines[["top", "right", "left"]].set_visible(False)
    title(axes, f"{heading}: receivers", f"{len(times)} times; largest {largest:.5g}, one scale for all")
    return figure


def heading_of(folder):
    """The name of the deck, as far as the run's record has it."""
    try:
        with open(folder / "summary.json", encoding="utf-8") as file:
            return Path(json.load(file)["provenance"]["deck"]["path"]).stem
    except (OSError, ValueError, KeyError):
        return folder.resolve().stem


def save(figure, path):
    # What has that name is an older picture, or a link that is not to be written through.
    path.unlink(missing_ok=True)
    with open(path, "xb") as file:
        figure.savefig(file, format="png")
    plt.close(figure)
    try:
        print(path, flush=True)
    except BrokenPipeError:  # nobody listens any more
        sys.stdout = open(os.devnull, "w", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--step", type=int, help="snapshot to draw (default: the last)")
    parser.add_argument("--normal", choices=AXES, default="z", help="axis that a slice is perpendicular to")
    parser.add_argument("--at", type=float, help="position of the slice on that axis (default: the middle)")
    options = parser.parse_args()
    plt.rcParams.update(STYLE)
    pattern = "snapshot_*.vtkhdf" if options.step is None else f"snapshot_{options.step:06}.vtkhdf"
    snapshots = sorted(options.folder.glob(pattern), key=lambda path: int(path.stem.split("_")[1]))
    residuals = options.folder / "residuals.csv"
    solves = read_residuals(residuals) if residuals.exists() else []
    recorded = options.folder / "traces.csv"
    times, traces = read_traces(recorded) if recorded.exists() else ([], {})
    scalars = options.folder / "scalars.csv"
    drift = read_drift(scalars) if scalars.exists() else ([], [])
    if not snapshots and not solves and not len(times) and not len(drift[0]):
        step = "" if options.step is None else options.step
        sys.exit(f"{options.folder}: no snapshot {step}, no residuals and no traces to draw")
    heading = heading_of(options.folder)
    if snapshots and has_points(snapshots[-1]):
        save(draw_bodies(snapshots, heading, AXES.index(options.normal)), options.folder / "bodies.png")
    elif snapshots:
        snapshot = Snapshot(snapshots[-1])
        for field in snapshot.fields():
            figure = draw_field(snapshot, field, heading, AXES.index(options.normal), options.at)
            save(figure, options.folder / f"slice_{field[0].strip('|')}.png")
    if solves:
        save(draw_residuals(solves, heading), options.folder / "residuals.png")
    if len(times):
        save(draw_traces(times, traces, heading), options.folder / "traces.png")
    if len(drift[0]):
        save(draw_drift(*drift, heading), options.folder / "energy.png")


if __name__ == "__main__":
    main()
