"""bench/scaling.py and bench/devices.py: rows, records, and the gate that holds each row to the answer of a single rank."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from program import PROGRAM, ROOT, scratch

LAUNCHER = "mpirun --oversubscribe --bind-to none -n"
# Adds words to a run of two ranks alone, as a defect of the exchange would change that alone.
DEFECTIVE = """#!/bin/sh
if [ "$1" = run ] && [ "${OMPI_COMM_WORLD_SIZE:-1}" -gt 1 ]; then exec PROGRAM "$@" --set 'CHANGE'; fi
exec PROGRAM "$@"
"""


def bench(folder, script, *arguments, program=PROGRAM):
    command = [sys.executable, str(ROOT / "bench" / script), "--program", str(program), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


class Scaling(unittest.TestCase):
    def scaling(self, folder, *arguments, **options):
        return bench(folder, "scaling.py", "--launcher", LAUNCHER, "--ranks", "1", "2", "--repeat", "1", "--json", "record.json",
                     *arguments, **options)

    def test_each_case_has_the_answer_of_a_single_rank(self):
        for case, cells, *more in (("wave", 24, "--weak"), ("stencil", 16, "--overlap", "true", "false"),
                                   ("jacobi", 40), ("multigrid", 16, "--precision", "double"),
                                   ("bodies", 101)):
            with self.subTest(case=case), scratch() as folder:
                done = self.scaling(folder, "--case", case, "--cells", str(cells), "--steps", "3", "9", *more)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                one, *others = json.loads((pathlib.Path(folder) / "record.json").read_text())["rows"]
                self.assertNotIn("gate", one)
                self.assertEqual([row["overlap"] for row in others], [True, False] if "--overlap" in more else [True])
                for two in others:
                    self.assertTrue(two["gate"]["passed"])
                    self.assertLessEqual(two["gate"]["fields"], two["gate"]["tolerance_of_fields"])
                    self.assertEqual(two["cells"][-1], cells * (2 if "--weak" in more else 1))

    def test_another_answer_ends_it_and_is_stored_as_such(self):
        with scratch() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text(DEFECTIVE.replace("PROGRAM", str(PROGRAM)).replace("CHANGE", "laplace.source=1e-6"))
            program.chmod(0o755)
            done = self.scaling(folder, "--case", "rod", "--cells", "24", "--steps", "3", "9", program=program)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("NOT AS on a single rank", done.stdout)
            self.assertFalse(json.loads((pathlib.Path(folder) / "record.json").read_text())["rows"][1]["gate"]["passed"])

    def test_records_of_devices_are_made_once_and_checked(self):
        with scratch() as folder:
            options = ["--ranks", "1", "2", "--name", "trial", "--folder", ".", "--divide", "4096", "--cases", "bodies_ranks_strong"]
            done = bench(folder, "devices.py", *options)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"bodies_ranks_strong: \S+ on 2, target 0.95 (met|MISSED)\n$")
            record = pathlib.Path(folder) / "scaling_bodies_ranks_strong_trial.json"
            before = record.read_bytes()
            self.assertEqual(bench(folder, "devices.py", *options).returncode, 0)
            self.assertEqual(record.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
