"""tools/check_sources.py compiles a part of the sources, checks the others and names those with errors:
`check_sources_test.py SOURCE COMPILER`. The device's compiler is a script that calls COMPILER."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
COMPILER = sys.argv[2]
del sys.argv[1:]
COUNT = 24


class CheckSources(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.build = self.root / "build"
        self.build.mkdir()
        device = self.root / "hipcc"
        device.write_text(f'#!/bin/sh\nexec {COMPILER} "$@"\n')
        device.chmod(0o755)
        self.files = [self.root / f"source_{n}.cpp" for n in range(COUNT)]
        for n, file in enumerate(self.files):
            # Joined with another source, the names collide.
            file.write_text(f"namespace {{ constexpr int mine = {n}; }}\nint number_{n}() {{ return mine; }}\n")
        self.host = self.root / "host.cpp"
        self.host.write_text("int host() { return 0; }\n")
        (self.root / "Kokkos_Core.hpp").write_text("")
        entries, lines = [], ["rule compile", "  command = $command", "  deps = gcc", "  depfile = $out.d"]
        for file in [*self.files, self.host]:
            compiler = COMPILER if file == self.host else device
            command = f"{compiler} -o {file.stem}.o -MD -MF {file.stem}.o.d -c {file}"
            entries.append({"directory": str(self.build), "file": str(file), "command": command})
            lines += [f"build {file.stem}.o: compile {file}", f"  command = {command}"]
        objects = " ".join(file.stem + ".o" for file in [*self.files, self.host])
        lines += ["rule link", "  command = cat $in > $out", f"build linked: link {objects}", "build program: phony linked"]
        (self.build / "build.ninja").write_text("\n".join(lines) + "\n")
        (self.build / "compile_commands.json").write_text(json.dumps(entries))

    def check(self, seed="1", one_in=4, *more):
        """Exit code, what was printed, and the numbers of the sources that were compiled."""
        for file in self.build.glob("*.o"):
            file.unlink()
        done = subprocess.run([sys.executable, SOURCE / "tools/check_sources.py", self.build, "--seed", seed, "--one-in",
                               str(one_in), *more], capture_output=True, text=True, check=False)
        compiled = {n for n, file in enumerate(self.files) if (self.build / f"{file.stem}.o").exists()}
        return done.returncode, done.stdout + done.stderr, compiled

    def test_a_part_is_compiled_another_one_for_each_seed(self):
        parts = []
        for seed in range(30):
            code, said, compiled = self.check(str(seed))
            self.assertEqual(code, 0, said)
            self.assertIn(f"{len(compiled)} of {COUNT} sources compiled", said)
            parts.append(frozenset(compiled))
        self.assertGreater(len(set(parts)), 20)
        self.assertEqual(frozenset().union(*parts), set(range(COUNT)), "each source has its turn")
        self.assertEqual(self.check("7")[2], parts[7], "a seed draws the same part again")

    def test_errors_are_found_in_what_is_compiled_and_in_the_rest(self):
        compiled = self.check()[2]
        for n in (min(compiled), min(set(range(COUNT)) - compiled)):
            with self.subTest(drawn=n in compiled):
                text = self.files[n].read_text()
                self.files[n].write_text(text + "int wrong = not_declared;\n")
                code, said, _ = self.check()
                self.files[n].write_text(text)
                self.assertEqual(code, 1)
                self.assertRegex(said, rf"source_{n}\.cpp:3.*not_declared")
                self.assertIn("1 with errors", said)

    def test_a_source_for_hosts_that_reads_kokkos_is_named(self):
        for line, code in (("", 0), ('#include "Kokkos_Core.hpp"\n', 1)):
            self.host.write_text(line + "int host() { return 0; }\n")
            subprocess.run(["ninja", "-C", self.build, "host.o"], capture_output=True, check=True)
            ended, said, _ = self.check("1", 4, "--host", self.build)
            self.assertEqual(ended, code, said)
            self.assertEqual(f"{self.host}: includes Kokkos" in said, code == 1, said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
