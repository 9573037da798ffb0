"""Reads of a functor outside its shape do not compile: `reads_outside_test.py SOURCE BUILD`. This build's compiler compiles
reads_outside.cpp with the flags of a kernel test, and must reject every line that is marked there."""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(2))
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
CASES = SOURCE / "tests/setup/reads_outside.cpp"
LIKE = SOURCE / "framework/kernel/sweep_test.cpp"
MESSAGE = "the functor reads outside its shape (and its input_shape)"


def command():
    """The compiler command of a kernel test, and its working directory."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    entry = next(entry for entry in commands if pathlib.Path(entry["file"]) == LIKE)
    return shlex.split(entry["command"]), entry["directory"]


def compiled(*flags):
    """The compiler's exit code for the cases, and its output."""
    words, folder = command()
    with tempfile.TemporaryDirectory() as scratch:
        words[words.index("-o") + 1] = f"{scratch}/object.o"
        words[words.index(str(LIKE))] = str(CASES)
        if "nvcc" not in words[0]:
            words.append("-fsyntax-only")
        return subprocess.run(words + list(flags), cwd=folder, capture_output=True, text=True)


class ReadsOutside(unittest.TestCase):
    def test_what_is_declared_compiles(self):
        done = compiled("-DHALOCLINE_WITHIN")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_not_declared_does_not_by_any_reader(self):
        done = compiled()
        self.assertNotEqual(done.returncode, 0)
        said = done.stdout + done.stderr
        on_devices = "nvcc" in command()[0][0]
        marks = ("// refused", "// refused on devices") if on_devices else ("// refused",)
        lines = [n for n, line in enumerate(CASES.read_text().splitlines(), 1) if line.endswith(marks)]
        self.assertGreaterEqual(len(lines), 6)
        for line in lines:
            with self.subTest(line=line):
                # CUDA's compiler omits some of the lines between the instantiation and the error.
                self.assertTrue(on_devices or re.search(rf"reads_outside\.cpp:{line}[:)]", said), said)
        self.assertGreaterEqual(len(re.findall(re.escape(MESSAGE), said)), len(lines), said)


if __name__ == "__main__":
    unittest.main()
