"""Plugins that break their promises, run by the real program: `hostile_plugin_test.py PROGRAM BUILD`. Whatever a plugin
does, the message names it and the place, and never calls it a defect of Halocline."""

import itertools
import os
import pathlib
import shutil
import sys
import unittest

from program import HAS_DEVICES, PATIENCE, PROGRAM, Run, scratch

PLUGINS = pathlib.Path(sys.argv.pop(1)).resolve() / "tests/plugins"
HOSTILE = PLUGINS / "hostile.so"
DECK = "physics: hostile\nmesh: {cells: 8}\ntime: {step: 0.5, steps: 4}\noutput: {snapshots: {interval: 0}}\n"

BLAME = "; this is a defect of the plugin: please report it to its author"
THROWN = "std::runtime_error: no such table" + BLAME
NUMBER = "threw int, which is not a std::exception and has no message" + BLAME
UNDECLARED = "no option is declared as `undeclared` in section hostile" + BLAME
OTHER_TYPE = "asked for another type than declared: `table` in section hostile" + BLAME
STEP_3 = "`advance` of step 3 (from t = 1)"

# The plugin's behaviour, the exit code, the named place, and the message.
BEFORE_A_RUN = [
    ("load: throws", None, "the code that runs on loading", THROWN),
    ("entry: throws", None, "the function of HALOCLINE_PLUGIN", THROWN),
    ("check: throws", "hostile", "a check of its options", THROWN),
    ("validate: throws", "hostile", "`validate`", THROWN),
    ("validate: throws a number", "hostile", "`validate`", NUMBER),
    ("ghosts: fewer than none", "hostile", "`ghosts`", "it returned -1 layers" + BLAME),
]
CREATION = [
    ("create: throws", "hostile", "`create`", THROWN),
    ("create: throws DefectError", "hostile", "`create`", "two tables" + BLAME),
    ("create: asks for what it did not declare", "hostile", "`create`", UNDECLARED),
    ("create: asks for another type", "hostile", "`create`", OTHER_TYPE),
    ("create: null", "hostile", "`create`", "it returned no physics (a null pointer)" + BLAME),
    ("fields: throws", "hostile", "`fields`", THROWN),
    ("fields: null", "hostile", "`fields`", "it returned a null pointer for a field" + BLAME),
]
FORMATS = [
    ("recognises: throws", "recognises", THROWN),
    ("read: throws", "read", THROWN),
    ("read: reports no mistake", "read", "it returned a value marked as reported, but reported no mistake" + BLAME),
]
WITHIN_A_RUN = [
    ("stable_step: throws", 3, "`stable_step`", THROWN),
    ("quantities: throws", 3, "`quantities`", THROWN),
    ("quantities: two of a name", 3, "`quantities`", "two of its quantities are called `steps`" + BLAME),
    ("quantities: other ones later", 3, "`quantities`",
     "its quantities were `steps` at first, but are `tables` now" + BLAME),
    ("conserved: no quantity", 3, "`conserved`", "`mass` is not one of its quantities, which are `steps`" + BLAME),
    ("traces: too few values", 3, "`take_traces`", "it returned 3 values for 2 times at 2 points" + BLAME),
    ("traces: two of a name", 3, "`take_traces`", "two of its points are called `a`" + BLAME),
    ("traces: other ones later", 3, "`take_traces`", "its points were `a` at first, but are `b` now" + BLAME),
    ("advance: throws", 3, STEP_3, THROWN),
    ("advance: throws a number", 3, STEP_3, NUMBER),
    ("advance: asks for what it did not declare", 3, STEP_3, UNDECLARED),
    ("advance: throws DefectError", 3, STEP_3, "two tables" + BLAME),
    ("advance: throws InputError", 3, STEP_3, "`hostile.table`: no such table"),
    ("advance: throws SolveError", 3, STEP_3, "the inner solve did not converge"),
    ("advance: throws InputOutputError", 4, STEP_3, "`table`: cannot be read"),
    ("advance: runs out of memory", 5, STEP_3, "out of memory"),
]


def named(physics, place, words):
    of_physics = f", physics `{physics}`" if physics else ""
    return f"halocline: plugin `{HOSTILE}`{of_physics}, in {place}: {words}\n"


class HostilePlugin(unittest.TestCase):
    def run_hostile(self, folder, what, *arguments, command="run", plugin=HOSTILE, deck=DECK):
        (pathlib.Path(folder) / "deck.yaml").write_text(deck)
        output = ["--output", "run.out"] if command == "run" else []
        return Run([command, "deck.yaml", *output, "--plugin", plugin, *arguments], folder,
                   environment={"HOSTILE_PLUGIN": what})

    def test_without_hostility_it_runs(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks), scratch() as folder:
                run = self.run_hostile(folder, "", "--ranks", ranks)
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertEqual(run.summary()["quantities"], {"steps": 4})

    def test_what_fails_before_a_run_is_told_by_check_and_run(self):
        for what, physics, place, words in BEFORE_A_RUN:
            for command in ("check", "run"):
                with self.subTest(what=what, command=command), scratch() as folder:
                    run = self.run_hostile(folder, what, command=command)
                    self.assertEqual((run.code, run.err), (2, named(physics, place, words)))
                    self.assertEqual(run.files(), ["deck.yaml"])

    def test_what_fails_as_a_run_is_rehearsed_leaves_memory_untold(self):
        for what, words in (("", r"about [\d.]+ \w+ on one rank"), ("create: throws", "unknown"),
                            ("create: throws a number", "unknown"), ("create: exits", "unknown"),
                            ("create: crashes", "unknown"), ("fields: null", "unknown")):
            with self.subTest(what=what), scratch() as folder:
                run = self.run_hostile(folder, what, command="check")
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertRegex(run.out, r"\nmemory   " + ("unknown" if HAS_DEVICES else words))
                self.assertEqual(run.files(), ["deck.yaml"])

    def test_a_physics_that_steps_by_itself_has_no_integrator_even_if_it_does_not_say_so(self):
        """One that declares `steps_by_itself` is refused for the same reason, and for no other that a method may give."""
        deck = DECK.replace("time: {", "time: {method: rk4, ")
        for method, what, command in itertools.product(("rk4", "bdf2"), ("", "entry: undeclared steps"), ("check", "run")):
            if what and command == "check" and HAS_DEVICES:
                continue  # it creates no physics on devices
            if what and method == "bdf2":
                continue  # refused before there is a physics: below
            with self.subTest(method=method, what=what, command=command), scratch() as folder:
                run = self.run_hostile(folder, what, command=command, deck=deck.replace("rk4", method))
                self.assertEqual((run.code, run.err), (2, "halocline: `time.method`: not used by hostile, which has its own time "
                                                          "integrator (deck.yaml:3:16); leave it out\n"))
                self.assertEqual(run.files(), ["deck.yaml"])
        with scratch() as folder:
            run = self.run_hostile(folder, "entry: undeclared steps", deck=deck.replace("rk4", "bdf2"))
            self.assertEqual((run.code, run.files()), (2, ["deck.yaml"]))
            self.assertRegex(run.err, r"bdf2 solves linear systems, and the physics declares none .*, or leave it out\n")
        with scratch() as folder:
            self.assertEqual(self.run_hostile(folder, "entry: undeclared steps").code, 0)

    def test_a_deck_may_be_in_a_format_of_the_plugin(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks), scratch() as folder:
                run = self.run_hostile(folder, "", "--ranks", ranks, "--set", "output.snapshots.interval=0",
                                       deck="hostile 3\n")
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertEqual(run.summary()["quantities"], {"steps": 3})
        with scratch() as folder:
            run = self.run_hostile(folder, "", command="check", deck="hostile three\n")
            self.assertEqual((run.code, run.err),
                             (2, "halocline: `time.steps`: expected an integer, got 'three' (deck.yaml:1:1)\n"))
            listed = Run(["list", "--plugin", HOSTILE], folder)
            self.assertIn("\ntwo words        `hostile` and a number of steps.\n", listed.out)

    def test_a_deck_format_that_fails_is_named(self):
        for what, place, words in FORMATS:
            for command in ("check", "run"):
                with self.subTest(what=what, command=command), scratch() as folder:
                    run = self.run_hostile(folder, what, command=command, deck="hostile 3\n")
                    self.assertEqual((run.code, run.err),
                                     (2, named("hostile", f"`{place}` of deck format `two words`", words)))
                    self.assertEqual(run.files(), ["deck.yaml"])

    def test_what_fails_in_create_leaves_nothing(self):
        for what, physics, place, words in CREATION:
            with self.subTest(what=what), scratch() as folder:
                run = self.run_hostile(folder, what)
                self.assertEqual((run.code, run.err), (2, named(physics, place, words)))
                self.assertEqual(run.files(), ["deck.yaml"])

    def test_one_that_exits_or_crashes_is_named_too(self):
        for place, physics, named_place in (("load", "", "the code that runs on loading"),
                                            ("entry", "", "the function of HALOCLINE_PLUGIN"),
                                            ("validate", ", physics `hostile`", "`validate`"),
                                            ("create", ", physics `hostile`", "`create`")):
            for what, words in (("exits", "a library or a plugin ended the program with exit() in {}; any message of it "
                                          "is above"),
                                ("crashes", "crashed (abort) in {}")):
                for ranks in (1, 2):
                    with self.subTest(place=place, what=what, ranks=ranks), scratch() as folder:
                        run = self.run_hostile(folder, f"{place}: {what}", "--ranks", ranks)
                        where = f"{named_place} of plugin `{HOSTILE}`{physics}"
                        self.assertEqual(run.code, 2, run.err)
                        self.assertIn(words.format(where), run.err)
                        self.assertNotIn("defect of Halocline", run.err)
                        self.assertEqual(run.files(), ["deck.yaml"])

    def test_what_a_plugin_says_of_the_deck_stays_its_word(self):
        with scratch() as folder:
            run = self.run_hostile(folder, "create: throws InputError")
            self.assertEqual((run.code, run.err), (2, "halocline: `hostile.table`: no such table\n"))

    def test_what_fails_within_a_run_is_on_record(self):
        for what, code, place, words in WITHIN_A_RUN:
            with self.subTest(what=what), scratch() as folder:
                run = self.run_hostile(folder, what, "--set", "output.snapshots.interval=1")
                self.assertEqual((run.code, run.err), (code, named("hostile", place, words)))
                if what.startswith("stable_step"):
                    continue  # called before there is a record
                summary = run.summary()
                self.assertEqual(summary["exit_code"], code)
                self.assertEqual(f"halocline: {summary['message']}\n", run.err)

    def test_one_rank_that_fails_ends_all(self):
        with scratch() as folder:
            run = self.run_hostile(folder, "advance on rank 1: throws", "--ranks", 2)
            self.assertEqual((run.code, run.err), (3, named("hostile", STEP_3, THROWN).replace(
                "halocline: ", "halocline: rank 1: ")))

    def test_ranks_whose_plugins_differ_are_told(self):
        with scratch() as folder:
            (pathlib.Path(folder) / "deck.yaml").write_text(DECK)
            words = ["run", "deck.yaml", "--plugin", HOSTILE]
            run = Run([*words, ":", "-n", 1, "-x", "HOSTILE_PLUGIN=entry: another default", PROGRAM, *words], folder,
                      launcher=["mpirun", "-n", "1"], timeout=PATIENCE)
            self.assertEqual(run.code, 2, run.err)
            self.assertIn("halocline: rank 1 reads the deck differently from rank 0: its host has other plugins", run.err)
            self.assertEqual(run.files(), ["deck.yaml"])

    def test_names_that_are_taken(self):
        twin = PLUGINS / "contracted.so"
        for plugins, what, words in (
                ([HOSTILE, HOSTILE], "", f"`{HOSTILE}`: this plugin is loaded already; name it only once"),
                ([HOSTILE, twin], "", f"`{twin}`: its physics is called `hostile`, and so is the physics of `{HOSTILE}`; "
                 "give it another name"),
                ([HOSTILE], "entry: called heat", f"`{HOSTILE}`: its physics is called `heat`, and so is one of "
                 "Halocline's own; give it another name"),
                ([HOSTILE], "entry: called mesh", f"`{HOSTILE}`: its physics is called `mesh`, and so is a part of "
                 "every deck; give it another name")):
            with self.subTest(words=words), scratch() as folder:
                run = self.run_hostile(folder, what, *[word for file in plugins[1:] for word in ("--plugin", file)],
                                       plugin=plugins[0])
                self.assertEqual((run.code, run.err), (2, f"halocline: {words}\n"))

    def test_a_file_that_is_cut_short(self):
        with scratch() as folder:
            cut = pathlib.Path(folder) / "cut.so"
            whole = HOSTILE.read_bytes()
            cut.write_bytes(whole[:len(whole) // 2])
            run = self.run_hostile(folder, "", plugin=cut)
            self.assertEqual((run.code, run.err), (2, f"halocline: `{cut}`: cannot be loaded as a plugin: the file is "
                                                      f"truncated, with {len(whole) // 2} of its {len(whole)} bytes; "
                                                      "build or copy it anew\n"))

    def test_a_word_of_what_works_but_should_not(self):
        with scratch() as folder:
            open_to_all = pathlib.Path(folder) / "open.so"
            shutil.copy(HOSTILE, open_to_all)
            os.chmod(open_to_all, 0o777)
            for plugin, words in (
                    (open_to_all, "every user may write to it, and so run code as any user who loads it; `chmod o-w` "
                                  "prevents that"),
                    (PLUGINS / "unoptimised.so", "built without optimisation, which may be ten times slower; build it "
                                                 "with -DCMAKE_BUILD_TYPE=Release"),
                    (PLUGINS / "fast_math.so", "built with -ffast-math: NaN may go undetected, and results depend "
                                               "bitwise on the build; build it without")):
                for ranks in (1, 2):
                    with self.subTest(plugin=plugin, ranks=ranks):
                        run = self.run_hostile(folder, "", "--ranks", ranks, "--overwrite", plugin=plugin)
                        self.assertEqual(run.code, 0)
                        self.assertRegex(run.err, rf"^\S+ warning: plugin `{plugin}`: {words}\n$")

    def test_contraction_is_told_where_the_processor_has_it(self):
        flags = pathlib.Path("/proc/cpuinfo").read_text().split()
        with scratch() as folder:
            run = self.run_hostile(folder, "", plugin=PLUGINS / "contracted.so")
            self.assertEqual(run.code, 0)
            self.assertEqual("fused" in run.err, "fma" in flags or "asimd" in flags, run.err)

    def test_a_physics_that_nobody_has_hints_at_plugins(self):
        with scratch() as folder:
            (pathlib.Path(folder) / "deck.yaml").write_text(DECK.replace("physics: hostile", "physics: transport"))
            run = Run(["check", "deck.yaml"], folder)
            self.assertEqual((run.code, run.err), (2, "halocline: `physics`: expected one of advection, elasticity, euler, "
                             "fisher-kpp, gray-scott, heat, laplace, nbody, shallow-water, two-temperature, wave, got 'transport' (deck.yaml:1:10); `--plugin FILE.so` loads one of your own\n"))
            run = Run(["check", "deck.yaml", "--set", "physics=heta"], folder)
            self.assertIn("; did you mean `heat`? `--plugin FILE.so` loads one of your own\n", run.err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
