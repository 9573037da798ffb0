"""How runs start: what the user types reaches the ranks as it is and nobody else, and nothing from outside decides."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from program import PROGRAM, Run, scratch

DECK = {"physics": "heat", "mesh": {"cells": [8, 8]}, "heat": {"initial": "x*y"}, "time": {"step": 1e-4, "steps": 2},
        "output": {"snapshots": {"interval": 0}}}


def with_deck(folder, name="run.yaml", **changes):
    path = pathlib.Path(folder) / name
    path.write_text(json.dumps({**DECK, **changes}))
    return path


class Starting(unittest.TestCase):
    def assert_done(self, run):
        self.assertEqual((run.code, run.err), (0, ""))

    def test_mpirun_sees_no_word_of_the_users(self):
        # A word `:` would begin another program of mpirun's, and the deck is one to a shell: it makes a file `heat`.
        script = "#!/bin/sh\n" + "physics: &touch heat\n" + "mesh: {cells: [8, 8]}\nheat: {initial: x}\ntime: {step: 1.0e-4, steps: 2}\n"
        for words in (["--output", ":", "./deck.yaml"], ["./deck.yaml", "--output", ":"]):
            with self.subTest(words=words), scratch() as folder:
                deck = pathlib.Path(folder) / "deck.yaml"
                deck.write_text(script)
                deck.chmod(0o755)
                run = Run(["run", "--ranks", 2, *words], folder)
                self.assertNotIn("heat", run.files())
                self.assert_done(run)
                self.assertEqual(run.summary(":")["provenance"]["ranks"], 2)

    def test_ranks_get_the_command_as_it_was_typed(self):
        initial = "x * y  + 0 * sin(x)"
        for output in ("a b", "ü\n", "-n", "'\"$HOME\\"):
            with self.subTest(output=output), scratch() as folder:
                run = Run(["run", with_deck(folder), "--ranks", 2, f"--output={output}", "--set",
                           f"heat.initial={initial}"], folder)
                self.assert_done(run)
                summary = json.loads((pathlib.Path(folder) / output / "summary.json").read_text(errors="replace"))
                self.assertEqual(summary["provenance"]["deck"]["options"]["heat"]["initial"], initial)

    def test_the_program_may_lie_anywhere(self):
        with scratch() as folder:
            place = pathlib.Path(folder) / "a : b" / "bin"
            place.mkdir(parents=True)
            shutil.copy2(PROGRAM, place / "halocline")
            for beside in ("lib", "share"):
                (place.parent / beside).symlink_to(PROGRAM.parent.parent / beside)
            run = Run(["run", with_deck(folder), "--ranks", 2], folder, program=place / "halocline")
            self.assert_done(run)
            self.assertEqual(run.summary()["provenance"]["ranks"], 2)

    def test_variables_from_outside_decide_nothing(self):
        with scratch() as folder:
            kept = pathlib.Path(folder) / "verdict"
            kept.write_text("0\n")
            stale = {"HALOCLINE_VERDICT": str(kept), "HALOCLINE_COLUMNS": "80", "HALOCLINE_JOB": folder}
            bad = with_deck(folder, "bad.yaml", physics="heet")
            for ranks in (1, 2):
                run = Run(["run", bad, "--ranks", ranks], folder, stale)
                self.assertEqual(run.code, 2)
                self.assertIn("heet", run.err)
            self.assertEqual(kept.read_text(), "0\n")
            run = Run(["run", with_deck(folder)], folder, stale)
            self.assert_done(run)
            self.assertNotIn("\x1b", run.out)

    def test_only_ranks_are_ranks(self):
        with scratch() as folder:
            os.chmod(folder, 0o700)
            for text in (None, "", "1\0" * 4, f"{os.getpid()}\0" + "1\0" * 3 + "halocline\0--version\0"):
                if text is not None:
                    (pathlib.Path(folder) / "job").write_text(text)
                run = Run(["--ranks-of", folder], folder)
                ended = text is not None and len(text) > 5
                self.assertEqual(run.code, 5 if ended else 2, run.err)
                self.assertRegex(run.err, "^halocline: [^\n]*rank[^\n]*\n$")

    def test_what_only_tells_starts_no_mpi(self):
        # An Open MPI that starts gives up on this, with many lines; Kokkos does on that.
        broken = {"OMPI_MCA_pml": "none of them", "OMPI_MCA_ess": "none of them", "KOKKOS_NUM_THREADS": "x", "TMPDIR": "/nonexistent"}
        with scratch() as folder:
            deck = with_deck(folder)
            for words, start in ((["check", deck], "/"), (["check", deck, "--ranks", 3], "/"), (["list"], "What a deck"),
                                 (["list", "--schema"], "{"), (["--help"], "Halocline"), (["--version"], "0.")):
                run = Run(words, folder, broken)
                self.assert_done(run)
                self.assertTrue(run.out.startswith(start), run.out)
            run = Run(["run", with_deck(folder, physics="heet"), "--ranks", 2], folder, {**broken, "TMPDIR": folder})
            self.assertEqual(run.code, 2)
            self.assertIn("heet", run.err)

    def test_one_of_a_launchers_ranks_tells(self):
        with scratch() as folder:
            run = Run(["check", with_deck(folder)], folder, launcher=["mpirun", "-n", "3"])
            self.assert_done(run)
            self.assertEqual(run.out.count("no mistakes"), 1)
            self.assertIn(" on 3 ranks, ", run.out)
            run = Run(["check", with_deck(folder, physics="heet")], folder, launcher=["mpirun", "-n", "3"])
            self.assertEqual(run.code, 2)
            self.assertEqual(run.err.count("heet"), 1)

    def test_many_at_once_do_not_meet(self):
        with scratch() as folder:
            deck = with_deck(folder)
            loop = 'for n in $(seq 50); do "$0" {} >/dev/null || exit; done'
            loops = [loop.format("check run.yaml")] * 2 + [loop.format(f"run run.yaml --output {n} --overwrite") for n in "ab"]
            running = [subprocess.Popen(["sh", "-c", each, PROGRAM], cwd=folder, stderr=subprocess.PIPE, text=True,
                                        env={name: value for name, value in os.environ.items() if not name.startswith("OMPI_MCA")})
                       for each in loops]
            for process in running:
                self.assertEqual((process.communicate()[1], process.returncode), ("", 0))


if __name__ == "__main__":
    unittest.main(verbosity=2)
