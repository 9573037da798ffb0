"""Folders of runs that somebody else has made or damaged: nothing outside of them is read or written, no code of theirs is
loaded, and every command ends soon, with one message and exit code 2 or 4."""

import ctypes
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import sys
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "end_to_end"))
from program import Run, scratch  # noqa: E402

CHOOSING = pathlib.Path(sys.argv.pop(1)).resolve()

DECK = """
physics: heat
mesh: {cells: [8, 6]}
heat: {initial: 1 + x*y}
time: {step: 0.01, steps: 8}
output: {snapshots: {interval: 4}}
checkpoint: {every: {steps: 4}, keep: 2}
"""
CHECKPOINTS = ("checkpoint_000004", "checkpoint_000008")
ON = ("restart", "run.out", "--quiet", "--set", "time.steps=9")


class Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


XXHASH = ctypes.CDLL("libxxhash.so.0")
XXHASH.XXH3_128bits.restype = Hash
XXHASH.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def checksum(data):
    found = XXHASH.XXH3_128bits(data, len(data))
    return f"{found.high:016x}{found.low:016x}"


def record_of(path):
    """A manifest or a summary. Its numbers with a point keep their digits, as texts: others may be as near to the same number."""
    return json.loads(path.read_text(), parse_float="digits {}".format)


def signed(record, indent):
    """The text of a record_of a manifest (indent 1) or a summary (2) with the checksum that belongs to it: anybody can compute
    it."""
    def text_of(values):
        return re.sub('"digits ([^"]*)"', r"\1", json.dumps(values, indent=indent, ensure_ascii=False))

    record = {name: value for name, value in record.items() if name != "xxh3_128"}
    return text_of({**record, "xxh3_128": checksum(text_of(record).encode())}) + "\n"


def contents(folder):
    """Everything in a folder, without following links."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = (os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None)
    return found


class HostileFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = scratch()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.good = pathlib.Path(cls.scratch.name) / "good"
        cls.good.mkdir()
        (cls.good / "run.yaml").write_text(DECK)
        run = Run(["run", "run.yaml", "--quiet"], cls.good)
        assert (run.code, run.err) == (0, ""), run.err

    def copy(self):
        """A folder with a copy of the run: `run.yaml`, `run.out`."""
        place = scratch()
        self.addCleanup(place.cleanup)
        folder = pathlib.Path(place.name) / "here"
        shutil.copytree(self.good, folder)
        return folder

    def change_manifests(self, folder, change):
        for name in CHECKPOINTS:
            path = folder / "run.out" / name / "manifest.json"
            manifest = record_of(path)
            change(manifest)
            path.write_text(signed(manifest, 1))

    def expect(self, run, codes, *texts):
        """One message, which has these texts, and one of these exit codes."""
        self.assertIn(run.code, codes, run.said)
        if run.code:
            self.assertEqual(len(re.findall("^halocline: ", run.err, re.MULTILINE)), 1, run.err)
        self.assertNotIn("defect", run.err)
        for text in texts:
            self.assertIn(text, run.err)

    def run_in(self, folder, *words, **more):
        return Run(words, folder, **more)

    # Names

    def test_the_test_can_sign(self):
        folder = self.copy()
        self.change_manifests(folder, lambda manifest: None)
        self.assertEqual(contents(folder), contents(self.good))
        summary = folder / "run.out/summary.json"
        self.assertEqual(signed(record_of(summary), 2), summary.read_text())

    def test_tables_are_names_of_tables(self):
        outside = self.copy()
        for name in ("../victim.txt", str(outside / "victim.txt"), "notes.txt", "..", ""):
            with self.subTest(name=name):
                folder = self.copy()
                for victim in (folder / "victim.txt", outside / "victim.txt", folder / "run.out/notes.txt"):
                    victim.write_text("mine")

                def change(manifest):
                    manifest["run"]["output"]["record"]["tables"][0].update(name=name, bytes=0, xxh3_128=checksum(b""))

                self.change_manifests(folder, change)
                before = contents(folder), contents(outside)
                self.expect(self.run_in(folder, *ON), [4], f"`{name}` is not a table of a run")
                self.assertEqual((contents(folder), contents(outside)), before)

    def test_state_files_are_names(self):
        for name in ("../../victim.txt", "/etc/hostname", ".", "..", "", "inside/x.h5", "a\x1b[31m\nb"):
            with self.subTest(name=name):
                folder = self.copy()
                self.change_manifests(folder, lambda manifest: manifest["files"][0].update(name=name))
                shown = name.replace("\x1b", "\\x1b").replace("\n", "\\n")
                self.expect(self.run_in(folder, "verify", "run.out"), [4], f"`{shown}` is not a name of a file in this folder")

    def test_files_of_a_summary_are_names(self):
        folder = self.copy()
        (folder / "victim.txt").write_text("mine")
        path = folder / "run.out/summary.json"
        summary = record_of(path)
        summary["files"].append({"name": "../victim.txt", "bytes": 4, "xxh3_128": checksum(b"mean")})
        summary["files"].append({"name": "../missing.txt", "bytes": -1, "xxh3_128": ""})
        path.write_text(signed(summary, 2))
        run = self.run_in(folder, "verify", "run.out")
        self.expect(run, [4], "lists `../victim.txt`, which names no file of its folder")
        self.assertIn("has an entry in `files` that is none of a run's: {\"name\":\"../missing.txt\"", run.err + run.out)

    def test_links_do_not_lead_out_of_the_folder(self):
        folder = self.copy()
        table = folder / "run.out/scalars.csv"
        victim = folder / "victim.csv"
        victim.write_text(table.read_text() + "more\n")
        table.unlink()
        table.symlink_to(victim)
        before = contents(folder)
        self.expect(self.run_in(folder, *ON), [4], "run.out/scalars.csv: it is a link")
        self.assertEqual(contents(folder), before)

    def test_a_second_name_of_a_table_keeps_its_rows(self):
        folder = self.copy()
        table = folder / "run.out/scalars.csv"
        wanted = table.read_text()
        (folder / "backup.csv").hardlink_to(table)
        shutil.rmtree(folder / "run.out" / CHECKPOINTS[1])
        self.expect(self.run_in(folder, "restart", "run.out", "--quiet"), [0])
        self.assertEqual((folder / "backup.csv").read_text(), wanted)
        self.assertEqual(table.read_text(), wanted)

    def test_a_checkpoint_is_no_link(self):
        folder = self.copy()
        for name in CHECKPOINTS:
            shutil.move(folder / "run.out" / name, folder / name)
            (folder / "run.out" / name).symlink_to(folder / name)
        before = contents(folder)
        self.expect(self.run_in(folder, *ON), [4], "checkpoint_000008: it is a link")
        self.assertEqual(contents(folder), before)
        self.expect(self.run_in(folder, "run", "run.yaml", "--quiet", "--overwrite", "--set", "time.steps=1"), [0])
        for name in CHECKPOINTS:
            self.assertTrue((folder / name / "manifest.json").exists())

    # Values

    def test_values_are_checked(self):
        def of(*path, value):
            def change(manifest):
                for name in path[:-1]:
                    manifest = manifest[name]
                manifest[path[-1]] = value
            return change

        tables = ("run", "output", "record", "tables", 0)
        solves = ("run", "output", "record", "solves")
        for path, value in (((*tables, "bytes"), -1), ((*tables, "bytes"), 2**62), ((*tables, "bytes"), 2**64 - 1),
                            (("files", 0, "bytes"), -1), (("files", 0, "blocks", 0, 1, 0), 2**63 - 1),
                            (("run", "schedule", "taken"), -1), (("run", "schedule", "taken"), 1.5),
                            (("run", "schedule", "time"), None), (("run", "schedule", "next_outputs"), [-5, 1]),
                            (("run", "start", "ranks"), 2**40), (("run", "start", "set"), 5), (("step",), -1), (("step",), 3),
                            (("run", "output"), []), (("run", "output", "solves"), None),
                            (("run", "output", "record"), {}), ((*tables[:-1],), None), ((*solves,), "none"),
                            ((*solves, "totals", "count"), -1), ((*solves, "totals", "seconds"), "nan"),
                            ((*solves, "first"), [{"iterations": 2**63}]),
                            (("run", "output", "snapshots"), [[-1, 0]]), (("run", "output", "conservation"), 7)):
            with self.subTest(path=path, value=value):
                folder = self.copy()
                self.change_manifests(folder, of(*path, value=value))
                before = contents(folder)
                self.expect(self.run_in(folder, *ON), [4], "holds no intact checkpoint to continue from", "manifest.json is damaged")
                self.assertEqual(contents(folder), before)

    def test_parts_of_a_record_may_be_missing(self):
        for name in ("steps", "parts", "tables", "solves"):
            with self.subTest(name=name):
                folder = self.copy()
                self.change_manifests(folder, lambda manifest, name=name: manifest["run"]["output"]["record"].pop(name))
                self.expect(self.run_in(folder, *ON), [4], "holds no intact checkpoint to continue from", "manifest.json is damaged")

    def test_files_that_a_summary_says_it_read_are_checked(self):
        """A summary with anything else in their place is not that of this deck: the run goes on from its checkpoint."""
        for files in (5, "none", [7], [{"option": "u", "path": "u.npy", "bytes": -1, "xxh3_128": None}]):
            for name in ("field_files", "plugins"):
                with self.subTest(name=name, files=files):
                    folder = self.copy()
                    path = folder / "run.out/summary.json"
                    summary = record_of(path)
                    summary["provenance"][name] = files
                    path.write_text(signed(summary, 2))
                    self.expect(self.run_in(folder, "run", "run.yaml", "--continue", "--quiet"), [0])
                    self.assertNotIn(name, record_of(path)["provenance"])

    def test_all_is_checked_before_anything_is_cut(self):
        """The newest checkpoint and the rows after the other one are what is lost by cutting."""
        folder = self.copy()
        shutil.rmtree(folder / "run.out" / CHECKPOINTS[1])
        before = contents(folder)
        self.expect(self.run_in(folder, *ON, "--set", "heat.exact=x"), [2], "scalars.csv has other columns than the run that continues it")
        self.assertEqual(contents(folder), before)
        (folder / "run.out/slice_u.png").mkdir()
        before = contents(folder)
        self.expect(self.run_in(folder, *ON), [4], "run.out/slice_u.png is a folder, but has the name of a file of a run")
        self.assertEqual(contents(folder), before)

    # Code

    def test_a_plugin_is_loaded_only_if_the_command_names_it(self):
        folder = self.copy()
        deck = folder / "choosing.yaml"
        deck.write_text("physics: choosing\nmesh: {cells: [8]}\ntime: {end: 1}\nchoosing: {what: suggested, length: 0.1}\n"
                        "checkpoint: {every: {steps: 4}}\n")
        self.expect(self.run_in(folder, "run", deck.name, "--quiet", "--plugin", CHOOSING), [0])
        loaded = {"environment": {"CHOOSING_LOADED": str(folder / "loaded")}}
        before = contents(folder)
        run = self.run_in(folder, "restart", "choosing.out", "--quiet", **loaded)
        self.expect(run, [2], f"`halocline restart choosing.out --quiet --plugin {CHOOSING}`")
        self.assertEqual(contents(folder), before)
        named = re.search("`halocline (.*)`", run.err)[1].split()
        self.expect(self.run_in(folder, *named, "--set", "time.end=1.2", **loaded), [0])
        self.assertTrue((folder / "loaded").exists())
        # A chain of jobs has one command, which names it.
        self.expect(self.run_in(folder, "run", deck.name, "--quiet", "--plugin", CHOOSING, "--continue", "--set", "time.end=1.4"), [0])
        # Nor does a folder of a shipped physics load one.
        (folder / "loaded").unlink()
        self.change_manifests(folder, lambda manifest: manifest["run"]["start"].update(plugins=[str(CHOOSING)]))
        self.expect(self.run_in(folder, *ON, **loaded), [2], f"--plugin {CHOOSING}`")
        self.assertFalse((folder / "loaded").exists())

    # What is in the place of a file

    def place(self, path, kind):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        elif kind == "loop":
            path.symlink_to(path.name)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as end:
                # Names of sockets are short.
                here = os.getcwd()
                os.chdir(path.parent)
                end.bind(path.name)
                os.chdir(here)

    def test_what_is_no_file_is_read_by_nobody(self):
        files = ("summary.json", "scalars.csv", "snapshots.xdmf", "mesh.h5", "snapshot_000004.vti",
                 "checkpoint_000008/manifest.json", "checkpoint_000008/state_00000.h5")
        for kind in ("pipe", "folder", "loop", "device", "socket"):
            folder = self.copy()
            for name in files:
                path = folder / "run.out" / name
                self.place(path, kind)
                with self.subTest(kind=kind, name=name):
                    self.expect(self.run_in(folder, "verify", "run.out"), [4], f"run.out/{name.split('/')[0]}")
                    if kind != "folder":
                        self.expect(self.run_in(folder, "verify", f"run.out/{name}"), [4])
                    if name in ("scalars.csv", "snapshot_000004.vti"):
                        self.expect(self.run_in(folder, "diff", "run.out", self.good / "run.out"), [4], path.name)
                shutil.rmtree(folder)
                shutil.copytree(self.good, folder)

    def test_a_run_goes_on_beside_what_is_no_file_if_it_needs_no_file_there(self):
        # Files that a run reads before it goes on, files that it replaces, and files that it needs no more.
        files = {"summary.json": "read", "scalars.csv": "read", "snapshots.xdmf": "replaced", "mesh.h5": "replaced",
                 "snapshot_000004.vti": "left", "checkpoint_000008/manifest.json": "another read",
                 "checkpoint_000008/state_00000.h5": "another read"}
        for kind, (name, use) in itertools.product(("pipe", "folder", "loop", "device", "socket"), files.items()):
            for words in (ON, ("run", "run.yaml", "--continue", *ON[2:])):
                with self.subTest(kind=kind, name=name, command=words[0]):
                    folder = self.copy()
                    path = folder / "run.out" / name
                    self.place(path, kind)
                    before = contents(folder)
                    run = self.run_in(folder, *words)
                    if use == "read":
                        self.expect(run, [4], f"run.out/{name}: ")
                        self.assertEqual(contents(folder), before)
                    elif use == "replaced" and kind == "folder":
                        self.expect(run, [4], "cannot write ", f"run.out/{name}: Is a directory\n")
                    else:
                        self.assertEqual((run.code, run.err), (0, ""))
                        self.assertEqual(run.summary()["steps"], 9)
                        self.assertEqual(contents(folder)[f"run.out/{name}"] == before[f"run.out/{name}"], use == "left")
                        # What was in the way is gone, and no link was followed.
                        self.assertEqual(path.is_file() and not path.is_symlink(), use != "left")

    def test_a_run_goes_on_from_the_checkpoint_before_a_pipe(self):
        for name in ("manifest.json", "state_00000.h5"):
            folder = self.copy()
            self.place(folder / "run.out" / CHECKPOINTS[1] / name, "pipe")
            self.expect(self.run_in(folder, "restart", "run.out", "--quiet"), [0])

    def test_json_is_not_nested_without_end(self):
        deep = "[" * 200_000 + "]" * 200_000
        folder = self.copy()
        (folder / "run.out/summary.json").write_text('{"files": ' + deep + "}")
        self.expect(self.run_in(folder, "verify", "run.out"), [4], "summary.json: is not a complete JSON object")
        self.expect(self.run_in(folder, "run", "run.yaml", "--continue", "--quiet", "--set", "time.steps=9"), [0])
        for manifest in folder.glob("run.out/checkpoint_*/manifest.json"):
            manifest.write_text('{"run": ' + deep + "}")
        self.expect(self.run_in(folder, "verify", "run.out"), [4], "manifest.json is damaged")
        self.expect(self.run_in(folder, *ON), [4], "manifest.json is damaged")

    def test_values_are_those_of_the_file_itself(self):
        folder = self.copy()
        output = folder / "run.out"
        with h5py.File(folder / "other.h5", "w") as file:
            file["u"] = [[1.0] * 8] * 6
        os.mkfifo(folder / "pipe.h5")
        whole = (output / "snapshot_000004.vti").read_bytes()
        state = output / "checkpoint_000008/state_00000.h5"
        for target in ("other.h5", "pipe.h5"):
            with self.subTest(target=target):
                (output / "snapshot_000004.vti").write_bytes(whole)
                with h5py.File(output / "snapshot_000004.vti", "r+") as file:
                    del file["VTKHDF/CellData/u"]
                    file["VTKHDF/CellData/u"] = h5py.ExternalLink(str(folder / target), "/u")
                for words in (("verify", "run.out"), ("diff", "run.out", self.good / "run.out")):
                    self.expect(self.run_in(folder, *words), [4], "`VTKHDF/CellData/u` is a link to another file")
                with h5py.File(folder / "link.h5", "w") as file:
                    file["u"] = h5py.ExternalLink(str(folder / target), "/u")
                    file["soft"] = h5py.SoftLink("/u")
                for dataset in ("u", "soft"):
                    initial = f"heat.initial={{file: link.h5, dataset: {dataset}}}"
                    self.expect(self.run_in(folder, "check", "run.yaml", "--set", initial), [2], "a link to another file")
                with h5py.File(state, "r+") as file:
                    del file["u/block_0"]
                    file["u/block_0"] = h5py.ExternalLink(str(folder / target), "/u")
                data = state.read_bytes()
                self.change_manifests(folder, lambda manifest: manifest["files"][0].update(
                    bytes=len(data), xxh3_128=checksum(data)) if manifest["step"] == 8 else None)
                self.expect(self.run_in(folder, *ON), [4], "`u/block_0` is a link to another file")

    def test_an_hdf5_file_that_claims_more_than_it_has(self):
        folder = self.copy()
        path = folder / "run.out/snapshot_000004.vti"
        for shape in ((2**62,), (2**40, 2, 2)):
            shutil.copy(self.good / "run.out/snapshot_000004.vti", path)
            with h5py.File(path, "r+") as file:
                del file["VTKHDF/CellData/u"]
                huge = file.create_dataset("VTKHDF/CellData/u", shape, "f8", chunks=(1,) * len(shape))
                huge.attrs["shape"] = [1, 6, 8]
                file.attrs["header_checksum"] = list(range(100_000 // 8 % 4000))
                del file.attrs["time"]
                file.attrs["time"] = [0.5] * 1000
            self.expect(self.run_in(folder, "verify", "run.out"), [4], "snapshot_000004.vti")
            self.expect(self.run_in(folder, "diff", "run.out", self.good / "run.out"), [4], "snapshot_000004.vti")

    def test_a_working_directory_that_was_deleted(self):
        folder = self.copy()
        gone = 'mkdir "$1/gone"; cd "$1/gone"; rmdir "$1/gone"; shift; exec "$@"'
        launcher = ("/bin/sh", "-c", gone, "sh", str(folder))
        for words in (("run", folder / "run.yaml", "--output", folder / "new.out"), ("run", folder / "run.yaml"),
                      ("restart", folder / "run.out"), ("check", "run.yaml"), ("verify", "run.out"), ("diff", "run.out", "run.out")):
            with self.subTest(words=words):
                self.expect(self.run_in(folder, *words, launcher=launcher), [2, 4])
        self.assertFalse((folder / "new.out").exists())
        self.expect(self.run_in(folder, "verify", folder / "run.out", launcher=launcher), [0])

    # What the words of a command and a deck say

    def test_limits_beyond_any_clock_are_none(self):
        folder = self.copy()
        for words in (("--wall-limit", "1e10"), ("--wall-limit", "1e300h"), ("--set", "checkpoint.keep=3000000000"),
                      ("--sweep", "time.steps=3,4", "--wall-limit", "1e10")):
            with self.subTest(words=words):
                run = self.run_in(folder, "run", "run.yaml", "--quiet", "--output", "new.out", "--overwrite",
                                  "--set", "checkpoint.every.steps=2", *words)
                self.expect(run, [0])
                if "--set" in words:
                    self.assertEqual(len(list((folder / "new.out").glob("checkpoint_*"))), 4)
        self.expect(self.run_in(folder, "run", "run.yaml", "--quiet", "--output", "new.out", "--overwrite", "--ranks", "2",
                                environment={"HALOCLINE_START_SECONDS": "inf"}), [0])

    # verify and diff

    def test_verify_sees_what_is_added(self):
        names = [name for name, value in contents(self.good).items() if value is not None and name.startswith("run.out/")]
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            if name.endswith("halocline.lock"):
                continue
            for more in (b"\0", b"\n", b" " * 5000):
                folder = self.copy()
                with (folder / name).open("ab") as file:
                    file.write(more)
                with self.subTest(name=name, more=more[:1]):
                    self.expect(self.run_in(folder, "verify", "run.out"), [4], name.split("/")[-1])

    def test_verify_sees_changed_spaces(self):
        for name in ("summary.json", "checkpoint_000008/manifest.json"):
            folder = self.copy()
            path = folder / "run.out" / name
            path.write_text(path.read_text().replace(": ", ":  ", 1))
            self.expect(self.run_in(folder, "verify", "run.out"), [4], path.name)

    def test_a_series_without_a_checksum_is_read(self):
        folder = self.copy()
        (folder / "run.out/summary.json").unlink()
        series = folder / "run.out/snapshots.xdmf"
        series.write_text(series.read_text()[:-20])
        self.expect(self.run_in(folder, "verify", "run.out/snapshots.xdmf"), [4], "is not a complete series of snapshots")

    def test_verify_follows_no_links_between_runs_of_a_sweep(self):
        folder = self.copy()
        (folder / "run.out/sweep.csv").write_text("folder\n")
        for name in ("a", "b"):
            (folder / "run.out" / name).symlink_to(".")
        run = self.run_in(folder, "verify", "run.out")
        self.assertEqual(run.code, 0, run.err)
        self.assertRegex(run.out, "^run.out: 1[0-9] files intact")

    def test_diff_knows_what_it_cannot_read(self):
        folder = self.copy()
        table = folder / "run.out/scalars.csv"
        rows = table.read_text().splitlines()
        for cells in (("one", "other"), ("one", "one"), ("0x10", "0x10"), ("", "")):
            with self.subTest(cells=cells):
                for path, cell in ((table, cells[0]), (folder / "other.out/scalars.csv", cells[1])):
                    path.parent.mkdir(exist_ok=True)
                    path.write_text("\n".join([*rows[:3], rows[3].rsplit(",", 1)[0] + f",{cell}", *rows[4:]]) + "\n")
                self.expect(self.run_in(folder, "diff", "run.out", "other.out"), [4],
                            f"scalars.csv: line 4: `{cells[0]}` in the column `")

    def test_diff_reads_names_with_commas(self):
        folder = self.copy()
        for name in ("one.out", "other.out"):
            (folder / name).mkdir()
            (folder / name / "scalars.csv").write_text('step,time,"at (1, 2) ""a"""\n0,0,nan\n1,0.5,3\n')
        run = self.run_in(folder, "diff", "one.out", "other.out")
        self.assertEqual((run.code, run.out.splitlines()[-1]), (0, "same bits"), run.err)

    # Control characters

    def test_control_characters_are_escaped(self):
        folder = self.copy()
        wild = "a\x1b[31m\n\x07b"
        shown = "a\\x1b[31m\\n\\x07b"
        deck = folder / f"{wild}.yaml"
        deck.write_text(DECK.replace("physics: heat", "physics: heat\nmash: 1"))
        runs = [self.run_in(folder, "run", deck.name), self.run_in(folder, "check", deck.name)]
        deck.write_text(DECK)
        runs += [self.run_in(folder, "run", deck.name, "-v"), self.run_in(folder, "check", deck.name),
                 self.run_in(folder, "verify", f"{wild}.out"), self.run_in(folder, "verify", f"{wild}.none"),
                 self.run_in(folder, "diff", f"{wild}.out", f"{wild}.none"), self.run_in(folder, "run", f"{wild}.none"),
                 self.run_in(folder, "restart", f"{wild}.none"),
                 self.run_in(folder, "run", deck.name, "--plugin", f"{wild}.so")]
        with h5py.File(folder / f"{wild}.out/snapshot_000004.vti", "r+") as file:
            file.move("VTKHDF/CellData/u", f"VTKHDF/CellData/{wild}")
        runs += [self.run_in(folder, "verify", f"{wild}.out"), self.run_in(folder, "diff", f"{wild}.out", "run.out")]
        for run in runs:
            with self.subTest(run=(run.out, run.said)):
                self.assertNotRegex(run.out + run.said, "[\x00-\x08\x0b-\x1f\x7f]")
                self.assertIn(shown, run.out + run.said)
                self.assertNotIn("[31m\n", run.out + run.said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
