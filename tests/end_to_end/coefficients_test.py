"""Coefficients that are very small, very large or jump, from the deck to its files: `coefficients_test.py PROGRAM`."""

import json
import math
import pathlib
import re
import unittest

import h5py
import numpy

from program import ROOT, Run, scratch
from reference import centres


def run_deck(folder, deck, ranks=1):
    (pathlib.Path(folder) / "run.yaml").write_text(json.dumps(deck))
    return Run(["run", "run.yaml", "--ranks", ranks], folder)


def state(run, output="run.out"):
    """u in the last snapshot, without axes of one cell."""
    newest = max((run.folder / output).glob("*.vt[ir]"), key=lambda path: path.name)
    with h5py.File(newest) as file:
        return file["VTKHDF/CellData/u"][()].squeeze().astype(float)


def conduction(k, width, walls=(None, None)):
    """The matrix and the wall terms of -(k u')' on cells of one width: harmonic means at faces, insulated walls or, half a
    cell away, the given values."""
    matrix = numpy.zeros((len(k), len(k)))
    right = numpy.zeros(len(k))
    for i, face in enumerate(2 / (1 / k[1:] + 1 / k[:-1])):
        matrix[i:i + 2, i:i + 2] += face * numpy.array([[1, -1], [-1, 1]]) / width**2
    for cell, value in zip((0, -1), walls):
        if value is not None:
            matrix[cell, cell] += 2 * k[cell] / width**2
            right[cell] += 2 * k[cell] / width**2 * value
    return matrix, right


class Range(unittest.TestCase):
    """Heat in a rod of 16 cells, k = scale (1 + x), whose solution depends on scale times the step alone."""

    CELLS, STEPS = 16, 20
    SCALES = {"single": (1e-37, 1e-24, 1e-19, 1, 1e19, 1e37), "double": (1e-300, 1e-170, 1e-155, 1, 1e155, 1e170, 1e300)}
    WALLS = {"insulated": {}, "values": {"west": {"kind": "dirichlet", "value": 2}, "east": {"kind": "dirichlet", "value": 1}}}

    def deck(self, precision, scale, walls="insulated", **time):
        return {"physics": "heat", "precision": precision, "mesh": {"cells": [self.CELLS]},
                "heat": {"initial": "x", "conductivity": f"{scale!r}*(1+x)", "boundary": self.WALLS[walls]},
                "time": {"step": 0.01 / scale, "steps": self.STEPS, **time},
                "output": {"snapshots": {"interval": self.STEPS}}}

    def expected(self, walls):
        x = centres(self.CELLS)
        given = (2, 1) if walls == "values" else (None, None)
        matrix, right = conduction(1 + x, 1 / self.CELLS, given)
        u = x
        for _ in range(self.STEPS):
            u = numpy.linalg.solve(numpy.eye(self.CELLS) + 0.01 * matrix, u + 0.01 * right)
        return u

    def test_steps_of_implicit_euler_are_right_at_any_scale(self):
        # Three cells of the insulated rod, to four digits.
        for cell, value in ((0, 0.4706), (8, 0.5047), (15, 0.5249)):
            self.assertAlmostEqual(self.expected("insulated")[cell], value, delta=1e-4)
        # Solves end at 1e-10 of the residual, or at the rounding of single precision: about 1e-7 times the condition,
        # 400, at the worst.
        for precision, allowed in (("single", 1e-5), ("double", 1e-8)):
            for scale in self.SCALES[precision]:
                for walls in self.WALLS:
                    with self.subTest(precision=precision, scale=scale, walls=walls), scratch() as folder:
                        run = run_deck(folder, self.deck(precision, scale, walls))
                        self.assertEqual((run.code, run.err), (0, ""))
                        self.assertLess(numpy.abs(state(run) - self.expected(walls)).max(), allowed)

    def test_other_methods_are_right_at_any_scale(self):
        for method in ("rkl2", "imex_ark3", "bdf2"):
            for precision, scales in (("single", (1e-37, 1e-24, 1e19)), ("double", (1e-170, 1e155))):
                with self.subTest(method=method, precision=precision):
                    states = []
                    for scale in (1, *scales):
                        with scratch() as folder:
                            run = run_deck(folder, self.deck(precision, scale, method=method))
                            self.assertEqual((run.code, run.err), (0, ""))
                            states.append(state(run))
                    for scaled in states[1:]:
                        self.assertLess(numpy.abs(scaled - states[0]).max(), 1e-5 if precision == "single" else 1e-8)

    def test_a_product_out_of_range_ends_with_a_reason(self):
        # Cells of 1e-8, whose volume times a value is too small to be squared in single precision.
        deck = self.deck("single", 1e-24)
        deck["mesh"].update(cells=[16, 2, 2], upper=[1e-8, 1e-9, 1e-9])
        deck["heat"]["initial"] = "1e8*x"
        deck["time"]["step"] = 0.01 * 1e-16 / 1e-24
        with scratch() as folder:
            run = run_deck(folder, deck)
            self.assertEqual(run.code, 3)
            self.assertIn("too small to be squared; scale the problem", run.err)
        # In double precision it is in range, and so is what a face takes: k = 1e-24, area 1e-18 and step 1e6.
        deck["precision"] = "double"
        deck["heat"]["conductivity"] = "1e-24*(1+1e8*x)"
        with scratch() as folder:
            run = run_deck(folder, deck)
            self.assertEqual((run.code, run.err), (0, ""))
            values = state(run)
            self.assertLess(numpy.abs(values - self.expected("insulated")).max(), 1e-8)


class Parts(unittest.TestCase):
    def test_in_heat_only_the_source_is_explicit(self):
        def final(method, source):
            deck = {"physics": "heat", "mesh": {"cells": [32]},
                    "heat": {"initial": "sin(3*x)", "source": source,
                             "boundary": {"west": {"kind": "dirichlet", "value": "sin(3*t)"},
                                          "east": {"kind": "robin", "value": "cos(2*t)"}}},
                    "time": {"method": method, "step": 0.01, "steps": 10}, "output": {"snapshots": {"interval": 10}}}
            with scratch() as folder:
                run = run_deck(folder, deck)
                self.assertEqual((run.code, run.err), (0, ""))
                return state(run)

        # Both methods have the same implicit stages; solves end at 1e-10 of their initial residual.
        self.assertLess(numpy.abs(final("imex_ars222", 0) - final("sdirk2", 0)).max(), 1e-8)
        # The errors of both for a source are of the order of the step's square times its second derivative.
        source = "exp(3*t)*x"
        difference = numpy.abs(final("imex_ars222", source) - final("sdirk2", source)).max()
        self.assertGreater(difference, 1e-7)
        self.assertLess(difference, 1e-3)


class Jump(unittest.TestCase):
    def test_a_criterion_that_says_little_is_warned_of(self):
        deck = {"physics": "heat", "mesh": {"cells": [16, 16]},
                "heat": {"initial": 0, "conductivity": "x<0.5 ? 1 : 1e12",
                         "boundary": {"west": {"kind": "dirichlet", "value": 0}, "east": {"kind": "dirichlet", "value": 1}}},
                "time": {"step": 1e3, "steps": 1}, "output": {"snapshots": {"interval": 1}}}
        x = centres(16)
        matrix, right = conduction(numpy.where(x < 0.5, 1, 1e12), 1 / 16, (0, 1))
        mean = numpy.linalg.solve(numpy.eye(16) + 1e3 * matrix, 1e3 * right).mean()
        self.assertAlmostEqual(mean, 0.75, delta=1e-4)
        warning = re.compile(r"warning: cg: meeting the criterion says little about the error: entries of the operator's "
                             r"diagonal differ by a factor of [\d.e+]+, and its relative tolerance, 1e-10, hides errors")
        # Directions p of cg are about k times the step, 1e15, and p . A p about the cube of that, beyond 3e38, the largest
        # number of single precision: such a run ends with a reason. With a step of 1 the cube is 1e36.
        for ranks in (1, 3):
            for precision, step in (("double", 1e3), ("single", 1)):
                with self.subTest(ranks=ranks, precision=precision), scratch() as folder:
                    run = run_deck(folder, {**deck, "precision": precision, "time": {"step": step, "steps": 1}}, ranks)
                    self.assertEqual(run.code, 0, run.err)
                    self.assertIn("warning: cg: meeting the criterion says little about the error", run.err)
                    if precision == "double":
                        self.assertRegex(run.err, warning)
            with self.subTest(ranks=ranks, precision="single, out of range"), scratch() as folder:
                run = run_deck(folder, {**deck, "precision": "single"}, ranks)
                self.assertEqual(run.code, 3)
                self.assertIn("too large to be multiplied with each other; scale the problem", run.err)
        # Several steps: once.
        with scratch() as folder:
            run = run_deck(folder, {**deck, "time": {"step": 1e3, "steps": 3}})
            self.assertEqual(run.err.count("warning"), 1, run.err)
        # Criteria that see the small entries, and those that suffice: no warning, and the right mean.
        for solver in ({"cg": {"norm": "natural", "preconditioner": "multigrid"}}, {"cg": {"relative_tolerance": 1e-15}}):
            with self.subTest(solver=solver), scratch() as folder:
                run = run_deck(folder, {**deck, "solver": solver})
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertAlmostEqual(state(run).mean(), mean, delta=1e-3)
        # A contrast that the tolerance allows for.
        for contrast, warns in ((1e6, False), (1e9, True)):
            with self.subTest(contrast=contrast), scratch() as folder:
                run = run_deck(folder, {**deck, "heat": {**deck["heat"], "conductivity": f"x<0.5 ? 1 : {contrast}"}})
                self.assertEqual((run.code, "warning" in run.err), (0, warns), run.err)

    def test_advection_is_exact_for_a_jump_on_a_face(self):
        # Without a flow u is linear in each half, with slopes of the ratio of the diffusivities.
        deck = {"physics": "advection", "mesh": {"cells": [10, 3]},
                "advection": {"diffusivity": "x < 0.5 ? 1 : 0.001",
                              "boundary": {"west": {"kind": "dirichlet", "value": 0}, "east": {"kind": "dirichlet", "value": 1},
                                           "south": {"kind": "neumann"}, "north": {"kind": "neumann"}},
                              "exact": "(x < 0.5 ? 0.001*x : 0.0005 + (x - 0.5)) / 0.5005"},
                "solver": {"method": "bicgstab", "bicgstab": {"relative_tolerance": 1e-13}}}
        for ranks in (1, 2):
            with self.subTest(ranks=ranks), scratch() as folder:
                run = run_deck(folder, deck, ranks)
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertLess(run.summary()["quantities"]["error_maximum"], 1e-9)

    def test_heat_between_two_bodies(self):
        with scratch() as folder:
            run = Run(["run", ROOT / "decks/heat-contact.yaml", "--output", "run.out"], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            u = state(run)
        good, bad, time = 1.0, 0.01, 0.01
        contact = 1 / (1 + math.sqrt(bad / good))
        x = centres(1600, 2.0) - 1
        exact = [contact + (1 - contact) * math.erf(-x / math.sqrt(4 * good * time)) if x < 0 else
                 contact * math.erfc(x / math.sqrt(4 * bad * time)) for x in x]
        # The second derivative in the bad conductor, up to 2200, times the square of the width, over 8: 4.3e-4.
        self.assertLess(numpy.abs(u - exact).max(), 5e-4)
        # The flux is continuous: it takes the value at the face from both cells.
        at_face = (good * u[799] + bad * u[800]) / (good + bad)
        self.assertAlmostEqual(at_face, contact, delta=1e-5)

    def test_a_flow_through_two_layers(self):
        errors = []
        for cells in (400, 800):
            with scratch() as folder:
                run = Run(["run", ROOT / "decks/two-layers.yaml", "--set", f"mesh.cells={cells}", "--output", "run.out"], folder)
                self.assertEqual((run.code, run.err), (0, ""))
                errors.append(run.summary()["quantities"]["error_maximum"])
                u = state(run)
            x = centres(cells)
            # Through every face the same amount passes, u v - k u' = flux, from which both layers follow.
            flux = 1 / (1 - math.exp(0.5 / 1 + 0.5 / 0.1))
            exact = numpy.where(x < 0.5, flux * (1 - numpy.exp(x)), flux + (1 - flux) * numpy.exp((x - 1) / 0.1))
            self.assertAlmostEqual(numpy.abs(u - exact).max(), errors[-1], delta=1e-9)
        # Between the wall and the nearest cell u is taken as linear: the second derivative, 100, times the square of the
        # width, over 8.
        self.assertLess(errors[0], 1.1 * 100 / 400**2 / 8)
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.05)


if __name__ == "__main__":
    unittest.main(verbosity=2)
