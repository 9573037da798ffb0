"""Every method in `halocline list solvers` and `halocline list integrators` names a suitable deck: these run with that method,
and where a method is unsuitable the program says so."""
import re
import unittest

from program import ROOT, Run, scratch


def examples(kind="solvers"):
    """Deck by method, as listed by the program."""
    with scratch() as folder:
        listed = Run(["list", kind], folder).out
    return dict(re.findall(r"(?m)^(\w+)\n(?:  .*\n)*?  example +(\S+)\n", listed)), re.findall(r"(?m)^(\w+)$", listed)


class Methods(unittest.TestCase):
    def solves(self, deck, *more, ranks=1):
        with scratch() as folder:
            run = Run(["run", ROOT / deck, "--output", "out", "--ranks", ranks, *more], folder)
            summary = run.summary("out")
        return run, summary

    def test_every_method_has_a_deck_of_its_own(self):
        decks, methods = examples()
        self.assertEqual(sorted(decks), sorted(methods))
        self.assertGreaterEqual(len(methods), 7)
        for method, deck in decks.items():
            for ranks in (1, 2):
                run, summary = self.solves(deck, ranks=ranks)
                self.assertEqual(run.code, 0, f"{deck}: {run.err}")
                self.assertEqual({solve["method"] for solve in summary["solves"]}, {method})
                self.assertTrue(all(solve["outcome"].startswith("converged") for solve in summary["solves"]), deck)

    def test_every_integrator_has_a_deck_of_its_own(self):
        decks, methods = examples("integrators")
        self.assertEqual(sorted(decks), sorted(methods))
        self.assertGreaterEqual(len(methods), 14)
        for method, deck in decks.items():
            with self.subTest(deck):
                run, summary = self.solves(deck, "--set", "output.snapshots.interval=0")
                self.assertEqual((run.code, run.err), (0, ""))
                options = summary["provenance"]["deck"]["options"]
                self.assertEqual(options["time"].get("method", options["physics"]), method)
                chooses = method in ("bogacki_shampine", "dormand_prince")
                self.assertEqual("error_control" in summary, chooses)
                self.assertEqual("accepted by error control" in run.out, chooses)

    def test_steps_of_explicit_euler_carry_a_plug_exactly(self):
        _, summary = self.solves("decks/carried-plug.yaml")
        # A step rounds a few numbers of size 1.
        self.assertLess(summary["quantities"]["error_maximum"], 8 * summary["steps"] * 2**-52)
        _, summary = self.solves("decks/carried-plug.yaml", "--set", "time.method=ssp_rk3")
        self.assertGreater(summary["quantities"]["error_maximum"], 0.1)

    def test_steps_that_follow_the_error_are_counted(self):
        for ranks in (1, 2, 3):
            run, summary = self.solves("decks/gray-scott-outbreak.yaml", "--set", "time.step=1", ranks=ranks)
            steps = summary["error_control"]
            self.assertGreater(steps["steps_rejected"], 0)
            self.assertGreaterEqual(steps["steps_taken"], summary["steps"])
            self.assertRegex(run.out, fr"\nsteps +{steps['steps_taken']} accepted by error control, "
                                      fr"{steps['steps_rejected']} rejected\n")
            first = steps if ranks == 1 else first
            self.assertEqual(steps, first)

    def test_a_flow_that_turns_round_is_unsymmetric(self):
        # A quarter turn maps each wall's contribution to the next one's: the mean is a quarter of the hot wall's value.
        for ranks in (1, 2, 3, 4):
            run, summary = self.solves("decks/recirculating-flow.yaml", ranks=ranks)
            self.assertAlmostEqual(summary["quantities"]["mean"], 0.25, delta=1e-6)
        run, summary = self.solves("decks/recirculating-flow.yaml", "--set", "solver.method=cg", "--set",
                                   "solver.verify=true")
        self.assertEqual((run.code, summary["solves"][0]["outcome"]), (3, "unsymmetric"))
        self.assertIn("use gmres or bicgstab", run.err)

    def test_elimination_goes_along_with_a_flow(self):
        deck, cells = "decks/river-plume.yaml", ("--set", "mesh.cells=[120, 60]")
        _, expected = self.solves(deck, *cells, "--set", "solver.bicgstab.preconditioner=multigrid")
        for ranks in (1, 2, 3, 4):
            for settings in (), ("--set", "solver.assembled=true"):
                _, summary = self.solves(deck, *cells, *settings, ranks=ranks)
                # In flow order elimination is exact except for diffusion; each rank along the flow costs one more
                # iteration.
                self.assertLessEqual(summary["solves"][0]["iterations"], 8)
                self.assertAlmostEqual(summary["quantities"]["mean"] / expected["quantities"]["mean"], 1, delta=1e-6)

    def test_helmholtz_is_indefinite(self):
        run, summary = self.solves("decks/helmholtz.yaml", "--set", "solver.method=cg")
        self.assertEqual((run.code, summary["solves"][0]["outcome"]), (3, "indefinite"))
        self.assertIn("use minres", run.err)

    def test_full_multigrid_ends_at_the_error_of_the_discretisation(self):
        deck = "decks/full-multigrid.yaml"
        _, summary = self.solves(deck)
        self.assertLessEqual(summary["solves"][0]["iterations"], 2)
        _, exact = self.solves(deck, "--set", "solver.multigrid.relative_tolerance=1e-11")
        self.assertLess(summary["quantities"]["error_2"], 1.1 * exact["quantities"]["error_2"])


if __name__ == "__main__":
    unittest.main()
