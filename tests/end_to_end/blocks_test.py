"""Several uneven blocks per rank give the same output as one block per rank: to the bit if no sum over cells is involved, and
otherwise within the tolerance of the solves."""

import json
import pathlib
import unittest

import h5py
import numpy

from program import Run, scratch, settings

OUTPUT = {"snapshots": {"interval": 2}, "scalars": {"interval": 1}}
WAVE = {"physics": "wave", "mesh": {"cells": [23, 31], "periodic": [True, False]},
        "wave": {"initial": "exp(-50*((x-0.4)^2+(y-0.6)^2))", "speed": "1 + 0.5*sin(2*pi*x)",
                 "sponge": {"width": 0.1},
                 "sources": [{"position": [0.3, 0.1], "frequency": 9}, {"position": [0.7, 0.9], "frequency": 7}],
                 "receivers": [{"position": [0.5, 0.05]}, {"position": [0.1, 0.95]}]},
        "time": {"step": 0.005, "steps": 12}, "output": OUTPUT}
STAR = {"physics": "wave", "precision": "single", "mesh": {"cells": [13, 17, 37], "periodic": [True, False, True]},
        "wave": {"method": "weighted_sum", "weights": [0.4, 0.05, 0.03, 0.01, 0.01], "initial": "sin(9*x)*cos(7*y)+z"},
        "time": {"step": 1, "steps": 6}, "output": OUTPUT}
HEAT = {"physics": "heat", "mesh": {"cells": [23, 31], "periodic": [False, True]},
        "heat": {"initial": "exp(-x)*sin(2*pi*y)", "conductivity": "1 + x*y",
                 "boundary": {"west": {"kind": "dirichlet", "value": "y*t"}}},
        "time": {"step": 1e-3, "steps": 6}, "output": OUTPUT}
LAPLACE = {"physics": "laplace", "mesh": {"cells": [41, 53], "growth": [1.02, 0.98]},
           "laplace": {"source": "sin(9*x)"}, "output": {"snapshots": {"interval": 1}}}
TOLERANCE = 1e-11
# The inverse amplifies a residual to at most about the tolerance times the norm of the solution, which is below 50
# here: sources and initial values are smooth, as are the vectors that it amplifies most.
LEFT = 2 * 50 * TOLERANCE


def snapshots(folder):
    """The values of all fields of the snapshots, by file and name, and the positions of the cells."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.out/snapshot_*.vt*")) + sorted(pathlib.Path(folder).glob("*.out/mesh.h5")):
        with h5py.File(path) as file:
            file.visititems(lambda name, item: found.update(
                {(path.name, name): item[()]}
                if isinstance(item, h5py.Dataset) and not name.startswith("checksums/") else {}))
    return found


class Blocks(unittest.TestCase):
    def run_deck(self, deck, ranks, blocks, **options):
        with scratch() as folder:
            path = pathlib.Path(folder) / "run.yaml"
            path.write_text(json.dumps(deck))
            run = Run(["run", path, "--ranks", ranks, *settings({"mesh.blocks_per_rank": blocks, **options})], folder)
            self.assertEqual((run.code, run.err), (0, ""), (deck, ranks, blocks))
            traces = path.parent / "run.out/traces.csv"
            return snapshots(folder), traces.read_text() if traces.exists() else None, run.summary()

    def assert_same(self, deck, tolerance=0.0, ranks=(1, 2, 3), **options):
        expected, traces, _ = self.run_deck(deck, 1, 1, **options)
        self.assertGreater(len(expected), 0)
        for count in ranks:
            for blocks in (2, 3):
                with self.subTest(physics=deck["physics"], ranks=count, blocks=blocks, **options):
                    found, found_traces, _ = self.run_deck(deck, count, blocks, **options)
                    self.assertEqual(found.keys(), expected.keys())
                    for name, values in expected.items():
                        if values.dtype.kind != "f" or tolerance == 0:
                            numpy.testing.assert_array_equal(found[name], values, str(name))
                        else:
                            numpy.testing.assert_allclose(found[name], values, rtol=0, atol=tolerance, err_msg=str(name))
                    if tolerance == 0:
                        self.assertEqual(found_traces, traces)

    def test_waves_have_the_same_bits(self):
        self.assert_same(WAVE)
        self.assert_same(STAR)

    def test_heat_by_every_kind_of_solver(self):
        for method in ("cg", "jacobi", "chebyshev"):
            self.assert_same(HEAT, LEFT, ranks=(1, 3), **{"solver.method": method,
                                                          f"solver.{method}.relative_tolerance": TOLERANCE})

    def test_potential_by_multigrid(self):
        for preconditioner in ("multigrid", "gauss_seidel"):
            self.assert_same(LAPLACE, LEFT, ranks=(1, 3), **{"solver.method": "cg",
                             "solver.cg.preconditioner": preconditioner, "solver.cg.relative_tolerance": TOLERANCE})

    def test_input_output_ranks_serve_several_blocks(self):
        expected, traces, _ = self.run_deck(WAVE, 1, 1)
        found, found_traces, _ = self.run_deck(WAVE, 3, 2, **{"io.ranks": 1})
        self.assertEqual(found_traces, traces)
        for name, values in expected.items():
            numpy.testing.assert_array_equal(found[name], values, str(name))

    def test_what_cannot_be_cut_is_said_before_anything_is_written(self):
        for cells, blocks, said in ((4, 5, "cannot be cut into 5 blocks of at least one cell: use fewer blocks per rank"),
                                    (24, 0, "must be at least 1")):
            with scratch() as folder:
                path = pathlib.Path(folder) / "run.yaml"
                path.write_text(json.dumps({**STAR, "mesh": {"cells": cells, "blocks_per_rank": blocks}}))
                run = Run(["run", path], folder)
                self.assertEqual((run.code, run.files()), (2, ["run.yaml"]))
                self.assertIn(said, run.err)


if __name__ == "__main__":
    unittest.main()
