"""A processor that the program is not compiled for is refused in words, before anything else of it is run:
`processor_check_test.py PROGRAM FOREIGN_PROCESSOR QEMU`, QEMU being qemu-x86_64 or nothing."""

import os
import re
import subprocess
import sys
import unittest

PROGRAM, FOREIGN, QEMU = sys.argv[1:4]
REFUSED = (r"^halocline: this processor \([^)]+(\([^)]*\)[^)]*)*\) has no [A-Za-z0-9., -]+, for which this Halocline was compiled "
           r"\(HALOCLINE_MARCH=[^)]*\); compile it on this machine, or for HALOCLINE_MARCH=(x86-64\S*) or less\n$")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


@unittest.skipUnless(os.uname().machine == "x86_64", "only x86-64 is looked at")
class ProcessorCheck(unittest.TestCase):
    def test_nothing_is_run_before_it(self):
        code, out, err = run(FOREIGN)
        self.assertEqual((code, out), (2, ""), "a library was initialised first" if out else err)
        self.assertRegex(err, REFUSED)

    @unittest.skipUnless(QEMU and "NOTFOUND" not in QEMU, "there is no qemu-x86_64")
    def test_an_old_processor_gets_words(self):
        """Nehalem is x86-64-v2, which is all that it may be sent to compile for."""
        code, out, err = run(QEMU, "-cpu", "Nehalem", PROGRAM, "--version")
        if code == 0:
            self.skipTest("this program is compiled for any processor")
        self.assertEqual((code, out), (2, ""), err)
        self.assertEqual(re.match(REFUSED, err)[2], "x86-64-v2")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
