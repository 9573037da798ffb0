"""Draws the snapshots of snapshot_cases with tools/plot.py and looks at the pictures: plot_test.py PLOT COMMAND…"""

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import matplotlib.image
import numpy as np

RESIDUALS = "step,solve,method,iteration,residual\n" + "".join(
    f"{step},1,cg,{n},{10.0 ** -n / step}\n" for step in (1, 2) for n in range(8))

TRACES = "time,here,there\n" + "".join(f"{0.1 * n},{np.sin(n)},{np.cos(0.3 * n)}\n" for n in range(60))

DRIFT = "".join(f"{n},{0.1 * n},-0.25,{1e-4 * np.sin(n)}\n" for n in range(40))


def colours(path):
    """Number of distinct colours: a picture of something has many, an empty frame few."""
    pixels = matplotlib.image.imread(path)
    assert min(pixels.shape[:2]) > 300, (path, pixels.shape)
    return len(np.unique((pixels[..., :3] * 255).astype(np.uint8).reshape(-1, 3), axis=0))


def texts(figure):
    """All that is written within the frames of a figure, once it has been drawn."""
    figure.canvas.draw()
    return [text.get_text() for axes in figure.axes for text in (*axes.texts, axes.yaxis.get_offset_text())]


def look_at_words(plot, points, few_points):
    """What pictures say of bodies beyond their frame, and that a power of ten stands in no title's place."""
    spec = importlib.util.spec_from_file_location("plot", plot)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
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


def main():
    plot, command = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([*command, scratch], check=True, timeout=60)
        for case in ("line", "stretched"):
            folder = Path(scratch) / case
            (folder / "residuals.csv").write_text(RESIDUALS)
            (folder / "traces.csv").write_text(TRACES)
            said = subprocess.run([sys.executable, plot, folder], check=True, timeout=60, capture_output=True, text=True)
            pictures = [folder / f"{name}.png" for name in
                        ("slice_pair", "slice_t", "slice_u", "slice_velocity", "residuals", "traces")]
            assert sorted(said.stdout.split()) == sorted(map(str, pictures)), said.stdout
            for picture in pictures:
                assert colours(picture) > 100, picture
        for case in ("points", "few_points"):
            folder = Path(scratch) / case
            (folder / "scalars.csv").write_text("step,time,energy,energy_drift\n" + DRIFT)
            said = subprocess.run([sys.executable, plot, folder], check=True, timeout=60, capture_output=True, text=True)
            assert said.stdout.split() == [str(folder / "bodies.png"), str(folder / "energy.png")], said.stdout
            assert colours(folder / "bodies.png") > 100 and colours(folder / "energy.png") > 50
        look_at_words(plot, *(Path(scratch) / case / "snapshot_000010.vtkhdf" for case in ("points", "few_points")))
        folder = Path(scratch) / "line"
        (folder / "residuals.png").unlink()
        (folder / "residuals.csv").write_text("step,solve,method,iteration,residual\n1,1,cg,0,0\n")
        said = subprocess.run([sys.executable, plot, folder], check=True, timeout=60, capture_output=True, text=True)
        assert said.stderr == "" and not (folder / "residuals.png").exists(), "a solve with nothing to do has no curve"
        with subprocess.Popen([sys.executable, plot, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()
            complaint = process.stderr.read()
        assert (process.returncode, complaint) == (0, b""), complaint
        empty = Path(scratch) / "empty"
        empty.mkdir()
        refused = subprocess.run([sys.executable, plot, empty], timeout=60, capture_output=True, text=True, check=False)
        assert refused.returncode == 1 and "no snapshot" in refused.stderr, refused.stderr


main()
