"""Bodies: orbits and their order, clusters, numbers of ranks, files, snapshots, and rejected input."""

import json
import math
import pathlib
import re
import unittest

import h5py
import numpy as np

from program import HAS_DEVICES, ROOT, Run, scratch


def deck_of(nbody, step, steps, precision="double", **more):
    return {"physics": "nbody", "precision": precision, "nbody": nbody, "time": {"step": step, "steps": steps},
            "output": {"scalars": {"interval": 0}}, **more}


def two_body(**orbit):
    return {"initial": "two_body", "two_body": orbit}


def plummer(bodies, softening=0.05, **more):
    return {"initial": "plummer", "plummer": {"bodies": bodies, **more}, "softening": softening}


def relative(a, b):
    """Largest difference, relative to the largest number."""
    return np.abs(np.asarray(a) - b).max() / np.abs(b).max()


def on_kepler_orbit(time, eccentricity):
    """From the second to the first body of an orbit of axis 1 and period 2 pi that begins at the greatest distance, on the
    positive x axis: E - e sin E = M (Kepler's equation), by Newton's method."""
    mean = math.pi + time
    anomaly = mean
    for _ in range(100):
        anomaly -= (anomaly - eccentricity * math.sin(anomaly) - mean) / (1 - eccentricity * math.cos(anomaly))
    return -np.array([math.cos(anomaly) - eccentricity, math.sqrt(1 - eccentricity ** 2) * math.sin(anomaly), 0])


class State:
    """Bodies of a snapshot, as rows of position, velocity and mass."""

    def __init__(self, path):
        with h5py.File(path) as file:
            grid = file["VTKHDF"]
            self.rows = np.column_stack([grid["Points"][()], grid["PointData/velocity"][()], grid["PointData/mass"][()]])
        self.position = self.rows[:, :3]


class Bodies(unittest.TestCase):
    def run_deck(self, deck, ranks=1, files=None):
        """The summary and the last state of a deck that must run without messages."""
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            for name, rows in (files or {}).items():
                np.save(path.parent / name, rows)
            run = Run(["run", path, "--output", "run.out", "--ranks", ranks], folder)
            self.assertEqual((run.code, run.err), (0, ""), deck)
            snapshots = sorted((path.parent / "run.out").glob("snapshot_*.vtkhdf"))
            return run.summary(), State(snapshots[-1])

    def messages(self, deck, files=None):
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            for name, text in (files or {}).items():
                (path.parent / name).write_bytes(text)
            # On devices `check` sets up nothing.
            run = Run(["run" if HAS_DEVICES else "check", path], folder)
            self.assertEqual((run.code, run.files()), (2, sorted(["deck.yaml", *(files or {})])))
            return run.err

    def test_an_orbit_closes_to_second_order(self):
        """After a period both bodies are back: the error falls with the square of the step."""
        missing = []
        for steps in (500, 1000, 2000):
            orbit = two_body(masses=[0.75, 0.25], axis=1, eccentricity=0.3)
            _, end = self.run_deck(deck_of(orbit, 2 * math.pi / steps, steps))
            # The relative orbit begins at its greatest distance, 1.3, divided in proportion to the other's mass.
            missing.append(np.abs(end.position - [[0.325, 0, 0], [-0.975, 0, 0]]).max())
        for coarse, fine in zip(missing, missing[1:]):
            self.assertAlmostEqual(math.log2(coarse / fine), 2, delta=0.05, msg=missing)

    def scaled_run(self, precision, length, mass):
        """Three bodies, with lengths multiplied by 2^length and masses by 2^mass, both even, and times and speeds to match:
        the last positions, velocities and masses in these units, and the energies."""
        speed = (mass - length) // 2
        units = np.ldexp(1.0, [length, length, length, speed, speed, speed, mass])
        rows = np.array([[1, 0, 0.25, 0, 0.5, 0, 1], [-1, 0.5, 0, 0.25, -0.5, 0, 0.75], [0.125, -0.75, 0.5, 0, 0, 0.25, 0.5]])
        nbody = {"initial": "file", "file": {"path": "b.npy"}, "softening": math.ldexp(0.125, length)}
        summary, end = self.run_deck(deck_of(nbody, math.ldexp(0.0625, length - speed), 20, precision), files={"b.npy": rows * units})
        energies = [math.ldexp(summary["quantities"][name], -mass - 2 * speed)
                    for name in ("kinetic_energy", "potential_energy", "energy", "energy_drift")]
        energies[-1] = summary["quantities"]["energy_drift"]
        return end.rows / units, energies

    def test_bodies_of_any_size_have_the_same_bits(self):
        """The method knows no unit: lengths and masses scaled by powers of two, as far as numbers of the precision go, change no
        bit, although cubes of distances are far out of range."""
        for precision, sizes in (("single", (100, -100)), ("double", (400, -400))):
            rows, energies = self.scaled_run(precision, 0, 0)
            self.assertGreater(np.abs(rows[:, 3:6] - [[0, 0.5, 0], [0.25, -0.5, 0], [0, 0, 0.25]]).max(), 0.1, "they attract")
            for size in sizes:
                for mass in (0, size // 2, -size // 2):
                    scaled = self.scaled_run(precision, size, mass)
                    self.assertTrue(np.array_equal(scaled[0], rows), (precision, size, mass))
                    self.assertEqual(scaled[1], energies, (precision, size, mass))

    def test_orbits_of_any_size_close(self):
        """A circle in 400 steps ends where one of axis 1 does, 3e-4 from its start, which is the method's error. Single precision
        adds 400 roundings of the velocity, of 6e-8, each of which moves the end by up to a turn of 2 pi."""
        def end(precision, axis):
            step = 2 * math.pi * axis * math.sqrt(axis) / 400
            return self.run_deck(deck_of(two_body(axis=axis), step, 400, precision))[1].position / axis

        usual = end("double", 1)
        self.assertLess(np.abs(usual - [[0.5, 0, 0], [-0.5, 0, 0]]).max(), 3e-4)
        for precision, axes, roundings in (("single", (1e-25, 1e15, 1e17), 400 * 2 ** -24 * 2 * math.pi),
                                           ("double", (1e-150, 1e110), 400 * 2 ** -53 * 2 * math.pi)):
            for axis in axes:
                self.assertLess(np.abs(end(precision, axis) - usual).max(), roundings, (precision, axis))

    def snapshots_of_deck(self, name, end, steps, snapshots):
        """Positions at the start and at so many further times of a deck that ships, which ends at `end`."""
        changes = (f"time.steps={steps}", f"time.step={end / steps!r}", f"output.snapshots.interval={steps // snapshots}")
        with scratch() as folder:
            run = Run(["run", ROOT / f"decks/{name}.yaml", "--output", "run.out",
                       *(word for change in changes for word in ("--set", change))], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            paths = sorted((pathlib.Path(folder) / "run.out").glob("snapshot_*.vtkhdf"))
            return np.array([State(path).position for path in paths])

    def assert_second_order(self, errors):
        """Errors against outside values with twice the deck's step and with its own, which leaves a quarter."""
        self.assertAlmostEqual(errors[0] / errors[1], 4, delta=0.1, msg=errors)

    def test_the_eccentric_orbit_is_keplers(self):
        errors = []
        for steps in (4000, 8000):
            positions = self.snapshots_of_deck("eccentric-orbit", 2 * math.pi, steps, 10)
            expected = [on_kepler_orbit(2 * math.pi * n / 10, 0.9) for n in range(11)]
            errors.append(np.abs(positions[:, 0] - positions[:, 1] - expected).max())
            # The centre of mass stays where it is.
            self.assertLess(np.abs(0.75 * positions[:, 0] + 0.25 * positions[:, 1]).max(), steps * np.finfo(float).eps)
        # 250 steps a turn at the speed of the closest passage make an error of the phase of (2 pi / 250)^2 / 2.
        self.assertLess(errors[1], (2 * math.pi / 250) ** 2)
        self.assert_second_order(errors)

    def test_the_figure_of_eight_closes(self):
        """After a third of the published period each body is where another began, and after all of it where it began."""
        errors = []
        for steps in (600, 1200):
            positions = self.snapshots_of_deck("figure-eight", 6.32591398, steps, 12)
            begin, third, end = positions[0], positions[4], positions[12]
            nearest = [int(np.abs(begin - body).max(axis=1).argmin()) for body in third]
            self.assertIn(nearest, ([1, 2, 0], [2, 0, 1]))
            errors.append([np.abs(third - begin[nearest]).max(), np.abs(end - begin).max()])
        # About h^2 of distances of about 1, where h is 2 pi / 1200; the published numbers have eight digits.
        self.assertLess(max(errors[1]), 8 * (2 * math.pi / 1200) ** 2)
        for pair in zip(*errors):
            self.assert_second_order(pair)

    def test_time_runs_back(self):
        """With reversed velocities the same steps lead back to the start, to rounding: some epsilon per step, which the shear
        of the ellipse amplifies by the number of steps."""
        steps, step = 400, 0.01
        orbit = two_body(masses=[0.5, 0.5], axis=1, eccentricity=0.5)
        _, there = self.run_deck(deck_of(orbit, step, steps))
        turned = there.rows * [1, 1, 1, -1, -1, -1, 1]
        _, back = self.run_deck(deck_of({"initial": "file", "file": {"path": "turned.npy"}}, step, steps),
                                files={"turned.npy": turned})
        start = [[0.75, 0, 0], [-0.75, 0, 0]]
        self.assertLess(np.abs(back.position - start).max(), steps ** 2 * np.finfo(float).eps)

    def test_a_cluster_stays_in_equilibrium(self):
        summary, _ = self.run_deck(deck_of(plummer(1000, softening=0.1), 1 / 64, 320))
        quantities = summary["quantities"]
        # Virial theorem: 2 T + V = 0 for the exact sphere; with 1000 bodies and softening the deviation is up to a
        # tenth of V.
        self.assertLess(abs(2 * quantities["kinetic_energy"] / quantities["potential_energy"] + 1), 0.1)
        self.assertLess(abs(quantities["energy_drift"]), 1e-3)
        self.assertEqual(len(summary["conserved"]), 6)
        for name, kept in summary["conserved"].items():
            self.assertLessEqual(kept["largest_relative_drift"], kept["explained_relative_drift"], name)

    def test_any_number_of_ranks_and_bodies(self):
        """Sums in another order: rounding, n epsilon of each force, over some steps."""
        for bodies in (1, 2, 3, 7, 257):
            for precision, epsilon in (("double", 2.0 ** -52), ("single", 2.0 ** -23)):
                decks = [deck_of({**plummer(bodies, softening=0.5), "schedule": schedule}, 1 / 32, 4, precision)
                         for schedule in ("even", "even", "queue", "even")]
                states = [self.run_deck(deck, ranks)[1] for ranks, deck in zip((1, 2, 3, 4), decks)]
                for state in states[1:]:
                    self.assertEqual(state.rows.shape, (bodies, 7))
                    if bodies > 1:
                        self.assertLess(relative(state.rows, states[0].rows), 8 * math.sqrt(bodies) * epsilon)

    def test_any_number_of_devices(self):
        """One process, or two, with a device that is named several times, and with all devices: equal to rounding, as for
        ranks. A build without devices refuses them and writes nothing."""
        with scratch() as folder:
            if not HAS_DEVICES:
                path = pathlib.Path(folder) / "deck.yaml"
                path.write_text(json.dumps(deck_of(plummer(8), 0.1, 1)))
                run = Run(["run", path, "--devices", "0,0"], folder)
                self.assertEqual((run.code, run.files()), (2, ["deck.yaml"]), run.err)
                self.assertIn("has no devices (--devices 0,0); leave it out", run.err)
                return
        for bodies in (1, 2, 3, 257, 1009):
            for precision, epsilon in (("double", 2.0 ** -52), ("single", 2.0 ** -23)):
                deck = deck_of(plummer(bodies, softening=0.5), 1 / 32, 4, precision)
                _, alone = self.run_deck(deck)
                for ranks, devices, of_rank in ((1, "0,0", [2]), (1, "0,0,0", [3]), (2, "0,0,0", [2, 1]),
                                                (3, "0,0,0,0", [2, 1, 1]), (1, "all", None)):
                    summary, state = self.run_deck({**deck, "devices": devices}, ranks)
                    if of_rank:
                        self.assertEqual([len(rank) for rank in summary["provenance"]["devices"]], of_rank)
                    if bodies > 1:
                        self.assertLess(relative(state.rows, alone.rows), 8 * math.sqrt(bodies) * epsilon)
                again = [self.run_deck({**deck, "devices": [0, 0]})[1].rows for _ in range(2)]
                self.assertTrue(np.array_equal(*again), "the same bits at a fixed split")

    def test_a_run_repeats_to_the_bit(self):
        deck = deck_of(plummer(100), 1 / 32, 5, "single")
        first, second = (self.run_deck(deck, 3)[1] for _ in range(2))
        self.assertTrue(np.array_equal(first.rows, second.rows))

    def test_files(self):
        rows = np.array([[1, 2, 3, 0, 0, 0, 1], [-1, 0.5, 0, 0.25, 0, 0, 2], [0, 0, 4, 0, -1, 0, 0]], dtype=float)
        text = "x, y, z, vx, vy, vz, mass\n# a remark\n\n" + "\n".join(", ".join(map(repr, map(float, row))) for row in rows)
        for array in (rows, rows.astype("f4"), np.asfortranarray(rows.astype(">f8"))):
            _, state = self.run_deck(deck_of({"initial": "file", "file": {"path": "b.npy"}}, 1e-3, 0),
                                     files={"b.npy": array})
            self.assertTrue(np.array_equal(state.rows, rows))
        with scratch() as folder:
            path = pathlib.Path(folder)
            (path / "b.csv").write_text(text)
            (path / "deck.yaml").write_text(
                json.dumps(deck_of({"initial": "file", "file": {"path": "b.csv"}}, 1e-3, 0)))
            run = Run(["run", "deck.yaml", "--output", "run.out", "--ranks", 2], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertTrue(np.array_equal(State(path / "run.out/snapshot_000000.vtkhdf").rows, rows))

    def test_what_is_refused(self):
        header = b"{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n"

        def npy(descr=b"<f8", order=b"False", shape=b"(1, 7)", body=b"\0" * 56):
            text = header % (descr, order, shape)
            return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body

        def bodies(name):
            return deck_of({"initial": "file", "file": {"path": name}}, 0.1, 1)

        for deck, files, text in (
                (bodies("none.npy"), {}, "`none.npy` cannot be opened"),
                (bodies("b.txt"), {}, "must end with .npy or .csv"),
                (bodies("b.npy"), {"b.npy": b"no"}, "is not an .npy file"),
                (bodies("b.npy"), {"b.npy": npy(descr=b"<c8")}, "holds complex numbers"),
                (bodies("b.npy"), {"b.npy": npy(shape=b"(7,)")}, "has an array of shape (7,)"),
                (bodies("b.npy"), {"b.npy": npy(shape=b"(1, 1, 7)")}, "has another shape"),
                (bodies("b.npy"), {"b.npy": npy(shape=b"(0, 7)", body=b"")}, "holds no bodies"),
                (bodies("b.npy"), {"b.npy": npy(shape=b"(2, 7)")}, "is cut off: it has 126 bytes"),
                (bodies("b.npy"), {"b.npy": npy(body=b"\xff" * 56)}, "row 0: x is nan, but must be finite"),
                (bodies("b.npy"), {"b.npy": npy(body=b"\0" * 57)}, "has 127 bytes, and an array of shape (1, 7)"),
                (bodies("b.csv"), {"b.csv": b"1,2,3\n"}, "`b.csv`:1: expected seven numbers"),
                (bodies("b.csv"), {"b.csv": b"l.5,0,0,0,0,0,1\n1,0,0,0,0,0,1\n"}, "`b.csv`:1: x is `l.5`, which is not a "),
                (bodies("b.csv"), {"b.csv": b"0,0,0,0,0,0,1\n0,0,0,0,0,0,-1\n"}, "`b.csv`:2: mass is -1, but must be at "
                                                                                 "least 0"),
                (bodies("b.csv"), {"b.csv": b"0,0,nan,0,0,0,1\n"}, "`b.csv`:1: z is nan, but must be finite"),
                (bodies("b.csv"), {"b.csv": b"0,0,0,1,0,0,1\n\n0,0,0,-1,0,0,1\n"}, "bodies 0 and 1 are at the same "
                                                                                   "position, (0, 0, 0), "
                 "where their attraction is infinite without softening; give `nbody.softening`, or other positions"),
                ({**bodies("b.csv"), "precision": "single"}, {"b.csv": b"1,0,0,0,0,0,1\n1.00000000001,0,0,0,0,0,1\n"},
                 "bodies 0 and 1 are at the same position in single precision, (1, 0, 0), where their attraction is infinite "
                 "without softening; give `nbody.softening`, or use `precision: double`"),
                ({**bodies("b.csv"), "precision": "single"}, {"b.csv": b"0,0,0,0,0,0,1\n1,0,0,0,0,0,1e-50\n"},
                 "body 1: mass, 1e-50, is 0 in single precision; scale the problem, or use `precision: double`"),
                ({**bodies("b.csv"), "precision": "single"}, {"b.csv": b"0,0,0,0,0,1e39,1\n"},
                 "body 0: vz, 1e+39, is infinite in single precision"),
                (deck_of(plummer(8, mass=1e-50), 0.1, 1, "single"), {}, "is 0 in single precision"),
                (deck_of(plummer(8, 0, scale=1e-50), 0.1, 1, "single"), {}, "are at the same position in single precision"),
                (bodies("b.csv"), {"b.csv": b"# none\n"}, "holds no bodies"),
                (deck_of({"initial": "list"}, 0.1, 1), {}, "holds no bodies; give `list.bodies`"),
                (deck_of({"initial": "list", "list": {"bodies": [{"mass": 1}]}}, 0.1, 1), {},
                 "`nbody.list.bodies[0].position`: missing"),
                (deck_of({"initial": "list", "list": {"bodies": [{"position": [0, 0, 0], "mass": -1}]}}, 0.1, 1), {},
                 "mass"),
                ({**deck_of(plummer(8), 0.1, 1), "mesh": {"cells": [8]}}, {},
                 "`mesh`: not used by nbody, whose points have no mesh"),
                ({**deck_of(plummer(8), 0.1, 1), "time": {"courant": 0.5, "steps": 5}}, {},
                 "`time.courant`: not used by nbody ("),
                *(({**deck_of(plummer(8), 0.1, 1), "time": {"method": method, "step": 0.1, "steps": 1}}, {},
                   "halocline: `time.method`: not used by nbody, which has its own time integrator (")
                  for method in ("rk4", "bdf2")),
                ({**deck_of(plummer(8), 0.1, 1), "time": {"steps": 5}}, {}, "it is the length of each step\n"),
                (deck_of({"initial": "plummer"}, 0.1, 1), {}, "`nbody.plummer.bodies`: missing"),
                (deck_of(plummer(8, softening=-1), 0.1, 1), {}, "softening"),
                (deck_of(two_body(eccentricity=1), 0.1, 1), {}, "eccentricity"),
                (deck_of(plummer(10 ** 12), 0.1, 1), {}, "GiB"),
                ({"physics": "heat", "time": {"step": 1, "steps": 1}}, {}, "`mesh.cells`: missing")):
            with self.subTest(text=text):
                self.assertIn(text, self.messages(deck, files))

    def run_csv(self, text, step, steps, **more):
        """A run of bodies from text, and its summary."""
        with scratch() as folder:
            path = pathlib.Path(folder)
            (path / "b.csv").write_text(text)
            (path / "deck.yaml").write_text(
                json.dumps(deck_of({"initial": "file", "file": {"path": "b.csv"}}, step, steps, **more)))
            run = Run(["run", "deck.yaml", "--output", "run.out"], folder)
            return run, run.summary()

    def test_the_drift_where_energies_cancel(self):
        """Two masses of 1 at distance 1 with escape velocity: the kinetic energy is 1, the potential energy -1."""
        run, summary = self.run_csv("-0.5,0,0,0,-1,0,1\n0.5,0,0,0,1,0,1\n", 0.1, 20)
        energies = summary["quantities"]
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertGreater(abs(energies["energy"]), 1e-4)
        self.assertAlmostEqual(energies["energy_drift"], energies["energy"] / 2, delta=1e-15)

    def test_bodies_in_one_place_have_a_potential_if_softened(self):
        with scratch() as folder:
            path = pathlib.Path(folder)
            (path / "b.csv").write_text("0,0,0,0,0,0,2\n" * 3)
            nbody = {"initial": "file", "file": {"path": "b.csv"}, "softening": 0.5}
            for ranks in (1, 2):
                (path / "deck.yaml").write_text(json.dumps(deck_of(nbody, 0.1, 1)))
                run = Run(["run", "deck.yaml", "--output", f"{ranks}.out", "--ranks", ranks], folder)
                self.assertEqual((run.code, run.err), (0, ""))
                # Three pairs, - m^2 / softening each.
                self.assertAlmostEqual(run.summary(f"{ranks}.out")["quantities"]["potential_energy"], -24, delta=1e-13)

    def test_a_lost_energy_is_told_once(self):
        """Two masses fall onto each other, and a step throws them apart."""
        run, summary = self.run_csv("-0.5,0,0,0,0,0,1\n0.5,0,0,0,0,0,1\n", 0.0785, 40, output={})
        self.assertEqual(run.code, 0)
        self.assertGreater(abs(summary["quantities"]["energy_drift"]), 1)
        self.assertEqual(run.err.count("the energy has changed by"), 1)
        self.assertIn("of its size, |kinetic| + |potential| at the start: bodies came closer", run.err)

    def test_lost_digits_are_told(self):
        run, _ = self.run_csv("0,0,0,1e-50,0,0,1\n1,0,0,0,1e-40,0,1\n", 0.1, 1, precision="single")
        self.assertEqual(run.code, 0)
        self.assertIn("nbody: 2 numbers of the bodies, below the smallest number of single precision, 1.17549", run.err)

    @unittest.skipIf(HAS_DEVICES, "bodies begin in the memory of the host, which is not checked beside devices")
    def test_what_every_rank_holds_of_all_bodies_is_foretold(self):
        """In addition to an equal share: 7 numbers per body at the start, and with a queue 4 for the sources."""
        bodies = 100000

        def mebibytes(ranks, schedule):
            with scratch() as folder:
                path = pathlib.Path(folder) / "deck.yaml"
                path.write_text(json.dumps(deck_of({**plummer(bodies), "schedule": schedule}, 0.1, 1)))
                run = Run(["check", path, "--ranks", ranks], folder)
                return float(re.search(r"^memory +about ([\d.]+) MiB", run.out, re.MULTILINE)[1])

        for schedule, numbers in (("even", 7), ("queue", 11)):
            for ranks in (1, 4):
                self.assertAlmostEqual(mebibytes(ranks, schedule), (23 + ranks * numbers) * 8 * bodies / 2 ** 20,
                                       delta=0.1, msg=(schedule, ranks))

    def test_a_bad_number_names_its_body(self):
        rows = np.array([[0, 0, 0, 0, 0, 0, 1.0], [1, 0, 0, 0, 0, 0, 1.0]])
        with scratch() as folder:
            path = pathlib.Path(folder)
            np.save(path / "b.npy", rows)
            (path / "deck.yaml").write_text(
                json.dumps(deck_of({"initial": "file", "file": {"path": "b.npy"}}, 1e200, 1)))
            run = Run(["run", "deck.yaml", "--output", "run.out", "--ranks", 2], folder)
            self.assertEqual((run.code, run.summary()["status"]), (3, "not a number"))
            self.assertIn("component 0 of `position` is inf at point (0)", run.err)


if __name__ == "__main__":
    unittest.main()
