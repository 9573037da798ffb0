"""Waves: order in time, energy, sources, sponges and receivers, and weighted sums over a star."""

import csv
import json
import math
import os
import pathlib
import unittest

from program import ROOT, Run, scratch


def wave(cells, step, end, **options):
    return {"physics": "wave", "mesh": {"cells": cells, "periodic": [True] * len(cells)}, "wave": options,
            "time": {"step": step, "end": end}, "output": {"snapshots": {"interval": 0}}}


class Wave(unittest.TestCase):
    def run_deck(self, deck, ranks=1):
        """The summary and the rows of traces.csv of a deck that must run without messages."""
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            run = Run(["run", path, "--output", "run.out", "--ranks", ranks], folder)
            self.assertEqual((run.code, run.err), (0, ""), deck)
            traces = path.parent / "run.out/traces.csv"
            return run.summary(), traces.read_text() if traces.exists() else None

    def messages(self, deck):
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            run = Run(["check", path], folder)
            self.assertEqual((run.code, run.files()), (2, ["deck.yaml"]))
            return run.err

    def assert_second_order(self, steps, end, ranks=1, **options):
        coarse, fine = (self.run_deck(wave([64], step, end, **options), ranks)[0]["quantities"] for step in steps)
        for name in ("error_2", "error_maximum"):
            self.assertAlmostEqual(math.log2(coarse[name] / fine[name]), 2, delta=0.1, msg=(name, coarse, fine))

    def test_second_order_in_time(self):
        # Eighth order in space on 64 cells: only the error of the time steps is visible.
        standing = {"initial": "sin(2*pi*x)", "exact": "sin(2*pi*x)*cos(2*pi*t)"}
        moving = {"initial": "sin(2*pi*x)", "initial_rate": "-2*pi*cos(2*pi*x)", "exact": "sin(2*pi*(x-t))"}
        self.assert_second_order((0.01, 0.005), 0.3, **standing)
        self.assert_second_order((0.01, 0.005), 0.3, ranks=3, **moving)
        # Neither duration is a whole number of steps.
        self.assert_second_order((0.008, 0.004), 0.303, **moving)
        # A constant speed in the form of a field, which takes the path for variable speeds.
        self.assert_second_order((0.005, 0.0025), 0.3, speed="2 + 0*x", initial="sin(2*pi*x)",
                                 exact="sin(2*pi*x)*cos(4*pi*t)")

    def test_steps_by_the_longest_stable_one(self):
        deck = wave([64], 1, 1, initial="0.2*sin(2*pi*x + 0.1)", receivers=[{"position": [0.3]}])
        deck["time"] = {"courant": 0.9, "steps": 50}
        summary, traces = self.run_deck(deck)
        energy = summary["conserved"]["energy"]
        self.assertLessEqual(energy["largest_relative_drift"], energy["explained_relative_drift"])
        # The same bits as with a step of this length.
        deck["time"] = {"step": float(traces.splitlines()[2].split(",")[0]), "steps": 50}
        rows = [[row.split(",")[1] for row in text.splitlines()] for text in (traces, self.run_deck(deck)[1])]
        self.assertEqual(*rows)
        # The last steps are shortened to meet the end.
        moving = {"initial": "sin(2*pi*x)", "initial_rate": "-2*pi*cos(2*pi*x)", "exact": "sin(2*pi*(x-t))"}
        errors = []
        for courant in (0.8, 0.4):
            deck = wave([64], 1, 1, **moving)
            deck["time"] = {"courant": courant, "end": 0.303}
            errors.append(self.run_deck(deck, ranks=2)[0]["quantities"]["error_2"])
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.2, msg=errors)
        # A sponge, which depends on the step, beside a variable speed.
        deck = wave([64], 1, 1, speed="1 + x", initial="exp(-200*(x-0.5)^2)", sponge={"width": 0.2})
        deck["mesh"]["periodic"] = [False]
        deck["time"] = {"courant": 0.9, "end": 2}
        self.assertLess(self.run_deck(deck)[0]["quantities"]["maximum"], 0.05)

    def test_a_weighted_sum_has_no_longest_stable_step(self):
        deck = {"physics": "wave", "mesh": {"cells": [9]}, "time": {"courant": 0.9, "steps": 1},
                "wave": {"method": "weighted_sum", "weights": [1, 1, 1, 1, 1]}}
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            run = Run(["run", path], folder)
            self.assertEqual(run.code, 2, run.err)
            self.assertIn("`time.courant`: wave has no longest stable step with these options; give `time.step`", run.err)

    def test_energy_is_kept(self):
        for ranks, precision, speed in ((1, "double", "1"), (3, "double", "1 + 0.5*sin(2*pi*x)"), (2, "single", "1")):
            with self.subTest(ranks=ranks, precision=precision, speed=speed):
                deck = wave([24, 20], 0.01, 1, speed=speed, initial="exp(-50*((x-0.5)^2+(y-0.4)^2))")
                deck["precision"] = precision
                deck["mesh"]["periodic"] = [True, False]
                deck["time"] = {"step": 0.01, "steps": 100}
                summary, _ = self.run_deck(deck, ranks)
                energy = summary["conserved"]["energy"]
                self.assertGreater(energy["initial"], 0)
                self.assertLessEqual(energy["largest_relative_drift"], energy["explained_relative_drift"])

    def test_energy_is_not_claimed_where_it_comes_or_goes(self):
        source = {"position": [0.5], "frequency": 4}
        for options in ({"sponge": {"width": 0.1}}, {"sources": [source]}):
            deck = wave([64], 0.01, 0.1, **options)
            deck["time"] = {"step": 0.01, "steps": 10}
            self.assertEqual(self.run_deck(deck)[0]["conserved"], {})

    def test_a_source_is_that_of_free_space(self):
        """u = s(t - r / c) / (4 pi c^2 r) at distance r, until reflections from the faces arrive."""
        cells, speed, frequency, step = 60, 2.0, 4.0, 0.002
        source = {"position": [0.5 + 0.5 / cells] * 3, "frequency": frequency, "amplitude": 3.0}
        place = [0.5 + 0.5 / cells, 0.5 + 0.5 / cells, 0.5 + 12.5 / cells]
        deck = {"physics": "wave", "mesh": {"cells": [cells] * 3}, "time": {"step": step, "end": 0.52},
                "wave": {"speed": speed, "sources": [source], "receivers": [{"position": place}]},
                "output": {"snapshots": {"interval": 0}, "scalars": {"interval": 0}}}
        _, traces = self.run_deck(deck, ranks=2)
        distance = 12 / cells
        largest = 3 / (4 * math.pi * speed**2 * distance)
        rows = list(csv.DictReader(traces.splitlines()))
        for number, row in enumerate(rows):
            self.assertAlmostEqual(float(row["time"]), number * step, delta=1e-9)
        for row in rows:
            argument = (math.pi * frequency * (float(row["time"]) - distance / speed - 1.5 / frequency)) ** 2
            expected = largest * (1 - 2 * argument) * math.exp(-argument)
            # The reflection from the nearest face, at distance 0.8, arrives after 0.52. Second order in time: at this
            # step the error is half of the tolerance.
            if float(row["time"]) < 0.52:
                self.assertAlmostEqual(float(row["receiver_1"]), expected, delta=0.001 * largest)

    def returned(self, waves, degrees, **sponge):
        """The fraction of its amplitude that returns from the sponges in the west and the east, of width 0.2, of a packet of
        `waves` wavelengths to that width along x, at an angle from x; from the energy that is left. In two dimensions it is
        the sum of two waves with opposite directions along y, in which the mesh is periodic."""
        length, width = 1.8, 0.2
        along = 2 * math.pi * waves / width
        across = along * math.tan(math.radians(degrees))
        packet = f"exp(-(x - {length / 2})^2/2/0.127^2)*cos({along}*(x - {length / 2}))"
        cells = [32 * 18]
        deck = wave(cells, 1, 1, initial=f"{packet}*cos({across}*y)", sponge={"width": width, **sponge})
        deck["mesh"] = {"cells": cells, "upper": [length], "periodic": [False]}
        if degrees > 0:
            deck["mesh"] = {"cells": [*cells, 16], "upper": [length, 2 * math.pi / across], "periodic": [False, True]}
        # Both halves are back in the middle, where neither touches a sponge.
        deck["time"] = {"step": 0.001, "steps": round(1000 * length / math.cos(math.radians(degrees)))}
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            run = Run(["run", path, "--output", "run.out"], folder, {"OMP_NUM_THREADS": "1"})
            self.assertEqual((run.code, run.err), (0, ""), deck)
            with (path.parent / "run.out/scalars.csv").open() as file:
                energies = [float(row["energy"]) for row in csv.DictReader(file)]
        return math.sqrt(energies[-1] / energies[0])

    def test_a_sponge_returns_no_more_than_it_says(self):
        self.assertAlmostEqual(self.returned(4.5, 0, width=0), 1, delta=1e-9)
        for reflection in (1e-2, 1e-3, 1e-4, 1e-5):
            # The packet has wave numbers of 6 % around its own: hardly any are below four to the width.
            for waves, degrees in ((4.5, 0), (6, 0), (10, 0), (4.5, 20), (4.5, 45)):
                with self.subTest(reflection=reflection, waves=waves, degrees=degrees):
                    found = self.returned(waves, degrees, reflection=reflection)
                    self.assertLessEqual(found, reflection)
                    # The layer is not stronger than it needs to be, which would cost longer waves.
                    if degrees == 0 and waves < 5:
                        self.assertGreater(found, 0.3 * reflection)
        deck = wave([64], 0.01, 0.1, sponge={"width": 0.2, "reflection": 1e-6})
        self.assertIn("`wave.sponge.reflection`", self.messages(deck))

    def test_any_number_of_ranks_records_the_same_bits(self):
        deck = {"physics": "wave", "mesh": {"cells": [23, 19, 17]}, "time": {"step": 0.005, "steps": 40},
                "wave": {"speed": "1 + z", "sponge": {"width": 0.2},
                         "sources": [{"position": [0.4, 0.5, 0.6], "frequency": 5},
                                     {"position": [0.9, 0.1, 0.2], "frequency": 7, "delay": 0.1, "amplitude": -2}],
                         "receivers": [{"position": [0.4, 0.5, 0.9], "name": "near"}, {"position": [0, 0, 0]},
                                       {"position": [1, 1, 1]}]},
                "output": {"snapshots": {"interval": 0}, "scalars": {"interval": 7}}}
        _, alone = self.run_deck(deck)
        rows = alone.splitlines()
        self.assertEqual(rows[0], "time,near,receiver_2,receiver_3")
        self.assertEqual(len(rows), 1 + 41)
        self.assertNotEqual(float(rows[-1].split(",")[1]), 0)
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                self.assertEqual(self.run_deck(deck, ranks)[1], alone)

    def test_a_weighted_sum_counts_zeros_beyond_the_ends(self):
        deck = {"physics": "wave", "mesh": {"cells": [21, 22, 23], "processes": [1, 1, 0]},
                "wave": {"method": "weighted_sum", "weights": [1, 1, 1, 1, 1], "initial": "1",
                         "receivers": [{"position": [0.5, 0.5, 0.5]}, {"position": [0, 0, 0]}, {"position": [0, 0.5, 0.5]}]},
                "time": {"step": 1, "steps": 1}}
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                summary, traces = self.run_deck(deck, ranks)
                self.assertEqual(traces.splitlines()[-1], "1,25,13,21")
                self.assertEqual(summary["quantities"], {"maximum": 25})

    def traced(self, ranks, **halo):
        """The trace of a run, its traces.csv, and whether it ran on a host."""
        deck = wave([32, 24], 0.005, 0.1, initial="sin(2*pi*x)", receivers=[{"position": [0.1, 0.2]}])
        deck["halo"] = halo
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(deck))
            run = Run(["run", path, "--output", "run.out", "--ranks", ranks, "--trace"], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            output = path.parent / "run.out"
            on_host = run.summary()["provenance"]["backend"] in ("Serial", "OpenMP")
            return json.loads((output / "trace.json").read_text()), (output / "traces.csv").read_text(), on_host

    def test_a_trace_shows_what_ran_under_messages(self):
        recorded = None
        for overlap in (True, False):
            trace, traces, on_host = self.traced(3, overlap=overlap)
            self.assertEqual(recorded or traces, traces)
            recorded = traces
            events = trace["traceEvents"]
            self.assertEqual({event["pid"] for event in events}, {0, 1, 2})
            for rank in range(3):
                # On the timeline of the host; a device has others.
                mine = [event for event in events if event["pid"] == rank and event.get("tid", 0) == 0]
                spans = {name: [(event["ts"], event["ts"] + event["dur"]) for event in mine
                                if event["ph"] == "X" and event["name"] == name]
                         for name in ("step", "shell", "interior", "sweep", "halo: wait")}
                # Without overlap, and where a device's kernels do the exchange, a sweep is not split.
                hides = overlap and (on_host or bool(spans["interior"]))
                parts = ("shell", "interior") if hides else ("sweep",)
                for name in ("shell", "interior", "sweep"):
                    self.assertEqual(len(spans[name]), 20 if name in parts else 0)
                for name in parts:
                    for (begin, end), (first, last) in zip(spans[name], spans["step"]):
                        self.assertTrue(first <= begin <= end <= last, (name, begin, end, first, last))
                begun = sorted(event["ts"] for event in mine if event["ph"] == "b")
                self.assertIn(len(begun), (20,) if on_host else (0, 20))  # none where kernels do the exchange
                # With overlap, messages are sent before the interior is started, and waited for only after it; without
                # overlap they are sent after the sweep, and waited for in the same step.
                waits = sorted(spans["halo: wait"])
                for step, sent in enumerate(begun):
                    begin, end = spans[parts[-1]][step]
                    if hides:
                        self.assertLessEqual(sent, begin)
                        self.assertFalse([wait for wait in waits if sent <= wait[0] <= begin])
                    else:
                        self.assertGreaterEqual(sent, end)
                        of_step = spans["step"][step]
                        self.assertEqual(len([wait for wait in waits if sent <= wait[0] <= of_step[1]]), 1)

    def test_every_transport_gives_the_same_bits(self):
        recorded = set()
        refusals = {
            "mpi-device": "mpi-device cannot be used here: (fields are in the memory of the host, where mpi-host does the "
                          "same|MPI does not accept device memory: a trial process )",
            "shared-memory": "shared-memory cannot be used here: fields are in the memory of a device"}
        for transport in ("auto", "mpi-host", "mpi-device", "shared-memory"):
            deck = wave([40, 30], 0.005, 0.1, initial="exp(-50*((x-0.3)^2 + (y-0.6)^2))",
                        receivers=[{"position": [0.7, 0.2]}])
            deck["halo"] = {"transport": transport}
            with scratch() as folder:
                path = pathlib.Path(folder) / "deck.yaml"
                path.write_text(json.dumps(deck))
                run = Run(["run", path, "--ranks", 3, "--output", "run.out", "-v"], folder)
                if run.code == 2:
                    self.assertRegex(run.err, r"`halo\.transport`: " + refusals[transport])
                    self.assertEqual(run.files(), ["deck.yaml"])
                    continue
                self.assertEqual(run.code, 0)
                halo, provenance = run.summary()["halo"], run.summary()["provenance"]
                recorded.add((pathlib.Path(folder) / "run.out/traces.csv").read_text())
            self.assertEqual(provenance["transport"], halo["transport"])
            self.assertIn(f"halo transport: {halo['transport']}\n", run.err)
            self.assertTrue(transport in ("auto", halo["transport"]))
            for row in halo["measured"]:
                self.assertEqual(row["to"], "this host")
                self.assertEqual(row["chosen"], min(row["seconds"], key=row["seconds"].get))
                self.assertIn(f"halos of {row['bytes']} bytes to ranks of this host: mpi-host ", run.err)
        self.assertEqual(len(recorded), 1)

    def test_ranks_that_share_cores_are_told(self):
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(wave([64], 0.005, 0.05, initial="x")))
            cores = sorted(os.sched_getaffinity(0))[:2]
            ranks = len(cores) + 1
            run = Run(["run", path, "--ranks", ranks, "--output", "run.out"], folder, {"OMP_NUM_THREADS": "1"},
                      prepare=lambda: os.sched_setaffinity(0, cores))
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertRegex(run.said, rf"warning: {ranks} ranks with {ranks} threads in total share .*; start fewer ranks")

    def test_wrong_input_is_named(self):
        deck = wave([16, 16], 0.01, 0.1, speed="1 - 2*x", weights=[1, 2, 3, 4, 5],
                    sources=[{"position": [0.5], "frequency": 1}],
                    receivers=[{"position": [0.5, 2], "name": "a"}, {"position": [0, 0], "name": "a"},
                               {"position": [0, 0], "name": "a,b"}])
        deck["time"]["method"] = "crank_nicolson"
        deck["solver"] = {"method": "cg"}
        deck["mesh"]["growth"] = [1.1, 1]
        text = self.messages(deck)
        for part in ("`time.method`: not used by wave", "`solver`: not used by wave", "`mesh.growth`: wave needs",
                     "`wave.weights`: not used by leapfrog", "position`: has 1 entry", "outside of the mesh along y",
                     "'a' already heads another column", "'a,b' cannot head a column"):
            self.assertIn(part, text)
        with scratch() as folder:
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps(wave([16], 0.001, 0.1, speed="1 - 2*x")))
            run = Run(["run", path], folder)
            self.assertEqual((run.code, run.files()), (2, ["deck.yaml"]))
            self.assertIn("`wave.speed`: '1 - 2*x' is not above 0 everywhere", run.err)
            path.write_text(json.dumps(wave([16], 0.1, 1, speed=2)))
            run = Run(["run", path], folder)
            self.assertEqual((run.code, run.files()), (2, ["deck.yaml"]))
            # 2 / (2 * 16 * sqrt(6.50159))
            self.assertIn("`time.step`: 0.1 is longer than the longest stable step, 0.0245", run.err)

    def test_decks_of_waves_run(self):
        for name in ("wave-3d", "stencil-25"):
            with self.subTest(deck=name), scratch() as folder:
                run = Run(["run", ROOT / f"decks/{name}.yaml", "--set", "time.steps=3", "--ranks", "2"], folder)
                self.assertEqual((run.code, run.err), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
