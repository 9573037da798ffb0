"""Runs snapshot_cases and reads its files with h5py and with VTK's own reader: every value exact, on every rank count.

    read_back_test.py COMMAND…     the command that writes the cases; a folder for them is appended
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader

STRETCHED = [0.0, 1.0, 3.0, 6.0, 10.0]
SEVEN = np.linspace(-1, 2.5, 8)
FIVE = np.linspace(0, 10, 6)

# edges along x, y, z and the axes that are periodic
CASES = {
    "line": ([np.linspace(0, 1, 12)], {0}),
    "plane": ([SEVEN, FIVE], set()),
    "stretched": ([STRETCHED, SEVEN, FIVE], {1}),
    "periodic": ([SEVEN, FIVE, np.linspace(0, 1, 7)], {0, 1, 2}),
    "stretched_plane": ([STRETCHED, STRETCHED], {0}),
}
FIELDS = {"u": ("CellData", 1, "f8", "K"), "t": ("PointData", 1, "f4", ""),
          "velocity": ("CellData", 3, "f8", "m/s"), "pair": ("PointData", 2, "f4", "")}
CELL_TYPES = {1: 3, 2: 9, 3: 12}
POINTS = {"points": 41, "few_points": 2}
AT_POINTS = {"velocity": (3, "f8", "m/s"), "mass": (1, "f4", "kg")}


def expected(edges, periodic, group, components):
    """The values of a field in global order, shape (z, y, x, component); closing nodes of periodic axes wrap around."""
    cells = [len(e) - 1 for e in edges] + [1] * (3 - len(edges))
    index = []
    for axis in range(3):
        count = cells[axis] + (1 if group == "PointData" and axis < len(edges) else 0)
        positions = np.arange(count)
        index.append(positions % cells[axis] if axis in periodic else positions)
    z, y, x, c = np.meshgrid(index[2], index[1], index[0], np.arange(components), indexing="ij")
    return 0.25 + x + 20.0 * y + 400.0 * z + 10000.0 * c


def check_h5py(file, edges, periodic):
    for name, (group, components, kind, unit) in FIELDS.items():
        dataset = file["VTKHDF"][group][name]
        values = expected(edges, periodic, group, components)
        assert dataset.dtype == kind, (name, dataset.dtype)
        assert dataset.attrs["unit"].decode().rstrip("\0") == unit
        assert tuple(dataset.attrs["shape"]) == values.shape[:3]
        assert np.array_equal(dataset[()].reshape(values.shape), values), name


def check_vtk(path, edges, periodic, time):
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    dimensions = len(edges)
    shape = [len(e) for e in edges] + [1] * (3 - dimensions)
    assert grid.GetNumberOfPoints() == np.prod(shape)
    assert grid.GetNumberOfCells() == np.prod([max(1, n - 1) for n in shape])
    points = vtk_to_numpy(grid.GetPoints().GetData())
    edges3 = [np.asarray(e) for e in edges] + [np.zeros(1)] * (3 - dimensions)
    z, y, x = np.meshgrid(edges3[2], edges3[1], edges3[0], indexing="ij")
    # An edge is computed in one rounding more or less than numpy's.
    assert np.allclose(points, np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1), rtol=4e-16, atol=4e-16)
    check_cells(grid, shape, edges, dimensions)
    for name, (group, components, _, _) in FIELDS.items():
        data = grid.GetCellData() if group == "CellData" else grid.GetPointData()
        values = expected(edges, periodic, group, components)
        read = vtk_to_numpy(data.GetArray(name))
        assert np.array_equal(read.reshape(values.shape), values), (path, name)
    assert vtk_to_numpy(grid.GetFieldData().GetArray("TimeValue"))[0] == time


def check_cells(grid, shape, edges, dimensions):
    """Each cell has the type and the bounds that its place in the grid says, and its corners go around."""
    for n in range(grid.GetNumberOfCells()):
        assert grid.GetCellType(n) == CELL_TYPES[dimensions]
        place = np.unravel_index(n, [max(1, m - 1) for m in shape[::-1]])[::-1]
        bounds = grid.GetCell(n).GetBounds()
        for axis in range(dimensions):
            low, high = edges[axis][place[axis]], edges[axis][place[axis] + 1]
            assert np.allclose(bounds[2 * axis:2 * axis + 2], (low, high), rtol=4e-16, atol=4e-16)
    cell = grid.GetCell(grid.GetNumberOfCells() - 1)
    corners = [cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())]
    row, plane = shape[0], shape[0] * shape[1]
    around = [0, 1, row + 1, row, plane, plane + 1, plane + row + 1, plane + row][:2 ** dimensions]
    assert [c - corners[0] for c in corners] == around


def at_points(count, components):
    return 0.25 + np.arange(count)[:, None] + 10000.0 * np.arange(components)


def check_points(folder, count):
    for step, time in ((0, 0.0), (10, 0.125)):
        path = folder / f"snapshot_{step:06}.vtkhdf"
        with h5py.File(path, "r") as file:
            assert file["VTKHDF/Points"].dtype == "f4"
            assert np.array_equal(file["VTKHDF/Points"], at_points(count, 3))
            for name, (components, kind, unit) in AT_POINTS.items():
                dataset = file["VTKHDF/PointData"][name]
                assert (dataset.dtype, dataset.attrs["unit"].decode().rstrip("\0")) == (kind, unit)
                assert np.array_equal(dataset[()].reshape(count, components), at_points(count, components)), name
        reader = vtkHDFReader()
        reader.SetFileName(str(path))
        reader.Update()
        grid = reader.GetOutput()
        assert (grid.GetNumberOfPoints(), grid.GetNumberOfCells()) == (count, count)
        assert np.array_equal(vtk_to_numpy(grid.GetPoints().GetData()), at_points(count, 3))
        for n in range(count):
            assert (grid.GetCellType(n), grid.GetCell(n).GetPointId(0)) == (1, n)
        for name, (components, _, _) in AT_POINTS.items():
            read = vtk_to_numpy(grid.GetPointData().GetArray(name))
            assert np.array_equal(read.reshape(count, components), at_points(count, components)), name
        assert vtk_to_numpy(grid.GetFieldData().GetArray("TimeValue"))[0] == time
    check_series(folder, AT_POINTS)


def check_series(folder, fields=None):
    grids = ElementTree.parse(folder / "snapshots.xdmf").getroot().findall("./Domain/Grid/Grid")
    assert [float(g.find("Time").get("Value")) for g in grids] == [0.0, 0.125]
    for grid in grids:
        assert [a.get("Name") for a in grid.findall("Attribute")] == list(fields or FIELDS)
        for item in grid.iter("DataItem"):
            if item.get("Format") != "HDF":
                continue
            name, dataset = item.text.split(":")
            with h5py.File(folder / name, "r") as file:
                assert file[dataset].size == np.prod([int(n) for n in item.get("Dimensions").split()]), item.text
                assert file[dataset].dtype.itemsize == int(item.get("Precision"))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([*sys.argv[1:], scratch], check=True, timeout=60)
        for name, (edges, periodic) in CASES.items():
            folder = Path(scratch) / name
            files = sorted(p.name for p in folder.iterdir())
            assert files == ["mesh.h5", "snapshot_000000.vtkhdf", "snapshot_000010.vtkhdf", "snapshots.xdmf"], files
            for step, time in ((0, 0.0), (10, 0.125)):
                path = folder / f"snapshot_{step:06}.vtkhdf"
                with h5py.File(path, "r") as file:
                    check_h5py(file, edges, periodic)
                    assert file.attrs["step"] == step
                check_vtk(path, edges, periodic, time)
            check_series(folder)
        for name, count in POINTS.items():
            check_points(Path(scratch) / name, count)


main()
