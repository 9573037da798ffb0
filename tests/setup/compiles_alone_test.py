"""A change in one physics compiles only that physics: `compiles_alone_test.py SOURCE BUILD`, according to Ninja's
dependencies of each object."""

import pathlib
import re
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop(2))
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
# Shared by several of them.
LIBRARIES = {"equations"}


def objects_and_sources():
    """(object, file of this repository that it depends on), for all objects."""
    said = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    made = None
    for line in said.splitlines():
        if line.startswith("    "):
            path = (BUILD / line.strip()).resolve()
            if path.is_relative_to(SOURCE):
                yield made, str(path.relative_to(SOURCE))
        elif ": #deps" in line:
            made = line.split(":")[0]


class CompilesAlone(unittest.TestCase):
    def test_what_a_physics_is_made_of_is_in_no_other_object(self):
        physics = {path.name for path in (SOURCE / "physics").iterdir() if path.is_dir()} - LIBRARIES
        self.assertGreaterEqual(len(physics), 3)
        compiled = set()
        for made, source in objects_and_sources():
            name = re.match(r"physics/([\w-]+)/", source)
            if not name or name[1] not in physics:
                continue
            compiled.add(name[1])
            # Benchmarks of a physics depend on it, too.
            measures = made is not None and made.startswith("bench/")
            self.assertTrue(made.startswith(f"physics/{name[1]}/") or measures, f"{made} is made of {source}, too")
        self.assertEqual(compiled, physics)


if __name__ == "__main__":
    unittest.main()
