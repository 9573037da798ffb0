"""The decks of euler against solutions from outside: exact ones, and those of gas.py."""

import pathlib
import unittest

import h5py
import numpy

import gas
from program import ROOT, Run, scratch, settings

DECKS = ROOT / "physics/euler/decks"

TORO = {1: ((1, 0.75, 1), (0.125, 0, 0.1), 0.3, 0.2),
        2: ((1, -2, 0.4), (1, 2, 0.4), 0.5, 0.15),
        3: ((1, 0, 1000), (1, 0, 0.01), 0.5, 0.012),
        4: ((5.99924, 19.5975, 460.894), (5.99242, -6.19633, 46.095), 0.4, 0.035),
        5: ((1, -19.59745, 1000), (1, -19.59745, 0.01), 0.8, 0.012)}
# Pressure and velocity between the waves as Toro prints them (table 4.3).
MIDDLE = {1: (0.30313, 0.92745), 2: (0.00189, 0), 3: (460.894, 19.5975), 4: (1691.64, 8.68975), 5: (460.894, 0)}


class Euler(unittest.TestCase):
    def run_deck(self, name, cells, ranks=1, said="", **changes):
        """The summary of a deck on a mesh of `cells`, and the final fields, as arrays of [z, y, x] without axes of one cell."""
        changes = {"mesh.cells": list(cells), "output.snapshots.interval": 1000000, "output.scalars.interval": 1000000,
                   **{key.replace("__", "."): value for key, value in changes.items()}}
        with scratch() as folder:
            run = Run(["run", DECKS / f"{name}.yaml", "--output", "run.out", "--ranks", ranks, *settings(changes)], folder)
            self.assertEqual(run.code, 0, run.err)
            self.assertIn(said, run.err)
            last = sorted((pathlib.Path(folder) / "run.out").glob("snapshot_*.vti"))[-1]
            with h5py.File(last) as file:
                fields = {key: values[:].reshape(cells[::-1]) for key, values in file["VTKHDF/CellData"].items()}
            return run.summary(), fields

    def density_error(self, name, cells, exact, **changes):
        """Mean |density - exact| over the cells; `exact` takes their centres."""
        _, fields = self.run_deck(name, [cells], **changes)
        return float(abs(fields["density"] - exact(cells)).mean())

    def test_the_outside_solutions_are_what_books_print(self):
        for number, (left, right, _, _) in TORO.items():
            exact = gas.Riemann(left, right, 1.4)
            pressure, velocity = MIDDLE[number]
            self.assertAlmostEqual(exact.pressure, pressure, delta=1e-5 * max(1, pressure), msg=number)
            self.assertAlmostEqual(exact.velocity, velocity, delta=1e-4, msg=number)

    def test_toro(self):
        # Errors at shocks and contacts fall with order 2/3 to 1, a factor of 1.59 to 2 on twice as many cells; 1.4 leaves
        # room for the place of a jump within its cell.
        for number, (left, right, start, end) in TORO.items():
            riemann = gas.Riemann(left, right, 1.4)
            exact = lambda cells: riemann(((numpy.arange(cells) + 0.5) / cells - start) / end)[0]
            for scheme in ({}, {"euler__riemann": "rusanov"}, {"euler__reconstruction": "plm"}):
                with self.subTest(test=number, **scheme):
                    coarse, fine = (self.density_error(f"toro-{number}", cells, exact, **scheme) for cells in (100, 200))
                    self.assertGreater(coarse / fine, 1.4)
                    print(number, scheme, coarse, fine, coarse / fine, exact(100).mean())


    def test_leblanc(self):
        riemann = gas.Riemann((1, 0, 2 / 30), (1e-3, 0, 2 / 3e10), 5 / 3)
        exact = lambda cells: riemann(((numpy.arange(cells) + 0.5) * 9 / cells - 3) / 6)[0]
        errors = [self.density_error("leblanc", cells, exact) for cells in (225, 450)]
        print("leblanc", errors)

    def test_noh(self):
        for axes, cells in ((2, (32, 64)), (3, (12, 24))):
            errors = []
            for n in cells:
                summary, fields = self.run_deck(f"noh-{axes}d", [n] * axes)
                x = (numpy.arange(n) + 0.5) / n
                radius = numpy.sqrt(sum(numpy.meshgrid(*[x ** 2] * axes)))
                exact = numpy.where(radius < 2 / 3, 4.0 ** axes, (1 + 2 / radius) ** (axes - 1))
                errors.append(abs(fields["density"] - exact).mean())
                print("noh", axes, n, errors[-1], summary["quantities"], fields["density"].ravel()[:5], summary.get("seconds"))

    def test_two_blasts(self):
        n = 1600
        x = (numpy.arange(n) + 0.5) / n
        density = gas.advance([1 + 0 * x, 0 * x, numpy.where(x < 0.1, 1000, numpy.where(x < 0.9, 0.01, 100.0))],
                              1 / n, 0.038, 1.4, "reflecting")[0]
        for cells in (100, 200, 400):
            summary, fields = self.run_deck("two-blasts", [cells])
            print("blasts", cells, abs(fields["density"] - density.reshape(cells, -1).mean(axis=1)).mean(), summary["quantities"])

    def test_shu_osher(self):
        n = 3200
        x = (numpy.arange(n) + 0.5) * 10 / n - 5
        start = [numpy.where(x < -4, b, a) for a, b in ((1 + 0.2 * numpy.sin(5 * x), 27 / 7), (0, 4 * 35 ** 0.5 / 9), (1, 31 / 3))]
        density = gas.advance(start, 10 / n, 1.8, 1.4, "fixed")[0]
        for cells in (200, 400):
            summary, fields = self.run_deck("shu-osher", [cells])
            print("shu", cells, abs(fields["density"] - density.reshape(cells, -1).mean(axis=1)).mean(), summary["quantities"])

    def test_gresho(self):
        for cells in (32, 64):
            summary, fields = self.run_deck("gresho", [cells, cells])
            print("gresho", summary["quantities"])

    def test_vortex(self):
        for cells in (32, 64):
            summary, fields = self.run_deck("isentropic-vortex", [cells, cells])
            x = (numpy.arange(cells) + 0.5) * 10 / cells - 5
            square = x[None, :] ** 2 + x[:, None] ** 2
            exact = (1 - 25 * 0.4 / (8 * 1.4 * numpy.pi ** 2) * numpy.exp(1 - square)) ** 2.5
            print("vortex", cells, abs(fields["density"] - exact).mean())


if __name__ == "__main__":
    unittest.main(verbosity=2)
