"""The iteration history of the one-dimensional Laplace problem, convergence orders of laplace and heat, and conservation of
heat."""

import json
import math
import pathlib
import unittest

from program import ROOT, Run, scratch

# Root mean square change of sweeps 0, 10, … 50 for the problem of decks/laplace-1d.yaml, as printed by other programs.
HISTORY = """\
Iteration = 0 error = 0.00272958
Iteration = 10 error = 0.00034546
Iteration = 20 error = 0.000210903
Iteration = 30 error = 0.000157015
Iteration = 40 error = 0.000127122
Iteration = 50 error = 0.00010783
"""
FACES = ("west", "east", "south", "north", "bottom", "top")
SOLVER = {"method": "cg", "cg": {"relative_tolerance": 1e-13, "preconditioner": "multigrid"}}


def held_at(value, axes):
    return {face: {"kind": "dirichlet", "value": value} for face in FACES[:2 * axes]}


def laplace(cells, centring, axes):
    """sin(2 x) cos(y) exp(z), with as many factors as axes."""
    exact = " * ".join(("sin(2*x)", "cos(y)", "exp(z)")[:axes])
    factor = (4, 5, 4)[axes - 1]
    return {"physics": "laplace", "mesh": {"cells": [cells] * axes, "upper": [1, 1.5, 0.75][:axes]},
            "laplace": {"centring": centring, "source": f"{factor} * {exact}", "exact": exact,
                        "boundary": held_at(exact, axes)},
            "solver": SOLVER, "output": {"snapshots": {"interval": 0}}}


def free_laplace(cells, centring, axes, periodic):
    """Cosines with zero slopes at the walls, or waves that fit into the box: u is determined only up to a constant."""
    factors = [f"{'sin' if periodic else 'cos'}({waves}*3.14159265358979324*{x})"
               for waves, x in zip((2, 4, 2) if periodic else (1, 2, 1), "xyz")][:axes]
    exact = " * ".join(factors)
    factor = sum(n * n for n in ((2, 4, 2) if periodic else (1, 2, 1))[:axes])
    walls = {} if periodic else {face: {"kind": "neumann"} for face in FACES[:2 * axes]}
    return {"physics": "laplace", "mesh": {"cells": [cells] * axes, "periodic": [periodic] * axes},
            "laplace": {"centring": centring, "source": f"{factor} * 3.14159265358979324^2 * {exact}", "exact": exact,
                        "boundary": walls},
            "solver": SOLVER, "output": {"snapshots": {"interval": 0}}}


def heat(cells, step, method, conductivity, exact, source):
    return {"physics": "heat", "mesh": {"cells": cells},
            "heat": {"initial": exact, "exact": exact, "conductivity": conductivity, "source": source,
                     "boundary": held_at(exact, 1)},
            "time": {"method": method, "step": step, "end": 0.5},
            "solver": SOLVER, "output": {"snapshots": {"interval": 0}}}


def errors(deck, ranks=1):
    """error_2 and error_maximum of a deck."""
    with scratch() as folder:
        path = pathlib.Path(folder) / "deck.yaml"
        path.write_text(json.dumps(deck))
        run = Run(["run", path, "--output", "run.out", "--ranks", ranks], folder)
        if run.code != 0:
            raise AssertionError(f"{run.err}\n{path.read_text()}")
        quantities = run.summary()["quantities"]
        return quantities["error_2"], quantities["error_maximum"]


class Accuracy(unittest.TestCase):
    def assert_order(self, order, coarse, fine):
        for name, one, two in zip(("error_2", "error_maximum"), coarse, fine):
            self.assertAlmostEqual(math.log2(one / two), order, delta=0.1, msg=f"{name}: {one}, {two}")

    def test_laplace_prints_the_known_history(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks), scratch() as folder:
                run = Run(["run", ROOT / "decks/laplace-1d.yaml", "--ranks", ranks], folder)
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertTrue(run.out.startswith(HISTORY), run.out)
                solve = run.summary("laplace-1d.out")["solves"][0]
                self.assertEqual(solve["outcome"], "converged")
                self.assertLess(solve["iterations"], 60)

    def test_laplace_is_of_second_order(self):
        # In 3D the corners of cells next to walls need this many cells before the largest error falls with second
        # order.
        for axes, cells in ((1, 64), (2, 32), (3, 40)):
            for centring in ("node", "cell"):
                with self.subTest(axes=axes, centring=centring):
                    coarse = errors(laplace(cells, centring, axes), ranks=axes)
                    fine = errors(laplace(2 * cells, centring, axes), ranks=axes)
                    self.assert_order(2, coarse, fine)

    def test_laplace_where_nothing_holds_u(self):
        # Products of waves whose mean over the domain is that of the initial guess.
        for axes, cells in ((1, 65), (2, 33), (3, 22)):
            for periodic in (True, False):
                for centring in ("node", "cell"):
                    with self.subTest(axes=axes, periodic=periodic, centring=centring):
                        deck = free_laplace(cells, centring, axes, periodic)
                        fine = errors({**deck, "mesh": {**deck["mesh"], "cells": [2 * cells] * axes}}, ranks=axes)
                        self.assert_order(2, errors(deck, ranks=axes), fine)

    def test_a_source_with_a_mean_needs_somewhere_to_go(self):
        deck = free_laplace(20, "node", 2, False)
        del deck["laplace"]["exact"]
        deck["laplace"]["source"] += " + 0.5"
        with scratch() as folder:
            (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck))
            command = ["run", "deck.yaml", "--output", "run.out", "--overwrite"]
            run = Run(command, folder)
            self.assertEqual(run.code, 3)
            self.assertIn("ended with inconsistent after 0 iterations", run.err)
            self.assertIn("subtract it (solver.null_space: project), or fix the unknown somewhere", run.err)
            run = Run([*command, "--set", "solver.null_space=project"], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertRegex(run.summary()["solves"][0]["remark"],
                             r"^the operator is singular: .*; a mean of 0\.5 was subtracted from the source$")

    def test_a_source_that_is_taken_off_leaves_nothing(self):
        # Control volumes differ at walls and where the mesh is stretched; the source is still uniform.
        for growth in (1, 1.1):
            for centring in ("node", "cell"):
                with self.subTest(growth=growth, centring=centring), scratch() as folder:
                    deck = free_laplace(20, centring, 2, False)
                    del deck["laplace"]["exact"]
                    deck["laplace"].update(source="1", initial="3")
                    deck["mesh"]["growth"] = [growth, growth]
                    deck["solver"] = {**SOLVER, "null_space": "project"}
                    (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck))
                    run = Run(["run", "deck.yaml", "--output", "run.out"], folder)
                    self.assertEqual((run.code, run.err), (0, ""))
                    quantities = run.summary()["quantities"]
                    self.assertAlmostEqual(quantities["mean"], 3, delta=1e-12)
                    self.assertAlmostEqual(quantities["maximum"], 3, delta=1e-9)

    def test_heat_is_of_second_order_in_space(self):
        exact = "sin(2*x) * exp(-t)"
        source = "(4*(1+x)*sin(2*x) - 2*cos(2*x) - sin(2*x)) * exp(-t)"
        coarse, fine = (errors(heat(cells, 0.01, "crank_nicolson", "1 + x", exact, source)) for cells in (16, 32))
        self.assert_order(2, coarse, fine)

    def test_heat_is_of_its_method_s_order_in_time(self):
        # Linear in x, so that the only error is that of the integrator.
        exact, source = "(1 + x) * exp(-2*t)", "-2 * (1 + x) * exp(-2*t)"
        for method, order in (("implicit_euler", 1), ("crank_nicolson", 2), ("sdirk2", 2), ("bdf2", 2)):
            with self.subTest(method=method):
                coarse, fine = (errors(heat(10, step, method, "1", exact, source), ranks=2) for step in (0.0125, 0.00625))
                self.assert_order(order, coarse, fine)

    def test_heat_is_solved_by_every_integrator(self):
        exact, source = "(1 + x) * exp(-2*t)", "-2 * (1 + x) * exp(-2*t)"
        # Half of the longest stable step of explicit Euler on 10 cells.
        for method, most in (("implicit_euler", 1e-2), ("theta", 1e-3), ("crank_nicolson", 1e-4), ("sdirk2", 1e-4),
                             ("bdf2", 1e-4), ("imex_ars222", 1e-4), ("imex_ark3", 1e-5), ("explicit_euler", 1e-2),
                             ("ssp_rk2", 1e-4), ("ssp_rk3", 1e-5), ("rk4", 1e-5), ("bogacki_shampine", 1e-3),
                             ("dormand_prince", 1e-3), ("rkl2", 1e-3)):
            with self.subTest(method=method):
                one, three = (errors(heat(10, 0.0025, method, "1", exact, source), ranks=ranks) for ranks in (1, 3))
                self.assertLess(max(one), most)
                for a, b in zip(one, three):
                    self.assertAlmostEqual(a, b, delta=1e-9)

    def run_conserving(self, ranks=1, precision="double", **options):
        deck = {"physics": "heat", "precision": precision, "mesh": {"cells": [48, 40]},
                "heat": {"initial": "sin(7*x) + y", "conductivity": "1 + x*y", **options},
                "time": {"method": "crank_nicolson", "step": 0.01, "steps": 5},
                "solver": {"cg": {"relative_tolerance": 1e-5}}, "output": {"snapshots": {"interval": 0}}}
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            run = Run(["run", path, "--output", "run.out", "--ranks", ranks], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            return run, run.summary()

    def test_heat_keeps_its_energy_in_a_closed_box(self):
        for ranks, precision in ((1, "double"), (3, "double"), (1, "single")):
            with self.subTest(ranks=ranks, precision=precision):
                run, summary = self.run_conserving(ranks, precision)
                self.assertEqual(list(summary["conserved"]), ["internal_energy"])
                energy = summary["conserved"]["internal_energy"]
                self.assertEqual(energy["final"], summary["quantities"]["internal_energy"])
                self.assertLessEqual(abs(energy["final"] - energy["initial"]),
                                     energy["largest_relative_drift"] * 2 * abs(energy["initial"]))
                self.assertLessEqual(energy["largest_relative_drift"], energy["explained_relative_drift"])
                # 2 sqrt(1920) times residuals of 1e-5 of a norm of b below 1e-3 * sqrt(1920), relative to an energy
                # near 0.6
                self.assertLess(energy["explained_relative_drift"], 1e-3)
                self.assertRegex(run.out, r"\nconserved +internal_energy: largest drift \d\.\de-\d\d \(rounding and solves explain ")

    def test_heat_claims_nothing_of_an_open_box(self):
        held = {"boundary": {"west": {"kind": "dirichlet", "value": 1}}}
        flux = {"boundary": {"north": {"kind": "neumann", "value": 0.5}}}
        for options in (held, flux, {"source": "x"}):
            with self.subTest(options=options):
                run, summary = self.run_conserving(**options)
                self.assertEqual(summary["conserved"], {})
                self.assertNotIn("conserved", run.out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
