"""Runs snapshot_cases and reads its files with h5py and with VTK's own readers: every value exact, on every rank count.

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
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLRectilinearGridReader

try:
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
except ImportError:
    vtkXdmfReader = None  # PyPI's VTK has it, Debian's has not

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
STRETCHED_CASES = {"stretched", "stretched_plane"}
MOST_BEYOND_VALUES = 32768  # bytes of a file, whatever the number of cells
# What VTK's reader of XDMF cannot read: values on the cells of a line, and vectors on the nodes of a plane, of which it asks
# for a component too many.
UNREAD = {1: {"u", "velocity"}, 2: {"pair"}, 3: set()}
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
        assert dataset.shape == (values.shape if components > 1 else values.shape[:3]), (name, dataset.shape)
        assert np.array_equal(dataset[()].reshape(values.shape), values), name


def checksums(data):
    """One of each 65536 numbers: the sum of splitmix64 of bits and place."""
    flat = data[()].ravel()
    bits = flat.view(f"u{flat.itemsize}").astype(np.uint64)
    mixed = bits + np.arange(1, flat.size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return np.add.reduceat(mixed, np.arange(0, flat.size, 65536))


def check_checksums(file):
    for name in ("Points", "XCoordinates", "YCoordinates", "ZCoordinates"):
        if isinstance(file["VTKHDF"].get(name, getlink=True), h5py.HardLink):
            assert np.array_equal(file[f"checksums/{name}"], checksums(file["VTKHDF"][name])), name
    for group in ("CellData", "PointData"):
        assert list(file["checksums"][group]) == list(file["VTKHDF"][group])
        for name, data in file["VTKHDF"][group].items():
            assert np.array_equal(file["checksums"][group][name], checksums(data)), name


def complaints_of(reader):
    """A list that gets all that a reader complains of from now on."""
    complaints = []
    reader.AddObserver("ErrorEvent", lambda *_: complaints.append("error"))
    reader.AddObserver("WarningEvent", lambda *_: complaints.append("warning"))
    return complaints


def read_grid(path):
    """What VTK's reader of such files makes of one, without complaints."""
    reader = vtkXMLImageDataReader() if path.suffix == ".vti" else vtkXMLRectilinearGridReader()
    complaints = complaints_of(reader)
    assert reader.CanReadFile(str(path))
    reader.SetFileName(str(path))
    reader.Update()
    assert not complaints, (path, complaints)
    return reader.GetOutput()


def check_vtk(path, edges, periodic, time):
    grid = read_grid(path)
    assert grid.GetClassName() == ("vtkImageData" if path.suffix == ".vti" else "vtkRectilinearGrid")
    check_places(grid, edges)
    for name, (group, components, _, _) in FIELDS.items():
        data = grid.GetCellData() if group == "CellData" else grid.GetPointData()
        values = expected(edges, periodic, group, components)
        array = data.GetArray(name)
        assert array.GetNumberOfComponents() == components
        assert np.array_equal(vtk_to_numpy(array).reshape(values.shape), values), (path, name)
    assert grid.GetCellData().GetNumberOfArrays() + grid.GetPointData().GetNumberOfArrays() == len(FIELDS)
    assert vtk_to_numpy(grid.GetFieldData().GetArray("TimeValue"))[0] == time


def check_places(grid, edges):
    """Nodes and cells lie where they should."""
    dimensions = len(edges)
    shape = [len(e) for e in edges] + [1] * (3 - dimensions)
    assert list(grid.GetDimensions()) == shape
    assert grid.GetNumberOfCells() == np.prod([max(1, n - 1) for n in shape])
    edges3 = [np.asarray(e) for e in edges] + [np.zeros(1)] * (3 - dimensions)
    if grid.GetClassName() == "vtkImageData":
        # VTK's node n lies at origin + n spacing; the sum and ours round each once.
        read = [o + h * np.arange(n) for o, h, n in zip(grid.GetOrigin(), grid.GetSpacing(), shape)]
    else:
        read = [vtk_to_numpy(c()) for c in (grid.GetXCoordinates, grid.GetYCoordinates, grid.GetZCoordinates)]
    for mine, theirs in zip(edges3, read):
        assert np.allclose(theirs, mine, rtol=4e-16, atol=4e-16 * np.abs(mine).max()), (theirs, mine)
    check_cells(grid, shape, edges)


def check_cells(grid, shape, edges):
    """Each cell lies where its place in the grid says."""
    for n in range(grid.GetNumberOfCells()):
        place = np.unravel_index(n, [max(1, m - 1) for m in shape[::-1]])[::-1]
        bounds = grid.GetCell(n).GetBounds()
        for axis, along in enumerate(edges):
            low, high = along[place[axis]], along[place[axis] + 1]
            assert np.allclose(bounds[2 * axis:2 * axis + 2], (low, high), rtol=4e-16, atol=4e-16 * np.abs(along).max())


def at_points(count, components):
    return 0.25 + np.arange(count)[:, None] + 10000.0 * np.arange(components)


def check_points(folder, count):
    for step, time in ((0, 0.0), (10, 0.125)):
        path = folder / f"snapshot_{step:06}.vtkhdf"
        with h5py.File(path, "r") as file:
            check_checksums(file)
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
    fields = {name: at_points(count, components) for name, (components, _, _) in AT_POINTS.items()}
    check_series(folder, fields, [at_points(count, 3)])
    for grid in read_series(folder, set()):
        assert np.array_equal(vtk_to_numpy(grid.GetPoints().GetData()), at_points(count, 3))
        check_arrays(grid.GetPointData(), fields)


def check_sizes(grid):
    """XDMF readers take the shape of the values from that of the grid: as many nodes, or a cell less along each of its axes;
    a plane has two of them, and lies in x and y."""
    topology = grid.find("Topology")
    if topology.get("Dimensions") is None:
        return
    nodes = [int(n) for n in topology.get("Dimensions").split()]
    if nodes[0] == 1:
        assert nodes[1] == 1, "a plane"
        return
    assert (topology.get("TopologyType")[:2], len(nodes)) in (("2D", 2), ("3D", 3))
    if len(nodes) == 2:
        geometry = grid.find("Geometry")
        assert (topology.get("TopologyType"), geometry.get("GeometryType")) == ("2DRectMesh", "VXVY")
        assert [item.text for item in geometry] == ["mesh.h5:/x", "mesh.h5:/y"]
    for attribute in grid.findall("Attribute"):
        group, components, *_ = FIELDS[attribute.get("Name")]
        sizes = [n - (group == "CellData") for n in nodes] + [components] * (components > 1)
        assert [int(n) for n in attribute.find("DataItem").get("Dimensions").split()] == sizes, attribute.attrib
        assert attribute.get("AttributeType") == ("Scalar" if components == 1 else "Vector")


def values_of(folder, item):
    """The numbers to which an item of the series leads."""
    if item.get("Format") == "XML":
        return np.array(item.text.split(), dtype=float)
    name, dataset = item.text.split(":")
    with h5py.File(folder / name, "r") as file:
        data = file[dataset]
        assert data.dtype.itemsize == int(item.get("Precision"))
        assert data.size == np.prod([int(n) for n in item.get("Dimensions").split()]), item.text
        return data[()].ravel()


def check_series(folder, fields, positions):
    """All items of the series lead to the values of the fields and to the positions: edges along the axes, or points."""
    grids = ElementTree.parse(folder / "snapshots.xdmf").getroot().findall("./Domain/Grid/Grid")
    assert [float(g.find("Time").get("Value")) for g in grids] == [0.0, 0.125]
    for grid, step in zip(grids, (0, 10)):
        assert [a.get("Name") for a in grid.findall("Attribute")] == list(fields)
        check_sizes(grid)
        for attribute in grid.findall("Attribute"):
            item = attribute.find("DataItem")
            assert item.text.startswith(f"snapshot_{step:06}."), item.text
            assert np.array_equal(values_of(folder, item), fields[attribute.get("Name")].ravel()), (folder, attribute.attrib)
        geometry = grid.find("Geometry")
        found = [values_of(folder, item) for item in geometry]
        if geometry.get("GeometryType") == "ORIGIN_DXDYDZ":
            origin, spacing = (numbers[::-1] for numbers in found)
            found = [o + h * np.arange(len(e)) for o, h, e in zip(origin, spacing, positions)]
        assert len(found) == len(positions), (folder, found)
        for mine, theirs in zip(positions, found):
            assert np.allclose(theirs, np.ravel(mine), rtol=4e-16, atol=4e-16 * np.abs(mine).max()), (folder, theirs, mine)


def read_series(folder, unread):
    """What VTK's reader of XDMF, where VTK has it, makes of each time of a series, but for fields that it does not read."""
    if vtkXdmfReader is None:
        return
    reader = vtkXdmfReader()
    complaints = complaints_of(reader)
    reader.SetFileName(str(folder / "snapshots.xdmf"))
    reader.UpdateInformation()
    for name in unread:
        (reader.SetCellArrayStatus if FIELDS[name][0] == "CellData" else reader.SetPointArrayStatus)(name, 0)
    times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    assert times == (0.0, 0.125)
    for time in times:
        reader.UpdateTimeStep(time)
        assert not complaints, (folder, complaints)
        yield reader.GetOutputDataObject(0)


def check_arrays(group, fields):
    """The reader of XDMF has read these fields, and no others; it adds a third component, 0, to vectors of two."""
    arrays = {group.GetArrayName(n): vtk_to_numpy(group.GetArray(n)) for n in range(group.GetNumberOfArrays())}
    assert sorted(arrays) == sorted(fields)
    for name, values in fields.items():
        values = values.reshape(-1, values.shape[-1])
        if values.shape[1] == 2:
            values = np.column_stack([values, np.zeros(len(values))])
        assert np.array_equal(arrays[name].reshape(values.shape), values), name


def check_xdmf(folder, edges, periodic):
    unread = UNREAD[len(edges)]
    for grid in read_series(folder, unread):
        check_places(grid, edges)
        for group, data in (("CellData", grid.GetCellData()), ("PointData", grid.GetPointData())):
            check_arrays(data, {name: expected(edges, periodic, group, components)
                                  for name, (where, components, *_) in FIELDS.items() if where == group and name not in unread})


def main():
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([*sys.argv[1:], scratch], check=True, timeout=600)
        for name, (edges, periodic) in CASES.items():
            folder = Path(scratch) / name
            files = sorted(p.name for p in folder.iterdir())
            ending = ".vtr" if name in STRETCHED_CASES else ".vti"
            assert files == ["mesh.h5", f"snapshot_000000{ending}", f"snapshot_000010{ending}", "snapshots.xdmf"], files
            with h5py.File(folder / "mesh.h5", "r") as file:
                assert list(file) == ["checksums", *"xyz"[:len(edges)]], list(file)
            for step, time in ((0, 0.0), (10, 0.125)):
                path = folder / f"snapshot_{step:06}{ending}"
                with h5py.File(path, "r") as file:
                    check_h5py(file, edges, periodic)
                    check_checksums(file)
                    assert (file.attrs["step"], file.attrs["time"]) == (step, time)
                    values = sum(file["VTKHDF"][group][field].nbytes for field, (group, *_) in FIELDS.items())
                    assert path.stat().st_size - values <= MOST_BEYOND_VALUES
                check_vtk(path, edges, periodic, time)
            fields = {field: expected(edges, periodic, group, components) for field, (group, components, *_) in FIELDS.items()}
            check_series(folder, fields, edges)
            check_xdmf(folder, edges, periodic)
        for name, count in POINTS.items():
            check_points(Path(scratch) / name, count)


main()
