#!/usr/bin/python3
"""Plots a finished run: slices through each field of its last snapshot or the bodies in it, the series of snapshots as an
animation, its quantities, the residuals, the receivers' traces, and the drift of energy.

    plot.py FOLDER [--step N] [--normal x|y|z] [--at POSITION] [--scale linear|log] [--range LOW HIGH] [--fields A,B]

Writes slice_<field>.png and animation_<field>.gif or bodies.png and animation_bodies.gif, scalars.png, residuals.png,
traces.png and energy.png into FOLDER and prints their names. Defaults of scale, range and fields are in the deck's section
`plot`. Constant fields and quantities are omitted. Needs matplotlib and h5py.
"""

import argparse
import csv
import io
import json
import os
import sys
from pathlib import Path

try:
    import h5py
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
    import numpy as np  # noqa: E402
    from matplotlib.colors import ListedColormap, LogNorm, Normalize  # noqa: E402
    from matplotlib.ticker import MaxNLocator  # noqa: E402
    from PIL import Image  # noqa: E402
except ImportError as missing:
    sys.exit(f"{sys.executable} cannot draw: {missing}; it takes h5py, matplotlib and Pillow. HALOCLINE_PYTHON names another "
             "Python, which has them")

AXES = "xyz"
SHORTEST_SERIES = 3  # the fewest snapshots of an animation
MOST_FRAMES = 60  # of an animation; longer series are thinned out
FRAME_TIME = 120  # milliseconds
MOST_PANELS = 12  # quantities in one picture
INK = "#2b2f36"
STYLE = {
    "figure.dpi": 160, "savefig.bbox": "tight", "savefig.pad_inches": 0.15, "font.family": "DejaVu Sans",
    "font.size": 10, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": "#8a8f98", "axes.linewidth": 0.8,
    "xtick.color": INK, "ytick.color": INK, "axes.titlesize": 12,
    "axes.titlelocation": "left", "axes.grid": False, "grid.color": "#d9dce1", "grid.linewidth": 0.6,
}
# Without black at the lower end, where the frame would be invisible.
WARM = ListedColormap(matplotlib.colormaps["inferno"](np.linspace(0.06, 1, 256)))


def regular(path):
    """The path of a file. A pipe of that name would block, and others have sizes that nobody knows."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path.name} is not a file")
    return path


def items_within(group):
    """The datasets of a group, without links to other files."""
    return [(name, group[name]) for name in group if isinstance(group.get(name, getlink=True), h5py.HardLink)]


class Field:
    """A field of a snapshot, read in parts on demand; for a vector its magnitude."""

    def __init__(self, name, data, on_cells):
        self.data, self.on_cells = data, on_cells
        self.shape = tuple(int(n) for n in data.attrs["shape"])
        components = int(np.prod(data.shape, dtype=np.int64) // np.prod(self.shape, dtype=np.int64))
        self.several = components > 1
        self.plain_name = name
        self.name = f"|{name}|" if self.several else name
        self.unit = data.attrs["unit"].decode().strip("\0")
        # Snapshots of earlier versions store the entries as a list.
        self.indexed = data.ndim >= 3

    def part(self, key):
        """The values that the key selects, indexed (z, y, x)."""
        if self.indexed:
            values = self.data[key].astype(float)
        else:
            values = self.data[()].reshape(*self.shape, *self.data.shape[1:])[key].astype(float)
        return np.linalg.norm(values, axis=-1) if self.several else values

    def plane(self, normal, index):
        key = [slice(None)] * 3
        key[2 - normal] = index
        return self.part(tuple(key))

    def summary(self):
        """The smallest and the largest finite value, and the number of non-finite values; (inf, -inf) if none is finite."""
        low, high, bad = np.inf, -np.inf, 0
        for plane in range(self.shape[0]):
            values = self.plane(2, plane)
            finite = values[np.isfinite(values)]
            bad += values.size - finite.size
            if finite.size:
                low, high = min(low, finite.min()), max(high, finite.max())
        return low, high, bad

    def places(self, edges):
        return 0.5 * (edges[1:] + edges[:-1]) if self.on_cells else edges


class Snapshot:
    """One snapshot file and its mesh."""

    def __init__(self, path):
        self.file = h5py.File(regular(path), "r")
        with h5py.File(regular(path.parent / "mesh.h5"), "r") as mesh:
            self.edges = [data[()] for name, data in sorted(items_within(mesh)) if name in AXES]
        self.step = int(self.file.attrs["step"][0])
        self.time = float(self.file["VTKHDF/FieldData/TimeValue"][0])

    def fields(self):
        return [Field(name, data, group == "CellData") for group in ("CellData", "PointData")
                for name, data in items_within(self.file["VTKHDF"][group])]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()


class Look:
    """How values are shown: the deck's section `plot`, overridden by the command line."""

    def __init__(self, folder, options):
        section = {}
        try:
            with open(regular(folder / "summary.json"), encoding="utf-8") as file:
                section = json.load(file)["provenance"]["deck"]["options"].get("plot") or {}
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            pass
        self.scale = options.scale or section.get("scale", "linear")
        self.range = options.range or section.get("range")
        names = options.fields or section.get("fields")
        self.fields = [name.strip() for name in names.split(",")] if names else None
        self.normal = None if options.normal is None else AXES.index(options.normal)
        self.at = options.at

    def norm(self, planes):
        """Colour map, scale and the ends that values exceed: centred at zero for signed values, unless a range is given."""
        values = np.concatenate([plane[np.isfinite(plane)] for plane in planes])
        low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
        if self.scale == "log":
            positive = values[values > 0]
            if self.range or positive.size:
                least, most = self.range or (positive.min(), positive.max())
                if 0 < least < most:
                    return WARM, LogNorm(least, most), beyond(low, high, least, most)
        if self.range:
            return WARM, Normalize(*self.range), beyond(low, high, *self.range)
        if low < 0 < high and 0.1 < -low / high < 10:
            most = max(-low, high)
            return "RdBu_r", Normalize(-most, most), "neither"
        return WARM, Normalize(low, high if high > low else low + 1), "neither"


def beyond(low, high, least, most):
    """The ends of a colour bar that values exceed."""
    return {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}[low < least, high > most]


class Bodies:
    """The points of one snapshot file."""

    def __init__(self, path):
        with h5py.File(regular(path), "r") as file:
            self.position = file["VTKHDF/Points"][()].astype(float)
            self.fields = {name: data[()].astype(float) for name, data in items_within(file["VTKHDF/PointData"])}
            self.step = int(file.attrs["step"][0])
            self.time = float(file["VTKHDF/FieldData/TimeValue"][0])


def has_points(path):
    with h5py.File(regular(path), "r") as file:
        return file["VTKHDF"].get("Points", getlink=True).__class__ is h5py.HardLink


def is_constant(low, high, rounding=1e-13):
    """Up to rounding, relative to the largest value."""
    return not high - low > rounding * max(abs(low), abs(high))


def labelled(name, unit):
    return f"{name}  [{unit}]" if unit else name


def title(axes, heading, detail):
    axes.set_title(heading, pad=22)
    axes.text(0, 1.02, detail, transform=axes.transAxes, fontsize=8.5, color="#6b7280", va="bottom")


def name_coordinate(axis, name, edges):
    """Labels an axis. A power of ten goes there: at the end of the axis it would stand in the title."""
    largest = np.abs(edges).max()
    power = int(np.floor(np.log10(largest))) if largest > 0 else 0
    if -5 < power < 6:
        axis.set_label_text(name)
        return
    axis.set_major_formatter(lambda value, _: f"{value / 10.0**power:.10g}")
    axis.set_label_text(f"{name} / 1e{power}")


def draw_line(axes, snapshot, field, look, limits):
    edges = snapshot.edges[0]
    places, values = field.places(edges), field.part((0, 0))
    axes.plot(places, values, color="#2f6db5", linewidth=1.8, marker="o" if len(places) <= 40 else None, markersize=3.5)
    axes.set_xlim(edges[0], edges[-1])
    if look.scale == "log" and (values > 0).any():
        axes.set_yscale("log", nonpositive="mask")
    if look.range or limits:
        axes.set_ylim(*(look.range or limits))
    name_coordinate(axes.xaxis, "x", edges)
    axes.set_ylabel(labelled(field.name, field.unit))
    axes.grid(True)
    axes.spines[["top", "right"]].set_visible(False)


class Cut:
    """A plane of a field: the whole field in two dimensions, else the plane nearest to a position on an axis."""

    def __init__(self, snapshot, field, normal, at):
        dimensions = len(snapshot.edges)
        self.shown = [axis for axis in range(dimensions) if axis != normal]
        self.edges = [snapshot.edges[axis] for axis in self.shown]
        self.label = ""
        self.on_cells = field.on_cells
        if normal is None:
            self.values = field.plane(2, 0)
            return
        places = field.places(snapshot.edges[normal])
        at = 0.5 * (snapshot.edges[normal][0] + snapshot.edges[normal][-1]) if at is None else at
        nearest = int(np.argmin(np.abs(places - at)))
        self.values = field.plane(normal, nearest)
        self.label = f"{AXES[normal]} = {places[nearest]:.4g}"


def cuts_of(snapshot, field, look):
    if len(snapshot.edges) == 2:
        return [Cut(snapshot, field, None, None)]
    normals = (2, 1, 0) if look.normal is None else (look.normal,)
    return [Cut(snapshot, field, normal, look.at) for normal in normals]


def draw_cut(axes, cut, colours, scale):
    shading = "flat" if cut.on_cells else "gouraud"
    values = np.ma.masked_less_equal(cut.values, 0) if isinstance(scale, LogNorm) else cut.values
    picture = axes.pcolormesh(*cut.edges, values, shading=shading, cmap=colours, norm=scale, rasterized=True)
    width, height = (np.ptp(edges) for edges in cut.edges)
    axes.set_aspect("equal" if 0.2 < width / height < 5 else "auto")
    for axis, name, edges in zip((axes.xaxis, axes.yaxis), cut.shown, cut.edges):
        name_coordinate(axis, AXES[name], edges)
    return picture


def draw_field(snapshot, field, heading, look, limits=None):
    """`limits`: over all frames of a series."""
    low, high, bad = field.summary()
    detail = f"step {snapshot.step}, time {snapshot.time:g}"
    if low <= high:
        detail += f"; {low:.5g} to {high:.5g}" + (" in the whole box" if len(snapshot.edges) == 3 else "")
    if bad:
        detail += f"; {bad} values are not finite"
    if look.scale == "log" and low <= 0:
        detail += "; what is not positive is left blank" if high > 0 else "; nothing is positive: linear"
    if len(snapshot.edges) == 1:
        figure, axes = plt.subplots(figsize=(7, 4))
        draw_line(axes, snapshot, field, look, limits)
        title(axes, f"{heading}: {field.name}", detail)
        return figure
    cuts = cuts_of(snapshot, field, look)
    colours, scale, more = look.norm([cut.values for cut in cuts] + ([np.array(limits)] if limits else []))
    figure, panels = plt.subplots(1, len(cuts), figsize=(1.2 + 5.2 * len(cuts) * (0.75 if len(cuts) > 1 else 1), 5.4),
                                  squeeze=False, gridspec_kw={"wspace": 0.28})
    for axes, cut in zip(panels[0], cuts):
        picture = draw_cut(axes, cut, colours, scale)
        if len(cuts) > 1:
            axes.set_title(cut.label, fontsize=9.5, pad=5)
    # A colour bar as high as the last picture, however flat that is.
    bar = figure.colorbar(picture, cax=panels[0][-1].inset_axes([1.04, 0, 0.045, 1]), extend=more)
    bar.set_label(labelled(field.name, field.unit) + (", logarithmic" if isinstance(scale, LogNorm) else ""))
    bar.outline.set_linewidth(0.6)
    if len(cuts) == 1:
        title(panels[0][0], f"{heading}: {field.name}", detail + (f"; {cuts[0].label}" if cuts[0].label else ""))
    else:
        head_of(figure, panels[0], f"{heading}: {field.name}", detail)
    return figure


def head_of(figure, panels, heading, detail):
    """A title over several panels; they are drawn first to determine their positions."""
    figure.canvas.draw()
    boxes = [axes.get_position() for axes in panels]
    left, top = min(box.x0 for box in boxes), max(box.y1 for box in boxes)
    figure.text(left, top + 0.115, heading, fontsize=12, va="bottom")
    figure.text(left, top + 0.07, detail, fontsize=8.5, color="#6b7280", va="bottom")


def frames_of(paths):
    """The snapshots of a series that an animation shows, including the first and the last."""
    if len(paths) <= MOST_FRAMES:
        return paths
    return [paths[n] for n in np.unique(np.linspace(0, len(paths) - 1, MOST_FRAMES).round().astype(int))]


def field_named(snapshot, name):
    return next((field for field in snapshot.fields() if field.name == name), None)


def limits_of(paths, name, look):
    """The smallest and the largest finite value that an animation shows."""
    low, high = np.inf, -np.inf
    for path in paths:
        with Snapshot(path) as snapshot:
            field = field_named(snapshot, name)
            if field is None:
                continue
            planes = [field.part((0, 0))] if len(snapshot.edges) == 1 else [c.values for c in cuts_of(snapshot, field, look)]
            for values in planes:
                finite = values[np.isfinite(values)]
                if look.scale == "log" and (finite > 0).any():
                    finite = finite[finite > 0]
                if finite.size:
                    low, high = min(low, finite.min()), max(high, finite.max())
    return (low, high) if low < high else None


def animate_field(paths, name, heading, look):
    """The figures of an animation, one after the other."""
    limits = limits_of(paths, name, look)
    if limits and look.scale == "linear":
        margin = 0.04 * (limits[1] - limits[0])
    for path in paths:
        with Snapshot(path) as snapshot:
            field = field_named(snapshot, name)
            if field is None:
                continue
            is_line = limits and len(snapshot.edges) == 1 and look.scale == "linear"
            yield draw_field(snapshot, field, heading, look, (limits[0] - margin, limits[1] + margin) if is_line else limits)


def draw_bodies(paths, heading, normal, frame=None):
    """The bodies of the last snapshot seen along an axis, coloured by speed; if they are few, also their paths through all
    snapshots. `frame`: limits of x, y and speed for a series."""
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
        # A few distant bodies would reduce the others to a dot.
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
    if frame:
        axes.set_aspect("equal", adjustable="box")
        axes.set_xlim(*frame[0])
        axes.set_ylim(*frame[1])
        picture.set_clim(*frame[2])
    if speed is not None:
        bar = figure.colorbar(picture, cax=axes.inset_axes([1.04, 0, 0.045, 1]))
        bar.set_label("speed")
        bar.outline.set_linewidth(0.6)
    title(axes, f"{heading}: bodies", f"{detail}; seen along {AXES[normal]}; step {bodies.step}, time {bodies.time:g}")
    return figure


def animate_bodies(paths, heading, normal):
    """The figures of an animation, all with the widest frame and the range of all speeds."""
    limits = []
    speeds = [0.0]
    for n in (0, len(paths) // 2, len(paths) - 1):
        figure = draw_bodies(paths[:n + 1], heading, normal)
        limits.append((figure.axes[0].get_xlim(), figure.axes[0].get_ylim()))
        plt.close(figure)
    for path in paths:
        fields = Bodies(path).fields
        if "velocity" in fields:
            speeds.append(np.linalg.norm(fields["velocity"], axis=1).max())
    x, y = ((min(each[axis][0] for each in limits), max(each[axis][1] for each in limits)) for axis in (0, 1))
    for n in range(len(paths)):
        yield draw_bodies(paths[:n + 1], heading, normal, (x, y, (0, max(speeds) or 1)))


def read_table(path):
    """The columns of scalars.csv by name."""
    with open(regular(path), newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    columns = np.array([row for row in rows if len(row) == len(names)], dtype=float).reshape(-1, len(names)).T
    return dict(zip(names, columns))


def changing(table):
    """The quantities of a table that change, without step and time."""
    found = {}
    for name, values in table.items():
        finite = values[np.isfinite(values)]
        # Sums over all cells, and residuals of solves, cause larger changes than rounding of a single value.
        if name not in ("step", "time") and finite.size > 1 and not is_constant(finite.min(), finite.max(), 1e-10):
            found[name] = values
    return found


def draw_scalars(table, quantities, heading):
    """Each quantity in a separate panel."""
    by_time = "time" in table and np.ptp(table["time"]) > 0
    along = table["time" if by_time else "step"]
    shown = dict(list(quantities.items())[:MOST_PANELS])
    columns = min(len(shown), 2 if len(shown) <= 4 else 3)
    rows = -(-len(shown) // columns)
    figure, panels = plt.subplots(rows, columns, figsize=(1 + 4.2 * columns, 0.8 + 2.3 * rows), squeeze=False, sharex=True,
                                  gridspec_kw={"wspace": 0.34, "hspace": 0.36})
    for axes, (name, values) in zip(panels.flat, shown.items()):
        axes.plot(along, values, color="#2f6db5", linewidth=1.4, marker="o" if len(along) <= 20 else None, markersize=3)
        axes.set_title(name, fontsize=10, pad=5)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.4g}")
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.grid(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlim(along[0], along[-1])
    for number, axes in enumerate(panels.flat):
        if number >= len(shown):
            axes.set_visible(False)
        elif number + columns >= len(shown):
            axes.set_xlabel("time" if by_time else "step")
            axes.tick_params(labelbottom=True)
    left_out = f"; {len(quantities) - len(shown)} more are not drawn" if len(quantities) > len(shown) else ""
    height = figure.get_figheight()
    figure.text(0.125, 0.88 + 0.52 / height, f"{heading}: quantities", fontsize=12, va="bottom")
    figure.text(0.125, 0.88 + 0.32 / height, f"{len(along)} rows; those that change{left_out}", fontsize=8.5, color="#6b7280",
                va="bottom")
    return figure


def read_drift(path):
    """Times, and the drift of the energy relative to |kinetic| + |potential|; empty if it is not recorded."""
    with open(regular(path), newline="", encoding="utf-8") as file:
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
    # The exponent at each number: a common one would overlap the second line of the title.
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
    axes.grid(True)
    axes.spines[["top", "right"]].set_visible(False)
    title(axes, f"{heading}: energy", f"{len(times)} times; largest drift {np.nanmax(np.abs(drift)):.2e}")
    return figure


def read_residuals(path):
    """The solves with a residual above zero: (step, method, iterations, residuals) each."""
    solves = {}
    with open(regular(path), newline="", encoding="utf-8") as file:
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
    """Times, and the recorded values of each receiver by name."""
    with open(regular(path), newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    columns = np.array(rows, dtype=float).reshape(-1, len(names)).T
    return columns[0], dict(zip(names[1:], columns[1:]))


def draw_traces(times, traces, heading):
    """One below the other, on a common scale."""
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
    """The name of the deck, if the run's record has it."""
    try:
        with open(regular(folder / "summary.json"), encoding="utf-8") as file:
            return Path(json.load(file)["provenance"]["deck"]["path"]).stem
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return folder.resolve().stem


def write_anew(path, content):
    # An existing file is an older picture, or a link, which must not be followed.
    path.unlink(missing_ok=True)
    with open(path, "xb") as file:
        file.write(content)
    tell(path)


def tell(text):
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader of the output has exited
        sys.stdout = open(os.devnull, "w", encoding="utf-8")


def save(figure, path):
    content = io.BytesIO()
    figure.savefig(content, format="png")
    plt.close(figure)
    write_anew(path, content.getvalue())


def save_animation(figures, path):
    """All frames have the size of the first and the palette of the last, which shows the most."""
    frames, box = [], None
    for figure in figures:
        if box is None:
            figure.canvas.draw()
            box = figure.get_tightbbox(figure.canvas.get_renderer()).padded(0.2)
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=90, bbox_inches=box)
        plt.close(figure)
        frames.append(Image.open(content).convert("RGB"))
    if len(frames) < 2:
        return
    colours = frames[-1].quantize(256)
    frames = [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]
    content = io.BytesIO()
    # The last frame is shown longer.
    durations = [FRAME_TIME] * (len(frames) - 1) + [8 * FRAME_TIME]
    frames[0].save(content, format="GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
    write_anew(path, content.getvalue())


def chosen_fields(snapshot, look):
    """The fields to be drawn; prints which are omitted because they are constant."""
    fields = snapshot.fields()
    if look.fields is not None:
        known = [field.plain_name for field in fields]
        for name in look.fields:
            if name not in known:
                sys.exit(f"no field is called `{name}`; there are: {', '.join(known)}")
        return [field for field in fields if field.plain_name in look.fields]
    chosen = []
    for field in fields:
        low, high, bad = field.summary()
        if bad or not low <= high or not is_constant(low, high):
            chosen.append(field)
        else:
            tell(f"{field.name} is {low:.6g} everywhere at step {snapshot.step}: not drawn")
    return chosen


def draw_snapshots(snapshots, heading, look, folder, one_step):
    series = [] if one_step or len(snapshots) < SHORTEST_SERIES else frames_of(snapshots)
    if has_points(snapshots[-1]):
        normal = 2 if look.normal is None else look.normal
        save(draw_bodies(snapshots, heading, normal), folder / "bodies.png")
        if series:
            save_animation(animate_bodies(series, heading, normal), folder / "animation_bodies.gif")
        return
    with Snapshot(snapshots[-1]) as snapshot:
        fields = chosen_fields(snapshot, look)
        for field in fields:
            save(draw_field(snapshot, field, heading, look), folder / f"slice_{field.plain_name}.png")
        names = [(field.name, field.plain_name) for field in fields]
    for name, plain_name in names:
        save_animation(animate_field(series, name, heading, look), folder / f"animation_{plain_name}.gif")


def main():
    """Draws a folder that anybody may have made: what is not a run's ends with one message."""
    try:
        draw()
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        sys.exit(f"cannot be drawn: {type(error).__name__}: {error}")


def draw():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--step", type=int, help="snapshot to draw (default: the last)")
    parser.add_argument("--normal", choices=AXES, help="axis that a slice is perpendicular to (default: a slice for each)")
    parser.add_argument("--at", type=float, help="position of the slice on that axis (default: the middle)")
    parser.add_argument("--scale", choices=("linear", "log"), help="of the colours")
    parser.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"), help="of the colours (default: all values)")
    parser.add_argument("--fields", help="names of those to draw, separated by commas (default: all that are not constant)")
    options = parser.parse_args()
    plt.rcParams.update(STYLE)
    pattern = "snapshot_*.vt*" if options.step is None else f"snapshot_{options.step:06}.vt*"
    snapshots = sorted((path for path in options.folder.glob(pattern) if path.suffix in (".vti", ".vtr", ".vtkhdf")),
                       key=lambda path: int(path.stem.split("_")[1]))
    residuals = options.folder / "residuals.csv"
    solves = read_residuals(residuals) if residuals.exists() else []
    recorded = options.folder / "traces.csv"
    times, traces = read_traces(recorded) if recorded.exists() else ([], {})
    scalars = options.folder / "scalars.csv"
    table = read_table(scalars) if scalars.exists() else {}
    quantities = changing(table)
    drift = read_drift(scalars) if scalars.exists() else ([], [])
    if not snapshots and not solves and not len(times) and not quantities:
        missing = "snapshots" if options.step is None else f"snapshot of step {options.step}"
        sys.exit(f"{options.folder}: no {missing}, no residuals, no traces and no quantities to draw")
    heading = heading_of(options.folder)
    if snapshots:
        draw_snapshots(snapshots, heading, Look(options.folder, options), options.folder, options.step is not None)
    if quantities:
        save(draw_scalars(table, quantities, heading), options.folder / "scalars.png")
    if solves:
        save(draw_residuals(solves, heading), options.folder / "residuals.png")
    if len(times):
        save(draw_traces(times, traces, heading), options.folder / "traces.png")
    if len(drift[0]):
        save(draw_drift(*drift, heading), options.folder / "energy.png")


if __name__ == "__main__":
    main()
