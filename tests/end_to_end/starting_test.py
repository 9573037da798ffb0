"""The start of runs: the typed words reach the ranks unchanged and nothing else does, and nothing from outside has
influence."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from program import HAS_DEVICES, PATIENCE, PROGRAM, Run, scratch

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
        # mpirun would take a word `:` as the start of another program, and execute the deck, a script that creates `heat`.
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
            os.chmod(folder, 0o750)
            run = Run(["--ranks-of", folder], folder)
            self.assertEqual(run.code, 2, "others may have written this job")

    def test_what_only_tells_starts_no_mpi(self):
        # Open MPI would fail at its start with some of these, Kokkos with the others.
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
            if not HAS_DEVICES:  # on devices `check` sets up nothing
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

    def test_ranks_that_differ_are_told_at_once(self):
        with scratch() as folder:
            first, second = with_deck(folder, "a.yaml"), with_deck(folder, "b.yaml", mesh={"cells": [12, 8]})
            words = ["run", first, "--output", "run.out"]
            for others in (["run", second, "--output", "run.out"], [*words, "--set", "mesh.cells=[16, 8]"],
                           [*words, "--plugin", "./none.so"]):
                with self.subTest(others=others):
                    run = Run([*words, ":", "-n", 1, PROGRAM, *others], folder, launcher=["mpirun", "-n", "1"], timeout=PATIENCE)
                    self.assertEqual(run.code, 2, run.err)
                    self.assertIn("halocline: the ranks have different commands, rank 0 `halocline run ", run.err)
                    self.assertEqual(run.err.count("halocline: "), 1, run.err)
                    self.assertEqual(run.files(), ["a.yaml", "b.yaml"])

    def test_ranks_that_do_not_know_each_other_are_told(self):
        singletons = r"halocline: the launcher has started 2 ranks, but each sees only itself: .* (Open MPI v|MPICH )[^\n]*\n"
        srun = r"halocline: srun has started 2 ranks without a way to connect them: [^\n]*`srun --mpi=pmix`[^\n]*\n"
        step = {"SLURM_JOB_ID": "1", "SLURM_JOBID": "1", "SLURM_STEP_ID": "0", "SLURM_STEPID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_NODELIST": "here"}
        for variables, rank, said in (({"PMI_SIZE": "2"}, "PMI_RANK", singletons), ({"MPI_LOCALNRANKS": "2"}, "MPI_LOCALRANKID", singletons),
                                      (step, "SLURM_PROCID", srun)):
            for number in range(2):
                with self.subTest(rank=rank, number=number), scratch() as folder:
                    run = Run(["run", with_deck(folder)], folder, {**variables, rank: str(number)})
                    self.assertEqual(run.code, 2, run.err)
                    self.assertRegex(run.err, f"^{said}$" if number == 0 else "^$")
                    self.assertEqual(run.files(), ["run.yaml"])

    def test_a_shell_in_a_step_of_slurms_starts_what_it_likes(self):
        step = {"SLURM_JOB_ID": "1", "SLURM_JOBID": "1", "SLURM_STEP_ID": "0", "SLURM_STEPID": "0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0",
                "SLURM_NODELIST": "here"}
        for ranks in (1, 2):
            with scratch() as folder:
                run = Run(["run", with_deck(folder), "--ranks", ranks], folder, step)
                self.assert_done(run)
                self.assertEqual(run.summary()["provenance"]["ranks"], ranks)

    def test_another_mpis_mpirun_is_told(self):
        with scratch() as folder:
            # It starts processes that do not belong to Open MPI.
            (pathlib.Path(folder) / "mpirun").write_text('#!/bin/sh\nwhile [ "$1" != -n ]; do shift; done\nshift 2\n"$@" & "$@"; wait\n')
            (pathlib.Path(folder) / "mpirun").chmod(0o755)
            run = Run(["run", with_deck(folder), "--ranks", 2], folder, {"PATH": f"{folder}:{os.environ['PATH']}"})
            self.assertEqual(run.code, 2, run.err)
            self.assertRegex(run.err, r"^halocline: --ranks: each rank sees only itself: the mpirun on PATH belongs to "
                                      r"another MPI [^\n]*\n$")
            self.assertEqual(run.files(), ["mpirun", "run.yaml"])

    def test_each_mpirun_keeps_its_sessions_in_a_folder_of_its_own(self):
        with scratch() as folder:
            mpirun, sessions = pathlib.Path(folder) / "mpirun", pathlib.Path(folder) / "sessions"
            mpirun.write_text(f'#!/bin/sh\necho "$OMPI_MCA_orte_tmpdir_base" >>"{sessions}"\nexec "{shutil.which("mpirun")}" "$@"\n')
            mpirun.chmod(0o755)
            for _ in range(2):
                self.assert_done(Run(["run", with_deck(folder), "--ranks", 2, "--overwrite"], folder, {"PATH": f"{folder}:{os.environ['PATH']}"}))
            told = sessions.read_text().splitlines()
            self.assertEqual((len(told), len({*told})), (2, 2), told)
            self.assertEqual([each for each in told if not os.path.isabs(each) or os.path.exists(each)], [])

    def test_ranks_are_of_this_machine(self):
        job = {"SLURM_JOB_ID": "1", "SLURM_NNODES": "2", "SLURM_JOB_NUM_NODES": "2", "SLURM_NODELIST": "far,away",
               "SLURM_JOB_NODELIST": "far,away", "SLURM_TASKS_PER_NODE": "2(x2)", "SLURM_NTASKS": "4"}
        with scratch() as folder:
            run = Run(["run", with_deck(folder), "--ranks", 2], folder, job, timeout=PATIENCE)
            self.assertEqual(run.code, 0, run.err)
            self.assertRegex(run.err, r"^[\d:.]+ warning: --ranks 2 runs on this machine only, but the job has 2 nodes; "
                                      r"[^\n]*\n$")
            self.assertEqual(run.summary()["provenance"]["ranks"], 2)

    def test_progress_is_for_readers(self):
        with scratch() as folder:
            deck = with_deck(folder)
            for launcher, words, lines in (([], [], True), ([], ["--ranks", 2], True), (["mpirun", "-n", "2"], [], False),
                                           (["mpirun", "-n", "1"], [], False)):
                run = Run(["run", deck, "--overwrite", *words], folder, launcher=launcher)
                self.assert_done(run)
                self.assertNotIn("\x1b", run.out)
                self.assertEqual("step 1 of 2" in run.out, lines, run.out)
                self.assertIn("run.out", run.out)
                # Only the set-up is measured before the end of the first step.
                self.assertNotIn(" left", run.out)
            run = Run(["run", deck, "--overwrite", "--set", "progress.iterations=1"], folder, launcher=["mpirun", "-n", "2"])
            self.assertIn("Iteration = 0", run.out)

    def test_the_folder_may_be_named_by_the_job(self):
        with scratch() as folder:
            deck = with_deck(folder, "heat.yaml")
            array = {"SLURM_JOB_ID": "12", "SLURM_ARRAY_TASK_ID": "3"}
            for ranks in (1, 2):
                run = Run(["run", deck, "--output", "{deck}-{job}/{task}-" + str(ranks), "--ranks", ranks], folder, array)
                self.assert_done(run)
                self.assertEqual(run.summary(f"heat-12/3-{ranks}")["status"], "done")
            run = Run(["run", deck, "--output", "{task}"], folder, {"SLURM_JOB_ID": "12"})
            self.assertEqual(run.code, 2)
            self.assertRegex(run.err, r"^halocline: --output: \{task\}: no batch system has set it [^\n]*\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
