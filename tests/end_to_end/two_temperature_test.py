"""Electrons and lattice that exchange heat, compared with NumPy by every implicit method, and with a closed form."""

import json
import math
import pathlib
import unittest

import h5py
import numpy

from program import Run, scratch

CELLS = (24, 37)
OPTIONS = {"electron_capacity": 0.5, "lattice_capacity": 4, "electron_conductivity": 0.1, "lattice_conductivity": 0.02}
CAPACITIES = numpy.array([0.5, 4])
DIFFUSIVITIES = numpy.array([0.1 / 0.5, 0.02 / 4])
# Cosines of whole numbers of half waves are modes of a film without losses.
MODES = (3, 2)
SHAPE = f"cos({MODES[0]}*pi*x)*cos({MODES[1]}*pi*y)"
PRECISE = {"method": "cg", "cg": {"preconditioner": "multigrid", "relative_tolerance": 1e-13}}


def deck(method, exchange, step, steps, amplitude=(1, -0.5), **more):
    return {"physics": "two-temperature", "mesh": {"cells": CELLS}, "time": {"method": method, "step": step, "steps": steps},
            "two-temperature": {**OPTIONS, "exchange": exchange, "electrons": {"initial": f"2 + {amplitude[0]}*{SHAPE}"},
                                "lattice": {"initial": f"1 + {amplitude[1]}*{SHAPE}"}},
            "solver": PRECISE, "output": {"snapshots": {"interval": steps}}, **more}


def matrix(exchange, waves):
    """Of the temperatures' rates, for a product of cosines with these numbers of half waves."""
    eigenvalue = sum((2 * n * math.sin(math.pi * mode / 2 / n))**2 for n, mode in zip(CELLS, waves))
    coupling = exchange * numpy.array([[-1, 1], [1, -1]]) / CAPACITIES[:, None]
    return coupling - eigenvalue * numpy.diag(DIFFUSIVITIES)


def implicit(weight, step, rates, right):
    return numpy.linalg.solve(numpy.eye(2) - weight * step * rates, right)


def euler(step, rates, u):
    return implicit(1, step, rates, u)


def sdirk2(step, rates, u):
    gamma = 1 - 1 / math.sqrt(2)
    first = implicit(gamma, step, rates, u)
    return implicit(gamma, step, rates, u + (1 - gamma) * step * rates @ first)


def midpoint(step, rates, u):
    return 2 * implicit(0.5, step, rates, u) - u


def steps_of(method, step, rates, u, steps):
    if method != "bdf2":
        for _ in range(steps):
            u = {"implicit_euler": euler, "sdirk2": sdirk2, "crank_nicolson": midpoint}[method](step, rates, u)
        return u
    before, u = u, sdirk2(step, rates, u)
    for _ in range(steps - 1):
        before, u = u, implicit(2 / 3, step, rates, (4 * u - before) / 3)
    return u


class TwoTemperature(unittest.TestCase):
    def fields_after(self, contents, *arguments):
        with scratch() as folder:
            (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(contents))
            run = Run(["run", "deck.yaml", "--output", "run.out", *arguments], folder)
            self.assertEqual((run.code, run.err), (0, ""), contents)
            newest = sorted(pathlib.Path(folder).glob("run.out/snapshot_*.vt[ir]"))[-1]
            with h5py.File(newest) as file:
                cells = file["VTKHDF/CellData"]
                return numpy.stack([numpy.squeeze(cells[name][...]) for name in ("electrons", "lattice")])

    def test_steps_are_those_of_numpy(self):
        x, y = ((numpy.arange(n) + 0.5) / n for n in CELLS)
        shape = numpy.cos(MODES[0] * numpy.pi * x)[None, :] * numpy.cos(MODES[1] * numpy.pi * y)[:, None]
        for method, exchange, ranks in (("sdirk2", 1, 1), ("bdf2", 1e4, 2), ("implicit_euler", 1e8, 3), ("crank_nicolson", 3, 1)):
            with self.subTest(method=method):
                step, steps = 0.02, 10
                found = self.fields_after(deck(method, exchange, step, steps), "--ranks", str(ranks))
                mean = steps_of(method, step, matrix(exchange, (0, 0)), numpy.array([2.0, 1]), steps)
                wave = steps_of(method, step, matrix(exchange, MODES), numpy.array([1, -0.5]), steps)
                expected = mean[:, None, None] + wave[:, None, None] * shape
                # A residual of 1e-13 in each of ten steps, and the condition of the equation of the fields' difference.
                self.assertLess(numpy.abs(found - expected).max(), 1e-10 if exchange < 1e6 else 1e-8)

    def test_heat_is_exchanged_as_in_closed_form(self):
        for exchange, step, steps in ((0.5, 1e-3, 200), (1e9, 0.1, 3)):
            with self.subTest(exchange=exchange):
                found = self.fields_after(deck("sdirk2", exchange, step, steps, (0, 0)))
                common = (CAPACITIES * [2, 1]).sum() / CAPACITIES.sum()
                decay = exchange * (1 / CAPACITIES).sum()
                left = math.exp(-min(decay * step * steps, 700))
                expected = common + numpy.array([1, -1]) * CAPACITIES[::-1] / CAPACITIES.sum() * left
                # The error of a method of order 2 is below (decay step)^2. L-stable methods damp what is fast; there the
                # criterion leaves 1e-13 of the first residual, which is as large as what is exchanged in a step.
                error = (decay * step)**2 if exchange < 1 else 1e-13 * decay * step
                self.assertLess(numpy.abs(found - expected[:, None, None]).max(), error)

    def test_what_is_refused(self):
        with scratch() as folder:
            (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck("bdf2", 1, 0.1, 2)))
            for options, message in ((["two-temperature.lattice_capacity=0"], "must be above 0"),
                                     (["two-temperature.exchange=-1"], "must be at least 0"),
                                     (["time.method=rk4"], "step")):
                run = Run(["run", "deck.yaml", "--output", "run.out", *(word for each in options for word in ("--set", each))],
                          folder)
                self.assertEqual(run.code, 2, run.err)
                self.assertIn(message, run.err)
                self.assertFalse((pathlib.Path(folder) / "run.out").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
