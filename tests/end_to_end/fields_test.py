"""Random fields and fields from files: the same bits on any number of ranks, and many steps of the 25-point sweep compared
with NumPy."""

import json
import math
import pathlib
import unittest

import h5py
import numpy

from program import ROOT, Run, scratch, settings
from reference import centres, linear, nodes, random, random_cells, weighted_sum

WEIGHTS = [0.25, 0.0625, 0.03125, 0.015625, 0.015625]


class Fields(unittest.TestCase):
    def snapshots(self, deck, ranks=1, prepare=lambda folder: None, look=lambda summary: None):
        """Snapshots of u, by step, of a deck that must run without messages; indexed [z, y, x]. `prepare` makes the input
        files, `look` checks the summary."""
        with scratch() as name:
            folder = pathlib.Path(name)
            prepare(folder)
            (folder / "deck.yaml").write_text(json.dumps(deck))
            run = Run(["run", "deck.yaml", "--output", "run.out", "--ranks", ranks], folder)
            self.assertEqual((run.code, run.err), (0, ""), deck)
            look(run.summary())
            found = {}
            for path in sorted((folder / "run.out").glob("snapshot_*.vt[ir]")):
                with h5py.File(path) as file:
                    values = file["VTKHDF/CellData/u" if "VTKHDF/CellData/u" in file else "VTKHDF/PointData/u"]
                    found[int(path.stem.split("_")[1])] = values[:].reshape(values.attrs["shape"])
            return found

    def sweeps(self, cells, steps, precision, initial):
        """A deck like decks/stencil-25.yaml."""
        return {"physics": "wave", "precision": precision, "mesh": {"cells": cells, "processes": [1, 1, 0]},
                "wave": {"method": "weighted_sum", "weights": WEIGHTS, "initial": initial},
                "time": {"step": 1, "steps": steps}, "output": {"snapshots": {"interval": max(steps, 1)}}}

    def test_random_fields_have_the_same_bits_on_any_ranks(self):
        expected = 2 * random_cells(7, [13, 11, 16]) - 1
        for precision, kind, ranks in (("double", "f8", 1), ("double", "f8", 2), ("double", "f8", 3),
                                       ("double", "f8", 4), ("single", "f4", 3)):
            with self.subTest(precision=precision, ranks=ranks):
                deck = self.sweeps([13, 11, 16], 0, precision, "2*random(7) - 1")
                del deck["mesh"]["processes"]
                numpy.testing.assert_array_equal(self.snapshots(deck, ranks)[0], expected.astype(kind))

    def test_sweeps_of_25_points_are_those_of_numpy(self):
        cells, steps = [21, 18, 24], 6
        magnitude = WEIGHTS[0] + 6 * sum(WEIGHTS[1:])  # growth of a sum, relative to its terms
        for precision, kind in (("double", "f8"), ("single", "f4")):
            initial = random_cells(2026, cells).astype(kind)
            expected = weighted_sum(initial.astype("f8"), WEIGHTS, steps)
            # Products and sums of a step have an error of at most 26 half units of rounding of the largest possible
            # sum, and further steps amplify it at most like the largest sum. NumPy's own errors are included.
            unit = numpy.finfo(kind).eps / 2 + numpy.finfo("f8").eps / 2
            bound = steps * 26 * unit * magnitude**steps
            self.assertGreater(numpy.abs(expected).max(), 1e4 * bound)
            for ranks in (1, 2, 3):
                with self.subTest(precision=precision, ranks=ranks):
                    found = self.snapshots(self.sweeps(cells, steps, precision, "random(2026)"), ranks)
                    numpy.testing.assert_array_equal(found[0], initial)
                    self.assertEqual(found[steps].dtype, numpy.dtype(kind))
                    self.assertLessEqual(numpy.abs(found[steps] - expected).max(), bound)

    def test_sweeps_of_a_file_are_those_of_its_numbers(self):
        cells, steps = [12, 11, 16], 4
        deck = self.sweeps(cells, steps, "double", "random(3)")
        of_expression = self.snapshots(deck)[steps]
        deck["wave"]["initial"] = {"file": "u0.npy"}
        for ranks in (1, 3):
            found = self.snapshots(deck, ranks, lambda folder: numpy.save(folder / "u0.npy", random_cells(3, cells)))
            numpy.testing.assert_array_equal(found[steps], of_expression)

    def test_io_ranks_change_no_bit(self):
        cells = [12, 11, 16]
        for initial in ("random(3)", {"file": "u0.npy"}):
            deck = {**self.sweeps(cells, 2, "double", initial), "io": {"ranks": 1}}
            found = self.snapshots(deck, 3, lambda folder: numpy.save(folder / "u0.npy", random_cells(3, cells)))
            numpy.testing.assert_array_equal(found[0], random_cells(3, cells))

    def test_formats(self):
        """All formats contain the same array, in any layout, and any number of ranks reads the same bits."""
        whole = numpy.round(1000 * random_cells(4, [9, 8, 10]) - 500)  # numbers that every type can represent
        flat, line = whole[0], whole[0, 0]

        def saved(array):
            return lambda folder: numpy.save(folder / "f", array)

        def raw(array, before=b"", behind=b""):
            return lambda folder: (folder / "f").write_bytes(before + array.tobytes() + behind)

        def dataset(array, **options):
            def write(folder):
                with h5py.File(folder / "f", "w") as file:
                    file.create_dataset("some/where", data=array, **options)
            return write

        npy, hdf5 = {"file": "f.npy"}, {"file": "f", "dataset": "some/where"}
        pair = numpy.stack([-whole, whole], axis=-1)
        cases = [
            ("float64", whole, [1, 1, 3], npy, saved(whole)),
            ("float32, big-endian", whole, [2, 1, 1], npy, saved(whole.astype(">f4"))),
            ("Fortran's order", whole, [3, 1, 1], npy, saved(numpy.asfortranarray(whole))),
            ("int16", whole, [1], npy, saved(whole.astype("<i2"))),
            ("int64, big-endian", whole, [1], npy, saved(whole.astype(">i8"))),
            ("a component", whole, [2, 1, 2], {**npy, "component": 1}, saved(pair)),
            ("a component in Fortran's order", whole, [1, 2, 1], {**npy, "component": 1}, saved(numpy.asfortranarray(pair))),
            ("2D", flat, [1, 3], npy, saved(flat)),
            ("2D in Fortran's order", flat, [1, 2], npy, saved(numpy.asfortranarray(flat))),
            ("1D", line, [2], npy, saved(line)),
            ("raw", whole, [1, 3, 1], {"file": "f", "type": "float32", "dims": [9, 8, 10]}, raw(whole.astype("<f4"))),
            ("raw, behind and before others", whole, [2, 1, 1],
             {"file": "f", "type": "float64", "dims": [9, 8, 10], "offset": 5, "byte_order": "big"},
             raw(whole.astype(">f8"), b"12345", b"123")),
            ("HDF5", whole, [1, 3, 1], hdf5, dataset(whole.astype("f4"))),
            ("HDF5, compressed", whole, [1, 1, 2], hdf5, dataset(whole, chunks=(4, 3, 5), compression="gzip")),
            ("HDF5, integers", flat, [1], hdf5, dataset(flat.astype(">i4"))),
            ("HDF5, a component", whole, [2, 1, 1], {**hdf5, "component": 1}, dataset(pair)),
        ]
        for name, expected, processes, source, write in cases:
            with self.subTest(name):
                cells = list(reversed(expected.shape))
                deck = {"physics": "heat", "mesh": {"cells": cells}, "heat": {"initial": source},
                        "time": {"step": 1e-3, "steps": 0}}
                if len(processes) == len(cells):
                    deck["mesh"]["processes"] = processes
                found = self.snapshots(deck, math.prod(processes), write)[0]
                numpy.testing.assert_array_equal(found.reshape(expected.shape), expected)

    def test_every_field_of_a_physics_takes_a_file(self):
        """A run with an expression and one with a file of its values end with the same bits."""
        cells = [8, 6]
        values = random(5, centres(8)[None, :], centres(6)[:, None], 0)
        on_nodes = random(5, nodes(8)[None, :], nodes(6)[:, None], 0)
        time = {"step": 1e-3, "steps": 3}
        flow = {"initial": "random(5)", "boundary": {"west": {"value": 1}}}
        cases = [
            ("wave", "initial", {}, time, values), ("wave", "initial_rate", {"initial": 1}, time, values),
            ("wave", "speed", {"initial": "x"}, time, 1 + values),
            ("heat", "initial", {}, time, values), ("heat", "source", {"initial": 0}, time, values),
            ("heat", "conductivity", {"initial": "x*x"}, time, 1 + values),
            ("laplace", "source", {"centring": "cell"}, None, values),
            ("laplace", "source", {"centring": "node"}, None, on_nodes),
            ("laplace", "initial", {"centring": "node", "source": "x"}, None, on_nodes),
            ("advection", "source", flow, None, values), ("advection", "initial", {"source": 1}, None, values),
            ("advection", "reaction", flow, None, 1 + values),
        ]
        for physics, option, others, steps, array in cases:
            with self.subTest(physics=physics, option=option, others=others):
                text = "random(5)" if array is values or array is on_nodes else "1 + random(5)"
                deck = {"physics": physics, "mesh": {"cells": cells}, physics: {**others, option: text}}
                if steps:
                    deck["time"] = steps
                if physics == "advection":
                    deck["solver"] = {"method": "gmres"}
                (of_expression,) = self.snapshots(deck).values()
                self.assertGreater(numpy.abs(of_expression).max(), 0)
                deck[physics][option] = {"file": "f.npy"}
                (of_file,) = self.snapshots(deck, 1, lambda folder: numpy.save(folder / "f", array)).values()
                numpy.testing.assert_array_equal(of_file, of_expression)

    def test_coefficients_meet_between_ranks(self):
        deck = {"physics": "heat", "mesh": {"cells": [9, 8], "processes": [2, 2], "periodic": [True, False]},
                "heat": {"initial": "x*y", "conductivity": "1 + random(5)"}, "time": {"step": 0.01, "steps": 2}}
        (of_expression,) = self.snapshots(deck, 4).values()
        deck["heat"]["conductivity"] = {"file": "k.npy"}
        values = 1 + random(5, centres(9)[None, :], centres(8)[:, None], 0)
        (of_file,) = self.snapshots(deck, 4, lambda folder: numpy.save(folder / "k", values)).values()
        numpy.testing.assert_array_equal(of_file, of_expression)

    def test_interpolation(self):
        """From a coarser and from a finer grid, linearly along each axis, on cells and on nodes, across a period; the same
        bits on any number of ranks."""
        coarse, fine = [5, 4, 3], [23, 19, 17]
        for given, cells in ((coarse, [12, 10, 8]), (fine, [12, 10, 8]), (coarse, [5, 4, 7])):
            values = random_cells(6, given)
            expected = values
            for axis, (had, has) in enumerate(zip(given, cells)):
                expected = linear(centres(had), expected, centres(has), 2 - axis)
            deck = {"physics": "heat", "mesh": {"cells": cells}, "time": {"step": 1e-3, "steps": 0},
                    "heat": {"initial": {"file": "f.npy", "interpolate": True}}}
            with self.subTest(given=given, cells=cells):
                found = [self.snapshots(deck, ranks, lambda folder: numpy.save(folder / "f", values))[0]
                         for ranks in (1, 3)]
                numpy.testing.assert_allclose(found[0], expected, rtol=0, atol=4 * numpy.finfo(float).eps)
                numpy.testing.assert_array_equal(found[0], found[1])
        ring = random(8, centres(6), 0, 0)
        around = numpy.concatenate([ring[-1:], ring, ring[:1]])
        expected = linear((numpy.arange(-1, 7) + 0.5) / 6, around, centres(10), 0)
        deck = {"physics": "heat", "mesh": {"cells": [10], "periodic": [True]}, "time": {"step": 1e-3, "steps": 0},
                "heat": {"initial": {"file": "f.npy", "interpolate": True}}}
        found = self.snapshots(deck, 2, lambda folder: numpy.save(folder / "f", ring))[0]
        numpy.testing.assert_allclose(found[0, 0], expected, rtol=0, atol=4 * numpy.finfo(float).eps)
        # For a deck whose source is linear in each axis, the solution is that of the expression.
        deck = {"physics": "laplace", "mesh": {"cells": [12, 8]}, "laplace": {"source": "(1 + x) * (2 - y)"}}
        (expected,) = self.snapshots(deck).values()
        deck["laplace"]["source"] = {"file": "f.npy", "interpolate": True}
        on_nodes = (1 + nodes(3))[None, :] * (2 - nodes(5))[:, None]
        (found,) = self.snapshots(deck, 2, lambda folder: numpy.save(folder / "f", on_nodes)).values()
        numpy.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)

    def test_large_files(self):
        """An offset beyond 32 bits, and more numbers than 32 bits can count, of which a run reads a few."""
        numbers = random(1, centres(8), 0, 0)
        hashes = []

        def sparse(size, *parts):
            def write(folder):
                with (folder / "f").open("wb") as file:
                    file.truncate(size)
                    for offset, data in parts:
                        file.seek(offset)
                        file.write(data)
            return write

        deck = {"physics": "heat", "mesh": {"cells": [8]}, "time": {"step": 1e-3, "steps": 0},
                "heat": {"initial": {"file": "f", "type": "float64", "dims": [8], "offset": 5 * 10**9}}}
        found = self.snapshots(deck, 2, sparse(6 * 10**9, (5 * 10**9, numbers.tobytes())),
                               lambda summary: hashes.append(summary["provenance"]["field_files"][0]["xxh3_128"]))
        numpy.testing.assert_array_equal(found[0].ravel(), numbers)
        self.assertEqual(hashes, [None], "a hash of 6 GB would take long")
        count = 3 * 10**9
        middle = count * 15 // 16  # the last cell's centre is between this entry and the one before it
        deck["heat"]["initial"] = {"file": "f", "type": "int8", "dims": [count], "interpolate": True}
        found = self.snapshots(deck, 2, sparse(count, (middle - 1, b"\x0a\x14")))[0].ravel()
        numpy.testing.assert_allclose(found, [0] * 7 + [15], rtol=0, atol=1e-5)

    def test_snapshots_of_our_own(self):
        """On cells and nodes, periodic or not; from a stretched mesh, values are interpolated from the positions of its
        cells."""
        def run(deck, output, folder, *more):
            (folder / "deck.yaml").write_text(json.dumps(deck))
            done = Run(["run", "deck.yaml", "--output", output, *more], folder)
            self.assertEqual((done.code, done.err), (0, ""), deck)
            (path,) = (folder / output).glob("snapshot_*.vt[ir]")
            with h5py.File(path) as file:
                data = file["VTKHDF/CellData/u" if "VTKHDF/CellData/u" in file else "VTKHDF/PointData/u"]
                return str(path.relative_to(folder)), data[:].reshape(data.attrs["shape"])

        with scratch() as name:
            folder = pathlib.Path(name)
            deck = {"physics": "heat", "mesh": {"cells": [9, 7], "growth": [1.1, 1]}, "heat": {"initial": "random(9)"},
                    "time": {"step": 1e-3, "steps": 0}}
            path, values = run(deck, "stretched", folder)
            deck["heat"]["initial"] = {"file": path, "field": "u"}
            _, again = run(deck, "again", folder, "--ranks", "3")
            numpy.testing.assert_array_equal(again, values)
            with h5py.File(folder / "stretched/mesh.h5") as mesh:
                edges = [mesh[axis][:] for axis in "xy"]
            deck["mesh"] = {"cells": [12, 7]}
            deck["heat"]["initial"]["interpolate"] = True
            _, found = run(deck, "interpolated", folder, "--ranks", "2")
            expected = linear((edges[0][1:] + edges[0][:-1]) / 2, values, centres(12), 2)
            numpy.testing.assert_allclose(found, expected, rtol=0, atol=4 * numpy.finfo(float).eps)
            deck["mesh"] = {"cells": [9, 7]}
            _, found = run(deck, "of_the_same_size", folder)
            expected = linear((edges[0][1:] + edges[0][:-1]) / 2, values, centres(9), 2)
            numpy.testing.assert_allclose(found, expected, rtol=0, atol=4 * numpy.finfo(float).eps)
            for interpolate, upper, message in (
                    (False, [1, 1], "is from another mesh, with other cells along x; `interpolate: true` interpolates"),
                    (True, [1, 2], "is from a mesh from 0 to 1 along y, but this mesh reaches from 0 to 2")):
                deck["heat"]["initial"]["interpolate"], deck["mesh"]["upper"] = interpolate, upper
                (folder / "deck.yaml").write_text(json.dumps(deck))
                for command in ("check", "run"):
                    done = Run([command, "deck.yaml"], folder)
                    self.assertEqual(done.code, 2)
                    self.assertIn(message, done.err)
            (folder / "stretched/mesh.h5").unlink()
            deck["mesh"]["upper"] = [1, 1]
            (folder / "deck.yaml").write_text(json.dumps(deck))
            done = Run(["check", "deck.yaml"], folder)
            self.assertEqual(done.code, 0, "without its mesh the entries are taken as they are")
            deck["mesh"]["cells"] = [12, 7]
            (folder / "deck.yaml").write_text(json.dumps(deck))
            done = Run(["check", "deck.yaml"], folder)
            self.assertEqual(done.code, 2)
            self.assertIn("has no mesh.h5 beside it, which holds the positions of its cells", done.err)
            # Its file repeats the first nodes of the periodic axis.
            periodic = {"physics": "laplace", "mesh": {"cells": [8, 6], "periodic": [True, False]},
                        "laplace": {"source": "sin(2*pi*x)"}}
            path, values = run(periodic, "nodes", folder)
            self.assertEqual(values.shape, (1, 7, 9))
            periodic["laplace"]["source"] = {"file": path, "field": "u"}
            _, from_snapshot = run(periodic, "from_snapshot", folder, "--ranks", "2")
            periodic["laplace"]["source"] = {"file": "f.npy"}
            numpy.save(folder / "f", values[0, :, :-1])
            _, from_array = run(periodic, "from_array", folder, "--ranks", "2")
            numpy.testing.assert_array_equal(from_snapshot, from_array)
            self.assertGreater(numpy.abs(from_array).max(), 0)

    def test_coefficients_between_cells(self):
        """Advection needs them on faces: one that only varies along the other axes gives the same result as an expression."""
        flow = {"velocity": {"x": "3 + y", "y": "2 - x"}, "diffusivity": "1 + 0*x", "source": 1, "boundary": {}}
        deck = {"physics": "advection", "mesh": {"cells": [16, 12]}, "advection": flow,
                "solver": {"method": "gmres", "gmres": {"relative_tolerance": 1e-12, "preconditioner": "multigrid"}}}
        (expected,) = self.snapshots(deck).values()
        x, y = centres(16)[None, :] + 0 * centres(12)[:, None], centres(12)[:, None] + 0 * centres(16)[None, :]

        def write(folder):
            numpy.save(folder / "v", numpy.stack([3 + y, 2 - x], axis=-1))
            numpy.save(folder / "k", numpy.ones((12, 16)))

        flow["velocity"] = {axis: {"file": "v.npy", "component": n} for n, axis in enumerate("xy")}
        flow["diffusivity"] = {"file": "k.npy"}
        for ranks in (1, 3):
            (found,) = self.snapshots(deck, ranks, write).values()
            numpy.testing.assert_allclose(found, expected, rtol=1e-9)

    def test_the_record_names_the_files(self):
        files = []

        def look(summary):
            files.append(summary["provenance"]["field_files"])

        def write(folder):
            numpy.save(folder / "a", numpy.ones(8))
            numpy.save(folder / "b", 2 * numpy.ones(8))
            numpy.save(folder / "c", numpy.ones(8))

        deck = {"physics": "wave", "mesh": {"cells": [8]}, "time": {"step": 1e-3, "steps": 1},
                "wave": {"initial": {"file": "a.npy"}, "speed": {"file": "b.npy"}, "initial_rate": {"file": "c.npy"}}}
        self.snapshots(deck, 2, write, look)
        self.assertEqual([(file["option"], file["path"], file["bytes"]) for file in files[0]],
                         [("wave.initial", "a.npy", 192), ("wave.initial_rate", "c.npy", 192),
                          ("wave.speed", "b.npy", 192)])
        first, same, other = (file["xxh3_128"] for file in files[0])
        self.assertRegex(first, "^[0-9a-f]{32}$")
        self.assertEqual(first, same)
        self.assertNotEqual(first, other)


if __name__ == "__main__":
    unittest.main()
