"""Output of runs: records and pictures; and the memory forecast of `check`."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import unittest

from program import ROOT, Run, scratch, where_check_foretells_memory

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
HEAT = {"physics": "heat", "heat": {"initial": "sin(7*x) + cos(5*y)"}, "time": {"step": 1e-4, "steps": 2}}


def solver(method, **options):
    return {"method": method, method: {"iterations": 5, **options}}
MULTIGRID = {"preconditioner": "multigrid"}


class Record(unittest.TestCase):
    def test_pictures_of_a_deck_without_snapshots(self):
        with scratch() as folder:
            run = Run(["run", ROOT / "decks/tealeaf/tea_bm_1.in", "--output", "run.out", "--plot"], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            for name in ("slice_u", "slice_density", "residuals"):
                self.assertIn(f"run.out/{name}.png\n", run.out)
                self.assertTrue((pathlib.Path(folder) / f"run.out/{name}.png").read_bytes().startswith(b"\x89PNG"))

    def test_pictures_under_a_launcher_of_the_users(self):
        with scratch() as folder:
            deck = pathlib.Path(folder) / "deck.yaml"
            deck.write_text(json.dumps({**HEAT, "mesh": {"cells": [16, 16]}}))
            run = Run(["run", deck, "--output", "run.out", "--plot"], folder, launcher=["mpirun", "-n", "2"])
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertEqual(run.out.count("run.out/slice_u.png\n"), 1, run.out)
            self.assertTrue((run.folder / "run.out/slice_u.png").exists())

    def test_a_folder_with_nothing_to_draw_is_named(self):
        python = os.environ.get("HALOCLINE_PYTHON", "/usr/bin/python3")
        for words, missing in (([], "snapshots"), (["--step", "4"], "snapshot of step 4")):
            plot = subprocess.run([python, ROOT / "tools/plot.py", "nothere", *words], capture_output=True, text=True)
            self.assertEqual(plot.returncode, 1)
            self.assertEqual(plot.stderr, f"nothere: no {missing}, no residuals, no traces and no quantities to draw\n")

    def test_verbose_tells_how_a_run_is_set_up(self):
        with scratch() as folder:
            deck = pathlib.Path(folder) / "deck.yaml"
            deck.write_text(json.dumps({**HEAT, "mesh": {"cells": [25, 16]}, "solver": solver("cg", **MULTIGRID)}))
            command = ["run", deck, "--overwrite", "--ranks", 2]
            self.assertEqual(Run(command, folder).err, "")
            said = re.sub(r"(?m)^[\d:.]+ debug: ", "", Run([*command, "-v"], folder).err)
            for line in ("process grid 2 x 1 x 1, blocks of 12 to 13 x 16 x 1 cells\n", "host 0 has blocks 0, 1\n",
                         f"output goes to {folder}/deck.out\n"):
                self.assertIn(line, said)
            self.assertRegex(said, r"(?m)^physics heat from /.*/lib/halocline/physics/heat\.so$")
            self.assertRegex(said, r"(?m)^backend \w+ on .+, \d+ threads a rank$")
            self.assertRegex(said, r"(?m)^multigrid has \d levels$")
            self.assertRegex(said, r"(?m)^seconds in regions .*:\n( +\d+\.\d{6}){3} +[\d.]+ .+\n")
            self.assertRegex(said, r"(?m)^( +\d+\.\d{6}){3} +2 step$")

    def regions(self, summary):
        """Regions by name, each checked."""
        for region in summary["timings"]["regions"]:
            self.assertEqual(list(region), ["name", "calls", "seconds"])
            self.assertEqual(list(region["seconds"]), ["least", "mean", "most"])
            least, mean, most = region["seconds"].values()
            self.assertTrue(0 <= least <= mean <= most, region)
        return {region["name"]: region for region in summary["timings"]["regions"]}

    def test_regions_are_told_over_ranks(self):
        with scratch() as folder:
            deck = pathlib.Path(folder) / "deck.yaml"
            deck.write_text(json.dumps({**HEAT, "mesh": {"cells": [32, 24]}}))
            for ranks in (1, 2, 3):
                with self.subTest(ranks=ranks):
                    run = Run(["run", deck, "--overwrite", "--ranks", ranks], folder)
                    self.assertEqual((run.code, run.err), (0, ""))
                    regions = self.regions(run.summary("deck.out"))
                    self.assertEqual(regions["step"]["calls"], 2)
                    self.assertGreater(regions["step"]["seconds"]["least"], 0)
                    differ = [name for name, region in regions.items() if region["seconds"]["least"] < region["seconds"]["most"]]
                    self.assertEqual(bool(differ), ranks > 1, regions)
                    means = [region["seconds"]["mean"] for region in regions.values()]
                    self.assertEqual(means, sorted(means, reverse=True))
            # A failed run does not communicate: the times are those of the first rank.
            failed = Run(["run", deck, "--overwrite", "--ranks", 3, "--set", "solver.cg.iterations=2"], folder)
            self.assertEqual(failed.code, 3)
            regions = self.regions(failed.summary("deck.out"))
            self.assertEqual(regions["step"]["calls"], 1)
            for region in regions.values():
                self.assertEqual(region["seconds"]["least"], region["seconds"]["most"])

    def test_what_verifies_a_solve_is_recorded(self):
        with scratch() as folder:
            deck = pathlib.Path(folder) / "deck.yaml"
            deck.write_text(json.dumps({**HEAT, "mesh": {"cells": [32, 24]}}))
            words = ["run", deck, "--overwrite", "--set", "solver.verify=true", "--set", "time.step=0.1"]
            for method, found in (("cg", ["error_estimate", "trusted", "symmetry_defect", "smallest_ritz_value"]),
                                  ("minres", ["error_estimate", "trusted", "symmetry_defect"]),
                                  ("gmres", ["error_estimate", "trusted"])):
                for ranks in (1, 2):
                    run = Run([*words, "--set", f"solver.method={method}", "--ranks", ranks], folder)
                    self.assertEqual((run.code, run.err), (0, ""))
                    solves = run.summary("deck.out")["solves"]
                    self.assertEqual([list(solve["verification"]) for solve in solves], [found, found])
                    for solve in solves:
                        # The residual falls by 1e-10, and the condition number of the operator is several hundred.
                        self.assertLess(solve["verification"]["error_estimate"], 1e-7)
                        self.assertGreater(solve["verification"]["error_estimate"], 1e-14)
            # The preconditioner must also be symmetric, except for a flexible method.
            for preconditioner in ("multigrid", "chebyshev", "gauss_seidel", "multigrid: {precision: single}"):
                name = preconditioner.split(":")[0]
                options = f"solver.cg={{preconditioner: {name}, {preconditioner if ':' in preconditioner else ''}}}"
                for flexible, known in (("", True), ("flexible: true, ", False)):
                    words_now = [*words, "--set", options.replace("{", "{" + flexible, 1)]
                    run = Run(words_now, folder)
                    self.assertEqual((run.code, run.err), (0, ""))
                    found = run.summary("deck.out")["solves"][0]["verification"]
                    self.assertEqual("preconditioner_symmetry_defect" in found, known)
                    # A few hundred roundings in the precision of the cycles.
                    limit = 1e-4 if "single" in preconditioner else 1e-13
                    self.assertLess(found.get("preconditioner_symmetry_defect", 0), limit)
            run = Run([*words, "--set", "solver.cg.iterations=2"], folder)
            self.assertEqual(run.code, 3)
            solve = run.summary("deck.out")["solves"][0]
            self.assertEqual((solve["outcome"], list(solve["verification"])),
                             ("iteration limit", ["symmetry_defect", "smallest_ritz_value"]))
            self.assertEqual(Run(["run", deck, "--overwrite"], folder).code, 0)
            self.assertNotIn("verification", run.summary("deck.out")["solves"][0])

    def test_the_command_is_recorded_as_a_shell_takes_it(self):
        with scratch() as folder:
            deck = pathlib.Path(folder) / "deck.yaml"
            deck.write_text(json.dumps({**HEAT, "mesh": {"cells": [8, 8]}}))
            words = ["run", "deck.yaml", "--set", "heat.initial=sin(7*x)", "--set", "heat.boundary.west={value: '0'}"]
            run = Run(words, folder)
            self.assertEqual((run.code, run.err), (0, ""))
            provenance = run.summary("deck.out")["provenance"]
            self.assertEqual(shlex.split(provenance["command"]), ["halocline", *words])
            self.assertTrue(provenance["command"].startswith("halocline run deck.yaml --set 'heat"))
            self.assertEqual(provenance["transport"], "none")

    def foretold(self, deck, folder, *arguments):
        """Bytes that `check` prints: needed, free."""
        (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck))
        check = Run(["check", "deck.yaml", *arguments], folder)
        self.assertEqual((check.code, check.err), (0, ""))
        line = re.search(r"^memory +about ([\d.e+]+) (\w+) on .*, ([\d.e+]+) (\w+) free$", check.out, re.MULTILINE)
        self.assertIsNotNone(line, check.out)
        return float(line[1]) * UNITS[line[2]], float(line[3]) * UNITS[line[4]]

    @where_check_foretells_memory
    def test_ranks_take_ghosts_and_buffers_too(self):
        deck = {**HEAT, "mesh": {"cells": [400, 400]}}
        with scratch() as folder:
            alone = self.foretold(deck, folder)[0]
            shared = self.foretold(deck, folder, "--ranks", 16)[0]
        self.assertGreater(shared, 1.02 * alone)
        self.assertLess(shared, 1.3 * alone)

    @where_check_foretells_memory
    def test_a_deck_that_does_not_fit(self):
        with scratch() as folder:
            free = self.foretold({**HEAT, "mesh": {"cells": [8, 8]}}, folder)[1]
            # A field needs a quarter of the free memory, the run sixteen times that.
            deck = {**HEAT, "mesh": {"cells": [int(free / 4 / 8 / 1000), 1000]}}
            (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck))
            for command in (["check", "deck.yaml"], ["run", "deck.yaml"], ["check", "deck.yaml", "--ranks", 8]):
                run = Run(command, folder)
                self.assertEqual(run.code, 2)
                self.assertRegex(run.err, r"^halocline: `mesh.cells`: needs [\d.]+ \wiB of memory, and [\d.]+ \wiB are "
                                          r"available \(deck.yaml:1:\d+\)\n$")
                self.assertEqual(run.files(), ["deck.yaml"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
