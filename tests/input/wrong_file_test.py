"""Unsuitable files for the values of a field, given to the real program: `check` and `run` end with exit code 2, print what
the file contains and what was expected, and leave no files."""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "end_to_end"))
from program import PROGRAM, without_shared  # noqa: E402

CELLS = [4, 3, 2]
GOOD = numpy.arange(24, dtype=float).reshape(2, 3, 4)


def with_entry(value, place=(1, 0, 2)):
    array = GOOD.copy()
    array[place] = value
    return array


def npy(array):
    def write(path):
        with path.open("wb") as file:
            numpy.save(file, array, allow_pickle=True)
    return write


def content(data):
    return lambda path: path.write_bytes(data)


def npy_header(descr="'<f8'", shape="(2, 3, 4)", order="False", version=b"\x01\x00"):
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + version + len(text).to_bytes(2 if version[0] == 1 else 4, "little") + text


def hdf5(name="data/field", array=GOOD, **more):
    def write(path):
        with h5py.File(path, "w") as file:
            if array is not None:
                file[name] = array
            for key, value in more.items():
                file[key] = value
    return write


def hdf5_dataset(**how):
    """Created, but never written."""
    def write(path):
        with h5py.File(path, "w") as file:
            file.create_dataset("data/field", **{"shape": GOOD.shape, "dtype": "f8", **how})
    return write


def hdf5_view(path):
    layout = h5py.VirtualLayout(GOOD.shape, "f8")
    layout[:] = h5py.VirtualSource("g", "data/field", GOOD.shape)
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("data/field", layout)


def damaged_hdf5(path):
    """With a checksum, and a number changed since."""
    hdf5_dataset(data=GOOD, fletcher32=True, chunks=(2, 3, 4))(path)
    path.write_bytes(path.read_bytes().replace(GOOD[1, 1, 1].tobytes(), GOOD[1, 1, 2].tobytes(), 1))


def cut(write, by):
    def cut_file(path):
        write(path)
        path.write_bytes(path.read_bytes()[:-by])
    return cut_file


def give_up_privileges():
    """From here on even root can only read what file permissions allow."""
    drop_from_bounding_set, bypass_permissions = 24, (1, 2)
    for capability in bypass_permissions:
        ctypes.CDLL(None).prctl(drop_from_bounding_set, capability, 0, 0, 0)


NPY = {"file": "f"}
RAW = {"file": "f", "type": "float64", "dims": [4, 3, 2]}
HDF5 = {"file": "f", "dataset": "data/field"}
SNAPSHOT = {"file": "f", "field": "u"}
SHAPE = "`f` has {} values along x, y, z (shape {}), and the mesh has 4 x 3 x 2 cells; `interpolate: true` accepts another " \
        "resolution"

# Name, how the file is made (None: not at all), the deck's entry for it, and the message after "`wave.initial`: ".
WRONG_FILES = [
    ("missing", None, NPY, "`f` cannot be opened: No such file or directory"),
    ("a folder", lambda path: path.mkdir(), NPY, "`f` is a folder, not a file"),
    ("a pipe", os.mkfifo, NPY, "`f` is a pipe or a device, not a file"),
    ("a device", lambda path: path.symlink_to("/dev/zero"), NPY, "`f` is a pipe or a device, not a file"),
    ("empty", content(b""), NPY,
     "`f` is not an .npy file; give `type` and `dims` for raw numbers, or `dataset` for an HDF5 file"),
    ("no .npy", content(b"0.5 0.25\n"), NPY,
     "`f` is not an .npy file; give `type` and `dims` for raw numbers, or `dataset` for an HDF5 file"),
    ("HDF5 for .npy", hdf5(), NPY, "`f` is not an .npy file; give `dataset` for an HDF5 file, or `field` for a snapshot"),
    ("unknown version", content(npy_header(version=b"\x09\x00")), NPY, "`f` is not an .npy file of version 1, 2 or 3"),
    ("ends within its header", content(npy_header()[:40]), NPY, "`f` ends within its header"),
    ("order that is no truth value", content(npy_header(order="TrueX")), NPY,
     "`f` has a malformed header: `}` is missing before `X, 'shape': (2, 3, 4), }\\n`"),
    ("key within a text", content(npy_header(order="""False, 'note': "'shape': (1,)\"""")), NPY,
     "`f` has a malformed header: `note` is unknown, or given twice"),
    ("key given twice", content(npy_header(order="False, 'fortran_order': True")), NPY,
     "`f` has a malformed header: `fortran_order` is unknown, or given twice"),
    ("only within a text", content(npy_header(descr="\"'descr': '<f8'\"")), NPY, "`f` holds numbers of type ''descr': '<f8'', not ..."),
    ("text after the header", content(npy_header(shape="(2, 3, 4)} {")), NPY,
     "`f` has a malformed header: more follows before ` {, }\\n`"),
    ("number for a shape", content(npy_header(shape="(24)")), NPY,
     "`f` has a malformed header: its shape is a number, not a tuple"),
    ("without a shape", content(npy_header(shape="None")), NPY, "`f` has a malformed header: `(` is missing before `None, }\\n`"),
    ("cut off", cut(npy(GOOD), 8), NPY,
     "`f` is cut off: it has 312 bytes, and an array of shape (2, 3, 4) of float64 takes 320 including the bytes before it"),
    ("too long", lambda path: path.write_bytes(npy_header() + bytes(200)), NPY,
     "`f` has 273 bytes, and an array of shape (2, 3, 4) of float64 takes 265 including the bytes before it"),
    ("more than files hold", content(npy_header(shape="(4294967296, 4294967296, 4)")), NPY,
     "`f` should hold an array of shape (4294967296, 4294967296, 4) of float64, which no file can hold"),
    ("complex", npy(GOOD.astype(complex)), NPY, "`f` holds complex numbers, not float32, float64 or integers"),
    ("booleans", npy(GOOD > 3), NPY, "`f` holds booleans, not float32, float64 or integers"),
    ("text", npy(GOOD.astype(str)), NPY, "`f` holds text, not float32, float64 or integers"),
    ("half precision", npy(GOOD.astype("f2")), NPY,
     "`f` holds numbers of type '<f2', not float32, float64 or integers"),
    ("objects", npy(GOOD.astype(object)), NPY, "`f` holds Python objects, not float32, float64 or integers"),
    ("records", npy(numpy.zeros((2, 3, 4), [("a", "f8")])), NPY,
     "`f` holds records or unknown numbers, not float32, float64 or integers"),
    ("axes the other way", npy(GOOD.T.copy()), NPY, SHAPE.format("2 x 3 x 4", "(4, 3, 2)")),
    ("another size", npy(numpy.zeros((2, 3, 5))), NPY, SHAPE.format("5 x 3 x 2", "(2, 3, 5)")),
    ("no entries", npy(numpy.zeros((2, 0, 4))), NPY, "`f` holds no values"),
    ("two axes", npy(GOOD[0]), NPY,
     "`f` has an array of shape (3, 4), and the mesh has 3 axes: expected an array indexed [z][y][x]"),
    ("several numbers an entry", npy(numpy.zeros((2, 3, 4, 2))), NPY,
     "`f` has an array of shape (2, 3, 4, 2), with 2 numbers an entry for 3 axes; choose one with `component`, from 0, "
     "or give an array with as many axes as the mesh"),
    ("one number an entry", npy(GOOD), {**NPY, "component": 0},
     "`f` has an array of shape (2, 3, 4), without a last axis for `component`; leave `component` out"),
    ("no such component", npy(numpy.zeros((2, 3, 4, 2))), {**NPY, "component": 2},
     "`f` has 2 numbers an entry, but no component 2: components count from 0"),
    ("raw, cut off", content(GOOD.tobytes()[:-1]), RAW,
     "`f` is cut off: it has 191 bytes, and an array of shape (2, 3, 4) of float64 takes 192"),
    ("raw, of another type", content(GOOD.tobytes()), {**RAW, "type": "float32"},
     "`f` has 192 bytes, and an array of shape (2, 3, 4) of float32 takes 96"),
    ("raw, offset beyond the end", content(GOOD.tobytes()), {**RAW, "offset": 8},
     "`f` is cut off: it has 192 bytes, and an array of shape (2, 3, 4) of float64 takes 200 including the bytes before it"),
    ("raw, of another size", content(bytes(8 * 60)), {**RAW, "dims": [5, 4, 3]}, SHAPE.format("5 x 4 x 3", "(3, 4, 5)")),
    ("raw, of two axes", content(bytes(8 * 12)), {**RAW, "dims": [4, 3]},
     "`f` has an array of shape (3, 4), and the mesh has 3 axes: expected an array indexed [z][y][x]"),
    ("no HDF5", npy(GOOD), HDF5, "`f` is not an HDF5 file"),
    ("HDF5, cut off", cut(hdf5(), 100), HDF5, "`f` cannot be opened as an HDF5 file: truncated file: ..."),
    ("no such dataset", hdf5("data/fields"), HDF5, "`f` has no dataset `data/field`; did you mean `data/fields`?"),
    ("dataset elsewhere", hdf5("rho"), HDF5, "`f` has no dataset `data/field`; there are: rho"),
    ("no datasets", hdf5(array=None), HDF5, "`f` has no dataset `data/field`; there is none"),
    ("a group", hdf5("data/field/u"), HDF5, "`f` has no dataset `data/field`; did you mean ..."),
    ("a view of another file", hdf5_view, HDF5,
     "`f` has a dataset `data/field` whose values are in other files; give a dataset that contains its values"),
    ("values in another file", hdf5_dataset(external=[("g", 0, 192)]), HDF5,
     "`f` has a dataset `data/field` whose values are in other files; give a dataset that contains its values"),
    ("a dataset without values", hdf5_dataset(), HDF5, "`f` has a dataset `data/field` that was never written"),
    ("a filter that is not there", hdf5_dataset(data=GOOD, compression="lzf"), HDF5,
     "`f` has a dataset `data/field` that is stored with the filter `lzf`, which this HDF5 lacks; use gzip"),
    ("a damaged dataset", damaged_hdf5, HDF5, "`f` holds values that HDF5 cannot read: ..."),
    ("a name that is none", None, {"file": "f\x1b[31m\n"}, "`f\\x1b[31m\\n` cannot be opened: No such file or directory"),
    ("dataset of text", hdf5(array="text"), HDF5,
     "`f` holds in dataset `data/field` text, not float32, float64 or integers"),
    ("dataset of booleans", hdf5(array=GOOD > 3), HDF5,
     "`f` holds in dataset `data/field` booleans or names, not float32, float64 or integers"),
    ("complex dataset", hdf5(array=GOOD.astype(complex)), HDF5,
     "`f` holds in dataset `data/field` records or complex numbers, not float32, float64 or integers"),
    ("one number", hdf5(array=3.0), HDF5,
     "`f` has an array of shape (), and the mesh has 3 axes: expected an array indexed [z][y][x]"),
    ("dataset of another size", hdf5(array=numpy.zeros((2, 3, 8))), HDF5, SHAPE.format("8 x 3 x 2", "(2, 3, 8)")),
    ("no snapshot", hdf5(), SNAPSHOT, "`f` is not a snapshot of a mesh written by Halocline"),
    ("no snapshot of a mesh", hdf5("VTKHDF/CellData/u"), SNAPSHOT, "`f` is not a snapshot of a mesh written by Halocline"),
    ("no such field", hdf5("VTKHDF/CellData/density"), {**SNAPSHOT, "field": "densty"},
     "`f` has no field `densty`; did you mean `density`?"),
    ("NaN", npy(with_entry(numpy.nan)), NPY, "`f` holds a value that is not finite: entry [1][0][2] ([z][y][x]) is nan"),
    ("infinity", npy(numpy.asfortranarray(with_entry(-numpy.inf))), NPY,
     "`f` holds a value that is not finite: entry [1][0][2] ([z][y][x]) is -inf"),
    ("the first of several", npy(numpy.asfortranarray(numpy.where(GOOD % 5 == 3, numpy.nan, GOOD))), NPY,
     "`f` holds a value that is not finite: entry [0][0][3] ([z][y][x]) is nan"),
    ("NaN of a component", npy(numpy.stack([GOOD, with_entry(numpy.nan)], -1)), {**NPY, "component": 1},
     "`f` holds a value that is not finite: entry [1][0][2][1] ([z][y][x]) is nan"),
    ("raw, in the wrong byte order", content(with_entry(numpy.nan).astype(">f8").tobytes()),
     {**RAW, "byte_order": "big"}, "`f` holds a value that is not finite: entry [1][0][2] ([z][y][x]) is nan"),
    ("NaN in a dataset", hdf5(array=with_entry(numpy.nan)), HDF5,
     "`f` holds a value that is not finite: entry [1][0][2] ([z][y][x]) is nan"),
]

# Name, the deck's entry, and the message, line by line.
WRONG_OPTIONS = [
    ("unknown option", {"fil": "f"}, ["`wave.initial.file`: missing (deck:1:71); it is required: ...",
                                      "`fil`: unknown in wave.initial (deck:1:72); did you mean `file`?"]),
    ("no path", {"file": ""}, ["`wave.initial.file`: expected a path, got none ..."]),
    ("unknown type", {"file": "f", "type": "float", "dims": [4, 3, 2]},
     ["`wave.initial.type`: expected one of float32, ..."]),
    ("without dims", {"file": "f", "type": "float32"},
     ["`wave.initial.dims`: missing (deck:1:71); raw numbers need `type` and `dims`"]),
    ("without a type", {"file": "f", "offset": 4},
     ["`wave.initial.type`: missing (deck:1:71); raw numbers need `type` and `dims`",
      "`wave.initial.dims`: missing (deck:1:71); raw numbers need `type` and `dims`"]),
    ("no entries", {"file": "f", "type": "float32", "dims": [4, 0, 2]},
     ["`wave.initial.dims[1]`: 0 is out of range: must be at least 1 ..."]),
    ("before the file", {"file": "f", "type": "float32", "dims": [4, 3, 2], "offset": -1},
     ["`wave.initial.offset`: -1 is out of range: must be at least 0 bytes ..."]),
    ("two formats", {"file": "f", "dataset": "u", "field": "u"},
     ["`wave.initial.field`: given together with `dataset` ..."]),
    ("raw numbers of HDF5", {"file": "f", "type": "float32", "dims": [4, 3, 2], "dataset": "u"},
     ["`wave.initial.dataset`: given together with options of raw numbers ..."]),
    ("component of raw numbers", {"file": "f", "type": "float32", "dims": [4, 3, 2], "component": 0},
     ["`wave.initial.component`: not used by raw numbers ..."]),
    ("a list", ["f"], ["`wave.initial`: expected a number, an expression of x, y, z and t or a file, got a list ..."]),
]


class WrongFile(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.file = self.folder / "f"

    def deck(self, source, option="initial", **more):
        return {"physics": "wave", "mesh": {"cells": CELLS}, "wave": {option: source}, "time": {"step": 1e-3, "steps": 1},
                **more}

    def expect(self, deck, lines, commands=(["check", "deck"], ["run", "deck"]), prepare=None):
        """Both commands end with 2 and these lines; "..." stands for the rest of one. No file appears or disappears."""
        (self.folder / "deck").write_text(json.dumps(deck))
        before = sorted(self.folder.rglob("*"))
        for command in commands:
            done = subprocess.run([PROGRAM, *command], cwd=self.folder, capture_output=True, text=True, timeout=600,
                                  preexec_fn=prepare)
            said = without_shared(done.stderr).removeprefix("halocline: ").splitlines()
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(len(said), len(lines), done.stderr)
            for line, expected in zip(said, lines):
                start, dots, _ = expected.partition("...")
                self.assertEqual(line[: len(start)] if dots else line, start)
            self.assertEqual(sorted(self.folder.rglob("*")), before, "something was written")

    def remove(self):
        if self.file.is_dir() and not self.file.is_symlink():
            self.file.rmdir()
        else:
            self.file.unlink(missing_ok=True)

    def test_files(self):
        for name, write, source, message in WRONG_FILES:
            with self.subTest(name):
                self.remove()
                if write:
                    write(self.file)
                place = "" if message.endswith("...") else " (deck:1:71)"
                self.expect(self.deck(source), [f"`wave.initial`: {message}{place}"])

    def test_snapshot_without_a_field(self):
        for name, write in (("a.vti", content(b"<?xml version='1.0'?>")), ("a.vtr", content(b"<VTKFile>")), ("a.vtkhdf", hdf5())):
            with self.subTest(name):
                write(self.folder / name)
                self.expect(self.deck({"file": name}), [f"`wave.initial`: `{name}` is not an .npy file; for a snapshot, `field` "
                                                        "names the field in it (deck:1:71)"])

    def test_no_permission(self):
        npy(GOOD)(self.file)
        self.file.chmod(0)
        self.expect(self.deck(NPY), ["`wave.initial`: `f` cannot be opened: Permission denied (deck:1:71)"],
                    prepare=give_up_privileges)

    def test_options(self):
        npy(GOOD)(self.file)
        for name, source, lines in WRONG_OPTIONS:
            with self.subTest(name):
                self.expect(self.deck(source), lines)

    def test_all_ranks_say_the_same(self):
        """One message, about the first entry in the file, whichever rank has read it."""
        deck = self.deck(NPY)
        deck["mesh"]["cells"] = [16, 3, 2]
        array = numpy.zeros((2, 3, 16))
        array[0, 0, 14], array[0, 1, 8], array[1, 2, 3] = numpy.nan, numpy.inf, numpy.nan  # on ranks 2, 1 and 0
        npy(array)(self.file)
        self.expect(deck, ["`wave.initial`: `f` holds a value that is not finite: entry [0][0][14] ([z][y][x]) is nan "
                           "(deck:1:72)"], [["run", "deck", "--ranks", "3"]])

    def test_beyond_single_precision(self):
        npy(with_entry(-1e300))(self.file)
        self.expect(self.deck(NPY, precision="single"),
                    ["`wave.initial`: `f` does not fit into single precision: entry [1][0][2] ([z][y][x]) is -1e+300; use `precision: double`, or scale it (deck:1:71)"])

    def test_several_files(self):
        """Every wrong file is reported."""
        deck = self.deck(NPY)
        deck["wave"]["speed"] = {"file": "g"}
        self.expect(deck, ["`wave.initial`: `f` cannot be opened: No such file or directory (deck:1:71)",
                           "`wave.speed`: `g` cannot be opened: No such file or directory (deck:1:95)"])

    def test_not_above_zero(self):
        npy(GOOD - 3)(self.file)
        self.expect(self.deck(NPY, "speed"), ["`wave.speed`: `f` (deck:1:69) is not above 0 everywhere"], [["run", "deck"]])

    def test_nothing_is_wrong_with_the_good_one(self):
        npy(GOOD)(self.file)
        (self.folder / "deck").write_text(json.dumps(self.deck(NPY)))
        for command in ("check", "run"):
            done = subprocess.run([PROGRAM, command, "deck"], cwd=self.folder, capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
