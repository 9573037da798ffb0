"""The battery finds broken promises of a physics: `battery_test.py PROGRAM PLUGIN BUILD`, where PLUGIN is the probe and
BUILD a build tree, used as a prefix for find_package."""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
PROGRAM, PLUGIN, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
del sys.argv[1:4]

KINDS = ("conservation-law", "evolution", "steady")


# Seconds of processor time that no check needs on a busy device, for which a process waits by asking again and again.
PATIENCE = 200


def halocline(*words, folder=None):
    if words[0] == "test-physics" and "--limit" not in words:
        words = (*words, "--limit", PATIENCE)
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def verdicts(text):
    return dict(re.findall(r"^  (.{15}) (held|FAILED|-) ", text, re.MULTILINE)) and {
        name.strip(): verdict for name, verdict in re.findall(r"^  (.{15}) (held|FAILED|-) ", text, re.MULTILINE)}


class Battery(unittest.TestCase):
    def probe(self, broken, *only, limit=PATIENCE):
        with tempfile.TemporaryDirectory() as folder:
            deck = pathlib.Path(folder) / "deck.yaml"
            deck.write_text((FOLDER / "probe.yaml").read_text().replace("probe:\n", f"probe:\n  broken: {broken}\n", 1)
                            if broken != "none" else (FOLDER / "probe.yaml").read_text())
            words = [word for name in only for word in ("--only", name)]
            return halocline("test-physics", PLUGIN, "--deck", deck, "--limit", limit, *words)

    def enough(self):
        """Seconds of processor time in which a check ends that holds: a device takes some to start, more beside others. Three
        times what was enough once."""
        limit = 0.5
        while limit < PATIENCE and verdicts(self.probe("none", "options", limit=limit)[1]) != {"options": "held"}:
            limit *= 2
        return 3 * limit

    def test_what_keeps_its_promises_holds(self):
        for deck in ("probe.yaml", "probe-walls.yaml"):
            code, out, err = halocline("test-physics", PLUGIN, "--deck", FOLDER / deck)
            self.assertEqual((code, err), (0, ""), out)
            self.assertEqual(len(verdicts(out)), 13, out)
            self.assertNotIn("FAILED", out)

    def test_another_build_has_to_agree(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "other"
            other.write_text(f'#!/bin/sh\nexec {PROGRAM} "$@" --set heat.conductivity=1.001\n')
            other.chmod(0o755)
            deck = FOLDER / "heat.yaml"
            for beside, code, verdict in ((PROGRAM, 0, "held"), (other, 3, "FAILED")):
                ended, out, err = halocline("test-physics", "heat", "--deck", deck, "--only", "builds", "--beside", beside)
                self.assertEqual((ended, verdicts(out)), (code, {"builds": verdict}), out + err)
            ended, out, err = halocline("test-physics", "heat", "--deck", deck, "--only", "builds", "--beside", "/bin/true")
            self.assertEqual((ended, verdicts(out)), (3, {"builds": "FAILED"}), out + err)
            self.assertIn("`/bin/true` wrote no snapshot, though it exits with code 0; give the driver of another build", out)
            ended, out, err = halocline("test-physics", "heat", "--beside", deck)
            self.assertEqual((ended, out), (2, ""))
            self.assertIn("--beside: `", err)

    def test_each_physics_holds_without_a_deck(self):
        checks = ("order in space", "order in time", "conservation", "mirror", "axes", "blocks", "precision", "ghosts",
                  "stable step", "restart")
        only = [word for name in checks for word in ("--only", name)]
        for physics, axes, field in (("wave", 3, "error_2"), ("euler", 3, "momentum_x"), ("shallow-water", 2, "momentum_x"),
                                     ("laplace", 3, "u"), ("heat", 3, "u"), ("gray-scott", 1, "u")):
            with self.subTest(physics=physics):
                code, out, err = halocline("test-physics", physics, *only)
                self.assertEqual((code, err), (0, ""), out)
                # A state that does not vary would have no order.
                self.assertEqual(len(re.findall(rf"order in space .*\b{field}( between meshes)?: order", out)), axes, out)

    def test_conservation_starts_with_a_stable_step(self):
        with tempfile.TemporaryDirectory() as folder:
            deck = pathlib.Path(folder) / "deck.yaml"
            text = (FOLDER / "wave.yaml").read_text()
            self.assertIn("step: 0.01", text)
            deck.write_text(text.replace("step: 0.01", "step: 1"))
            code, out, err = halocline("test-physics", "wave", "--deck", deck, "--only", "conservation")
            self.assertEqual((code, err, verdicts(out)), (0, "", {"conservation": "held"}), out)

    def test_other_methods_hold_as_well(self):
        checks = ("order in space", "order in time", "conservation", "mirror", "blocks", "precision", "ghosts", "stable step")
        only = [word for name in checks for word in ("--only", name)]
        for deck in ("probe-squares.yaml", "probe-slopes.yaml", "probe-pair.yaml"):
            with self.subTest(deck=deck):
                code, out, err = halocline("test-physics", PLUGIN, "--deck", FOLDER / deck, *only)
                self.assertEqual((code, err), (0, ""), out)
                self.assertEqual(len(verdicts(out)), len(checks), out)

    def test_what_breaks_one_fails_its_check(self):
        for broken, check in (("order", "order in space"), ("mirror", "mirror"), ("axes", "axes"),
                              ("conservation", "conservation"), ("stable step", "stable step")):
            with self.subTest(broken=broken):
                code, out, err = self.probe(broken, check)
                self.assertEqual(code, 3, out)
                self.assertEqual(verdicts(out), {check: "FAILED"}, out)
                self.assertIn("fails checks", err)

    def test_a_crash_and_a_hang_fail_their_checks_alone(self):
        code, out, _ = self.probe("crash", "blocks", "options")
        self.assertEqual(code, 3)
        self.assertRegex(out, r"blocks +FAILED +crashed: Aborted")
        self.assertRegex(out, r"options +held")
        limit = self.enough()
        code, out, _ = self.probe("hang", "blocks", limit=limit)
        self.assertEqual(code, 3, out)
        self.assertRegex(out, rf"blocks +FAILED +did not end within {10 * limit:g} s, though it waits")

    def test_a_check_without_enough_processor_time_is_inconclusive(self):
        """It has neither held nor failed, and the others continue; one that fails counts more."""
        limit = self.enough()
        code, out, err = self.probe("spin", "blocks", "options", limit=limit)
        self.assertEqual(code, 5, out + err)
        self.assertRegex(out, rf"blocks +inconclusive +took more than {limit:g} s of processor time; --limit grants more")
        self.assertRegex(out, r"options +held")
        self.assertIn(f"checks of physics `probe` are inconclusive; `--limit {10 * limit:g}` grants ten times as much", err)
        for limit in ("0", "-1", "soon", "inf"):
            code, _, err = halocline("test-physics", "heat", "--limit", limit)
            self.assertEqual(code, 2)
            self.assertIn("is not a finite number of seconds above 0", err)

    def test_what_a_source_drives_from_rest_is_stable(self):
        """A source of a million makes of the initial values, 1e-3 or less, more than 100 times as much, in any steps."""
        with tempfile.TemporaryDirectory() as folder:
            deck = pathlib.Path(folder) / "deck.yaml"
            for broken, code, verdict in (("none", 0, "held"), ("stable step", 3, "FAILED")):
                deck.write_text("physics: probe\nmesh: {cells: [24, 36], periodic: [true, true]}\n"
                                f"probe: {{broken: {broken}, u: {{source: 1e6*sin(2*pi*x)}}}}\n"
                                "time: {method: ssp_rk3, step: 1, steps: 1}\n")
                ended, out, err = halocline("test-physics", PLUGIN, "--deck", deck, "--only", "stable step")
                self.assertEqual((ended, verdicts(out)), (code, {"stable step": verdict}), out + err)

    def test_precisions_are_compared_in_the_scale_of_the_state(self):
        """The gradient of a large u that varies little drives w: w has the roundings of u, which are large against w. A wrong
        term of w is of the scale of w, and named."""
        with tempfile.TemporaryDirectory() as folder:
            deck = pathlib.Path(folder) / "deck.yaml"
            for broken, u, code, verdict in (("none", "1000 + 0.01*sin(2*pi*x)", 0, "held"),
                                             ("float", "1000*sin(2*pi*x)", 3, "FAILED")):
                deck.write_text("physics: probe\nmesh: {cells: [24, 36], periodic: [true, true]}\n"
                                f"probe: {{broken: {broken}, g: 100, u: {{initial: {u}}}}}\n"
                                "time: {method: ssp_rk3, step: 1, steps: 1}\n")
                ended, out, err = halocline("test-physics", PLUGIN, "--deck", deck, "--only", "precision")
                self.assertEqual((ended, verdicts(out)), (code, {"precision": verdict}), out + err)
            self.assertIn("of the largest value, most in `wx`; rounding explains", out)

    def test_words_that_mean_nothing(self):
        code, _, err = halocline("test-physics", "heet")
        self.assertEqual(code, 2)
        self.assertIn("did you mean `heat`?", err)
        code, _, err = halocline("test-physics", "heat", "--only", "order")
        self.assertEqual(code, 2)
        self.assertIn("no such check", err)
        code, _, err = halocline("test-physics", PLUGIN, "--deck", FOLDER / "heat.yaml")
        self.assertEqual(code, 2)
        self.assertIn("is a deck of `heat`", err)


class Generator(unittest.TestCase):
    def test_names_are_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "there").mkdir()
            for name, words in (("9lives", "begins with a letter"), ("a.b", "a name is made of"), ("../up", "a name is made of"),
                                ("heat", "a physics of Halocline has this name"), ("mesh", "decks have a section"), ("precision", "decks have a section or an option"),
                                ("n" * 300, ": 300 characters are too many; a name has at most 100"),
                                ("there", "exists already")):
                with self.subTest(name=name):
                    code, _, err = halocline("new-physics", name, "--kind", "evolution", folder=folder)
                    self.assertEqual(code, 2)
                    self.assertIn(words, err)
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["there"])
            code, _, err = halocline("new-physics", "fine", "--kind", "evolutoin", folder=folder)
            self.assertEqual(code, 2)
            code, _, err = halocline("new-physics", "fine", "--kind", "steady", "--output", "n" * 300, folder=folder)
            self.assertEqual(code, 4)
            self.assertIn("cannot be made: File name too long", err)

    def test_help_tells_that_a_kind_is_required(self):
        self.assertRegex(halocline("new-physics", "--help")[1], "--kind KIND +Kind of problem, required: ")

    def test_each_kind_builds_and_passes_on_the_spot(self):
        with concurrent.futures.ThreadPoolExecutor(2) as both:
            for kind, wrong in zip(KINDS, both.map(self.wrong_with, KINDS)):
                with self.subTest(kind=kind):
                    self.assertIsNone(wrong)

    def wrong_with(self, kind):
        """The failures of a project of a kind, None if there are none."""
        with tempfile.TemporaryDirectory() as folder:
            code, out, err = halocline("new-physics", "own-name", "--kind", kind, folder=folder)
            commands = re.findall(r"^  (c.*)$", out, re.MULTILINE)
            if (code, err, len(commands)) != (0, "", 3):
                return f"new-physics: {code} {out} {err}"
            for command in commands:
                done = subprocess.run(command.split(), cwd=folder, capture_output=True, text=True)
                if done.returncode != 0:
                    return f"{command}: {done.stdout} {done.stderr}"
            return None if "100% tests passed" in done.stdout else done.stdout


if __name__ == "__main__":
    unittest.main(verbosity=2)
