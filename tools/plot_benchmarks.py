#!/usr/bin/python3
"""Plots stored results of `halocline bench`.

    plot_benchmarks.py FILE… [--out FOLDER]

The plots: the roofline, speed over size, the cost of planes too large for the cache, the effect of a sweep's tunings, and
hand-written kernels by optimisation step, by block, by stride between planes and by shape of the box. FILE: records written by
`halocline bench --json` or ncu_counters.py, all of one device. Writes roofline.png, sizes.png, cache.png, tunings.png,
steps.png, blocks.png, strides.png, shapes.png and fetches.png, as far as the files have rows for them, into FOLDER (default:
docs/images), and prints their names. Needs the packages of plot.py.
"""

import argparse
import json
import re
import sys
from itertools import cycle
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
import numpy as np  # noqa: E402
from plot import INK, STYLE, save, title  # noqa: E402

OURS = "ours"
# Kinds of forms: beginning or end of the name, label, colour.
KINDS = [
    (r"(?!reference)", OURS, "#2f6db5"),
    (r"reference: .*256 x 1 x 1 threads$", "tiles of rows, 256 × 1 × 1 threads", "#9aa0aa"),
    (r"reference: .*128 x 1 x 8 threads$", "tiles of rows, 128 × 1 × 8 threads", "#6b717b"),
    (r"reference: .*grid ordered y, z, x$", "grid ordered y, z, x", "#cf8f36"),
    (r"reference: .*subdomains$", "subdomains", "#c8553d"),
]
COLOURS = {name: colour for _, name, colour in KINDS}


def kind_of(row):
    return next((name for pattern, name, _ in KINDS if re.match(pattern, row["form"])), None)


def extents_of(row):
    """The extents in "7-point Laplacian, double, 512 x 512 x 512"."""
    return tuple(int(n) for n in row["problem"].rsplit(",", 1)[1].split(" x "))


def size_words(extents):
    return f"{extents[0]}³" if len(set(extents)) == 1 else "{} × {}\n× {}".format(*extents)


class Results:
    """All rows of some files of one device, and the profiler's counters for them."""

    def __init__(self, paths):
        records = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        devices = {record["hardware"] for record in records}
        if len(devices) > 1:
            sys.exit(f"files of several devices: {', '.join(sorted(devices))}")
        self.device = devices.pop()
        self.cache = max((record["device"].get("second-level cache, bytes", 0) for record in records))
        self.peak = max((record["device"].get("peak of the memory, bytes a second", 0) for record in records))
        self.rows = [row for record in records for row in record.get("rows", [])]
        self.counters = {(row["problem"], row["form"]): row
                         for record in records for row in record.get("counters", [])}

    def of(self, *benchmarks):
        return [row for row in self.rows if row["benchmark"] in benchmarks]

    def best_of_kinds(self, *benchmarks):
        """The fastest row of every problem and kind: {extents: {kind: row}}, small problems first."""
        best = {}
        for row in self.of(*benchmarks):
            kinds = best.setdefault(extents_of(row), {})
            kind = kind_of(row)
            if kind not in kinds or row["median_seconds"] < kinds[kind]["median_seconds"]:
                kinds[kind] = row
        return dict(sorted(best.items(), key=lambda item: (np.prod(item[0]), item[0])))


def tidy(axes):
    axes.grid(True, which="major")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def draw_roofline(results):
    """The largest problem of every benchmark, except those with another program or with forms that are not chosen."""
    largest = {}
    for row in results.rows:
        if "operations" in row and not row["benchmark"].startswith(("reference-", "tunings")):
            known = largest.setdefault(row["benchmark"], row)
            if row["bytes"] > known["bytes"]:
                largest[row["benchmark"]] = row
    largest.pop("laplacian-sizes", None)
    if not largest:
        return None
    figure, axes = plt.subplots(figsize=(7, 4.8))
    intensities = [row["operations"] / row["bytes"] for row in largest.values()]
    across = np.array([min(intensities) / 2, max(intensities) * 2])
    copy = max(row["copy_bytes_per_second"] for row in largest.values())
    for speed, words, line in ((results.peak, "peak of the memory", "--"), (copy, "fastest copy", "-")):
        if speed > 0:
            label = f"{words}: {speed / 1e12:.3g} TB/s"
            axes.plot(across, across * speed / 1e9, line, color=INK, linewidth=1.2, label=label)
    colours = matplotlib.colormaps["viridis"](np.linspace(0, 0.92, len(largest)))
    for (name, row), intensity, colour, marker in zip(largest.items(), intensities, colours, cycle("osD^vPX*")):
        achieved = row["operations"] / row["median_seconds"] / 1e9
        axes.plot(intensity, achieved, marker, color=colour, markersize=7, markeredgecolor="white",
                  label=f"{name}: {row['of_copy']:.2f} of copy")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(across)
    axes.set_xlabel("operations / bytes that must be moved")
    axes.set_ylabel("10⁹ operations / s")
    axes.legend(frameon=False, fontsize=9)
    tidy(axes)
    title(axes, "Sweeps below the roofs of the memory", f"{results.device}; the largest problem of each; logarithmic")
    return figure


def draw_sizes(results):
    """The fraction of a copy's speed over the size of a cube."""
    lines = {}
    for beside, benchmarks in ((False, ("laplacian-sizes", "laplacian-3d")), (True, ("reference-laplacian",))):
        for extents, kinds in results.best_of_kinds(*benchmarks).items():
            for kind, row in kinds.items():
                lines.setdefault((beside, kind), []).append((extents[0], row["of_copy"]))
    if not lines:
        return None
    figure, axes = plt.subplots(figsize=(7, 4.4))
    for (beside, kind), points in lines.items():
        on_their_arrays = beside and kind == OURS
        axes.plot(*zip(*points), "--" if on_their_arrays else "-", marker="o", markersize=4, linewidth=1.8,
                  color=COLOURS[kind], label="ours, on the arrays of the others" if on_their_arrays else kind)
    sizes = sorted({size for points in lines.values() for size, _ in points})
    axes.set_xscale("log", base=2)
    axes.set_xticks([size for size in sizes if size & (size - 1) == 0])
    axes.xaxis.set_major_formatter(lambda size, _: f"{size:g}³")
    axes.set_ylim(0, max(1.1, axes.get_ylim()[1]))
    axes.axhline(1, color=INK, linewidth=0.8)
    axes.set_xlabel("points")
    axes.set_ylabel("part of the fastest copy's speed")
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    tidy(axes)
    title(axes, "7-point Laplacian, double", f"{results.device}; of tiles the best number of rows at each size")
    return figure


def draw_cache(results):
    """Minimum traffic per second, for cubes and for planes that do not fit the cache; bars by kind."""
    problems = results.best_of_kinds("reference-laplacian", "reference-laplacian-planes")
    if not problems:
        return None
    figure, axes = plt.subplots(figsize=(9, 5))
    width = 0.84 / len(KINDS)
    for at, kinds in enumerate(problems.values()):
        for n, (_, kind, colour) in enumerate(KINDS):
            if kind not in kinds:
                continue
            row = kinds[kind]
            place = at + (n - (len(KINDS) - 1) / 2) * width
            speed = row["bytes_per_second"] / 1e9
            axes.bar(place, speed, 0.92 * width, color=colour, label=kind if at == 0 else None)
            counted = results.counters.get((row["problem"], row["form"]))
            if counted:
                words = f"{100 * counted['fetch_efficiency']:.0f} % | {100 * counted['second_level_hit_rate']:.0f} %"
                axes.text(place, 0.02 * speed, words, rotation=90, ha="center", va="bottom", fontsize=7, color="white")
        copy = max(row["copy_bytes_per_second"] for row in kinds.values()) / 1e9
        axes.hlines(copy, at - 0.45, at + 0.45, color=INK, linewidth=1.2, label="fastest copy" if at == 0 else None)
    axes.set_xticks(range(len(problems)), [size_words(extents) for extents in problems])
    axes.set_ylabel("GB/s: bytes that must be moved / time")
    axes.set_ylim(0, 1.3 * axes.get_ylim()[1])
    axes.legend(frameon=False, ncols=3, fontsize=8, loc="upper left")
    tidy(axes)
    axes.grid(False, axis="x")
    detail = f"{results.device}; of tiles the best number of rows"
    if results.counters:
        detail += "; in the bars: fetch efficiency | hit rate of the second-level cache"
    title(axes, "7-point Laplacian, double, and the second-level cache", detail)
    return figure


def draw_cells(axes, cells, least, most):
    axes.imshow(cells, cmap="viridis", vmin=least, vmax=most, aspect="auto")
    for (y, x), part in np.ndenumerate(cells):
        if not np.isnan(part):
            colour = "white" if part < least + 0.6 * (most - least) else "black"
            axes.text(x, y, f"{part:.2f}", ha="center", va="center", fontsize=8, color=colour)


def draw_tunings(results):
    """A table for each problem: tiles in rows, pace in columns; cells have the best over the other tunings."""
    tables, others = {}, {}
    for row in results.of("tunings"):
        tile = re.match(r"streaming, (\d+) x (\d+) threads", row["form"])
        if not tile:
            others.setdefault(row["problem"], {})[row["form"]] = row["of_copy"]
            continue
        pace = re.search(r"pace (\d+)", row["form"])
        key = (f"{tile[1]} × {tile[2]}", int(pace[1]) if pace else 0)
        table = tables.setdefault(row["problem"], {})
        table[key] = max(table.get(key, 0), row["of_copy"])
    if not tables:
        return None
    most = 12
    figure, panels = plt.subplots(1, len(tables), figsize=(3.4 * len(tables), 5.2), squeeze=False)
    for axes, (problem, table) in zip(panels[0], tables.items()):
        best = {}
        for (tile, _), part in table.items():
            best[tile] = max(best.get(tile, 0), part)
        tiles = sorted(best, key=best.get, reverse=True)[:most]
        paces = sorted({pace for _, pace in table})
        cells = np.array([[table.get((tile, pace), np.nan) for pace in paces] for tile in tiles])
        draw_cells(axes, cells, 0.5, 1)
        axes.set_xticks(range(len(paces)), ["none" if pace == 0 else str(pace) for pace in paces])
        axes.set_yticks(range(len(tiles)), tiles, fontsize=8)
        axes.set_xlabel("pace, steps")
        beside = ", ".join(f"{form} {part:.2f}" for form, part in others.get(problem, {}).items())
        name, precision, _ = problem.split(", ")
        axes.set_title(f"{name}, {precision}\n{beside}", fontsize=9)
    panels[0][0].set_ylabel("threads of a tile")
    figure.suptitle(f"Part of the fastest copy's speed by tile and pace; {results.device}, 512³", fontsize=10)
    figure.tight_layout()
    return figure


def draw_steps(results):
    """A bar for each hand-written kernel, in order of optimisation, after the framework's sweep."""
    rows = results.of("reference-laplacian-steps")
    if not rows:
        return None
    size = max(extents_of(row) for row in rows)
    rows = [row for row in rows if extents_of(row) == size]
    figure, axes = plt.subplots(figsize=(7, 3.6))
    for at, row in enumerate(rows):
        speed = row["bytes_per_second"] / 1e9
        axes.barh(at, speed, 0.7, color=COLOURS[OURS] if at == 0 else "#9aa0aa")
        words = f"{1e6 * row['median_seconds']:.0f} us"
        counted = results.counters.get((row["problem"], row["form"]))
        if counted:
            words += (f" | fetch efficiency {100 * counted['fetch_efficiency']:.0f} %"
                      f" | hit rate {100 * counted['second_level_hit_rate']:.0f} %")
        axes.text(0.01 * speed, at, words, va="center", fontsize=8, color="white")
    axes.axvline(rows[0]["copy_bytes_per_second"] / 1e9, color=INK, linewidth=1.2)
    axes.set_yticks(range(len(rows)), [OURS if n == 0 else row["form"].removeprefix("reference: ")
                                       for n, row in enumerate(rows)])
    axes.invert_yaxis()
    axes.set_xlabel("GB/s: bytes that must be moved / time; line: fastest copy")
    tidy(axes)
    axes.grid(False, axis="y")
    title(axes, f"7-point Laplacian, double, {size_words(size)}, step by step", results.device)
    return figure


def draw_blocks(results):
    """A table for each problem: threads of a block down, rows of a tile across, fractions of a copy's speed in the cells."""
    tables, ours = {}, {}
    for row in results.of("reference-laplacian-blocks"):
        found = re.match(r"reference: tile of (\d+) rows?, (.*) threads", row["form"])
        if found:
            tables.setdefault(extents_of(row), {})[(found[2].replace(" x ", " × "), int(found[1]))] = row["of_copy"]
        else:
            ours[extents_of(row)] = row["of_copy"]
    if not tables:
        return None
    figure, panels = plt.subplots(1, len(tables), figsize=(3.6 * len(tables), 4.6), squeeze=False)
    for axes, (extents, table) in zip(panels[0], tables.items()):
        blocks = list(dict.fromkeys(block for block, _ in table))
        heights = sorted({height for _, height in table})
        draw_cells(axes, np.array([[table[(block, height)] for height in heights] for block in blocks]), 0.5, 1)
        axes.set_xticks(range(len(heights)), heights)
        axes.set_yticks(range(len(blocks)), blocks, fontsize=8)
        axes.set_xlabel("rows of a tile")
        axes.set_title(f"{size_words(extents)}; ours {ours[extents]:.2f}", fontsize=9)
    panels[0][0].set_ylabel("threads of a block")
    figure.suptitle(f"Part of the fastest copy's speed by block and tile; {results.device}", fontsize=10)
    figure.tight_layout()
    return figure


def draw_strides(results):
    """Speed and fetch efficiency over the bytes of a plane, for rows of several lengths; lines mark where three planes fill the
    cache, and half of it."""
    lines, efficiencies = {}, {}
    for row in results.of("reference-laplacian-strides"):
        extents = extents_of(row)
        key = (kind_of(row), extents[0])
        mebibytes = 8 * extents[0] * extents[1] / 2**20
        lines.setdefault(key, []).append((mebibytes, row["of_copy"]))
        counted = results.counters.get((row["problem"], row["form"]))
        if counted:
            efficiencies.setdefault(key, []).append((mebibytes, counted["fetch_efficiency"]))
    if not lines:
        return None
    dashes = dict(zip(sorted({length for _, length in lines}), ("-", "--", ":")))
    parts = [(lines, "part of the fastest copy's speed")]
    if efficiencies:
        parts.append((efficiencies, "fetch efficiency"))
    figure, panels = plt.subplots(1, len(parts), figsize=(5.4 * len(parts), 4.4), squeeze=False)
    for axes, (curves, words) in zip(panels[0], parts):
        for (kind, length), points in curves.items():
            axes.plot(*zip(*sorted(points)), dashes[length], marker="o", markersize=3, linewidth=1.6, color=COLOURS[kind])
        for part, held in ((1, "the cache"), (2, "half of the cache")):
            place = results.cache / part / 3 / 2**20
            axes.axvline(place, color=INK, linewidth=1, zorder=0)
            axes.text(place, 0.02, f"3 planes: {held}", rotation=90, ha="right", va="bottom", fontsize=7)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(lambda size, _: f"{size:g}")
        axes.set_ylim(0, 1.05)
        axes.set_xlabel("MiB of a plane")
        axes.set_ylabel(words)
        tidy(axes)
    kinds = dict.fromkeys(kind for kind, _ in lines)
    handles = [*(plt.Line2D([], [], color=COLOURS[kind], linewidth=1.6, label=kind.split(",")[0]) for kind in kinds),
               *(plt.Line2D([], [], color=INK, linestyle=dash, linewidth=1.6, label=f"rows of {length} points")
                 for length, dash in dashes.items())]
    panels[0][0].legend(handles=handles, frameon=False, fontsize=8, loc="lower left", handlelength=3)
    title(panels[0][0], "7-point Laplacian, double, 2²⁷ points", f"{results.device}; tiles of 8 rows")
    figure.tight_layout()
    return figure


def draw_shapes(results):
    """Time of the best other form relative to the framework's, for every shape of a box: a table for each extent along z."""
    best = results.best_of_kinds("reference-laplacian-shapes", "reference-laplacian")
    if not results.of("reference-laplacian-shapes"):
        return None
    ratios = {extents: min(row["median_seconds"] for kind, row in kinds.items() if kind != OURS)
              / kinds[OURS]["median_seconds"] for extents, kinds in best.items()}
    sides = sorted({extents[0] for extents in ratios})
    figure, panels = plt.subplots(1, len(sides), figsize=(2.8 * len(sides), 3.2), squeeze=False, sharey=True)
    for axes, nz in zip(panels[0], sides):
        draw_cells(axes, np.array([[ratios.get((nx, ny, nz), np.nan) for nx in sides] for ny in sides]), 0.95, 1.15)
        axes.set_xticks(range(len(sides)), sides)
        axes.set_yticks(range(len(sides)), sides)
        axes.set_xlabel("nx")
        axes.set_title(f"nz = {nz}", fontsize=9)
    panels[0][0].set_ylabel("ny")
    figure.suptitle("Time of the best kernel written by hand over ours, by the shape of the box; " + results.device,
                    fontsize=10)
    figure.tight_layout()
    return figure


def draw_fetches(results):
    """Fetch efficiency and cache hits over the profiled problems: a line for each kind, with its best rows of a tile."""
    best = {}
    wanted = {row["problem"] for row in results.of("reference-laplacian", "reference-laplacian-planes")}
    for (problem, form), row in results.counters.items():
        if "fetch_efficiency" in row and problem in wanted:
            kinds = best.setdefault(extents_of(row), {})
            kind = kind_of({"form": form})
            if kind not in kinds or row["profiled_seconds"] < kinds[kind]["profiled_seconds"]:
                kinds[kind] = row
    if len(best) < 2:
        return None
    problems = sorted(best, key=lambda extents: (extents[0] * extents[1], extents))
    figure, panels = plt.subplots(1, 2, figsize=(10, 4))
    quantities = (("fetch_efficiency", "fetch efficiency"), ("second_level_hit_rate", "hit rate of the second-level cache"))
    for axes, (quantity, words) in zip(panels, quantities):
        for _, kind, colour in KINDS:
            points = [(at, best[extents][kind][quantity]) for at, extents in enumerate(problems) if kind in best[extents]]
            axes.plot(*zip(*points), "-o", markersize=4, linewidth=1.6, color=colour, label=kind)
        axes.set_xticks(range(len(problems)), [size_words(extents) for extents in problems])
        axes.set_ylim(0, 1.05)
        axes.set_ylabel(words)
        tidy(axes)
    panels[0].legend(frameon=False, fontsize=8, loc="lower left")
    title(panels[0], "7-point Laplacian, double", f"{results.device}; of tiles the fastest number of rows")
    figure.tight_layout()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent.parent / "docs/images")
    options = parser.parse_args()
    plt.rcParams.update(STYLE)
    results = Results(options.files)
    pictures = {"roofline": draw_roofline, "sizes": draw_sizes, "cache": draw_cache, "tunings": draw_tunings,
                "steps": draw_steps, "blocks": draw_blocks, "strides": draw_strides, "shapes": draw_shapes,
                "fetches": draw_fetches}
    drawn = {name: figure for name, draw in pictures.items() if (figure := draw(results)) is not None}
    if not drawn:
        sys.exit("the files have no rows to draw")
    for name, figure in drawn.items():
        save(figure, options.out / f"{name}.png")


if __name__ == "__main__":
    main()
