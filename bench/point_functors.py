#!/usr/bin/env python3
"""Measures multigrid for operators defined only by a point functor, compared with the built-in diffusion operator: seconds and
iterations of conjugate gradients with a V-cycle to 1e-8 of the right-hand side's norm, alternating, `--repeat` times.

Diffusion is that of laplace on cells of a mesh with negligible stretching, so that it reads its coefficients. `--plugins`
contains reaction.so (five or seven points, two coefficients) and tensor.so (nine points) of tests/stranger, both with the
coefficients of the same problem.

    bench/point_functors.py --program bin/halocline --plugins build --json bench/results/x.json
"""
import pathlib
import statistics
import tempfile

from deck_runs import parser_of, run_deck
from record import store


def arguments():
    parser = parser_of(__doc__, repeat=5)
    parser.add_argument("--plugins", type=pathlib.Path, required=True, help="folder with reaction.so and tensor.so")
    parser.add_argument("--cells", type=int, nargs="+", default=[1024, 128], help="along each axis of planes and in space")
    return parser.parse_args()


def deck_of(name, cells):
    source = "*".join(f"{axis}*(1-{axis})" for axis in "xyz"[:len(cells)])
    settings = {"source": source, **({"centring": "cell"} if name == "laplace" else {"xy": 0} if name == "tensor" else {})}
    mesh = {"cells": cells, **({"growth": [1.0000001] * len(cells)} if name == "laplace" else {})}
    return {"physics": name, "mesh": mesh, name: settings,
            "solver": {"method": "cg", "cg": {"relative_tolerance": 1e-8, "preconditioner": "multigrid"}}}


def main():
    given = arguments()
    rows, summary = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for dimensions, along in zip((2, 3), given.cells):
            names = ["laplace", "reaction", *(["tensor"] if dimensions == 2 else [])]
            seconds = {name: [] for name in names}
            iterations = {}
            for _ in range(given.repeat):
                for name in names:
                    plugin = [] if name == "laplace" else ["--plugin", str(given.plugins / f"{name}.so")]
                    summary = run_deck(given, pathlib.Path(folder), deck_of(name, [along] * dimensions), given.ranks[0],
                                       *plugin)
                    seconds[name].append(summary["timings"]["advance"])
                    iterations[name] = summary["solves"][0]["iterations"]
            for name in names:
                ratio = statistics.median(seconds[name]) / statistics.median(seconds["laplace"])
                rows.append({"cells": [along] * dimensions, "physics": name, "seconds": seconds[name],
                             "iterations": iterations[name], "of_diffusion": ratio})
                print(f"{along}^{dimensions} {name}: {statistics.median(seconds[name]):.4f} s, {iterations[name]} "
                      f"iterations, {ratio:.2f} times diffusion's")
    if given.json:
        store(given.json, summary["provenance"], remark=given.remark, ranks=given.ranks[0], rows=rows)


if __name__ == "__main__":
    main()
