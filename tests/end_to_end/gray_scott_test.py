"""Gray-Scott compared with NumPy, on ranks and blocks, by every integrator, and rejected decks."""

import json
import pathlib
import unittest

import h5py
import numpy

from program import ROOT, Run, scratch

CELLS = (48, 37)
SPACING = 0.01
START_U = "0.9 + 0.1*sin(3*x/0.48*2*pi)*cos(2*pi*y/0.37)"
START_V = "0.2 + 0.1*cos(2*x/0.48*2*pi)"
OPTIONS = {"Du": 2e-5, "Dv": 1e-5, "F": 0.037, "k": 0.06}


def deck(method, **more):
    time = {"method": method, "step": 0.5, "steps": 40, **more.pop("time", {})}
    return {"physics": "gray-scott", "time": time,
            "mesh": {"cells": CELLS, "upper": [n * SPACING for n in CELLS], "periodic": [True, True]},
            "gray-scott": {**OPTIONS, "u": {"initial": START_U}, "v": {"initial": START_V}},
            "output": {"snapshots": {"interval": 40}}, **more}


def places():
    x, y = ((numpy.arange(n) + 0.5) * SPACING for n in CELLS)
    return x[None, :], y[:, None]


def start():
    x, y = places()
    u = 0.9 + 0.1 * numpy.sin(3 * x / 0.48 * 2 * numpy.pi) * numpy.cos(2 * numpy.pi * y / 0.37)
    v = 0.2 + 0.1 * numpy.cos(2 * x / 0.48 * 2 * numpy.pi) + 0 * y
    return numpy.stack([u, v])


def rate(state):
    laplacian = sum(numpy.roll(state, n, axis) for n in (-1, 1) for axis in (1, 2)) - 4 * state
    u, v = state
    uvv = u * v * v
    return numpy.stack([OPTIONS["F"] * (1 - u) - uvv, uvv - (OPTIONS["F"] + OPTIONS["k"]) * v]) \
        + numpy.array([OPTIONS["Du"], OPTIONS["Dv"]])[:, None, None] * laplacian / SPACING**2


def heun(state, step):
    """SSP-RK2."""
    middle = state + step * rate(state)
    return (state + middle + step * rate(middle)) / 2


def runge_kutta(state, step):
    """The classical fourth-order method."""
    k1 = rate(state)
    k2 = rate(state + step / 2 * k1)
    k3 = rate(state + step / 2 * k2)
    k4 = rate(state + step * k3)
    return state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


class GrayScott(unittest.TestCase):
    def state_after(self, contents, *arguments):
        with scratch() as folder:
            (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(contents))
            run = Run(["run", "deck.yaml", "--output", "run.out", *arguments], folder)
            self.assertEqual((run.code, run.err), (0, ""), contents)
            newest = sorted(pathlib.Path(folder).glob("run.out/snapshot_*.vt[ir]"))[-1]
            with h5py.File(newest) as file:
                cells = file["VTKHDF/CellData"]
                return numpy.stack([cells[name][:].reshape(CELLS[::-1]) for name in ("u", "v")])

    def test_steps_are_numpys(self):
        # 40 steps of up to four stages, each with a few roundings of numbers up to 1.
        rounding = 40 * 4 * 8 * numpy.finfo(float).eps
        for method, step in (("ssp_rk2", heun), ("rk4", runge_kutta)):
            state = start()
            for _ in range(40):
                state = step(state, 0.5)
            for arguments in ((), ("--ranks", 3), ("--set", "mesh.blocks_per_rank=2")):
                with self.subTest(method=method, arguments=arguments):
                    self.assertLess(abs(self.state_after(deck(method), *arguments) - state).max(), rounding)

    def test_ranks_do_not_change_a_bit(self):
        for method in ("ssp_rk3", "dormand_prince"):
            alone = self.state_after(deck(method))
            for ranks in (2, 4):
                self.assertEqual(abs(self.state_after(deck(method), "--ranks", ranks) - alone).max(), 0, method)

    def test_every_integrator_comes_to_the_same_end_with_its_order(self):
        exact = start()
        for _ in range(800):
            exact = runge_kutta(exact, 0.025)

        def error(method, steps=None):
            contents = deck(method, solver={"method": "cg", "cg": {"relative_tolerance": 1e-13}})
            contents["time"] = {"method": method, "end": 20}
            if steps is None:
                contents["time"][method] = {"tolerance": {"absolute": 1e-7, "relative": 0}}
            if steps is not None:
                contents["time"]["step"] = 20 / steps
            return abs(self.state_after(contents) - exact).max()

        for method, order in (("explicit_euler", 1), ("ssp_rk2", 2), ("ssp_rk3", 3), ("rk4", 4), ("rkl2", 2),
                              ("imex_ars222", 2), ("imex_ark3", 3)):
            with self.subTest(method=method):
                # Rates are below 1/2 and steps are 1/4: the next term of the error is at most an eighth, each.
                self.assertAlmostEqual(numpy.log2(error(method, 80) / error(method, 160)), order, delta=0.25)
        for method in ("bogacki_shampine", "dormand_prince"):
            with self.subTest(method=method):
                # The error of each of about a hundred steps is below the tolerance, and differences grow by e^(20 / 10)
                # in 20 units of time.
                self.assertLess(error(method), 100 * 1e-7 * numpy.exp(2))

    def test_errors_that_nothing_meets_end_the_run(self):
        tolerance = {"absolute": 1e-18, "relative": 1e-18}
        with scratch() as folder:
            contents = deck("bogacki_shampine")
            contents["time"] = {"method": "bogacki_shampine", "end": 10, "bogacki_shampine": {"tolerance": tolerance}}
            contents["mesh"]["cells"] = [4, 3]
            (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(contents))
            run = Run(["run", "deck.yaml", "--output", "run.out"], folder)
            self.assertEqual(run.code, 3)
            self.assertIn("is the tolerance below rounding?", run.err)

    def test_what_does_not_fit_is_refused(self):
        cases = (({"time": {"method": "crank_nicolson"}}, "`time.method`: crank_nicolson"),
                 ({"time": {"method": "rk5"}}, "`time.method`: expected one of"),
                 ({"time": {"step": 50}}, "`time.step`: 50 is longer than the longest stable step"))
        for more, message in cases:
            with self.subTest(more=more), scratch() as folder:
                (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck("rk4", **more)))
                run = Run(["run", "deck.yaml", "--output", "run.out"], folder)
                self.assertEqual((run.code, run.files()), (2, ["deck.yaml"]))
                self.assertIn(message, run.err)

    def test_the_deck_of_the_repository_is_right(self):
        with scratch() as folder:
            run = Run(["run", ROOT / "decks/gray-scott.yaml", "--output", "run.out", "--set", "time.steps=300",
                       "--set", "mesh.cells=[64,64]"], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertGreater(run.summary()["quantities"]["maximum(v)"], 0.2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
