"""What the launcher builds for a command: `targets_test.py SOURCE`. The first command of a checkout builds one physics."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
FUNCTION = re.search(r"^targets_of\(\) \{\n.*?^\}\n", (SOURCE / "tools/build.sh").read_text(), re.MULTILINE | re.DOTALL)[0]


class Targets(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "lib/halocline/physics").mkdir(parents=True)
        (self.folder / "build.ninja").write_text("build halocline_physics_heat: phony a\nbuild halocline_physics_wave: phony b\n")
        for name, text in (("tea.in", "*tea\n"), ("heat.yaml", "physics: heat  # here\n"), ("flow.json", '{"physics": "heat"}'),
                           ("own.yaml", "physics: decay\n")):
            (self.folder / name).write_text(text)

    def targets(self, *words):
        script = f'set -euo pipefail\nbuild={self.folder}\n{FUNCTION}\ntargets_of "$@"\necho "${{targets[@]}}"\n'
        done = subprocess.run(["bash", "-c", script, "bash", *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_a_deck_needs_its_physics(self):
        alone = ["program_without_physics", "halocline_physics_heat"]
        for words in (["run", "heat.yaml"], ["check", "heat.yaml"], ["run", "tea.in", "--plot", "--set", "time.steps=1"]):
            self.assertEqual(self.targets(*words), alone, words)
        (self.folder / "lib/halocline/physics/heat.so").touch()
        self.assertEqual(self.targets("run", "heat.yaml"), alone)

    def test_all_else_needs_all(self):
        for words in ([], ["list"], ["run"], ["run", "--ranks", "2", "heat.yaml"], ["run", "nowhere.yaml"], ["run", "flow.json"],
                      ["run", "own.yaml"], ["run", "heat.yaml", "--set", "physics=wave"], ["restart", "heat.yaml"]):
            self.assertEqual(self.targets(*words), ["program"], words)

    def test_a_physics_that_was_built_before_is_not_left_behind(self):
        (self.folder / "lib/halocline/physics/wave.so").touch()
        self.assertEqual(self.targets("run", "heat.yaml"), ["program"])


if __name__ == "__main__":
    unittest.main()
