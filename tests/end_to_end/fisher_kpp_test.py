"""A population in a habitat that varies, compared with NumPy, and the speed of its front with the literature's."""

import json
import math
import pathlib
import unittest

import h5py
import numpy

from program import Run, scratch

CELLS = (13, 22)
HABITAT = {"diffusivity": "x < 0.6 ? 0.02*(1 + y) : 0.001", "growth": "1 + x - 2*y"}
PRECISE = {"method": "cg", "cg": {"preconditioner": "multigrid", "relative_tolerance": 1e-13}}


def deck(own, method, step, steps, cells=CELLS, **more):
    return {"physics": "fisher-kpp", "mesh": {"cells": cells}, "time": {"method": method, "step": step, "steps": steps},
            "fisher-kpp": own, "solver": PRECISE, "output": {"snapshots": {"interval": steps}}, **more}


def centres():
    return numpy.meshgrid(*((numpy.arange(n) + 0.5) / n for n in CELLS), indexing="ij")


def face(u, axis, side):
    """The value beyond each cell: west is held at 1/2, no flux passes the other walls."""
    edge = numpy.take(u, [0 if side < 0 else -1], axis)
    beyond = 2 * 0.5 - edge if (axis, side) == (0, -1) else edge
    rest = numpy.take(u, range(u.shape[axis] - 1) if side < 0 else range(1, u.shape[axis]), axis)
    return numpy.concatenate((beyond, rest) if side < 0 else (rest, beyond), axis)


def beside(values, axis, side):
    """The same for a coefficient, which a wall does not change."""
    indices = numpy.arange(values.shape[axis]) + side
    return numpy.take(values, indices.clip(0, values.shape[axis] - 1), axis)


def spreading(diffusivity, u):
    sum_of_fluxes = numpy.zeros_like(u)
    for axis, cells in enumerate(CELLS):
        for side in (-1, 1):
            other = beside(diffusivity, axis, side)
            mean = 2 * diffusivity * other / (diffusivity + other)
            sum_of_fluxes += cells**2 * mean * (face(u, axis, side) - u)
    return sum_of_fluxes


def habitat():
    x, y = centres()
    return numpy.where(x < 0.6, 0.02 * (1 + y), 0.001), 1 + x - 2 * y


def rate(u):
    diffusivity, growth = habitat()
    return spreading(diffusivity, u) + growth * u * (1 - u)


def ssp_rk3(step, u):
    first = u + step * rate(u)
    second = 0.75 * u + 0.25 * (first + step * rate(first))
    return u / 3 + 2 / 3 * (second + step * rate(second))


def imex_euler_limit(step, u):
    """imex_ars222 (Ascher, Ruuth and Spiteri, 1997, section 2.6) with a dense matrix of the linear part."""
    diffusivity, growth = habitat()
    size = u.size
    constant = spreading(diffusivity, numpy.zeros(CELLS))
    columns = [spreading(diffusivity, unit.reshape(CELLS)) - constant for unit in numpy.eye(size)]
    matrix = numpy.stack([column.ravel() for column in columns], 1)
    gamma = 1 - 1 / math.sqrt(2)
    delta = 1 - 1 / (2 * gamma)

    def reaction(v):
        return growth * v * (1 - v)

    def solved(right):
        return numpy.linalg.solve(numpy.eye(size) - gamma * step * matrix,
                                  (right + gamma * step * constant).ravel()).reshape(CELLS)

    first = solved(u + gamma * step * reaction(u))
    slope = spreading(diffusivity, first)
    return solved(u + step * (delta * reaction(u) + (1 - delta) * reaction(first) + (1 - gamma) * slope))


class FisherKpp(unittest.TestCase):
    def field_after(self, contents, *arguments, files=()):
        with scratch() as folder:
            for name, values in files:
                numpy.save(pathlib.Path(folder) / name, values)
            (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(contents))
            run = Run(["run", "deck.yaml", "--output", "run.out", *arguments], folder)
            self.assertEqual((run.code, run.err), (0, ""), contents)
            newest = sorted(pathlib.Path(folder).glob("run.out/snapshot_*.vt[ir]"))[-1]
            with h5py.File(newest) as file:
                return numpy.squeeze(file["VTKHDF/CellData/u"][...])

    def own(self, **habitat_of_deck):
        return {**HABITAT, **habitat_of_deck,
                "u": {"initial": "0.5 + 0.4*sin(5*x)*cos(3*y)", "boundary": {"west": {"kind": "dirichlet", "value": 0.5}}}}

    def test_steps_are_those_of_numpy(self):
        x, y = centres()
        start = 0.5 + 0.4 * numpy.sin(5 * x) * numpy.cos(3 * y)
        for method, stepped, step, tolerance in (("ssp_rk3", ssp_rk3, 0.01, 1e-13), ("imex_ars222", imex_euler_limit, 0.2, 1e-11)):
            expected = start
            for _ in range(5):
                expected = stepped(step, expected)
            for ranks in (1, 2, 3):
                with self.subTest(method=method, ranks=ranks):
                    found = self.field_after(deck(self.own(), method, step, 5), "--ranks", str(ranks))
                    # Rounding of the larger terms of a rate, 0.02 cells^2, and what solves to 1e-13 leave of the first
                    # residual, which is at most a hundred times as large as the solution.
                    self.assertLess(numpy.abs(found.T - expected).max(), tolerance)

    def test_a_habitat_from_files_is_that_of_expressions(self):
        diffusivity, growth = habitat()
        files = (("diffusivity.npy", numpy.ascontiguousarray(diffusivity.T)), ("growth.npy", numpy.ascontiguousarray(growth.T)))
        own = self.own(diffusivity={"file": "diffusivity.npy"}, growth={"file": "growth.npy"})
        by_files = self.field_after(deck(own, "ssp_rk3", 0.01, 5), "--ranks", "2", files=files)
        by_expressions = self.field_after(deck(self.own(), "ssp_rk3", 0.01, 5))
        # NumPy and the driver may round the expressions differently in the last place.
        self.assertLess(numpy.abs(by_files - by_expressions).max(), 1e-14)

    def test_a_front_passes_fine_patches_with_the_speed_of_their_means(self):
        """Shigesada, Kawasaki and Teramoto, 1986: thin patches act by the mean growth and the harmonic mean of D."""
        cells, width, times = 1600, 200, (40, 80)
        patches = "sin(8*pi*x) > 0"
        own = {"diffusivity": f"{patches} ? 2 : 0.5", "growth": f"{patches} ? 2 : 0", "u": {"initial": "x < 5"}}
        places = []
        for time in times:
            contents = deck(own, "imex_ars222", 0.02, round(time / 0.02), [cells], mesh={"cells": [cells], "upper": [width]})
            u = self.field_after(contents)
            place = numpy.nonzero(u > 0.5)[0][-1]
            places.append((place + (u[place] - 0.5) / (u[place] - u[place + 1])) * width / cells)
        diffusivity, growth = 2 / (1 / 2 + 1 / 0.5), 1
        # From a steep start a front is late by 3/2 ln(t) of its own lengths, and an amount that decays as t^-1/2 (Ebert and
        # van Saarloos, 2000, equation 10).
        length = math.sqrt(diffusivity / growth)
        late = 1.5 * math.log(times[1] / times[0]) - 3 * math.sqrt(math.pi) * (times[0]**-0.5 - times[1]**-0.5)
        expected = 2 * math.sqrt(diffusivity * growth) * (times[1] - times[0]) - length * late
        # Patches of an eighth beside a front of 0.9 change the speed by some parts in a hundred of the square of 0.14.
        self.assertLess(abs(places[1] - places[0] - expected), 0.01 * expected, (places, expected))

    def test_what_is_refused(self):
        with scratch() as folder:
            (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck(self.own(), "ssp_rk3", 0.01, 5)))
            for options, message in (
                (["fisher-kpp.diffusivity=x - 0.25"], "the diffusivity of `u`, which follows from `fisher-kpp.diffusivity`, `fisher-kpp.growth`, is "),
                (["fisher-kpp.diffusivity=1 + t"], "'1 + t' depends on t, but coefficients are constant in time"),
                (["fisher-kpp.growth=1/(x - x)"], "fisher-kpp.growth"),
                (["fisher-kpp.growth={file: nowhere.npy}"], "nowhere.npy"),
                (["time.step=1"], "step")):
                for ranks in ("1", "3"):
                    run = Run(["run", "deck.yaml", "--output", "run.out", "--ranks", ranks,
                               *(word for each in options for word in ("--set", each))], folder)
                    self.assertEqual(run.code, 2, run.err)
                    self.assertIn(message, run.err)
                    self.assertFalse((pathlib.Path(folder) / "run.out").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
