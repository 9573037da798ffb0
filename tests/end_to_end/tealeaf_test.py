"""TeaLeaf's benchmark decks, as they are, by every solver and at 1 to 4 ranks, against the reference program's results."""

import unittest

from program import ROOT, Run, scratch, settings

# Sum over the cells of density * u * volume after the last step, as the reference program prints it.
TEMPERATURE = {
    "tea_bm_1": 157.55084183279294,
    "tea_bm_2": 106.27221178646569,
    "tea_bm_3": 99.955877498324000,
    "tea_64": 108.4697720003111,
}
MULTIGRID = {"solver.method": "cg", "solver.cg.preconditioner": "multigrid"}
CG = {"solver.method": "cg"}
CHEBYSHEV = {"solver.method": "chebyshev"}
JACOBI = {"solver.method": "jacobi"}
# More solvers on the small deck, more ranks on it too; the large one once by each method.
CASES = (
    [("tea_bm_1", method, ranks) for method in (CG, CHEBYSHEV, MULTIGRID, JACOBI) for ranks in (1, 2, 3, 4)]
    + [("tea_64", method, ranks) for method in (CG, MULTIGRID) for ranks in (1, 3)]
    + [("tea_bm_2", CG, 1), ("tea_bm_2", CG, 4), ("tea_bm_2", CHEBYSHEV, 2), ("tea_bm_2", MULTIGRID, 1),
       ("tea_bm_2", MULTIGRID, 2), ("tea_bm_2", MULTIGRID, 3), ("tea_bm_2", MULTIGRID, 4)]
    + [("tea_bm_3", CG, 2), ("tea_bm_3", CHEBYSHEV, 2), ("tea_bm_3", MULTIGRID, 1), ("tea_bm_3", MULTIGRID, 4)]
)


class TeaLeaf(unittest.TestCase):
    def test_reference_values(self):
        for deck, method, ranks in CASES:
            with self.subTest(deck=deck, method=method, ranks=ranks), scratch() as folder:
                run = Run(["run", ROOT / f"decks/tealeaf/{deck}.in", "--output", "run.out", "--ranks", ranks,
                           *settings(method)], folder)
                self.assertEqual((run.code, run.err), (0, ""))
                summary = run.summary()
                got = summary["quantities"]
                self.assertAlmostEqual(got["temperature"] / TEMPERATURE[deck], 1, delta=1e-9)
                self.assertAlmostEqual(got["volume"] / 100, 1, delta=1e-12)
                self.assertEqual(summary["provenance"]["ranks"], ranks)
                self.assertEqual(summary["status"], "done")
                for solve in summary["solves"]:
                    self.assertIn(solve["outcome"], ("converged", "converged to rounding"))
                    self.assertEqual(solve["method"].split()[0], method["solver.method"])
                if deck != "tea_64":  # there the rectangles do not end on cell borders
                    self.assertAlmostEqual(got["mass"] / 8401.6, 1, delta=1e-12)
                    self.assertAlmostEqual(got["internal_energy"] / 3.49, 1, delta=1e-10)


if __name__ == "__main__":
    unittest.main(verbosity=2)
