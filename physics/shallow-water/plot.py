"""Plots the surface height and the land for some snapshots of a two-dimensional run:
plot.py RUN.out PICTURE.png TIME…"""

import json
import pathlib
import re
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

folder, picture = pathlib.Path(sys.argv[1]), sys.argv[2]
times = [float(word) for word in sys.argv[3:]]
mesh = json.loads((folder / "summary.json").read_text())["provenance"]["deck"]["options"]["mesh"]
lower, upper = mesh.get("lower", [0, 0]), mesh["upper"]
files = sorted(folder.glob("snapshot_*.vt[ir]"))
at = [float(time) for time in re.findall(r'<Time Value="([^"]+)"', (folder / "snapshots.xdmf").read_text())]

figure, axes = pyplot.subplots(1, len(times), figsize=(4.2 * len(times), 3.2), sharey=True, layout="constrained")
for axis, time in zip([axes] if len(times) == 1 else axes, times):
    nearest = min(range(len(files)), key=lambda n: abs(at[n] - time))
    with h5py.File(files[nearest]) as file:
        values = {name: data[:].reshape(data.attrs["shape"])[0] for name, data in file["VTKHDF/CellData"].items()}
    is_wet = values["depth"] > 1e-3
    extent = [lower[0], upper[0], lower[1], upper[1]]
    axis.imshow(values["bathymetry"], origin="lower", extent=extent, cmap="YlOrBr", vmin=-2, vmax=12)
    surface = values["depth"] + values["bathymetry"]
    surface[~is_wet] = float("nan")
    shown = axis.imshow(surface, origin="lower", extent=extent, cmap="RdBu_r", vmin=-2.5, vmax=2.5)
    axis.set_title(f"t = {at[nearest]:.0f}")
figure.colorbar(shown, ax=axes, label="surface")
figure.savefig(picture, dpi=100)
