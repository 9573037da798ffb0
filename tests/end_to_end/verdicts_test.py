"""Messages about solves: outcomes, errors of solutions, and fallbacks."""

import json
import pathlib
import unittest

from program import Run, scratch

LINE = {"physics": "laplace", "mesh": {"cells": [3000]}, "laplace": {"centring": "cell", "source": "1"},
        "solver": {"method": "cg", "cg": {"relative_tolerance": 1e-8, "iterations": 3000}}}


def two_materials(contrast, method):
    """The wall of the better conductor determines the size of the residual, which is small long before the rest is solved."""
    return {"physics": "advection", "mesh": {"cells": [8, 8]}, "solver": {"method": method, "verify": True},
            "advection": {"diffusivity": f"x > 0.5 ? {contrast} : 1", "source": "1", "boundary": {
                "west": {"value": "1"}, "east": {"value": "2"}, "south": {"kind": "neumann"},
                "north": {"kind": "neumann"}}}}


STAGNANT = {"physics": "advection", "mesh": {"cells": [64], "upper": [2], "growth": [1.2]},
            "advection": {"diffusivity": "1e-12", "reaction": "1e4*x", "source": "x > 0.5 ? 1e6 : 1"},
            "solver": {"method": "gmres", "verify": True, "gmres": {"restart": 5, "relative_tolerance": 1e-5}}}
TINY = {"precision": "single", "mesh": {"cells": [16, 16, 16], "upper": [1e-12, 1e-12, 1e-12]}}


def merged(deck, path, value):
    """A copy of the deck with another value at `path`."""
    copy = json.loads(json.dumps(deck))
    *sections, name = path.split(".")
    inner = copy
    for section in sections:
        inner = inner.setdefault(section, {})
    inner[name] = value
    return copy


class Verdicts(unittest.TestCase):
    def run_deck(self, deck, code, *words):
        with scratch() as folder:
            (pathlib.Path(folder) / "deck.json").write_text(json.dumps(deck))
            run = Run(["run", "deck.json", "--output", "run.out", *words], folder)
            self.assertEqual(run.code, code, run.said)
            summary = run.summary() if (pathlib.Path(folder) / "run.out").exists() else None
            return run, summary

    def test_a_residual_that_rises_for_long_is_no_stall(self):
        for path, value in (("solver.cg.reductions", "two"), ("solver.cg.reductions", "one"),
                            ("solver.cg.reductions", "hidden"), ("solver.cg.preconditioner", "jacobi")):
            with self.subTest(value):
                run, summary = self.run_deck(merged(LINE, path, value), 0)
                self.assertEqual((summary["solves"][0]["outcome"], run.err), ("converged", ""))
                self.assertGreater(summary["solves"][0]["iterations"], 1000)
                self.assertAlmostEqual(summary["quantities"]["mean"], 1 / 12, 7)

    def test_an_error_that_is_too_large_is_said(self):
        for contrast, method in (("1e10", "cg"), ("1e12", "bicgstab")):
            deck = two_materials(contrast, method)
            with self.subTest(method):
                run, summary = self.run_deck(deck, 0)
                self.assertRegex(run.err, r"(?s)^[^\n]* warning: " + method + r": the error of the solution is estimated at "
                                          r"0\.[57]\d of the solution, more than `solver\.verify\.error`, 0\.01[^\n]*\n$")
                self.assertGreater(summary["solves"][0]["verification"]["error_estimate"], 0.1)
                run, summary = self.run_deck(merged(deck, "solver.verify", {"on_failure": "fail"}), 3)
                self.assertIn(f"{method} ended with unverified", run.err)
                self.assertEqual((summary["status"], summary["solves"][0]["outcome"]), ("unsolved", "unverified"))
                run, summary = self.run_deck(merged(deck, "solver.verify", {"error": 1}), 0)
                self.assertEqual(run.err, "")

    def test_an_estimate_that_is_not_to_be_trusted_is_said(self):
        run, summary = self.run_deck(STAGNANT, 0)
        self.assertIn("is unreliable: the solve for the error ended with ", run.err)
        self.assertFalse(summary["solves"][0]["verification"]["trusted"])
        run, summary = self.run_deck(merged(STAGNANT, "solver.verify", {"on_failure": "fail"}), 3)
        self.assertEqual(summary["solves"][0]["outcome"], "unverified")

    def test_what_is_not_verified_says_what_its_criterion_hides(self):
        for verify in (False, {"enabled": False, "error": 1e-9}):
            run, summary = self.run_deck(merged(two_materials("1e10", "cg"), "solver.verify", verify), 0)
            self.assertRegex(run.err, r"^[^\n]* warning: cg: meeting the criterion says little about the error[^\n]*\n$")
            self.assertNotIn("verification", summary["solves"][0])

    def test_a_lone_value_switches_verification_and_mistakes_are_named(self):
        deck = two_materials("1e10", "cg")
        for value, said in ((3, "`solver.verify.enabled`: expected true or false, got '3'"),
                            ({"eror": 1}, "`eror`: unknown in solver.verify"),
                            ({"error": 0}, "`solver.verify.error`: 0 is out of range: must be above 0")):
            run, _ = self.run_deck(merged(deck, "solver.verify", value), 2)
            self.assertIn(said, run.err)

    def test_a_source_that_underflows_is_said(self):
        heat = {"initial": "1", "source": "1e-6"}
        cases = (({"physics": "laplace", "laplace": {"centring": "cell", "source": "1e-6"}}, "`laplace.source`"),
                 ({"physics": "advection", "advection": {"source": "1e-6"}}, "`advection.source`"),
                 ({"physics": "advection", "advection": {"source": "1e-60 * (1 + x)"}, "mesh": {"cells": [4, 4]}},
                  "`advection.source`"),
                 ({"physics": "heat", "heat": heat, "time": {"step": 1e-20, "steps": 1},
                   "mesh": {"cells": [4, 4, 4], "upper": [1e-15, 1e-15, 1e-15]}}, "the volume of a cell"))
        for deck, named in cases:
            with self.subTest(named):
                run, summary = self.run_deck({**TINY, **deck}, 3)
                self.assertIn(named, run.err)
                self.assertIn("is 0 everywhere in single precision", run.err)
                self.assertIn("use `precision: double`", run.err)
                self.assertIsNone(summary, "nothing is written where nothing was solved")
        laplace = cases[0][0]
        self.assertEqual(self.run_deck({**TINY, **laplace, "precision": "double"}, 0)[0].err, "")
        self.assertEqual(self.run_deck({**TINY, **merged(laplace, "laplace.source", "0")}, 0)[0].err, "")
        run, summary = self.run_deck({**TINY, **merged(laplace, "laplace.source", "100")}, 3)
        self.assertIn("is close to the smallest number of single precision", run.err)
        self.assertEqual(summary["solves"][0]["outcome"], "breakdown", "squares are lost, too")
        run, summary = self.run_deck({**TINY, **merged(laplace, "laplace.source", "1e19")}, 3)
        self.assertIn("the residual is too small to be squared; scale the problem", run.err)


if __name__ == "__main__":
    unittest.main()
