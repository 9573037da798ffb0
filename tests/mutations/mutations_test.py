"""Each mutation of mutations.json fits the sources: `mutations_test.py SOURCE`. Nothing is built."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
FILE = "physics/heat/heat.cpp"


def check(root):
    return subprocess.run([sys.executable, SOURCE / "tests/mutations/mutate.py", "--check", root],
                          capture_output=True, text=True, timeout=600, check=False)


class Mutations(unittest.TestCase):
    maxDiff = None

    def check_one(self, source, **changes):
        """What is said of one mutation of a source, `a = b + c;` by default to `a = b - c;`."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / FILE).parent.mkdir(parents=True)
            (root / FILE).write_text(source, encoding="utf-8")
            mutation = {"file": FILE, "old": "b + c", "new": "b - c", "what": "a sign", "subject": "heat", **changes}
            (root / "tests/mutations").mkdir(parents=True)
            (root / "tests/mutations/mutations.json").write_text(json.dumps([mutation]), encoding="utf-8")
            return check(root)

    def assert_found(self, done, text):
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"mutation `a sign`: {text}\n", done.stderr)

    def test_all_mutations_fit_the_sources(self):
        done = check(SOURCE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_text_that_occurs_once_fits(self):
        done = self.check_one("a = b + c;\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_text_that_is_gone_is_found(self):
        self.assert_found(self.check_one("a = c + b;\n"), "`b + c` occurs 0 times; `old` must occur exactly once")

    def test_a_text_that_occurs_twice_is_found(self):
        self.assert_found(self.check_one("a = b + c;\nd = b + c;\n"),
                          "`b + c` occurs 2 times; `old` must occur exactly once")

    def test_a_mutation_that_changes_nothing_is_found(self):
        self.assert_found(self.check_one("a = b + c;\n", new="b + c"), "`new` is the same as `old`, `b + c`")

    def test_a_file_that_is_gone_is_found(self):
        self.assert_found(self.check_one("a = b + c;\n", file="physics/heat/cold.cpp"), "there is no such file")

    def test_a_subject_that_is_gone_is_found(self):
        self.assert_found(self.check_one("a = b + c;\n", subject="cold"), "there is no subject `cold`")


if __name__ == "__main__":
    unittest.main(verbosity=2)
