"""Files generated from the declarations: the page docs/options.md is up to date, the JSON schema is valid, and every deck of
the repository conforms to it and passes `halocline check`."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

import jsonschema
import yaml

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


class Loader(yaml.SafeLoader):
    """YAML 1.2's numbers: PyYAML reads 1e-8 as text."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"),
                             list("-+.0123456789"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"[-+]?\d+$"), list("-+0123456789"))


def output(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr}")
    return done.stdout


class Reference(unittest.TestCase):
    def test_page_is_up_to_date(self):
        page = (ROOT / "docs" / "options.md").read_text()
        self.assertEqual(page, output("list", "--markdown"), "make docs/options.md anew: halocline list --markdown")

    def test_physics_are_described_in_sentences(self):
        listed = [line.split(maxsplit=1)[1] for line in output("list", "physics").split("\n\n")[0].splitlines()]
        for sentence in listed:
            self.assertRegex(sentence, r"^[A-Z].*\.$")

    def test_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(json.loads(output("list", "--schema")))

    def test_decks_are_valid(self):
        validator = jsonschema.Draft202012Validator(json.loads(output("list", "--schema")))
        decks = sorted((ROOT / "decks").glob("*.yaml"))
        self.assertTrue(decks)
        for deck in decks:
            with self.subTest(deck.name):
                validator.validate(yaml.load(deck.read_text(), Loader))
                self.assertIn("no mistakes", output("check", deck))

    def test_tea_decks_are_valid(self):
        decks = sorted((ROOT / "decks" / "tealeaf").glob("*.in"))
        self.assertTrue(decks)
        for deck in decks:
            with self.subTest(deck.name):
                self.assertIn("no mistakes", output("check", deck))

    def test_schema_refuses_what_the_program_refuses(self):
        validator = jsonschema.Draft202012Validator(json.loads(output("list", "--schema")))
        good = {"physics": "heat", "mesh": {"cells": [8, 8]}}
        self.assertTrue(validator.is_valid(good))
        for wrong in ({"mesh": {"cells": 8}}, {"physics": "heat"}, {**good, "physics": "heet"}, {**good, "sovler": {}},
                      {**good, "mesh": {"cells": [8, 2.5]}}, {**good, "mesh": {"cells": 0}},
                      {**good, "solver": {"method": "sor"}}, {**good, "solver": {"cg": {"iteratons": 5}}}):
            with self.subTest(wrong):
                self.assertFalse(validator.is_valid(wrong))

    def test_each_option_has_its_entry(self):
        self.assertIn("default", output("list", "solver.cg.iterations"))
        self.assertIn("solver.cg.iterations", output("list", "options", "solver.cg"))
        self.assertIn("heat", output("list", "physics"))

    def test_methods_are_described(self):
        solvers = output("list", "solvers")
        methods = {block.split("\n", 1)[0]: block for block in solvers.split("\n\n")[:-1]}
        self.assertEqual(list(methods), ["bicgstab", "cg", "chebyshev", "gmres", "jacobi", "minres", "multigrid"])
        for name, block in methods.items():
            with self.subTest(name):
                self.assertRegex(block, r"(?m)^  needs      \S.*\n  when       \S.*\.\n  reference  \S.*\n(  example    \S+\n)?  options\n    ")
                self.assertRegex(block, r"(?m)^    iterations: .* \(an integer, at least 1; default \d+\)$")
                self.assertIn(f"solver {block}\n", output("list", name) + "\n")
        self.assertIn("needs      a symmetric positive definite operator\n", methods["cg"])
        self.assertIn("needs      a symmetric operator\n", methods["minres"])
        self.assertIn("needs      any operator\n", methods["gmres"])
        preconditioners = output("list", "preconditioners")
        for name in ("chebyshev", "jacobi", "multigrid"):
            self.assertRegex(preconditioners, rf"(?m)^{name}\n  \S.*\n  needs      \S.*\n  when       ")
        both = output("list", "jacobi")
        self.assertIn("solver jacobi\n", both)
        self.assertIn("\npreconditioner jacobi\n", both)
        integrators = output("list", "integrators")
        for name in ("bdf2", "dormand_prince", "imex_ark3", "rk4", "rkl2", "ssp_rk3", "theta"):
            self.assertRegex(integrators, rf"(?m)^{name}\n  \S.*\n  kind       .*\n  steps      .*\n  takes      .*\n"
                                          r"  needs      .*\n  when       .*\.\n  reference  ")
        self.assertIn("integrator rk4\n", output("list", "rk4"))
        self.assertIn("    tolerance.relative: ", output("list", "dormand_prince"))
        self.assertIn("| `rk4` | explicit | 4 | 3 | 13 | ", output("list", "--markdown"))
        self.assertIn("| `minres` | a symmetric operator | ", output("list", "--markdown"))


if __name__ == "__main__":
    unittest.main()
