"""Sources of sweeps' tunings, their record in a run, and the cache."""

import json
import os
import pathlib
import unittest

from program import Run, scratch, settings

DECK = {"physics": "laplace", "mesh": {"cells": [128, 96, 96]}, "laplace": {"source": "sin(9*x)", "centring": "cell"},
        "solver": {"method": "cg", "cg": {"iterations": 5}}}
EMPTY = {"format": 1, "sweeps": [], "version": "0.0.1"}


class Tuning(unittest.TestCase):
    def run_with(self, folder, cache, **options):
        (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(DECK))
        if cache is not None:
            (pathlib.Path(folder) / "tunings.json").write_text(cache)
        return Run(["run", "deck.yaml", "--output", "run.out", "--overwrite", *settings(options)], folder,
                   {"HALOCLINE_TUNING_CACHE": str(pathlib.Path(folder) / "tunings.json")})

    def table(self, folder):
        path = pathlib.Path(folder) / "tunings.json"
        return json.loads(path.read_text()) if path.exists() else None

    def test_the_way_of_every_sweep_is_recorded(self):
        with scratch() as folder:
            for mode in ("off", "read"):
                run = self.run_with(folder, None, tune=mode)
                self.assertEqual((run.code, run.err), (3, run.err))
                sweeps = run.summary()["sweeps"]
                for sweep in sweeps:
                    self.assertTrue(sweep["functor"] and sweep["form"], sweep)
                    self.assertIn(sweep["tuning"], ("", "rule") if mode == "off" else ("", "rule", "table"))
                self.assertIsNone(self.table(folder))

    def test_what_a_search_finds_is_kept_and_read_again(self):
        with scratch() as folder:
            run = self.run_with(folder, None, tune="search")
            searched = [sweep for sweep in run.summary()["sweeps"] if sweep["tuning"] == "search"]
            self.assertEqual(bool(searched), run.summary()["provenance"]["backend"] == "Cuda")
            kept = self.table(folder)
            self.assertEqual(kept is not None, bool(searched))
            for sweep in kept["sweeps"] if kept else []:
                self.assertLessEqual(sweep["seconds"], sweep["default_seconds"])
            again = self.run_with(folder, None, tune="read")
            sources = {sweep["functor"]: sweep["tuning"] for sweep in again.summary()["sweeps"]}
            self.assertEqual({sources[sweep["functor"]] for sweep in searched}, {"cache"} if searched else set())
            self.assertEqual(run.summary()["solves"][0]["iterations"], again.summary()["solves"][0]["iterations"])

    def test_a_cache_that_is_none_is_named_and_not_used(self):
        with scratch() as folder:
            run = self.run_with(folder, "[1, 2", tune="read")
            self.assertEqual(run.code, 3)
            self.assertRegex(run.err, r"warning: .*/tunings\.json: not a table of tunings: .*; it is not used\n")
            self.assertEqual(run.err.count("tunings.json"), 1)
            self.assertNotIn("tunings.json", self.run_with(folder, "[1, 2", tune="off").err)

    def test_what_has_the_name_of_a_cache_and_is_none(self):
        def zero(path):
            path.symlink_to("/dev/zero")

        def nowhere(path):
            path.symlink_to("nowhere")

        def brackets(path):
            with open(path, "w", encoding="utf-8") as file:
                for _ in range(200):
                    file.write("[" * (1 << 20))

        def deep(path):
            path.write_text("[" * (1 << 20), encoding="utf-8")

        kinds = [(pathlib.Path.mkdir, "is a folder, not a file"), (os.mkfifo, "is a pipe or a device, not a file"),
                 (zero, "is a pipe or a device, not a file"), (brackets, "is larger than 16 MiB"),
                 (deep, "not a table of tunings: nested too deeply"), (nowhere, None)]
        for make, complaint in kinds:
            with self.subTest(kind=make.__name__), scratch() as folder:
                path = pathlib.Path(folder) / "tunings.json"
                make(path)
                run = self.run_with(folder, None, tune="read")
                self.assertEqual(run.code, 3, run.err)
                warning = f"{path}: {complaint}; it is not used\n"
                warnings = [line for line in run.err.splitlines(True) if "tunings.json" in line]
                self.assertEqual([line.split("warning: ")[1] for line in warnings], [warning] if complaint else [])

    def test_a_cache_of_another_version_is_not_used(self):
        with scratch() as folder:
            text = json.dumps(EMPTY)
            run = self.run_with(folder, text, tune="read")
            self.assertNotIn("tunings", run.err)
            self.assertEqual(self.table(folder), EMPTY)

    def test_a_mode_that_is_none(self):
        with scratch() as folder:
            run = self.run_with(folder, None, tune="sometimes")
            self.assertEqual(run.code, 2)
            self.assertRegex(run.err, r"`tune`.*off.*read.*search")
            self.assertFalse((run.folder / "run.out").exists())


if __name__ == "__main__":
    unittest.main()
