"""TeaLeaf's benchmark decks, unchanged, by every solver and on 1 to 4 ranks, against the reference program's results.

`bench/reference_matrix.py` records the results of the same runs.
"""

import unittest

from program import ROOT, Run, scratch, settings

# Sum over the cells of density * u * volume after the last step, as printed by the reference program.
TEMPERATURE = {
    "tea_bm_1": 157.55084183279294,
    "tea_64": 108.4697720003111,
    "tea_bm_2": 106.27221178646569,
    "tea_bm_3": 99.955877498324000,
}
STEPS = {"tea_bm_1": 10, "tea_64": 1, "tea_bm_2": 10, "tea_bm_3": 10}
METHODS = {  # the options that select each method, by --set
    "cg": {"solver.method": "cg"},
    "chebyshev": {"solver.method": "chebyshev"},
    "multigrid": {"solver.method": "cg", "solver.cg.preconditioner": "multigrid"},
    "jacobi": {"solver.method": "jacobi"},
}
RANKS = (1, 2, 3, 4)


def methods_for(deck):
    """Jacobi's iteration only where it needs few sweeps."""
    return [method for method in METHODS if method != "jacobi" or deck == "tea_bm_1"]


def run(deck, method, ranks, folder):
    """A single rank has two threads."""
    return Run(["run", ROOT / f"decks/tealeaf/{deck}.in", "--output", "run.out", "--ranks", ranks,
                *settings(METHODS[method])], folder, {"OMP_NUM_THREADS": "2" if ranks == 1 else "1"})


class TeaLeaf(unittest.TestCase):
    def assert_reference(self, deck):
        for method in methods_for(deck):
            for ranks in RANKS:
                with self.subTest(deck=deck, method=method, ranks=ranks), scratch() as folder:
                    done = run(deck, method, ranks, folder)
                    self.assertEqual((done.code, done.err), (0, ""))
                    self.assert_summary(deck, method, ranks, done.summary())

    def assert_summary(self, deck, method, ranks, summary):
        self.assertEqual(summary["status"], "done")
        self.assertEqual(summary["provenance"]["ranks"], ranks)
        got = summary["quantities"]
        self.assertAlmostEqual(got["temperature"] / TEMPERATURE[deck], 1, delta=1e-9)
        self.assertAlmostEqual(got["volume"] / 100, 1, delta=1e-12)
        self.assertEqual({"temperature", "volume", "mass", "internal_energy"}, set(got))
        if deck != "tea_64":  # there the rectangles do not end on cell borders
            self.assertAlmostEqual(got["mass"] / 8401.6, 1, delta=1e-12)
            self.assertAlmostEqual(got["internal_energy"] / 3.49, 1, delta=1e-10)
        self.assertEqual([solve["step"] for solve in summary["solves"]], list(range(1, STEPS[deck] + 1)))
        for solve in summary["solves"]:
            self.assertIn(solve["outcome"], ("converged", "converged to rounding"))
            self.assertEqual(solve["method"], METHODS[method]["solver.method"])
            if method == "multigrid":  # a cycle gains more than a digit
                self.assertLessEqual(solve["iterations"], 20)

    def test_tea_bm_1(self):
        self.assert_reference("tea_bm_1")

    def test_tea_64(self):
        self.assert_reference("tea_64")

    def test_tea_bm_2(self):
        self.assert_reference("tea_bm_2")

    def test_tea_bm_3(self):
        self.assert_reference("tea_bm_3")


if __name__ == "__main__":
    unittest.main(verbosity=2)
