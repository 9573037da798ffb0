#!/usr/bin/env python3
"""Records the results of TeaLeaf's decks by every method on 1 to 4 ranks: bench/reference_matrix.py PROGRAM… --json FILE

Each PROGRAM is a built driver, one per backend. The runs are those of tests/end_to_end/tealeaf_test.py, which compares them
with the reference; here their values, outcomes and iterations are stored, with machine, date, commit and command.
"""
import argparse
import collections
import datetime
import json
import os
import pathlib
import subprocess
import sys

from race import processor
from record import place

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", type=pathlib.Path)
    parser.add_argument("--json", required=True, type=place, help="where the result goes")
    return parser.parse_args()


def one_run(matrix, deck, method, ranks):
    with matrix.scratch() as folder:
        done = matrix.run(deck, method, ranks, folder)
        if done.code != 0:
            sys.exit(f"reference_matrix: exit {done.code} of {deck}, {method}, {ranks} ranks\n{done.err}")
        summary = done.summary()
    value = summary["quantities"]["temperature"]
    return {"deck": deck, "method": method, "ranks": ranks, "backend": summary["provenance"]["backend"],
            "revision": summary["provenance"]["revision"], "exit_code": done.code, "quantities": summary["quantities"],
            "relative_error_of_temperature": abs(value / matrix.TEMPERATURE[deck] - 1),
            "outcomes": collections.Counter(solve["outcome"] for solve in summary["solves"]),
            "iterations": [solve["iterations"] for solve in summary["solves"]]}


def main():
    command, options = " ".join(sys.argv), arguments()
    # The tests read the program from the command line.
    sys.path.insert(0, str(ROOT / "tests/end_to_end"))
    sys.argv = [sys.argv[0], str(options.programs[0])]
    import program
    import tealeaf_test as matrix
    runs = []
    for program.PROGRAM in (path.resolve() for path in options.programs):
        runs += [one_run(matrix, deck, method, ranks)
                 for deck in matrix.TEMPERATURE for method in matrix.methods_for(deck) for ranks in matrix.RANKS]
    commit = subprocess.run(["git", "rev-parse", "HEAD"], text=True, capture_output=True, cwd=ROOT).stdout.strip()
    result = {"name": "TeaLeaf's decks against the reference program", "machine": processor(), "cores": os.cpu_count(),
              "date": datetime.date.today().isoformat(), "commit": commit, "command": command,
              "reference": matrix.TEMPERATURE,
              "largest_relative_error": max(run["relative_error_of_temperature"] for run in runs), "runs": runs}
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    print(f"{len(runs)} runs, largest relative error {result['largest_relative_error']:.2g}")


if __name__ == "__main__":
    main()
