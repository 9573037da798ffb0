"""What a conservation law may have besides a flux and its waves: `laws_test.py PROGRAM PLUGIN`, where PLUGIN is the law of
twin_waves.cpp."""

import json
import pathlib
import re
import sys
import unittest

import h5py
import numpy

from program import Run, scratch

PLUGIN = pathlib.Path(sys.argv.pop(1)).resolve()

# Even about x = 0.
START = {"p": "exp(-20*((abs(x) - 0.4)^2 + (y - 0.3)^2))", "q": "0.3*cos(pi*x)*cos(pi*y)"}
# Odd about x = 0, as the components along x of vectors are.
ODD = {"a_x": "0.2*sin(pi*x)", "b_x": "0.1*sin(2*pi*x)*cos(pi*y)"}


def deck(cells, lower, **boundary):
    return {"physics": "twin-waves", "mesh": {"cells": cells, "lower": lower, "upper": [1, 1]},
            "twin-waves": {"initial": {**START, **ODD, "b_y": "0.1*sin(pi*y)"}, "boundary": boundary},
            "time": {"step": 0.01, "steps": 60}, "output": {"snapshots": {"interval": 60}}}


class Laws(unittest.TestCase):
    def run_deck(self, deck, ranks=1):
        """The summary, and the final fields as arrays of [y, x]."""
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            run = Run(["run", path, "--plugin", PLUGIN, "--output", "run.out", "--ranks", ranks], folder)
            self.assertEqual((run.code, run.err), (0, ""), run.out)
            nx, ny = deck["mesh"]["cells"]
            with h5py.File(path.parent / "run.out/snapshot_000060.vti") as file:
                fields = {name: values[:].reshape(ny, nx) for name, values in file["VTKHDF/CellData"].items()}
            return run.summary(), fields

    def test_a_wall_reflects_every_vector(self):
        # A wall in the middle of a symmetric state changes nothing: half of the domain is half of the solution. The two
        # runs differ by rounding, below 60 steps x 1e-16 x 10.
        closed = {"kind": "reflecting"}
        _, whole = self.run_deck(deck([64, 24], [-1, 0], west=closed, east=closed, south=closed, north=closed))
        for ranks in (1, 3):
            summary, half = self.run_deck(deck([32, 24], [0, 0], west=closed, east=closed, south=closed, north=closed), ranks)
            for name, values in half.items():
                self.assertGreater(numpy.abs(values).max(), 0.01, name)
                self.assertLess(numpy.abs(values - whole[name][:, 32:]).max(), 1e-13, name)
            # No pressure passes a wall; every velocity changes at those across it.
            self.assertEqual(set(summary["conserved"]), {"integral(p)", "integral(q)"})
            for name, kept in summary["conserved"].items():
                self.assertLessEqual(kept["largest_relative_drift"], kept["explained_relative_drift"], name)

    def test_the_battery_mirrors_both_vectors(self):
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck([12, 10], [-1, 0])))
            only = [word for name in ("mirror", "axes", "conservation", "ghosts") for word in ("--only", name)]
            run = Run(["test-physics", PLUGIN, "--deck", path, *only], folder)
            self.assertEqual((run.code, run.err), (0, ""), run.out)
            self.assertEqual(re.findall(r"^  (\w+) +held ", run.out, re.MULTILINE), ["conservation", "mirror", "axes", "ghosts"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
