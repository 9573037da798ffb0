"""Random linear solves by the real program, checked against matrices that numpy builds from the deck.

A seed determines a deck: physics, mesh, coefficients, walls, method, preconditioner, ranks. Matrix and right-hand side
follow from the documented finite volumes, without using the program; the solution is read from its snapshot. Then

- b - A x in long double meets the tolerance whenever the program says "converged" (`beyond_rounding` is the excess, in units
  of the worst-case error of b - A x due to rounding to double);
- with `verify` the error, by elimination in long double, is at most ten times the estimate, or the estimate is not trusted;
- if scipy's method of the same name (any of cg, minres, gmres and bicgstab for methods that scipy does not have) solves the
  problem within the same iterations, the program does not end as "stalled" (only if scipy is installed, which the tests do
  not require).

    random_solves.py --program bin/halocline --seeds 0 200 --json bench/results/random_solves.json

adds missing seeds to the record, so that an interrupted run can be continued.
"""
import argparse
import inspect
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import h5py
import numpy as np

try:
    import scipy.sparse.linalg as scipy_solvers
except ImportError:
    scipy_solvers = None

PRECISE = np.longdouble
EPSILON = np.finfo(float).eps
WALLS = (("west", "east"), ("south", "north"), ("bottom", "top"))
SYMMETRIC = ("cg", "minres", "chebyshev", "multigrid")


def number(value):
    return f"{value:.6g}"


class Expression:
    """The same function for a deck and for numpy."""

    def __init__(self, text, function):
        self.text, self.function = text, function

    def __call__(self, at):
        return self.function(*at)


def constant(value):
    return Expression(number(value), lambda *at, value=float(number(value)): value)


def jump(chance, low, high):
    """`high` on one side of a plane across x, `low` on the other."""
    at = float(number(chance.uniform(0.2, 0.8)))
    return Expression(f"x > {number(at)} ? {number(high)} : {number(low)}",
                      lambda x, *rest: float(number(high)) if x > at else float(number(low)))


def wave(chance, size):
    a, b = (float(number(chance.uniform(1, 9))) for _ in range(2))
    return Expression(f"{number(size)} * sin({number(a)} * x + {number(b)})",
                      lambda x, *rest: float(number(size)) * np.sin(a * x + b))


class Problem:
    """A deck and the numbers that define it."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.seed = seed
        self.physics = chance.choice(("laplace", "advection", "advection", "heat"))
        dimensions = chance.choice((1, 2, 2, 3))
        most = {1: 400, 2: 20, 3: 7}[dimensions]
        self.cells = [chance.randint(3, most) for _ in range(dimensions)]
        self.upper = [float(number(10 ** chance.uniform(-1, 1))) if chance.random() < 0.5 else 1.0 for _ in self.cells]
        stretched = self.physics != "heat" and chance.random() < 0.3
        self.growth = [chance.choice((1.0, 1.02, 1.1)) for _ in self.cells] if stretched else [1.0] * dimensions
        self.source = chance.choice((constant(1), wave(chance, 1), jump(chance, 1, 10 ** chance.uniform(0, 6))))
        self.coefficient, self.reaction = constant(1), constant(0)
        self.velocity = [constant(0)] * dimensions
        self.step = 0.0
        self.choose_coefficients(chance)
        self.walls = [[self.choose_wall(chance) for _ in side] for side in WALLS[:dimensions]]
        if all(wall is None for axis in self.walls for wall in axis):
            self.walls[0][0] = constant(0.5)
        self.symmetric = all(v.text == "0" for v in self.velocity)
        self.ranks = chance.choice([ranks for ranks in (1, 1, 2, 3) if self.cells[0] >= 2 * ranks])
        self.tolerance = 10.0 ** chance.randint(-12, -5)
        self.iterations = 1000
        self.choose_solver(chance)

    def choose_coefficients(self, chance):
        contrast = 10 ** chance.uniform(1, 12)
        if self.physics == "heat":
            self.step = float(number(10 ** chance.uniform(-4, 2)))
            self.coefficient = chance.choice((constant(10 ** chance.uniform(-3, 3)), jump(chance, 1, contrast)))
        if self.physics != "advection":
            return
        self.coefficient = chance.choice((constant(10 ** chance.uniform(-12, 3)), jump(chance, 1, contrast),
                                          jump(chance, contrast, 1)))
        self.upwind = chance.random() < 0.7
        if chance.random() < 0.5:
            self.velocity = [constant(chance.uniform(-3, 3)) for _ in self.cells]
        if chance.random() < 0.4:
            size = 10 ** chance.uniform(-2, 4)
            self.reaction = chance.choice((constant(size), Expression(
                f"{number(size)} * x", lambda x, *rest, size=float(number(size)): size * x)))

    @staticmethod
    def choose_wall(chance):
        """The value on a wall, or None: no gradient."""
        return constant(chance.choice((0, 1, chance.uniform(-5, 5)))) if chance.random() < 0.6 else None

    def choose_solver(self, chance):
        methods = ["gmres", "bicgstab", "jacobi"]
        if self.symmetric:
            methods += [*SYMMETRIC, "cg", "minres"]
        self.method = chance.choice(methods)
        options = {"relative_tolerance": self.tolerance, "iterations": self.iterations}
        if self.method in ("cg", "minres", "gmres", "bicgstab"):
            preconditioners = ["none", "none", "jacobi", "gauss_seidel"]
            if self.symmetric:
                preconditioners += ["chebyshev", "multigrid"]
            options["preconditioner"] = chance.choice(preconditioners)
        if self.method == "cg":
            options["reductions"] = chance.choice(("two", "two", "one", "hidden"))
        self.restart = chance.choice((5, 30, 100))
        if self.method == "gmres":
            options["restart"] = self.restart
        self.options = options

    def deck(self):
        boundary = {}
        for names, axis in zip(WALLS, self.walls):
            for name, wall in zip(names, axis):
                boundary[name] = {"kind": "neumann"} if wall is None else {"kind": "dirichlet", "value": wall.text}
        section = {"source": self.source.text, "boundary": boundary}
        deck = {"physics": self.physics, "mesh": {"cells": self.cells, "upper": self.upper, "growth": self.growth},
                self.physics: section, "output": {"snapshots": {}},
                "solver": {"method": self.method, "verify": True, self.method: self.options}}
        if self.physics == "laplace":
            section["centring"] = "cell"
        elif self.physics == "heat":
            section.update(conductivity=self.coefficient.text, initial="1 + x")
            deck["time"] = {"step": self.step, "steps": 1}
        else:
            section.update(diffusivity=self.coefficient.text, reaction=self.reaction.text,
                           scheme="upwind" if self.upwind else "central",
                           velocity={axis: v.text for axis, v in zip("xyz", self.velocity)})
        return deck

    # The matrix: sums of the fluxes through the faces of each cell, as in the documentation of each physics.

    def axes(self):
        for cells, upper, growth in zip(self.cells, self.upper, self.growth):
            widths = growth ** np.arange(cells)
            edges = np.concatenate(([0.0], np.cumsum(widths / widths.sum()))) * upper
            yield edges

    def conductivity(self, here, face, beyond):
        if beyond is None:
            return self.coefficient(here if self.physics == "heat" else face)
        k, other = self.coefficient(here), self.coefficient(beyond)
        return 2 * k * other / (k + other)

    def row(self, cell, edges, centres):
        """Column and weight of each entry, and the right-hand side."""
        here = [centres[a][n] for a, n in enumerate(cell)]
        widths = [edges[a][n + 1] - edges[a][n] for a, n in enumerate(cell)]
        volume = np.prod(widths)
        diagonal, right, neighbours = 0.0, volume * self.source(here), {}
        for a, n in enumerate(cell):
            area = volume / widths[a]
            for side in (0, 1):
                face = list(here)
                face[a] = edges[a][n + side]
                outflow = (2 * side - 1) * self.velocity[a](face)
                beyond = n + 2 * side - 1
                inside = 0 <= beyond < self.cells[a]
                wall = self.walls[a][side]
                if not inside and wall is None:
                    continue
                other = None
                if inside:
                    other = list(here)
                    other[a] = centres[a][beyond]
                distance = abs(other[a] - here[a]) if inside else widths[a] / 2
                share = 1.0 if not inside else widths[a] / 2 / distance
                if self.physics == "advection" and self.upwind:
                    share = 1.0 if outflow < 0 else 0.0
                weight = area * (self.conductivity(here, face, other) / distance - outflow * share)
                diagonal += weight
                if inside:
                    neighbours[(*cell[:a], beyond, *cell[a + 1:])] = -weight
                else:
                    right += weight * wall(face)
        diagonal += volume * self.reaction(here)
        if self.physics == "heat":
            diagonal, right = volume + self.step * diagonal, volume * (1 + here[0]) + self.step * right
            neighbours = {place: self.step * weight for place, weight in neighbours.items()}
        return diagonal, neighbours, right

    def matrix(self):
        """A, b and the initial guess; unknowns with x fastest."""
        edges = list(self.axes())
        centres = [0.5 * (axis[1:] + axis[:-1]) for axis in edges]
        size = int(np.prod(self.cells))
        strides = np.cumprod([1, *self.cells[:-1]])
        a, b, guess = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        for cell in np.ndindex(*self.cells):
            n = int(np.dot(cell, strides))
            a[n, n], neighbours, b[n] = self.row(cell, edges, centres)
            for place, weight in neighbours.items():
                a[n, int(np.dot(place, strides))] = weight
            if self.physics == "heat":
                guess[n] = 1 + centres[0][cell[0]]
        return a, b, guess


def norm(vector):
    return float(np.sqrt(np.sum(np.square(vector.astype(PRECISE)))))


def eliminated(a, b):
    """A^-1 b by Gaussian elimination with row pivoting and scaled rows, in long double."""
    a, b = a.astype(PRECISE), b.astype(PRECISE)
    scale = np.max(np.abs(a), axis=1)
    a, b = a / scale[:, None], b / scale
    size = len(b)
    for n in range(size - 1):
        pivot = n + int(np.argmax(np.abs(a[n:, n])))
        if pivot != n:
            a[[n, pivot]], b[[n, pivot]] = a[[pivot, n]], b[[pivot, n]]
        rows = n + 1 + np.flatnonzero(a[n + 1:, n])
        factors = a[rows, n] / a[n, n]
        a[rows, n:] -= factors[:, None] * a[n, n:]
        b[rows] -= factors * b[n]
    x = np.zeros(size, PRECISE)
    for n in range(size - 1, -1, -1):
        x[n] = (b[n] - a[n, n + 1:] @ x[n + 1:]) / a[n, n]
    return x


def run(program, problem, folder):
    """The summary's solve and the solution; no solution if nothing was written."""
    folder = pathlib.Path(folder)
    (folder / "deck.yaml").write_text(json.dumps(problem.deck()))
    command = [str(program), "run", "deck.yaml", "--overwrite", "--output", "out"]
    if problem.ranks > 1:
        command += ["--ranks", str(problem.ranks)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL,
                          env={"OMP_NUM_THREADS": "1", "OMPI_MCA_orte_tmpdir_base": str(folder), **os.environ})
    if done.returncode not in (0, 3):
        raise RuntimeError(f"seed {problem.seed}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    solve = json.loads((folder / "out/summary.json").read_text())["solves"][0]
    last = sorted((folder / "out").glob("snapshot_*.vt[ir]"))[-1]
    with h5py.File(last, "r") as file:
        values = file["VTKHDF/CellData/u"][()].astype(float).ravel()
    return solve, values, done.stderr


def scipy_outcomes(a, b, guess, problem):
    """The methods that solve it within the iterations, judged by b - A x."""
    solved = []
    target = problem.tolerance * norm(b - a @ guess)
    for name in ("cg", "minres", "gmres", "bicgstab"):
        method = getattr(scipy_solvers, name)
        known = inspect.signature(method).parameters
        own = {"rtol" if "rtol" in known else "tol": problem.tolerance, "maxiter": problem.iterations}
        if "atol" in known:
            own["atol"] = 0
        if name == "gmres":
            own["restart"] = min(problem.restart, len(b))
            own["maxiter"] = max(problem.iterations // own["restart"], 1)  # number of restarts
        start = b - a @ guess
        try:
            with np.errstate(all="ignore"):
                x, _ = method(a, start, **own)
        except (ValueError, ZeroDivisionError, FloatingPointError):
            continue
        if norm(start.astype(PRECISE) - a.astype(PRECISE) @ x.astype(PRECISE)) <= target:
            solved.append(name)
    return solved


def result_of(program, seed):
    """The result of one seed: the row of the record, including violations."""
    problem = Problem(seed)
    a, b, guess = problem.matrix()
    with tempfile.TemporaryDirectory() as folder:
        solve, x, said = run(program, problem, folder)
    precise = a.astype(PRECISE)
    residual = norm(b - precise @ x)
    target = problem.tolerance * norm(b - precise @ guess)
    # Worst case for rows with m entries (Higham, Accuracy and Stability of Numerical Algorithms, section 3.5).
    entries = np.count_nonzero(a, axis=1) + 2
    rounding = EPSILON / 2 * norm(entries * (np.abs(a) @ np.abs(x) + np.abs(b)))
    row = {"seed": seed, "physics": problem.physics, "cells": problem.cells, "ranks": problem.ranks,
           "method": problem.method, "preconditioner": problem.options.get("preconditioner", "none"),
           "symmetric": problem.symmetric, "tolerance": problem.tolerance, "outcome": solve["outcome"],
           "iterations": solve["iterations"], "target": target, "residual": residual, "rounding": rounding,
           "broken": []}
    if solve["outcome"] == "converged" and not residual <= target + rounding:
        row["broken"].append("converged, and b - A x is above the tolerance")
    verification = solve.get("verification", {})
    if solve["outcome"] in ("converged", "converged to rounding"):
        error = norm(eliminated(a, b) - x) / norm(x) if norm(x) > 0 else 0.0
        estimate = verification.get("error_estimate")
        row.update(error=error, estimate=estimate, trusted=verification.get("trusted"))
        if estimate is None or not verification.get("trusted"):
            row["doubt"] = verification.get("doubt")
            if "error of the solution" not in said:
                row["broken"].append("an estimate that is not trusted is not said")
        elif not error <= 10 * estimate:
            row["broken"].append("the error is more than ten times a trusted estimate")
    if scipy_solvers is not None:
        row["scipy"] = scipy_outcomes(a, b, guess, problem)
        peers = [name for name in row["scipy"] if problem.method in (name, "jacobi", "chebyshev", "multigrid")]
        if solve["outcome"] == "stalled" and peers:
            row["broken"].append("stalled, where scipy solves it")
    return row


def summary_of(rows):
    reached = [row for row in rows if "error" in row]
    outcomes = {}
    for row in rows:
        outcomes[row["outcome"]] = outcomes.get(row["outcome"], 0) + 1
    return {"solves": len(rows), "outcomes": outcomes, "broken": sum(bool(row["broken"]) for row in rows),
            "converged_above_the_tolerance_by_rounding":
                sum(row["outcome"] == "converged" and row["residual"] > row["target"] for row in rows),
            "trusted": sum(bool(row["trusted"]) for row in reached), "reached": len(reached),
            "largest_error_by_trusted_estimate": max((row["error"] / row["estimate"] for row in reached
                                                      if row["trusted"] and row["estimate"]), default=0)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the driver")
    parser.add_argument("--seeds", type=int, nargs=2, default=[0, 200], help="the first one, and the one after the last")
    parser.add_argument("--json", help="the record, which is gone on with")
    given = parser.parse_args()
    program = pathlib.Path(given.program).resolve()
    path = pathlib.Path(given.json) if given.json else None
    record = json.loads(path.read_text()) if path and path.exists() else {}
    rows = {row["seed"]: row for row in record.get("rows", [])}
    for seed in range(*given.seeds):
        if seed in rows:
            continue
        rows[seed] = result_of(program, seed)
        if rows[seed]["broken"] or not path:
            print(json.dumps(rows[seed]), flush=True)
        if path:
            ordered = [rows[one] for one in sorted(rows)]
            path.write_text(json.dumps({**provenance(program), **summary_of(ordered), "rows": ordered}, indent=1) + "\n")
    print(json.dumps(summary_of(list(rows.values())), indent=1))
    return any(row["broken"] for row in rows.values())


def provenance(program):
    """Machine, date, commit and command, from the summary of a run."""
    with tempfile.TemporaryDirectory() as folder:
        deck = pathlib.Path(folder) / "deck.yaml"
        deck.write_text(json.dumps({"physics": "laplace", "mesh": {"cells": [4]}}))
        subprocess.run([str(program), "run", str(deck), "--quiet"], cwd=folder, check=True, capture_output=True)
        found = json.loads((pathlib.Path(folder) / "deck.out/summary.json").read_text())["provenance"]
    words = [pathlib.Path(word).name if "/" in word else word for word in sys.argv]
    return {"machine": found["machine"], "hardware": found["hardware"], "backend": found["backend"],
            "version": found["version"], "commit": found["revision"], "date": found["started"],
            "command": " ".join(words), "long_double_digits": int(np.finfo(PRECISE).precision),
            "scipy": scipy_solvers is not None}


if __name__ == "__main__":
    sys.exit(main())
