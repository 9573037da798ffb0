"""The decks of shallow-water, bathymetry from files, and rejected decks."""

import json
import pathlib
import unittest

import h5py
import numpy

from program import ROOT, Run, scratch, settings

DECKS = ROOT / "physics/shallow-water/decks"
CELLS = (24, 18)
BOTTOM = "0.9*exp(-8*((x - 0.6)^2 + (y - 0.4)^2)) + 0.1*x"


def bottom():
    x, y = ((numpy.arange(n) + 0.5) / n for n in CELLS)
    x, y = x[None, :], y[:, None]
    return 0.9 * numpy.exp(-8 * ((x - 0.6) ** 2 + (y - 0.4) ** 2)) + 0.1 * x


def deck(**own):
    return {"physics": "shallow-water", "mesh": {"cells": CELLS}, "time": {"step": 0.002, "steps": 20},
            "shallow-water": own, "output": {"snapshots": {"interval": 20}}}


def fields(folder, step):
    with h5py.File(folder / f"snapshot_{step:06}.vti") as file:
        return {name: values[:].ravel() for name, values in file["VTKHDF/CellData"].items()}


class ShallowWater(unittest.TestCase):
    def run_deck(self, folder, path, ranks=1, **changes):
        run = Run(["run", path, "--output", "run.out", "--overwrite", "--ranks", ranks, *settings(changes)], folder)
        self.assertEqual((run.code, run.err), (0, ""))
        return run.summary()["quantities"]

    def test_dams_break_as_they_should(self):
        with scratch() as folder:
            for name, largest in (("dam-break", 1.5e-3), ("dry-dam-break", 1.2e-3)):
                found = self.run_deck(folder, DECKS / f"{name}.yaml")
                self.assertLess(found["error_1(depth)"], largest, name)
                self.assertGreater(found["error_1(depth)"], 1e-5, name)
                self.assertGreaterEqual(found["minimum(depth)"], 0)

    def test_water_comes_round_in_the_bowl(self):
        with scratch() as folder:
            errors = [self.run_deck(folder, DECKS / "parabolic-bowl.yaml", **{"mesh.cells": f"[{n}, {n}]", "time.end": 2.006})
                      for n in (32, 64)]
            self.assertLess(errors[1]["error_1(depth)"], 0.5 * errors[0]["error_1(depth)"])
            self.assertLess(errors[1]["error_1(depth)"], 1e-2)

    def test_a_lake_at_rest_stays_at_rest(self):
        with scratch() as folder:
            for ranks in (1, 3):
                self.run_deck(folder, DECKS / "lake-at-rest.yaml", ranks, **{"mesh.cells": "[50, 40]"})
                found = fields(pathlib.Path(folder) / "run.out", 1000)
                wet = found["bathymetry"] < 1
                self.assertTrue(wet.any() and not wet.all())
                surface = found["depth"] + found["bathymetry"]
                self.assertLessEqual(numpy.abs(surface[wet] - 1).max(), 1e-12)
                self.assertLessEqual(found["depth"][~wet].max(), 1e-12)
                for along in ("momentum_x", "momentum_y"):
                    self.assertLessEqual((numpy.abs(found[along]) / numpy.maximum(found["depth"], 1e-6)).max(), 1e-12)

    def test_a_wave_runs_up_the_beach_of_the_bay(self):
        with scratch() as name:
            folder = pathlib.Path(name)
            (folder / "physics/shallow-water").mkdir(parents=True)
            (folder / "physics/shallow-water/decks").symlink_to(DECKS)
            still = self.run_deck(folder, DECKS / "bay.yaml", **{"time.end": 0.1})
            self.run_deck(folder, DECKS / "bay.yaml", 2, **{"mesh.cells": "[96, 64]", "time.end": 35,
                                                            "output.snapshots.interval": 100000})
            found = fields(folder / "run.out", max(int(path.stem[9:]) for path in (folder / "run.out").glob("snapshot_*")))
            self.assertEqual(still["minimum(depth)"], 0)
            # Land that was dry above the still water is wet now.
            self.assertTrue(((found["bathymetry"] > 0.2) & (found["depth"] > 0.1)).any())
            self.assertGreaterEqual(found["depth"].min(), 0)

    def test_a_bottom_from_a_file_is_that_of_its_numbers(self):
        with scratch() as name:
            folder = pathlib.Path(name)
            numpy.save(folder / "bottom.npy", bottom())
            numpy.save(folder / "coarse.npy", bottom()[::3, ::2].astype("f4"))
            found = []
            for values, ranks in ((BOTTOM, 1), ({"file": "bottom.npy"}, 1), ({"file": "bottom.npy"}, 3)):
                start = {"surface": "0.5 + 0.2*(x < 0.2)", "bathymetry": values}
                (folder / "deck.yaml").write_text(json.dumps(deck(initial=start)))
                self.run_deck(folder, "deck.yaml", ranks)
                found.append(fields(folder / "run.out", 20))
            self.assertEqual(found[0].keys(), {"depth", "bathymetry", "momentum_x", "momentum_y"})
            numpy.testing.assert_allclose(found[1]["bathymetry"], bottom().ravel(), rtol=0, atol=1e-15)
            for field in found[0]:
                # Two implementations of exp differ by units in the last place.
                numpy.testing.assert_allclose(found[1][field], found[0][field], rtol=0, atol=1e-12)
                numpy.testing.assert_array_equal(found[2][field], found[1][field])
            run = Run(["check", "deck.yaml", "--set", "shallow-water.initial.bathymetry={file: coarse.npy}"], folder)
            self.assertEqual(run.code, 2)
            self.assertIn("`shallow-water.initial.bathymetry", run.err)
            still = {"surface": 0.5, "bathymetry": {"file": "coarse.npy", "interpolate": True}}
            (folder / "deck.yaml").write_text(json.dumps(deck(initial=still)))
            self.run_deck(folder, "deck.yaml")
            self.assertLessEqual(numpy.abs(fields(folder / "run.out", 20)["momentum_x"]).max(), 1e-13)

    def test_what_makes_no_sense_is_refused(self):
        inflow = {"kind": "inflow", "velocity_x": 1, "velocity_y": 0}
        with scratch() as name:
            folder = pathlib.Path(name)
            for own, words in (
                    ({"initial": {"depth": 1, "surface": 1}},
                     "`shallow-water.initial.surface`: given together with `depth`"),
                    ({"boundary": {"west": {**inflow, "depth": 1, "surface": 1}}},
                     "`shallow-water.boundary.west.surface`: given together with `depth`"),
                    ({"boundary": {"west": inflow}}, "; inflow needs it, or `surface`"),
                    ({"boundary": {"west": {"kind": "outflow", "surface": 1}}}, "is not used by `kind: outflow`"),
                    ({"boundary": {"west": {**inflow, "depth": 1, "bathymetry": 0}}},
                     "`bathymetry`: unknown in shallow-water.boundary.west"),
                    ({"reconstruction": "weno5"}, "expected one of donor_cell, plm, got 'weno5'"),
                    ({"riemann": "hllc"}, "expected one of rusanov, hll, got 'hllc'"),
                    ({"dry_depth": 0}, "`shallow-water.dry_depth`"),
                    ({"initial": {"velocity_z": 1}}, "`velocity_z`: unknown in shallow-water.initial"),
                    ({"initial": {"depth": "x - 0.5"}}, "`shallow-water.initial` is not a physical state at cell (0, 0, 0)")):
                with self.subTest(words=words):
                    (folder / "deck.yaml").write_text(json.dumps(deck(**own)))
                    run = Run(["run", "deck.yaml", "--output", "run.out"], folder)
                    self.assertEqual(run.code, 2)
                    self.assertIn(words, run.err)
                    self.assertFalse((folder / "run.out").exists())
            for changes, words in (
                    ({"time.method": "rkl2"}, "rkl2 is stable for diffusion, but not for waves"),
                    ({"time.method": "bdf2"}, "use one of bogacki_shampine, dormand_prince, explicit_euler, rk4, "
                                              "ssp_rk2, ssp_rk3"),
                    ({"time.method": "explicit_euler"}, "explicit_euler is not stable with `reconstruction: plm`"),
                    ({"mesh.cells": [24], "shallow-water.momentum_y.source": 1},
                     "`shallow-water.momentum_y`: the mesh has no such axis")):
                with self.subTest(words=words):
                    (folder / "deck.yaml").write_text(json.dumps(deck()))
                    run = Run(["run", "deck.yaml", "--output", "run.out", *settings(changes)], folder)
                    self.assertEqual(run.code, 2)
                    self.assertIn(words, run.err)
                    self.assertFalse((folder / "run.out").exists())


if __name__ == "__main__":
    unittest.main()
