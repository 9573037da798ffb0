#!/usr/bin/env python3
"""Measures which solver suits which problem: runs one deck of each problem with every candidate.

The record has the iterations, the outcome, the seconds of the solves and of the whole run, medians of `--repeat` runs that
alternate between the candidates, and the largest error estimated in one more run with `solver.verify`: equal residuals do not
imply equal errors. Candidates that reach the iteration limit are recorded as such.

    bench/solver_choices.py --program bin/halocline --ranks 2 --json bench/results/solver_choices.json
"""
import pathlib
import statistics
import tempfile

from deck_runs import parser_of, run_deck
from record import store

CANDIDATES = {
    "cg, multigrid": {"method": "cg", "cg": {"preconditioner": "multigrid"}},
    "multigrid": {"method": "multigrid"},
    "cg": {"method": "cg"},
    "cg, jacobi": {"method": "cg", "cg": {"preconditioner": "jacobi"}},
    "cg, chebyshev": {"method": "cg", "cg": {"preconditioner": "chebyshev"}},
    "cg, ilu": {"method": "cg", "cg": {"preconditioner": "ilu"}},
    "chebyshev": {"method": "chebyshev"},
    "jacobi": {"method": "jacobi"},
    "minres": {"method": "minres"},
    "gmres": {"method": "gmres"},
    "bicgstab": {"method": "bicgstab"},
}

# For operators that are not symmetric, or indefinite: conjugate gradients cannot solve these.
OTHER_CANDIDATES = {
    "gmres, multigrid": {"method": "gmres", "gmres": {"preconditioner": "multigrid"}},
    "bicgstab, multigrid": {"method": "bicgstab", "bicgstab": {"preconditioner": "multigrid"}},
    "multigrid": {"method": "multigrid"},
    "gmres": {"method": "gmres"},
    "bicgstab": {"method": "bicgstab"},
    "bicgstab, jacobi": {"method": "bicgstab", "bicgstab": {"preconditioner": "jacobi"}},
    "bicgstab, gauss_seidel": {"method": "bicgstab", "bicgstab": {"preconditioner": "gauss_seidel"}},
    "bicgstab, ilu": {"method": "bicgstab", "bicgstab": {"preconditioner": "ilu"}},
    "minres": {"method": "minres"},
    "minres, gauss_seidel": {"method": "minres", "minres": {"preconditioner": "gauss_seidel"}},
    "cg": {"method": "cg"},
}

COLD = {"boundary": {"south": {"kind": "dirichlet"}}}


def laplace(cells, **more):
    return {"physics": "laplace", "mesh": {"cells": cells, **more.pop("mesh", {})},
            "laplace": {"centring": "cell", "source": "sin(17*x)*cos(31*y) + x"}, **more}


def heat(cells, step, steps=1, **more):
    """Steps from a rough state: (M + step K) u = M u0."""
    return {"physics": "heat", "mesh": {"cells": cells}, "time": {"step": step, "steps": steps},
            "heat": {"initial": "sin(17*x)*cos(31*y) + x", "conductivity": "1", **more}}


def advection(cells, diffusivity, velocity, reaction="0", **more):
    return {"physics": "advection", "mesh": {"cells": cells, "lower": [-1] * len(cells)},
            "advection": {"velocity": velocity, "diffusivity": diffusivity, "reaction": reaction,
                          "source": "sin(17*x)*cos(31*y) + x", **more}}


WHIRL = {"x": "2*y*(1 - x^2)", "y": "-2*x*(1 - y^2)"}


def problems(cells):
    plane = [cells, cells]
    return {
        "constant coefficients, 2D": laplace(plane),
        "constant coefficients, 3D": laplace([cells // 6] * 3),
        "coefficient that jumps by 1e4": heat(plane, 1, **COLD, conductivity="sin(8*pi*x)*sin(8*pi*y) > 0 ? 1e4 : 1"),
        "stretched mesh": laplace(plane, mesh={"growth": [1.01, 1.01]}),
        "cells ten times as wide as high": laplace(plane, mesh={"upper": [10, 1]}),
        "insulated, long step": heat(plane, 1),
        "insulated, 100 short steps": heat(plane, 0.2 / cells**2, steps=100),
        "constant coefficients, 2D, single precision": laplace(plane, precision="single"),
        "flow that turns round": advection(plane, "1/64", WHIRL),
        "flow that turns round, strong": advection(plane, "1/1000", WHIRL, scheme="upwind"),
        "flow that turns round, hardly mixed": advection(plane, "1e-6", WHIRL, scheme="upwind"),
        "flow through a plane, hardly mixed": advection(plane, "1e-5", {"x": "1", "y": "0.5"}, scheme="upwind"),
        "flow through a box": advection([cells // 6] * 3, "1/16", {"x": "1 - y^2"}),
        "Helmholtz": advection(plane, "1", {}, "-(2*pi*1.3)^2"),
    }


def candidates(problem):
    return OTHER_CANDIDATES if problem["physics"] == "advection" else CANDIDATES


def arguments():
    parser = parser_of(__doc__, repeat=3)
    parser.add_argument("--cells", type=int, default=360, help="along each axis in 2D; a sixth of it in 3D")
    parser.add_argument("--iterations", type=int, default=4000, help="the limit")
    return parser.parse_args()


def solver(given, problem, candidate, verify):
    section = dict(candidates(problem)[candidate])
    method = section["method"]
    tolerance = 1e-4 if problem.get("precision") == "single" else 1e-8
    section[method] = {**section.get(method, {}), "iterations": given.iterations, "relative_tolerance": tolerance}
    return {**section, "verify": verify}


def outcome(solves):
    """Outcome over all solves: that of the first that failed, or of the last."""
    return next((solve for solve in solves if not solve["outcome"].startswith("converged")), solves[-1])["outcome"]


def largest_error(solves):
    """None if some solve has no estimate."""
    errors = [solve["verification"].get("error_estimate") for solve in solves]
    return None if None in errors else max(errors)


def measure(given, folder, problem, ranks):
    """One row per candidate, and the last summary."""
    seconds, ends = {}, {}
    for _ in range(given.repeat):
        for candidate in candidates(problem):
            deck = {**problem, "solver": solver(given, problem, candidate, False)}
            summary = run_deck(given, folder, deck, ranks, exit_codes=(0, 3))
            ends[candidate] = summary["solves"]
            of_solves = sum(solve["seconds"] for solve in ends[candidate])
            seconds.setdefault(candidate, []).append((of_solves, summary["timings"]["total"]))
    rows = []
    for candidate, times in seconds.items():
        of_solves, whole = (statistics.median(column) for column in zip(*times))
        row = {"candidate": candidate, "iterations": sum(solve["iterations"] for solve in ends[candidate]),
               "outcome": outcome(ends[candidate]), "seconds": of_solves, "seconds_of_run": whole}
        if row["outcome"].startswith("converged"):
            deck = {**problem, "solver": solver(given, problem, candidate, True)}
            # What checks refuse (a method that needs symmetry) may still converge: then there is no estimate.
            verified = run_deck(given, folder, deck, ranks, exit_codes=(0, 3))["solves"]
            row["error_estimate"] = largest_error(verified)
        rows.append(row)
    return rows, summary


def main():
    given = arguments()
    measured, provenance = [], {}
    with tempfile.TemporaryDirectory() as name:
        for ranks in given.ranks:
            for title, problem in problems(given.cells).items():
                rows, summary = measure(given, pathlib.Path(name), problem, ranks)
                provenance = summary["provenance"]
                measured.append({"problem": title, "ranks": ranks, "deck": problem, "rows": rows})
                print(f"{title}, {ranks} ranks")
                for row in rows:
                    estimate = row.get("error_estimate")
                    print(f"  {row['candidate']:14} {row['iterations']:6} {row['outcome']:22} {row['seconds']:8.3f} s, run "
                          f"{row['seconds_of_run']:8.3f} s, error {'-' if estimate is None else f'{estimate:.1e}'}",
                          flush=True)
    if given.json:
        store(given.json, provenance, remark=given.remark, cells=given.cells, iterations=given.iterations,
              repeat=given.repeat, problems=measured)


if __name__ == "__main__":
    main()
