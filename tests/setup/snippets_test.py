"""The C++ of docs/writing-a-physics.md: `snippets_test.py SOURCE BUILD`. Whole plugins compile, with the flags of a physics of
this build; parts are those of the tested source that a comment in front of them names."""

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
PAGE = (SOURCE / "docs/writing-a-physics.md").read_text(encoding="utf-8")
LIKE = SOURCE / "physics/gray-scott/gray_scott.cpp"
# What the page says that the sources of kernels include.
INCLUDES = '#include <halocline/physics.hpp>\n#include "physics/equations/conservation_law.hpp"\nusing namespace halocline;\n'


def bare(text):
    """Without comments, blanks and unnamed namespaces."""
    text = re.sub(r"^(namespace {|}  // namespace)$", "", text, flags=re.MULTILINE)
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*", "", text))


class Snippets(unittest.TestCase):
    def test_whole_plugins_compile(self):
        plugins = [text for text in re.findall(r"^```cpp\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
                   if "HALOCLINE_PLUGIN" in text and "…" not in text]
        self.assertGreaterEqual(len(plugins), 2)
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        entry = next(entry for entry in commands if pathlib.Path(entry["file"]) == LIKE)
        for text in plugins:
            with self.subTest(text[:200]), tempfile.TemporaryDirectory() as scratch:
                file = pathlib.Path(scratch) / "plugin.cpp"
                file.write_text(INCLUDES + text, encoding="utf-8")
                words = shlex.split(entry["command"])
                words[words.index("-o") + 1] = f"{scratch}/object.o"
                words[words.index(str(LIKE))] = str(file)
                # nvcc has no way to stop after its front end: this is the least that it compiles.
                words.append("-fsyntax-only" if "nvcc" not in words[0] else "--ptx")
                done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_parts_are_of_what_is_tested(self):
        parts = re.findall(r"^<!-- from (\S+) -->\n```cpp\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(parts), 6)
        for file, text in parts:
            source = bare((SOURCE / file).read_text(encoding="utf-8"))
            for part in text.split("…"):
                with self.subTest(file=file, part=part):
                    self.assertIn(bare(part), source)


if __name__ == "__main__":
    unittest.main()
