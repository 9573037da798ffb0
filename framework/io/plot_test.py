"""Draws the snapshots of snapshot_cases with tools/plot.py and looks at the pictures: plot_test.py PLOT COMMAND…"""

import argparse
import contextlib
import functools
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest.mock
from pathlib import Path

import h5py
import matplotlib.image
import numpy as np
from matplotlib.colors import LogNorm
from PIL import Image

RESIDUALS = "step,solve,method,iteration,residual\n" + "".join(
    f"{step},1,cg,{n},{10.0 ** -n / step}\n" for step in (1, 2) for n in range(8))

TRACES = "time,here,there\n" + "".join(f"{0.1 * n},{np.sin(n)},{np.cos(0.3 * n)}\n" for n in range(60))

DRIFT = "".join(f"{n},{0.1 * n},-0.25,{1e-4 * np.sin(n)}\n" for n in range(40))


def colours(path):
    """Number of distinct colours: a picture of something has many, an empty frame few."""
    pixels = matplotlib.image.imread(path)
    assert min(pixels.shape[:2]) > 300, (path, pixels.shape)
    red, green, blue = np.moveaxis((pixels[..., :3] * 255).astype(np.uint32), -1, 0)
    return len(np.unique(red << 16 | green << 8 | blue))


def texts(figure):
    """All that is written within the frames of a figure, once it has been drawn."""
    figure.canvas.draw()
    return [text.get_text() for axes in figure.axes for text in (*axes.texts, axes.yaxis.get_offset_text())]


def look_at_words(plot, points, few_points):
    """What pictures say of bodies beyond their frame, and that a power of ten stands in no title's place."""
    module = imported(plot)
    with h5py.File(points, "r+") as file:
        file["VTKHDF/Points"][0] = 1000
    figure = module.draw_bodies([points], "many", 2)
    position = module.Bodies(points).position
    (left, right), (low, high) = figure.axes[0].get_xlim(), figure.axes[0].get_ylim()
    x, y = position[:, 0], position[:, 1]
    outside = np.count_nonzero((x < left) | (x > right) | (y < low) | (y > high))
    told = re.fullmatch(rf"{len(x)} bodies, (\d+) of them outside of the frame; seen along z; .*", texts(figure)[0])
    assert outside > 0 and told and int(told[1]) == outside, (outside, texts(figure))
    figure = module.draw_bodies([few_points], "few", 2)
    assert re.match(r"\d+ bodies; seen along z;", texts(figure)[0]), texts(figure)
    figure = module.draw_drift(np.arange(4.0), np.array([0, 1e-5, -2e-5, 3e-5]), "drift")
    assert texts(figure) == ["4 times; largest drift 3.00e-05", ""], texts(figure)


def look_at_coordinates(plot):
    """A power of ten stands in the label of an axis."""
    module = imported(plot)
    values = np.arange(12.0).reshape(3, 4)
    for lengths, powers in (((2e-6, 2e-7), (-6, -7)), ((3, 20), (0, 0)), ((4e8, 1), (8, 0))):
        figure, axes = module.plt.subplots()
        edges = [np.linspace(0, length, count + 1) for length, count in zip(lengths, (4, 3))]
        module.draw_cut(axes, argparse.Namespace(on_cells=True, values=values, edges=edges, shown=[0, 1]), "viridis", None)
        figure.canvas.draw()
        for axis, name, power in zip((axes.xaxis, axes.yaxis), "xy", powers):
            assert axis.get_label_text() == (f"{name} / 1e{power}" if power else name)
            assert axis.get_offset_text().get_text() == ""
            assert float(axis.get_ticklabels()[1].get_text()) == round(axis.get_ticklocs()[1] / 10.0**power, 9)
        module.plt.close(figure)


def draw(plot, folder, *options):
    """The names of the pictures, what else is told, and the refusal, if that is how it ends."""
    told = io.StringIO()
    refusal = None
    with unittest.mock.patch("sys.argv", [plot, str(folder), *options]), contextlib.redirect_stdout(told):
        try:
            imported(plot).main()
        except SystemExit as end:
            refusal = end.code
    lines = told.getvalue().splitlines()
    named = [Path(line).name for line in lines if Path(line).is_file()]
    return named, [line for line in lines if not Path(line).is_file()], refusal


def look_at_choices(plot, folder):
    """Scale, range and fields, from the record of a run and from the command line, and constant fields."""
    with h5py.File(folder / "snapshot_000010.vti", "r+") as file:
        file["VTKHDF/CellData/u"][()] = 3
        file["VTKHDF/PointData/t"][0, 0] = -1
    named, told, refusal = draw(plot, folder)
    assert refusal is None and named == ["slice_velocity.png", "slice_pair.png", "slice_t.png"], named
    assert told == ["u is 3 everywhere at step 10: not drawn"], told
    assert draw(plot, folder, "--fields", "u, t")[0] == ["slice_u.png", "slice_t.png"], "constant, but asked for"
    options = {"plot": {"scale": "log", "range": [1, 100], "fields": "t"}}
    (folder / "summary.json").write_text(json.dumps({"provenance": {"deck": {"path": "a/deck.yaml", "options": options}}}))
    assert draw(plot, folder)[0] == ["slice_t.png"]
    assert draw(plot, folder, "--fields", "t,w")[2] == "no field is called `w`; there are: u, velocity, pair, t"
    module = imported(plot)
    with module.Snapshot(folder / "snapshot_000010.vti") as snapshot:
        field = module.field_named(snapshot, "t")
        words = argparse.Namespace(scale=None, range=None, fields=None, normal=None, at=None)
        for change, scale, limits, labels, note in (
                ({}, "log", (1, 100), 3, "what is not positive is left blank"),
                ({"normal": "y", "at": -0.9}, "log", (1, 100), 1, "y = "),
                ({"scale": "linear", "range": [-2, 5]}, "linear", (-2, 5), 3, "-1 to "),
        ):
            figure = module.draw_field(snapshot, field, "deck", module.Look(folder, argparse.Namespace(**{**vars(words), **change})))
            pictures = [axes.collections[0] for axes in figure.axes[:labels]]
            assert len(figure.axes) == labels, "a picture for each axis"
            assert {(p.norm.vmin, p.norm.vmax) for p in pictures} == {limits}
            assert all(isinstance(p.norm, LogNorm) == (scale == "log") for p in pictures)
            if labels == 3:
                assert [axes.get_title("left") for axes in figure.axes[:3]] == ["z = 0.5", "y = 4", "x = 0.5"]
            words_in = [text.get_text() for text in (*figure.texts, *figure.axes[0].texts)]
            assert any(note in text for text in words_in), words_in


def look_at_cuts(plot, folder):
    """Each picture of a plane shows the values that lie there."""
    module = imported(plot)
    with module.Snapshot(folder / "snapshot_000010.vti") as snapshot, h5py.File(folder / "snapshot_000010.vti") as file:
        field = module.field_named(snapshot, "u")
        values = file["VTKHDF/CellData/u"][()]
        for cut, expected in zip(module.cuts_of(snapshot, field, module.Look(folder, argparse.Namespace(
                scale=None, range=None, fields=None, normal=None, at=None))),
                                 ((values[2], values[3]), (values[:, 2],), (values[:, :, 3],))):
            # Of six cells two are in the middle.
            assert any(np.array_equal(cut.values, plane) for plane in expected), cut.label


def look_at_series(plot, folder, names):
    """An animation has a frame for each snapshot, all of one size, and they differ."""
    last = next(folder.glob("snapshot_000010.vt*"))
    for step in (20, 30):
        shutil.copy(last, folder / f"snapshot_{step:06}{last.suffix}")
        with h5py.File(folder / f"snapshot_{step:06}{last.suffix}", "r+") as file:
            file.attrs["step"] = [step]
            file["VTKHDF/FieldData/TimeValue"][0] = step
            for data in (*file["VTKHDF/CellData"].values(), *file["VTKHDF/PointData"].values()):
                data[()] = 2 * data[()]
    named, _, _ = draw(plot, folder, "--fields", ",".join(names))
    assert [name for name in named if name.endswith(".gif")] == [f"animation_{name}.gif" for name in names], named
    for name in names:
        picture = Image.open(folder / f"animation_{name}.gif")
        assert picture.n_frames == 4, (name, picture.n_frames)
        frames = []
        for frame in range(picture.n_frames):
            picture.seek(frame)
            frames.append(np.asarray(picture.convert("RGB")))
        assert len({frame.shape for frame in frames}) == 1 and min(frames[0].shape[:2]) > 200
        assert all((first != second).any() for first, second in zip(frames, frames[1:])), name


def look_at_quantities(plot, folder):
    rows = "".join(f"{n},{0.1 * n},{2 + 1e-12 * np.sin(n)},{n * n},{-n}\n" for n in range(30))
    (folder / "scalars.csv").write_text("step,time,mass,square,line\n" + rows)
    named, _, _ = draw(plot, folder, "--fields", "u")
    assert "scalars.png" in named and colours(folder / "scalars.png") > 50, named
    module = imported(plot)
    table = module.read_table(folder / "scalars.csv")
    changing = module.changing(table)
    assert list(changing) == ["square", "line"], "a quantity that keeps its value but for rounding has no picture"
    figure = module.draw_scalars(table, changing, "deck")
    for axes, name in zip(figure.axes, changing):
        (line,) = axes.lines
        assert axes.get_title("left") == name and np.array_equal(line.get_ydata(), table[name])
        assert np.array_equal(line.get_xdata(), table["time"])
    (folder / "scalars.csv").unlink()
    (folder / "scalars.png").unlink()


@functools.cache
def imported(plot):
    spec = importlib.util.spec_from_file_location("plot", plot)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    plot, command = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([*command, scratch], check=True, timeout=600)
        for case in ("line", "stretched"):
            folder = Path(scratch) / case
            (folder / "residuals.csv").write_text(RESIDUALS)
            (folder / "traces.csv").write_text(TRACES)
            said = subprocess.run([sys.executable, plot, folder], check=True, timeout=600, capture_output=True, text=True)
            pictures = [folder / f"{name}.png" for name in
                        ("slice_pair", "slice_t", "slice_u", "slice_velocity", "residuals", "traces")]
            assert sorted(said.stdout.split()) == sorted(map(str, pictures)), said.stdout
            for picture in pictures:
                assert colours(picture) > 100, picture
        for case in ("points", "few_points"):
            folder = Path(scratch) / case
            (folder / "scalars.csv").write_text("step,time,energy,energy_drift\n" + DRIFT)
            said = subprocess.run([sys.executable, plot, folder], check=True, timeout=600, capture_output=True, text=True)
            assert said.stdout.split() == [str(folder / f"{name}.png") for name in ("bodies", "scalars", "energy")], said.stdout
            assert colours(folder / "bodies.png") > 100 and colours(folder / "energy.png") > 50
        look_at_coordinates(plot)
        look_at_words(plot, *(Path(scratch) / case / "snapshot_000010.vtkhdf" for case in ("points", "few_points")))
        look_at_cuts(plot, Path(scratch) / "periodic")
        look_at_choices(plot, Path(scratch) / "periodic")
        look_at_quantities(plot, Path(scratch) / "plane")
        look_at_series(plot, Path(scratch) / "plane", ("velocity",))
        look_at_series(plot, Path(scratch) / "few_points", ("bodies",))
        folder = Path(scratch) / "line"
        (folder / "residuals.png").unlink()
        (folder / "residuals.csv").write_text("step,solve,method,iteration,residual\n1,1,cg,0,0\n")
        said = subprocess.run([sys.executable, plot, folder], check=True, timeout=600, capture_output=True, text=True)
        assert said.stderr == "" and not (folder / "residuals.png").exists(), "a solve with nothing to do has no curve"
        with subprocess.Popen([sys.executable, plot, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()
            complaint = process.stderr.read()
        assert (process.returncode, complaint) == (0, b""), complaint
        empty = Path(scratch) / "empty"
        empty.mkdir()
        refused = subprocess.run([sys.executable, plot, empty], timeout=600, capture_output=True, text=True, check=False)
        assert refused.returncode == 1 and "no snapshot" in refused.stderr, refused.stderr


main()
