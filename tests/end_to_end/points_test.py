"""Sources and receivers in single cells, of every physics that evolves on a mesh."""

import csv
import json
import pathlib
import unittest

import h5py
import numpy

from program import Run, scratch

PRECISE = {"method": "cg", "cg": {"preconditioner": "multigrid", "relative_tolerance": 1e-13}}
CELLS = (13, 22)
PLACES = {"low": (0.1, 0.95), "high": (0.99, 0.5), "border": (1, 0)}
RECEIVERS = [{"name": name, "position": place} for name, place in PLACES.items()]

# The section of the physics, the time, and the fields that are recorded.
CASES = {
    "fisher-kpp": ({"diffusivity": "0.01*(1 + x)", "u": {"initial": "x*y"}}, {"method": "imex_ars222", "step": 0.05, "steps": 4},
                   ["u"]),
    "gray-scott": ({"u": {"initial": "1 - x*y"}, "v": {"initial": "x"}}, {"method": "rk4", "step": 1, "steps": 4}, ["u", "v"]),
    "heat": ({"initial": "x*y", "conductivity": "1 + x"}, {"step": 0.01, "steps": 4}, ["u"]),
    "advection": ({"initial": "x*y", "diffusivity": 0.1, "velocity": {"x": 1}}, {"step": 0.005, "steps": 4}, ["u"]),
    "euler": ({"initial": {"density": "1 + x/2", "pressure": 1}}, {"step": 0.001, "steps": 4},
              ["density", "momentum_x", "momentum_y", "energy"]),
    "wave": ({"initial": "x*y"}, {"step": 0.005, "steps": 4}, ["u"]),
}


class Points(unittest.TestCase):
    def run_deck(self, physics, own, time, folder, *arguments, **more):
        deck = {"physics": physics, "mesh": {"cells": CELLS}, "time": time, physics: own, **more}
        (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck))
        return Run(["run", "deck.yaml", "--output", "run.out", *arguments], folder)

    def test_receivers_record_what_snapshots_hold(self):
        for physics, (own, time, names) in CASES.items():
            solver = {"solver": {"method": "bicgstab"}} if physics == "advection" else {}
            for ranks in (1, 3):
                with self.subTest(physics=physics, ranks=ranks), scratch() as folder:
                    run = self.run_deck(physics, {**own, "receivers": RECEIVERS}, time, folder, "--ranks", str(ranks),
                                        output={"snapshots": {"interval": 1}}, **solver)
                    self.assertEqual((run.code, run.err), (0, ""))
                    rows = list(csv.DictReader((pathlib.Path(folder) / "run.out/traces.csv").read_text().splitlines()))
                    snapshots = sorted(pathlib.Path(folder).glob("run.out/snapshot_*.vt[ir]"))
                    self.assertEqual((len(rows), len(snapshots)), (time["steps"] + 1, time["steps"] + 1))
                    for row, snapshot in zip(rows, snapshots):
                        with h5py.File(snapshot) as file:
                            for name in names:
                                values = numpy.squeeze(file["VTKHDF/CellData"][name][...])
                                for place, at in PLACES.items():
                                    i, j = (min(int(x * n), n - 1) for x, n in zip(at, CELLS))
                                    column = place if len(names) == 1 else f"{place}.{name}"
                                    self.assertEqual(float(row[column]), float(values[j, i]))

    def integral_after(self, physics, own, time, quantity, ranks, **more):
        with scratch() as folder:
            run = self.run_deck(physics, own, time, folder, "--ranks", str(ranks), **more)
            self.assertEqual((run.code, run.err), (0, ""))
            return run.summary()["quantities"][quantity]

    def test_what_sources_add_is_their_strength(self):
        """Runge-Kutta methods with the weights of Simpson's rule integrate a cubic exactly, and any method a constant."""
        sources = [{"position": [0.5, 0.2], "strength": "3*t^2 - 4*t^3"}, {"position": [0.9, 0.9], "strength": "2 + x + y"}]
        spread = {"growth": 0, "diffusivity": "0.01*(1 + x)", "sources": sources}
        for ranks in (1, 3):
            explicit = self.integral_after("fisher-kpp", spread, {"method": "ssp_rk3", "step": 0.025, "steps": 20},
                                           "integral(u)", ranks)
            self.assertAlmostEqual(explicit, 0.5**3 - 0.5**4 + 0.5 * (2 + 1.8), delta=1e-13)
            steady = {**spread, "sources": sources[1:]}
            implicit = self.integral_after("fisher-kpp", steady, {"method": "imex_ars222", "step": 0.5, "steps": 4},
                                           "integral(u)", ranks, solver=PRECISE)
            # Each of two solves a step leaves 1e-13 of its residual.
            self.assertAlmostEqual(implicit, 2 * (2 + 1.8), delta=1e-11)
            # A law conserves its mass but for the source, of which no warning speaks.
            gas = {"initial": {"density": 1, "pressure": 1},
                   "sources": [{"field": "density", "position": [0.3, 0.4], "strength": "0.01"}]}
            mass = self.integral_after("euler", gas, {"step": 0.002, "steps": 20}, "integral(density)", ranks)
            self.assertAlmostEqual(mass, 1 + 0.04 * 0.01, delta=1e-13)

    def test_only_its_cell_feels_a_source(self):
        own = {"growth": 0, "diffusivity": 0, "sources": [{"position": [0.5, 0.2]}]}
        with scratch() as folder:
            run = self.run_deck("fisher-kpp", own, {"method": "explicit_euler", "step": 0.25, "steps": 2}, folder,
                                output={"snapshots": {"interval": 2}})
            self.assertEqual((run.code, run.err), (0, ""))
            with h5py.File(sorted(pathlib.Path(folder).glob("run.out/snapshot_*.vt[ir]"))[-1]) as file:
                u = numpy.squeeze(file["VTKHDF/CellData/u"][...])
            self.assertEqual(numpy.count_nonzero(u), 1)
            self.assertAlmostEqual(u[4, 6], 0.5 * CELLS[0] * CELLS[1], delta=1e-12)

    def test_what_is_refused(self):
        explicit = {"method": "ssp_rk3", "step": 0.0001, "steps": 2}
        place = {"position": [0.5, 0.5]}
        for physics, own, time, message in (
            ("fisher-kpp", {"receivers": [{"position": [0.5, 1.5]}]}, explicit, "lies outside of the mesh along y"),
            ("fisher-kpp", {"sources": [{"position": [0.5]}]}, explicit, "has 1 entry"),
            ("fisher-kpp", {"sources": [{**place, "field": "v"}]}, explicit, "fisher-kpp.sources[0].field"),
            ("fisher-kpp", {"sources": [{**place, "strength": "1/t"}]}, explicit,
             "fisher-kpp.sources[0].strength: '1/t' is not a finite number"),
            ("gray-scott", {"receivers": [{**place, "name": "a"}, {**place, "name": "a"}]}, explicit, "already heads another"),
            ("advection", {"receivers": [place], "reaction": 1}, None, "a steady run has no steps to record"),
            ("euler", {"initial": {"density": 1, "pressure": 1}, "sources": [{**place, "field": "momentum_z"}]},
             {"step": 0.001, "steps": 2}, "the mesh has no such axis")):
            with self.subTest(message), scratch() as folder:
                deck = {"physics": physics, "mesh": {"cells": CELLS}, physics: own, **({"time": time} if time else {})}
                (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck))
                run = Run(["run", "deck.yaml", "--output", "run.out"], folder)
                self.assertEqual(run.code, 2, run.err)
                self.assertIn(message, run.err)
                self.assertFalse((pathlib.Path(folder) / "run.out").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
