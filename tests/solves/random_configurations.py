"""Random configurations of every physics by the real program: each agrees with an independent result, or says why not.

A seed determines a deck and the number of ranks: physics, mesh, walls, methods, precision, and scales up to 1e±30.

- heat, laplace, advection and gray-scott are compared with NumPy (`linear_cases.py`);
- euler, shallow-water, wave and nbody with the same deck in units of order one, in double precision on one rank
  (`scaled_cases.py`).

The difference is the largest over the unknowns, relative to the largest value. A configuration fails if the difference
exceeds 1e-10 in double precision or 1e-4 in single precision, times the condition, unless the run ends with exit code 2 or
3 or warns; and if it ends in any other way. The condition says how much larger than the roundings of single operations the
error of a correct program may become. It is the product of

- the condition number |A| |A^-1| of the matrix of a step or of the stationary problem, in the maximum norm, since solves
  end at a residual of 1e-12 (double) or 1e-6 (single) relative to the right-hand side or the first residual;
- the amplification: for linear physics the sum over the steps of the norm of the matrix that a difference is multiplied by
  from one state to the last, times the largest value of any step over that of the last; for gray-scott, laws, waves and
  bodies the number of steps times the ratio of the relative differences at the end and at the start of two runs whose data
  differ by about 1e-8.

    random_configurations.py --program bin/halocline --seeds 0 1000 --json bench/results/random_configurations.json

adds missing seeds to the record, so that an interrupted run can be continued; `--jobs 2` runs two configurations at a time.
`--also N …` adds single seeds, and `--show N` shows one: its deck, the command and the result.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from linear_cases import linear_case
from random_solves import provenance
from scaled_cases import PERTURBATION, scaled_case

LINEAR = ("heat", "laplace", "advection", "gray-scott")
SCALED = ("euler", "shallow-water", "wave", "nbody")
TOLERANCE = {"double": 1e-10, "single": 1e-4}
# Seconds that no run takes; what takes longer hangs.
PATIENCE = 300
SHARED = re.compile(r"^[^\n]*warning: \d+ ranks with \d+ threads in total share [^\n]*\n", re.MULTILINE)


class Outcome:
    """A finished run: its exit code, what it said, and the fields of its last snapshot."""

    def __init__(self, program, deck, ranks, files=()):
        with tempfile.TemporaryDirectory(prefix="halocline-test-") as folder:
            folder = pathlib.Path(folder)
            write(folder, deck, files)
            done = subprocess.run([str(program), *command(ranks)], cwd=folder, capture_output=True, text=True,
                                  timeout=PATIENCE, stdin=subprocess.DEVNULL,
                                  env={"OMP_NUM_THREADS": "1", "OMPI_MCA_orte_tmpdir_base": str(folder), **os.environ})
            self.code, self.said = done.returncode, SHARED.sub("", done.stderr)
            self.fields = last_state(folder / "deck.out") if self.code == 0 else {}


def write(folder, deck, files):
    (folder / "deck.yaml").write_text(json.dumps(deck))
    for name, rows in dict(files).items():
        np.save(folder / name, rows)


def command(ranks):
    return ["run", "deck.yaml", "--quiet", "--overwrite"] + (["--ranks", str(ranks)] if ranks > 1 else [])


def last_state(folder):
    last = max(folder.glob("snapshot_*.vt*"), key=lambda path: path.name)
    with h5py.File(last) as file:
        grid = file["VTKHDF"]
        fields = {name: values[()] for part in ("CellData", "PointData") if part in grid
                  for name, values in grid[part].items()}
        if "Points" in grid:
            fields["position"] = grid["Points"][()]
    return {name: values.astype(float) for name, values in fields.items()}


def largest(values):
    return float(np.max(np.abs(values)))


def compare_linear(program, case):
    """The run, the difference and the condition."""
    expected, condition = case.reference()
    run = Outcome(program, case.deck(), case.ranks)
    if run.code != 0:
        return run, None, condition
    difference = 0.0
    for name, values in expected.items():
        found = run.fields[name].ravel()
        if getattr(case, "nodes", False):
            found = unknown_nodes(case, run.fields[name])
        # A solution that is zero is found from an initial guess of this size.
        size = largest(values) or case.size
        with np.errstate(invalid="ignore"):
            difference = max_or_nan(difference, float(np.max(np.abs(found - values) / size)))
    return run, difference, condition


def max_or_nan(a, b):
    return float(np.maximum(a, b))


def unknown_nodes(case, values):
    """The nodes whose value no wall gives and that a period does not repeat, x fastest."""
    shape = [cells + 1 for cells in case.cells]
    values = values.reshape(shape[::-1])
    chosen = []
    for cells, walls in zip(case.cells, case.all_walls):
        given = [wall["kind"] == "dirichlet" for wall in walls or ()] or [False, True]
        chosen.append(slice(int(given[0]), cells + 1 - int(given[1])))
    return values[tuple(chosen[::-1])].ravel()


def relative_difference(case, fields, units, others, other_units):
    """Of two runs in different units: the largest one, relative to the largest value of its group of fields."""
    difference = 0.0
    for group, other_group in zip(case.fields(units), case.fields(other_units)):
        ours = [np.longdouble(fields[name]) / unit for name, unit in group.items()]
        theirs = [np.longdouble(others[name]) / unit for name, unit in other_group.items()]
        size = max(largest(values) for values in theirs)
        for mine, other in zip(ours, theirs):
            change = float(np.max(np.abs(mine - other)))
            difference = max_or_nan(difference, change / size if size > 0 else (np.inf if change > 0 else 0.0))
    return difference


def compare_scaled(program, case):
    """The run, the difference and the condition; no difference if the run of order one does not reach its end."""
    def outcome(units, precision, ranks, perturbation=0.0):
        files = case.files(units, perturbation) if hasattr(case, "files") else {}
        return Outcome(program, {**case.deck(units, perturbation), "precision": precision}, ranks, files)

    run = outcome(case.units, case.precision, case.ranks)
    if run.code != 0:
        return run, None, None
    base, moved = outcome(case.ones, "double", 1), outcome(case.ones, "double", 1, PERTURBATION)
    if base.code != 0 or moved.code != 0:
        return run, None, None
    grown = relative_difference(case, moved.fields, case.ones, base.fields, case.ones) / PERTURBATION
    condition = case.steps * max(1.0, grown)
    return run, relative_difference(case, run.fields, case.units, base.fields, case.ones), condition


def case_of(seed):
    chance = random.Random(seed)
    physics = (LINEAR + SCALED)[seed % 8]
    return linear_case(chance, physics) if physics in LINEAR else scaled_case(chance, physics)


def result_of(program, seed):
    """The result of one seed: the row of the record."""
    case = case_of(seed)
    row = {"seed": seed, "physics": case.physics, "precision": case.precision, "ranks": case.ranks, "spread": case.spread}
    try:
        run, difference, condition = (compare_linear if case.physics in LINEAR else compare_scaled)(program, case)
    except subprocess.TimeoutExpired:
        return {**row, "outcome": "failed", "why": f"takes longer than {PATIENCE} s"}
    row.update(exit=run.code, condition=condition and float(f"{condition:.3g}"),
               difference=difference if difference is None else float(f"{difference:.3g}"))
    warns = "warning:" in run.said
    if run.code in (2, 3):
        return {**row, "outcome": "refused" if run.code == 2 else "ended", "said": run.said.strip().splitlines()[-1]}
    if run.code != 0:
        return {**row, "outcome": "failed", "why": f"exit {run.code}", "said": run.said.strip()[-500:]}
    if difference is None:
        return {**row, "outcome": "no reference"}
    if difference <= TOLERANCE[case.precision] * condition:
        return {**row, "outcome": "agrees"}
    if warns:
        return {**row, "outcome": "warned", "said": run.said.strip()[-300:]}
    return {**row, "outcome": "failed", "why": f"differs by {difference:.3g}, condition {condition:.3g}"}


def show(program, seed):
    """Prints the deck of a seed, the command that runs it, and the result."""
    case = case_of(seed)
    deck = case.deck() if case.physics in LINEAR else {**case.deck(case.units), "precision": case.precision}
    print(f"deck.yaml:\n{json.dumps(deck)}")
    if case.physics in SCALED:
        print(f"in units of order one:\n{json.dumps(case.deck(case.ones))}")
    print(f"halocline {' '.join(command(case.ranks))}")
    print(json.dumps(result_of(program, seed)))


def summary_of(rows):
    def counts(key, chosen):
        names = sorted({row[key] for row in chosen})
        return {name: sum(row[key] == name for row in chosen) for name in names}

    return {"configurations": len(rows), "outcomes": counts("outcome", rows),
            "by_physics": {name: counts("outcome", [row for row in rows if row["physics"] == name])
                           for name in sorted({row["physics"] for row in rows})},
            "failed": sum(row["outcome"] == "failed" for row in rows),
            # A bound of 1 or more excludes nothing.
            "compared_within_a_hundredth": sum(row["outcome"] == "agrees" and
                                               TOLERANCE[row["precision"]] * row["condition"] <= 0.01 for row in rows)}


def written(path, program, head, rows):
    ordered = [json.dumps(rows[seed]) for seed in sorted(rows)]
    text = json.dumps({**head, **summary_of(list(rows.values()))}, indent=1)[:-2]
    partial = path.with_suffix(".partial")
    partial.write_text(text + ',\n "rows": [\n  ' + ",\n  ".join(ordered) + "\n ]\n}\n")
    partial.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the driver")
    parser.add_argument("--seeds", type=int, nargs=2, default=[0, 1000], help="the first one, and the one after the last")
    parser.add_argument("--also", type=int, nargs="*", default=[], help="further seeds")
    parser.add_argument("--show", type=int, help="show this one alone")
    parser.add_argument("--json", help="the record, which is gone on with")
    parser.add_argument("--jobs", type=int, default=1, help="configurations at a time")
    given = parser.parse_args()
    program = pathlib.Path(given.program).resolve()
    if given.show is not None:
        return show(program, given.show)
    path = pathlib.Path(given.json) if given.json else None
    record = json.loads(path.read_text()) if path and path.exists() else {}
    rows = {row["seed"]: row for row in record.get("rows", [])}
    head = provenance(program) if path else {}
    missing = [seed for seed in [*range(*given.seeds), *given.also] if seed not in rows]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for row in pool.map(lambda seed: result_of(program, seed), missing):
            rows[row["seed"]] = row
            if row["outcome"] == "failed":
                print(json.dumps(row), flush=True)
            if path and (len(rows) % 20 == 0 or row["seed"] == missing[-1]):
                written(path, program, head, rows)
    print(json.dumps(summary_of(list(rows.values())), indent=1))
    return any(row["outcome"] == "failed" for row in rows.values())


if __name__ == "__main__":
    sys.exit(main())
