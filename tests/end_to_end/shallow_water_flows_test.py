"""Walls of shallow-water with a given discharge and a given stage, and its decks of flows with known solutions: bumps, a
reservoir that drains, and water in a paraboloid."""

import csv
import json
import math
import pathlib
import unittest

import h5py
import numpy

from program import ROOT, Run, scratch, settings

DECKS = ROOT / "physics/shallow-water/decks"
G = 9.81


class Flow:
    """The fields at the end of a run along x, or a 2D run's as arrays [y][x], and its summary."""

    def __init__(self, run):
        self.folder = run.folder / "run.out"
        self.quantities = run.summary()["quantities"]
        self.err = run.err
        last = max(self.folder.glob("snapshot_*.vti"))
        with h5py.File(last) as file:
            data = file["VTKHDF/CellData"]
            self.depth, self.bottom, self.discharge = (numpy.squeeze(data[name][:]) for name in
                                                       ("depth", "bathymetry", "momentum_x"))
            self.across = numpy.squeeze(data["momentum_y"][:]) if "momentum_y" in data else None

    def history(self, name):
        """Times and values of a quantity."""
        with (self.folder / "scalars.csv").open() as file:
            rows = list(csv.DictReader(file))
        return (numpy.array([float(row[key]) for row in rows]) for key in ("time", name))


def centres(cells, length):
    return (numpy.arange(cells) + 0.5) * length / cells


def channel(west, east, initial, end, cells=100, length=10.0, **more):
    """A channel along x."""
    return {"physics": "shallow-water", "mesh": {"cells": [cells], "upper": [length]},
            "shallow-water": {"initial": initial, "boundary": {"west": west, "east": east}, **more},
            "time": {"courant": 0.8, "end": end},
            "output": {"snapshots": {"interval": 1000000}, "scalars": {"interval": 1}}}


WALL = {"kind": "reflecting"}


def roots(bernoulli, discharge):
    """Depths of slow and of fast flow with the height `bernoulli` above the bottom: depth^3 - bernoulli depth^2 + q^2 / 2g =
    0."""
    found = numpy.roots([1, -bernoulli, 0, discharge**2 / (2 * G)])
    real = sorted(root.real for root in found if abs(root.imag) < 1e-6 and root.real > 0)
    return real[-1], real[0]


def bump(x):
    return numpy.maximum(0, 0.2 - 0.05 * (x - 10) ** 2)


def exact_bump(x, discharge, downstream=None, crest=False):
    """Depth of the steady flow over the bump: slow everywhere with `downstream`; critical at the crest and fast beyond it;
    or critical there with a jump behind it to slow flow with `downstream`."""
    critical = (discharge**2 / G) ** (1 / 3)
    after = None if downstream is None else downstream + discharge**2 / (2 * G * downstream**2)
    before = 1.5 * critical + 0.2 if crest else after
    slow = numpy.array([roots(before - b, discharge)[0] for b in bump(x)])
    if not crest:
        return slow, None
    fast = numpy.array([roots(before - b, discharge)[1] for b in bump(x)])
    if downstream is None:
        return numpy.where(x < 10, slow, fast), None

    # At a standing jump both sides have the same momentum, discharge^2 / depth + g depth^2 / 2.
    def excess(place):
        one, two = roots(before - bump(place), discharge)[1], roots(after - bump(place), discharge)[0]
        momentum = [discharge**2 / h + G * h**2 / 2 for h in (one, two)]
        return momentum[0] - momentum[1]

    # Slow flow reaches up to where it would be critical.
    low, high = 10 + math.sqrt((0.2 - (after - 1.5 * critical)) / 0.05) + 1e-9, 12.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (excess(middle) < 0) == (excess(low) < 0) else (low, middle)
    tail = numpy.array([roots(max(after - b, 1.5 * critical), discharge)[0] for b in bump(x)])
    return numpy.where(x < 10, slow, numpy.where(x < low, fast, tail)), low


class Case(unittest.TestCase):
    def run_file(self, folder, path, ranks=1, **changes):
        # Lines are too short for threads.
        run = Run(["run", path, "--output", "run.out", "--overwrite", "--ranks", ranks, *settings(changes)], folder,
                  {"OMP_NUM_THREADS": "1"})
        self.assertEqual((run.code, run.err), (0, ""))
        return Flow(run)

    def run_deck(self, deck, ranks=1):
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            flow = self.run_file(folder, path, ranks)
            flow.times, flow.volumes = flow.history("integral(depth)")
            return flow


class Walls(Case):
    # A surface that rises and falls at the wall of still water of depth 1 sends a simple wave: v - 2 c is the same
    # everywhere, so that the state that the wall has at time s moves at v + c = 3 c - 2 c0.
    RISE = "0.05*sin(pi*t/1.2)^4"

    def simple_wave(self, cells, end):
        c0 = math.sqrt(G)
        speed = lambda s: numpy.sqrt(G * (1 + 0.05 * numpy.where(s > 0, numpy.sin(numpy.pi * s / 1.2) ** 4, 0)))
        x = centres(cells, 6)
        low, high = numpy.full(cells, -3.0), numpy.full(cells, end)
        for _ in range(60):
            s = (low + high) / 2
            is_late = (3 * speed(s) - 2 * c0) * (end - s) < x
            low, high = numpy.where(is_late, low, s), numpy.where(is_late, s, high)
        c = speed((low + high) / 2)
        return c**2 / G, 2 * (c - c0) * c**2 / G

    def test_waves_from_both_walls_are_simple_waves(self):
        """By the surface in time, or the discharge that belongs to it; second order, as the scheme."""
        rise = f"(1 + {self.RISE})"
        discharge = f"{rise}*2*(sqrt(9.81*{rise}) - sqrt(9.81))"
        for wall, other in (({"kind": "stage", "surface": f"0.3 + {rise}"}, {"kind": "stage", "surface": 1.3}),
                            ({"kind": "discharge", "discharge": discharge}, {"kind": "discharge", "discharge": 0})):
            errors = []
            for cells in (100, 200):
                flow = self.run_deck(channel(wall, other, {"surface": 1.3, "bathymetry": 0.3}, 1.5, cells, 6))
                depth, through = self.simple_wave(cells, 1.5)
                errors.append(max(numpy.abs(flow.depth - depth).mean(), numpy.abs(flow.discharge - through).mean() / 3.13))
            # Of second order but at the crest, where the limiter takes the slopes.
            self.assertGreater(math.log2(errors[0] / errors[1]), 1.6, (wall, errors))
            self.assertLess(errors[1], 2e-4, wall)

    def test_walls_are_alike_on_all_faces(self):
        flows = []
        for face, other, axis, sign in (("west", "east", 0, 1), ("east", "west", 0, -1), ("south", "north", 1, 1),
                                        ("north", "south", 1, -1)):
            along = "xy"[axis] if sign == 1 else f"(1 - {'xy'[axis]})"
            cells = [40, 4] if axis == 0 else [4, 40]
            deck = {"physics": "shallow-water", "mesh": {"cells": cells, "periodic": [axis == 1, axis == 0]},
                    "shallow-water": {
                        "initial": {"surface": f"0.5 + 0.1*cos(2*pi*{along})", "bathymetry": f"0.1*{along}"},
                        "boundary": {face: {"kind": "discharge", "discharge": f"{sign}*(0.2 + 0.1*t)"},
                                     other: {"kind": "stage", "surface": "0.6 - 0.1*t"}}},
                    "time": {"step": 0.002, "steps": 200},
                    "output": {"snapshots": {"interval": 1000000}, "scalars": {"interval": 1}}}
            for ranks in (1, 2):
                flow = self.run_deck(deck, ranks)
                lines = flow.depth if axis == 0 else flow.depth.T
                flows.append(lines[0] if sign == 1 else lines[0][::-1])
                numpy.testing.assert_allclose(lines, lines[:1].repeat(4, axis=0), rtol=0, atol=1e-14)
                numpy.testing.assert_allclose(flows[-1], flows[0], rtol=0, atol=1e-12)
        self.assertGreater(flows[0][0], 0.6)

    def test_a_dry_bed_is_flooded_by_what_flows_in(self):
        """Critical flow enters: the volume is the given discharge times the time. At the first step the wall's ghosts have
        the only water."""
        flow = self.run_deck(channel({"kind": "discharge", "discharge": "0.3 + 0.1*t"}, WALL, {"depth": 0}, 2))
        self.assertGreater(len(flow.times), 100)
        self.assertAlmostEqual(flow.volumes[-1], 0.8, delta=1e-3 * 0.8)
        self.assertGreaterEqual(flow.depth.min(), 0)
        # By a stage critical flow of that depth enters, g^(1/2) depth^(3/2).
        flow = self.run_deck(channel({"kind": "stage", "surface": 0.7}, WALL, {"depth": 0, "bathymetry": 0.5}, 2))
        self.assertAlmostEqual(flow.volumes[-1], 2 * math.sqrt(G) * 0.2**1.5, delta=1e-2 * flow.volumes[-1])
        # Below the bottom there is nothing that could enter, and nothing that could leave.
        for wall in ({"kind": "stage", "surface": 0.4}, {"kind": "discharge", "discharge": -1}):
            flow = self.run_deck(channel(wall, WALL, {"depth": 0, "bathymetry": 0.5}, 1))
            self.assertEqual(flow.volumes[-1], 0)

    def test_no_wall_draws_more_than_critical_flow(self):
        """8/27 depth c: Ritter's discharge at the dam, until the wave comes back from the other end."""
        largest = 8 / 27 * math.sqrt(G)
        for wall in ({"kind": "stage", "surface": -5}, {"kind": "stage", "surface": 0.1},
                     {"kind": "discharge", "discharge": 9}, {"kind": "discharge", "discharge": largest}):
            flow = self.run_deck(channel(WALL, wall, {"depth": 1}, 3, cells=200))
            # The start, a jump, is the only error: that of a few steps, 0.016 each.
            self.assertAlmostEqual(10 - flow.volumes[-1], 3 * largest, delta=0.02 * largest)
        flow = self.run_deck(channel(WALL, {"kind": "discharge", "discharge": 0.5 * largest}, {"depth": 1}, 3, cells=200))
        self.assertAlmostEqual(10 - flow.volumes[-1], 1.5 * largest, delta=0.01 * largest)

    def test_fast_flow_leaves_unless_a_bore_runs_against_it(self):
        fast = {"depth": 0.5, "velocity_x": 6}
        inflow = {"kind": "inflow", **fast}
        # The bore of a wall of depth 1.5 would have the speed 6 - (g 1.5 2 / 1)^(1/2) = 0.58, that of depth 2.5 -2.6.
        for wall in ({"kind": "stage", "surface": 1.5}, {"kind": "stage", "surface": 0}, {"kind": "stage", "surface": 0.5},
                     {"kind": "discharge", "discharge": 3.5}):
            flow = self.run_deck(channel(inflow, wall, fast, 2))
            numpy.testing.assert_allclose(flow.depth, 0.5, rtol=0, atol=1e-13, err_msg=str(wall))
            numpy.testing.assert_allclose(flow.discharge, 3, rtol=0, atol=1e-12, err_msg=str(wall))
        flow = self.run_deck(channel(inflow, {"kind": "stage", "surface": 2.5}, fast, 1))
        self.assertAlmostEqual(flow.depth[-2], 2.5, delta=0.02)
        # A gate that closes to 1 of the 3 that arrive: the rest stays in a bore.
        flow = self.run_deck(channel(inflow, {"kind": "discharge", "discharge": 1}, fast, 1))
        # The bore begins as a jump, at the cost of a third of a cell of its height, 1.6.
        self.assertAlmostEqual(flow.volumes[-1], 5 + 2, delta=0.05)
        self.assertAlmostEqual(flow.discharge[-2], 1, delta=0.02)

    def test_a_lake_at_rest_stays_at_rest_between_them(self):
        start = {"surface": 1, "bathymetry": "1.4*exp(-20*(x - 4)^2) + 0.3*random(3)"}
        flow = self.run_deck(channel({"kind": "stage", "surface": 1}, {"kind": "discharge", "discharge": 0}, start, 10))
        wet = flow.depth > 0
        self.assertFalse(wet.all())
        self.assertLessEqual(numpy.abs((flow.depth + flow.bottom)[wet] - 1).max(), 1e-12)
        self.assertLessEqual(numpy.abs(flow.discharge).max(), 1e-12)

    def test_what_makes_no_sense_is_refused(self):
        stage = {"kind": "stage", "surface": 1}
        for wall, words in (
                ({"kind": "stage"}, "`shallow-water.boundary.west.surface`: missing (deck.yaml:…); stage needs it"),
                ({"kind": "stage", "depth": 1}, "`shallow-water.boundary.west.depth`: is not used by `kind: stage`"),
                ({**stage, "discharge": 1}, "`shallow-water.boundary.west.discharge`: is not used by `kind: stage`"),
                ({**stage, "velocity_x": 1}, "`shallow-water.boundary.west.velocity_x`: is not used by `kind: stage`"),
                ({"kind": "discharge"},
                 "`shallow-water.boundary.west.discharge`: missing (deck.yaml:…); discharge needs it"),
                ({"kind": "discharge", "discharge": 1, "surface": 1},
                 "`shallow-water.boundary.west.surface`: is not used by `kind: discharge`"),
                ({"kind": "outflow", "discharge": 1}, "is not used by `kind: outflow`"),
                ({"kind": "discharge", "discharge": "1/(t - t)"}, "shallow-water.boundary.west: '1/(t - t)' is not a finite number")):
            with self.subTest(words=words), scratch() as name:
                folder = pathlib.Path(name)
                (folder / "deck.yaml").write_text(json.dumps(channel(wall, WALL, {"depth": 1}, 0.1)))
                run = Run(["run", "deck.yaml", "--output", "run.out"], folder)
                self.assertEqual(run.code, 2, run.err)
                for part in words.split("…"):
                    self.assertIn(part, run.err)
                self.assertFalse((folder / "run.out").exists())


class Decks(Case):
    """The decks that ship, beside solutions that are computed here."""

    def bump(self, folder, name, cells, discharge, exact, **changes):
        """Errors of depth and discharge (relative) by cell, and the distance behind the jump in cells."""
        flow = self.run_file(folder, DECKS / f"bump-{name}.yaml", **{"mesh.cells": f"[{cells}]", **changes})
        x = centres(cells, 25)
        depth, jump = exact_bump(x, discharge, **exact)
        behind = numpy.full(cells, -math.inf) if jump is None else (x - jump) * cells / 25
        return numpy.abs(flow.depth - depth), numpy.abs(flow.discharge / discharge - 1), behind

    def test_flow_over_a_bump_in_three_regimes(self):
        with scratch() as folder:
            for name, discharge, exact in (
                    ("subcritical", 4.42, {"downstream": 2}), ("transcritical", 1.53, {"crest": True}),
                    ("shock", 0.18, {"downstream": 0.33, "crest": True})):
                means = []
                for cells in (100, 200):
                    depth, discharges, behind = self.bump(folder, name, cells, discharge, exact)
                    means.append(depth[numpy.abs(behind) > 3].mean())
                    # The ends of the bump are kinks, where errors are of first order.
                    self.assertLess(depth[numpy.abs(behind) > 3].max(), 0.5 / cells, name)
                    self.assertLess(discharges[behind < -3].max(), 1 / cells, name)
                self.assertGreater(math.log2(means[0] / means[1]), 1.5, (name, means))

    def test_the_discharge_has_a_spike_at_a_standing_jump(self):
        """As the README says: in one cell, at any resolution; and fluctuations behind it, but with minmod."""
        exact = {"downstream": 0.33, "crest": True}
        with scratch() as folder:
            for cells, limiter in ((50, "van_leer"), (100, "van_leer"), (200, "van_leer"), (50, "minmod"), (200, "minmod")):
                with self.subTest(cells=cells, limiter=limiter):
                    _, discharges, behind = self.bump(folder, "shock", cells, 0.18, exact,
                                                      **{"shallow-water.limiter": limiter})
                    largest = discharges.argmax()
                    self.assertLess(abs(behind[largest]), 1)
                    self.assertTrue(0.15 < discharges[largest] < 0.45, discharges[largest])
                    self.assertLess(numpy.delete(discharges, largest).max(), 0.1)
                    self.assertLess(discharges[behind > 8].max(), 0.03 if limiter == "van_leer" else 1e-3)

    def test_a_reservoir_drains_to_the_crest(self):
        x = centres(200, 25)
        crest = 0.05 * (25 / 200 / 2) ** 2  # the cells beside the crest are lower by this
        with scratch() as folder:
            # The height H of the still water above the crest loses what flows over it critically: with 10 m of water in
            # front of the crest 10 dH/dt = -g^(1/2) (2 H / 3)^(3/2), so that H falls with the inverse square of time. What
            # is left of the first waves is the main error.
            for end in (100, 200):
                flow = self.run_file(folder, DECKS / "drain.yaml", **{"time.end": end})
                height = (0.3**-0.5 + math.sqrt(G) * (2 / 3) ** 1.5 * end / 20) ** -2
                found = (flow.depth + flow.bottom)[x < 7].mean() - 0.2
                self.assertAlmostEqual(found, height, delta=0.1 * height + 2 * crest)
            flow = self.run_file(folder, DECKS / "drain.yaml")
            self.assertLess(numpy.abs((flow.depth + flow.bottom)[x < 10] - 0.2).max(), 2 * crest)
            self.assertLess(flow.depth[x > 12].max(), crest)
            self.assertLess(numpy.abs(flow.discharge).max(), 1e-5)

    def test_water_in_a_paraboloid_comes_round(self):
        with scratch() as folder:
            for name in ("thacker-planar", "thacker-radial"):
                errors = [self.run_file(folder, DECKS / f"{name}.yaml", **{"mesh.cells": f"[{n}, {n}]"}).quantities
                          for n in (50, 100)]
                # The shore is a kink, where a scheme of second order has errors of first order.
                self.assertLess(errors[1]["error_1(depth)"], 0.5 * errors[0]["error_1(depth)"], name)
                self.assertGreaterEqual(errors[1]["minimum(depth)"], 0)


if __name__ == "__main__":
    unittest.main()
