"""Unsteady advection, from the deck to its files: `advection_test.py PROGRAM`."""

import json
import math
import pathlib
import unittest

import h5py
import numpy

from program import PATIENCE, Run, scratch


def cavity(**more):
    """A closed box with a rotating flow."""
    deck = {"physics": "advection", "mesh": {"cells": [24, 24]},
            "advection": {"velocity": {"x": "sin(pi*x)*cos(pi*y)", "y": "-cos(pi*x)*sin(pi*y)"}, "diffusivity": 0.01,
                          "initial": "exp(-40*((x-0.3)^2 + (y-0.5)^2))",
                          "boundary": {face: {"kind": "neumann"} for face in ("west", "east", "south", "north")}},
            "time": {"method": "ssp_rk3", "step": 0.01, "end": 0.2}, "solver": {"method": "bicgstab"},
            "output": {"snapshots": {"interval": 10}}}
    for path, value in more.items():
        section = deck
        *folders, name = path.split("__")
        for folder in folders:
            section = section.setdefault(folder, {})
        section[name] = value
    return deck


class Advection(unittest.TestCase):
    def run_deck(self, folder, deck, ranks=1, command="run"):
        (pathlib.Path(folder) / "run.yaml").write_text(json.dumps(deck))
        return Run([command, "run.yaml", "--ranks", ranks], folder, timeout=PATIENCE)

    def done(self, folder, deck, ranks=1):
        run = self.run_deck(folder, deck, ranks)
        self.assertEqual((run.code, run.err), (0, ""))
        return run

    def state(self, run):
        """The state in the last snapshot."""
        newest = max((run.folder / "run.out").glob("*.vt[ir]"), key=lambda path: path.name)
        with h5py.File(newest) as file:
            return file["VTKHDF/CellData/u"][()]

    def test_explicit_steps_have_the_same_bits_on_any_number_of_ranks(self):
        for method, changes in (("ssp_rk3", {}), ("dormand_prince", {}),
                                ("explicit_euler", {"advection__scheme": "upwind", "advection__diffusivity": 0})):
            first = None
            for ranks in (1, 2, 3, 4):
                with self.subTest(method=method, ranks=ranks), scratch() as folder:
                    run = self.done(folder, cavity(time__method=method, **changes), ranks)
                    state = self.state(run)
                    first = state if first is None else first
                    self.assertEqual(state.tobytes(), first.tobytes())
                    self.assertGreaterEqual(len(list((run.folder / "run.out").glob("*.vt[ir]"))), 2)
                    kept = run.summary()["conserved"]["integral"]
                    self.assertLessEqual(kept["largest_relative_drift"], kept["explained_relative_drift"])

    def test_every_method_has_the_same_solution(self):
        methods = ("explicit_euler", "ssp_rk2", "ssp_rk3", "rk4", "bogacki_shampine", "dormand_prince", "implicit_euler",
                   "theta", "crank_nicolson", "sdirk2", "bdf2", "imex_ars222", "imex_ark3")
        with scratch() as folder:
            reference = self.state(self.done(folder, cavity(time__method="rk4", time__step=0.0025)))
        for method in methods:
            with self.subTest(method=method), scratch() as folder:
                state = self.state(self.done(folder, cavity(time__method=method), 2 if method == "sdirk2" else 1))
                # First order: half a step times the second derivative in time, about 4 |v . grad (v . grad u)| < 60.
                first_order = method in ("explicit_euler", "implicit_euler", "theta")
                self.assertLess(numpy.abs(state - reference).max(), 0.06 if first_order else 0.006)

    def test_imex_methods_take_the_flow_explicitly(self):
        def state(method, **changes):
            with scratch() as folder:
                return self.state(self.done(folder, cavity(time__method=method, solver={"method": "cg"}, **changes)))

        def implicit(method, **changes):
            return state(method, advection__velocity={}, **changes)

        # The implicit parts of both methods are the same: with diffusion alone they differ by what solves leave.
        self.assertLess(numpy.abs(implicit("imex_ars222") - implicit("sdirk2")).max(), 1e-8)
        with scratch() as folder:
            whole = self.state(self.done(folder, cavity(time__method="sdirk2")))
        # Conjugate gradients suffice, since only diffusion is solved for. Both are of order 2, with different errors.
        for method in ("imex_ars222", "imex_ark3"):
            self.assertGreater(numpy.abs(state(method) - whole).max(), 1e-5)
        self.assertGreater(numpy.abs(implicit("imex_ars222", advection__reaction=1) -
                                     implicit("sdirk2", advection__reaction=1)).max(), 1e-7)

    def test_steps_of_imex_methods_are_limited_by_the_flow(self):
        # Upwind, at speed 1: a cell's width a step, whatever the diffusivity.
        flow = {"advection__velocity": {"x": 1}, "advection__scheme": "upwind", "advection__diffusivity": 100,
                "advection__boundary": {}, "time__method": "imex_ars222", "solver": {"method": "cg"}}
        with scratch() as folder:
            run = self.run_deck(folder, cavity(time__step=1.01 / 24, **flow))
            self.assertEqual(run.code, 2)
            self.assertRegex(run.err, r"`time\.step`: [\d.]+ is longer than the longest stable step, 0\.041666")
        with scratch() as folder:
            self.done(folder, cavity(time__step=0.99 / 24, **flow))
        with scratch() as folder:
            deck = cavity(**flow)
            del deck["time"]["step"]
            deck["time"]["courant"] = 1
            # 0.2 is 4.8 widths.
            self.assertEqual(self.done(folder, deck).summary()["steps"], 5)
        # Without a flow any step is stable.
        with scratch() as folder:
            self.done(folder, cavity(time__step=0.2, **{**flow, "advection__velocity": {}}))

    def test_walls_and_sources_may_change_with_time(self):
        # Values that enter at the west reach x after the time x / v.
        deck = {"physics": "advection", "mesh": {"cells": [400]},
                "advection": {"velocity": {"x": 2}, "diffusivity": 0, "scheme": "upwind", "initial": "sin(-3*x)",
                              "source": "3*cos(3*t)", "exact": "sin(3*(2*t-x)) + sin(3*t) - (x > 2*t ? 0 : sin(3*(t-x/2)))",
                              "boundary": {"west": {"kind": "dirichlet", "value": "sin(6*t)"}}},
                "time": {"courant": 0.5, "end": 0.3}, "output": {"snapshots": {"interval": 0}}}
        for ranks in (1, 3):
            with self.subTest(ranks=ranks), scratch() as folder:
                quantities = self.done(folder, deck, ranks).summary()["quantities"]
                # Upwind smears the kink, of 1.5, that moves with the flow; elsewhere the largest second derivative is
                # 9.
                spread = 2 / 400 / 2 * 0.3
                self.assertAlmostEqual(quantities["error_maximum"], 1.5 * math.sqrt(spread / math.pi), delta=9 * spread)
                self.assertNotIn("peclet", quantities)

    def test_a_deck_without_time_is_steady(self):
        deck = cavity()
        del deck["time"]
        deck["advection"]["reaction"] = 1
        deck["advection"]["source"] = 2
        with scratch() as folder:
            run = self.done(folder, deck)
            self.assertNotIn("integral", run.summary()["quantities"])
            self.assertAlmostEqual(run.summary()["quantities"]["mean"], 2, delta=1e-5)
        # The steady solution is the limit of the unsteady one.
        with scratch() as folder:
            deck["time"] = {"method": "implicit_euler", "step": 5, "steps": 20}
            self.assertAlmostEqual(self.done(folder, deck).summary()["quantities"]["mean"], 2, delta=1e-5)

    def test_what_is_wrong_is_told(self):
        in_time = "depends on t, but must be constant in time"
        steady = "depends on t, but the problem is steady"
        advice = "; give a section `time` to make it unsteady\n"
        for changes, words in (
                ({"advection__velocity__x": "1+t"}, "`advection.velocity.x`: '1+t' " + in_time),
                ({"advection__diffusivity": "1+t"}, "`advection.diffusivity`: '1+t' " + in_time),
                ({"advection__reaction": "t"}, "`advection.reaction`: 't' " + in_time),
                ({"advection__diffusivity": 0}, "`advection.diffusivity`: '0' is not above 0"),
                ({"advection__diffusivity": -1, "advection__scheme": "upwind"},
                 "`advection.diffusivity`: '-1' is below 0"),
                ({"advection__source": "log(x-0.5)"}, "`advection.source`: 'log(x-0.5)' is not a finite number at (0.0208333"),
                ({"time__method": "rkl2"}, "`time.method`: rkl2 is stable for diffusion, but not for a flow"),
                ({"time__step": 0.2}, "`time.step`: 0.2 is longer than the longest stable step, "),
                ({"time": None, "advection__source": "t", "advection__reaction": 1},
                 "`advection.source`: 't' " + steady + " (run.yaml:1:"),
                ({"time": None, "advection__exact": "t", "advection__reaction": 1}, "`advection.exact`: 't' " + steady),
                ({"time": None, "advection__initial": "t", "advection__reaction": 1},
                 "`advection.initial`: 't' " + steady),
                ({"time": None, "advection__boundary__west": {"kind": "dirichlet", "value": "t"}},
                 "`advection.boundary.west.value`: 't' " + steady)):
            with self.subTest(words), scratch() as folder:
                deck = cavity(**{path: value for path, value in changes.items() if path != "time"})
                if "time" in changes:
                    del deck["time"]
                run = self.run_deck(folder, deck)
                self.assertEqual(run.code, 2, run.err)
                self.assertTrue(run.err.startswith("halocline: " + words), run.err)
                self.assertEqual(run.err.endswith(advice), steady in words)
                self.assertEqual(run.files(), ["run.yaml"])

    def test_an_explicit_method_continues_an_implicit_one(self):
        # Solvers keep a state that explicit methods do not take.
        with scratch() as folder:
            self.done(folder, cavity(time__method="bdf2", time__end=0.1, checkpoint={"every": {"steps": 5}}))
            run = Run(["restart", "run.out", "--set", "time.method=ssp_rk3", "--set", "time.end=0.2"], folder, timeout=PATIENCE)
            self.assertEqual(run.code, 0, run.err)
            self.assertEqual(run.summary()["steps"], 20)

    def test_sources_in_single_cells_are_steady_too(self):
        deck = cavity(advection__reaction=1, advection__sources=[{"position": [0.3, 0.4], "strength": 0.5}],
                      advection__velocity={})
        for changes in ({"time": None}, {"time": {"method": "implicit_euler", "step": 10, "steps": 20}}):
            with self.subTest(changes), scratch() as folder:
                deck.update(changes)
                # What enters decays at the rate 1: the integral is the strength.
                mean = self.done(folder, {name: part for name, part in deck.items() if part}).summary()["quantities"]["mean"]
                self.assertAlmostEqual(mean, 0.5, delta=1e-5)
        with scratch() as folder:
            deck["advection"]["sources"][0]["strength"] = "t"
            deck["time"] = None
            run = self.run_deck(folder, {name: part for name, part in deck.items() if part})
            self.assertEqual(run.code, 2)
            self.assertIn("`advection.sources[0].strength`: 't' depends on t, but the problem is steady", run.err)

    def test_diffusion_may_take_the_steps_that_a_flow_may_not(self):
        with scratch() as folder:
            run = self.done(folder, cavity(advection__velocity={}, time__method="rkl2", time__step=0.05))
            self.assertGreater(run.summary()["quantities"]["maximum"], 0)


if __name__ == "__main__":
    unittest.main()
