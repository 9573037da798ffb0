"""Elastic bodies against exact displacements, Timoshenko's theory of beams and the balance of forces; and decks that say
nothing sensible about one."""

import copy
import itertools
import json
import math
import pathlib
import unittest

import h5py
import numpy

from program import ROOT, Run, scratch, settings

WALLS = ("west", "east", "south", "north", "bottom", "top")
PRECISE = {"method": "cg", "cg": {"preconditioner": "multigrid", "relative_tolerance": 1e-13}}
QUIET = {"snapshots": {"interval": 0}}


class Waves:
    """A sum of products of sines, each (amplitude, (k, phase) for each axis): its derivatives are such sums, too."""

    def __init__(self, terms):
        self.terms = terms

    def slope(self, axis):
        return Waves([(a * waves[axis][0],
                       [(k, phase + math.pi / 2 if n == axis else phase) for n, (k, phase) in enumerate(waves)])
                      for a, waves in self.terms])

    def times(self, factor):
        return Waves([(factor * a, waves) for a, waves in self.terms])

    def __add__(self, other):
        return Waves(self.terms + other.terms)

    def __str__(self):
        return " + ".join(f"{a!r}*" + "*".join(f"sin({k!r}*{x} + {phase!r})" for x, (k, phase) in zip("xyz", waves))
                          for a, waves in self.terms)


def total(waves):
    return Waves([term for one in waves for term in one.terms])


def lame(young, poisson, plane):
    across = 1 - poisson if plane == "stress" else 1 - 2 * poisson
    return young * poisson / ((1 + poisson) * across), young / (2 * (1 + poisson))


def force_along(axis, u, poisson, plane, growth):
    """-div sigma along an axis as a text, where Young's modulus is 1 + growth x."""
    axes = range(len(u))
    lambda_1, mu_1 = lame(1, poisson, plane)
    divergence = total(u[n].slope(n) for n in axes)
    whole = divergence.slope(axis).times(-lambda_1 - mu_1) + total(u[axis].slope(n).slope(n) for n in axes).times(-mu_1)
    by_slope = (u[axis].slope(0) + u[0].slope(axis)).times(-mu_1 * growth)
    if axis == 0:
        by_slope += divergence.times(-lambda_1 * growth)
    return f"(1 + {growth}*x)*({whole}) + {by_slope}"


def manufactured(cells, plane=None, poisson=0.3, growth=0.5, precision="double", held=False):
    """West, south, bottom and north walls are held as the exact displacement is, the others, unless `held`, bear its forces."""
    axes = len(cells)
    u = [Waves([(0.7 + 0.2 * n, [(1.1 + 0.3 * n + 0.4 * a, 0.2 + 0.5 * n - 0.3 * a) for a in range(axes)])])
         for n in range(axes)]
    lambda_1, mu_1 = lame(1, poisson, plane)
    divergence = total(u[n].slope(n) for n in range(axes))

    def stress(p, q):
        sigma = (u[p].slope(q) + u[q].slope(p)).times(mu_1)
        return sigma + divergence.times(lambda_1) if p == q else sigma
    boundary = {}
    for number, wall in enumerate(WALLS[:2 * axes]):
        axis, side = number // 2, number % 2
        if held or side == 0 or axis == 1:
            boundary[wall] = {"displacement": {x: str(u[n]) for n, x in zip(range(axes), "xyz")}}
        else:
            boundary[wall] = {"traction": {x: f"(1 + {growth}*x)*({stress(n, axis)})" for n, x in zip(range(axes), "xyz")}}
    elasticity = {"young": f"1 + {growth}*x", "poisson": poisson, "boundary": boundary,
                  "force": {x: force_along(n, u, poisson, plane, growth) for n, x in zip(range(axes), "xyz")},
                  "exact": {x: str(u[n]) for n, x in zip(range(axes), "xyz")}}
    if plane:
        elasticity["plane"] = plane
    return {"physics": "elasticity", "precision": precision,
            "mesh": {"cells": cells, "lower": [-0.3, 0.1, 0.2][:axes], "upper": [0.9, 1.0, 1.1][:axes]},
            "elasticity": elasticity, "solver": PRECISE, "output": QUIET}


def linear(cells, plane=None, growth=None):
    """A displacement that is linear in the coordinates, held at all walls; growth: of cells along each axis."""
    axes = len(cells)
    slopes = [[0.3, -0.2, 0.15], [0.1, 0.25, -0.35], [-0.4, 0.05, 0.2]]
    u = {x: " + ".join(f"{slopes[n][a]}*{y}" for a, y in zip(range(axes), "xyz")) for n, x in zip(range(axes), "xyz")}
    mesh = {"cells": cells, "upper": [1.5, 1, 0.75][:axes]}
    if growth:
        mesh["growth"] = growth[:axes]
    elasticity = {"poisson": 0.25, "exact": u, "boundary": {wall: {"displacement": u} for wall in WALLS[:2 * axes]}}
    if plane:
        elasticity["plane"] = plane
    return {"physics": "elasticity", "mesh": mesh, "elasticity": elasticity, "solver": PRECISE, "output": QUIET}


def solved(deck, ranks=1, options=None):
    with scratch() as folder:
        path = deck
        if isinstance(deck, dict):
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
        run = Run(["run", path, "--output", "run.out", "--ranks", ranks, *settings(options or {})], folder)
        if run.code != 0:
            raise AssertionError(run.err)
        return run.summary()


def quantities(deck, ranks=1, options=None):
    return solved(deck, ranks, options)["quantities"]


class Elasticity(unittest.TestCase):
    def test_linear_displacements_are_exact(self):
        # The patch test.
        for cells, plane in (([7, 5], "strain"), ([7, 5], "stress"), ([5, 3, 4], None), ([1, 1], "strain"), ([2, 1, 3], None)):
            with self.subTest(cells=cells, plane=plane):
                for growth in (None, [1.1, 0.9, 1.2]):
                    found = quantities(linear(cells, plane, growth))
                    self.assertLess(found["error_maximum"], 1e-12)

    def test_a_bar_under_uniform_traction_is_exact(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                deck = ROOT / "decks/pulled-bar.yaml"
                exact = {"elasticity.exact.x": "100/210000*x", "elasticity.exact.y": "-0.29*100/210000*y",
                         "elasticity.exact.z": "-0.29*100/210000*z", "output.snapshots.interval": 0,
                         "solver.cg.relative_tolerance": 1e-14, "mesh.cells": [32, 8, 8]}
                found = quantities(deck, ranks, exact)
                longest = 100 / 210000 * 400
                self.assertLess(found["error_maximum"], 1e-12 * longest)
                self.assertAlmostEqual(found["maximum"] / longest, 1, delta=1e-12)
                # Half of what the traction does: 100 * 2500 mm^2 along that way.
                self.assertAlmostEqual(found["energy"] / (0.5 * 100 * 2500 * longest), 1, delta=1e-11)
                self.assertAlmostEqual(found["force_west_x"] / (-100 * 2500), 1, delta=1e-11)

    def test_a_cantilever_bends_as_timoshenko_says(self):
        # Deflection of the end by a force P: P L^3 / (3 E I) + P L / (5/6 G A), here with P = E = height = width = 1, L = 4,
        # and the clamped end as warping lets it be.
        theory = 4**3 / (3 / 12) + 4 / (5 / 6 / (2 * 1.3))
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                summary = solved(ROOT / "decks/cantilever.yaml", ranks)
                found = summary["quantities"]
                self.assertAlmostEqual(found["maximum"] / theory, 1, delta=0.01)
                self.assertLessEqual(summary["solves"][0]["iterations"], 15)
                # Less than 1 by what the linear functions between nodes leave out of the parabola: h^2.
                self.assertAlmostEqual(found["force_west_y"], -1 + 1 / 64**2, delta=1e-6)
                self.assertAlmostEqual(found["force_west_x"], 0, delta=1e-6)
                # The work of the force is twice the energy.
                self.assertAlmostEqual(2 * found["energy"] / found["maximum"], 1, delta=0.01)

    def test_errors_fall_by_four(self):
        for cells, plane, held, ranks in (([12, 9], "strain", False, 1), ([12, 9], "stress", False, 2),
                                          ([6, 5, 7], None, True, 1), ([6, 5, 7], None, False, 3)):
            with self.subTest(cells=cells, plane=plane, held=held):
                errors = [quantities(manufactured([factor * n for n in cells], plane, held=held), ranks)
                          for factor in (1, 2, 4)]
                for coarse, fine in itertools.pairwise(errors):
                    self.assertAlmostEqual(math.log2(coarse["error_2"] / fine["error_2"]), 2, delta=0.1)
                    # Linear elements have h^2 log(1/h); at these h the logarithm takes up to 0.6 where free edges meet.
                    least = 1.4 if len(cells) == 3 and not held else 1.85
                    self.assertGreater(math.log2(coarse["error_maximum"] / fine["error_maximum"]), least)

    def test_ranks_give_the_same(self):
        alone = quantities(manufactured([13, 9], "strain"))
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                for name, value in quantities(manufactured([13, 9], "strain"), ranks).items():
                    self.assertAlmostEqual(value, alone[name], delta=1e-10, msg=name)

    def test_single_precision(self):
        deck = manufactured([24, 18], "stress", precision="single")
        deck["solver"] = {"method": "cg", "cg": {"preconditioner": "multigrid", "relative_tolerance": 1e-5}}
        exact = quantities(manufactured([24, 18], "stress"))
        self.assertAlmostEqual(quantities(deck)["error_2"], exact["error_2"], delta=3e-5)

    def test_stiff_inclusions_need_few_iterations(self):
        for cells in (16, 32):
            with self.subTest(cells=cells):
                options = {"mesh.cells": [cells] * 3, "output.snapshots.interval": 0}
                summary = solved(ROOT / "decks/stiff-inclusion.yaml", 2, options)
                self.assertLessEqual(summary["solves"][0]["iterations"], 30)

    def test_other_solvers_find_the_same(self):
        deck = linear([6, 5], "strain")
        del deck["elasticity"]["boundary"]["east"]
        deck["elasticity"]["force"] = {"y": "sin(3*x)"}
        expected = quantities(deck)
        for solver in ({"method": "multigrid", "multigrid": {"relative_tolerance": 1e-12}},
                       {"method": "cg", "cg": {"preconditioner": "jacobi", "relative_tolerance": 1e-12}},
                       {"method": "cg", "cg": {"preconditioner": "none", "relative_tolerance": 1e-12}},
                       {"method": "bicgstab", "bicgstab": {"preconditioner": "jacobi", "relative_tolerance": 1e-12}}):
            with self.subTest(solver=solver):
                found = quantities({**deck, "solver": solver})
                for name in ("maximum", "energy", "error_2"):
                    self.assertAlmostEqual(found[name], expected[name], delta=1e-9)

    def test_the_stress_is_on_the_snapshot(self):
        with scratch() as folder:
            run = Run(["run", ROOT / "decks/pulled-bar.yaml", "--output", "run.out", *settings({"mesh.cells": [8, 4, 4]})],
                      folder)
            self.assertEqual((run.code, run.err), (0, ""))
            [path] = pathlib.Path(folder).glob("run.out/snapshot_*.vti")
            with h5py.File(path) as file:
                stress = file["VTKHDF/CellData/von_mises"][()]
            self.assertEqual(stress.shape, (4, 4, 8))
            numpy.testing.assert_allclose(stress, 100, rtol=1e-9)

    def assert_refused(self, change, words, command="run"):
        deck = linear([6, 5], "strain")
        change(deck)
        with scratch() as folder:
            (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck))
            run = Run([command, "deck.yaml"], folder)
            self.assertEqual(run.code, 2, run.err)
            self.assertIn(words, run.err)
            self.assertEqual(run.files(), ["deck.yaml"])

    def test_what_is_refused(self):
        def set_(path, value):
            def change(deck):
                *front, last = path.split(".")
                at = deck
                for name in front:
                    at = at.setdefault(name, {})
                at[last] = copy.deepcopy(value)
            return change
        none = {wall: {} for wall in WALLS[:4]}
        for path, value, words in (
                ("elasticity.young", "x - 0.5", "is not above 0"),
                ("elasticity.poisson", 0.5, "it must be between -1 and 0.5"),
                ("elasticity.poisson", "x", "it must be between -1 and 0.5"),
                ("elasticity.force", {"z": 1}, "the mesh has no axis z"),
                ("elasticity.boundary.top", {"kind": "clamped"}, "the mesh has no such wall"),
                ("elasticity.boundary.west.traction", {"x": 1}, "the wall holds this component"),
                ("elasticity.boundary.west.kind", "glued", "clamped"),
                ("elasticity.boundary", {**none, "west": {"kind": "symmetric"}}, "no wall holds the body along y"),
                ("elasticity.boundary", {**none, "south": {"displacement": {"x": 0}}, "west": {"displacement": {"y": 0}}},
                 "the walls let the body turn"),
                ("mesh.cells", [8], "elasticity"),
                ("elasticity.plane", "stresses", "stress")):
            for command in ("check", "run"):
                if command == "check" and path in ("elasticity.young", "elasticity.poisson"):
                    continue  # found at cells
                with self.subTest(path=path, command=command):
                    self.assert_refused(set_(path, value), words, command)


if __name__ == "__main__":
    unittest.main(verbosity=2)
