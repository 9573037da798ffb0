"""Members of functors and laws that are recognised by their names, but are of another kind, do not compile:
`declared_wrongly_test.py SOURCE BUILD`. This build's compiler compiles declared_wrongly.cpp with the flags of a physics, and
must refuse every class that is marked there, with the message of its mark."""

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
CASES = SOURCE / "tests/setup/declared_wrongly.cpp"
LIKE = SOURCE / "physics/gray-scott/gray_scott.cpp"


def compiled(*flags):
    """The compiler's exit code for the cases, and its output."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    entry = next(entry for entry in commands if pathlib.Path(entry["file"]) == LIKE)
    words = shlex.split(entry["command"])
    with tempfile.TemporaryDirectory() as scratch:
        words[words.index("-o") + 1] = f"{scratch}/object.o"
        words[words.index(str(LIKE))] = str(CASES)
        if "nvcc" not in words[0]:
            words.append("-fsyntax-only")
        done = subprocess.run(words + list(flags), cwd=entry["directory"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class DeclaredWrongly(unittest.TestCase):
    def test_other_members_mean_nothing(self):
        code, said = compiled("-DHALOCLINE_DECLARED_RIGHTLY")
        self.assertEqual(code, 0, said)

    def test_each_is_refused_with_a_message(self):
        code, said = compiled()
        self.assertNotEqual(code, 0)
        marked = re.findall(r"struct (\w+) : .*\{  // (.+)", CASES.read_text())
        self.assertGreaterEqual(len(marked), 20)
        messages = [message for _, message in marked]
        # nvcc prints a question mark for each byte of other characters.
        self.assertNotRegex("".join(re.findall(r"static assertion failed:? (.*)", said)), "[^ -_a-~]")
        for name, message in marked:
            with self.subTest(name):
                self.assertRegex(said, rf"declared_wrongly::{name}<")
                self.assertGreaterEqual(len(re.findall(rf"error:.*{re.escape(message)}", said)), messages.count(message), said)


if __name__ == "__main__":
    unittest.main()
