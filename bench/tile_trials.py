#!/usr/bin/env python3
"""Measures the time per step of an eighth-order wave, or per iteration of Jacobi's method in 2D with the norm of each, in
single precision on one GPU, with given tiles of its sweep and with the tile that the built-in rule chooses.

A tile is THREADSxTHREADS:AHEAD:CHUNKS: threads along x (each 16 bytes) and y, steps copied before they are needed, and chunks
along the slowest axis. The program reads each from a tuning table. The time of a step is the difference between a long and a
short run, over the steps in between.

    bench/tile_trials.py --program bin/halocline --cells 512,512,256 1024,1024,1024 --tiles 64x2:3:3 96x1:2:1 --json tiles.json
"""
import json
import math
import os
import pathlib
import re
import sys
import tempfile

from deck_runs import parser_of, run_deck, run_or_exit, seconds_of_steps
from record import store
from scaling import jacobi

# The functor of the sweep and its stencil in tuning tables.
SWEEPS = {
    "wave": ("StageFunctor<float, equation::WithConstants<float, wave::Acceleration<float, 3> >, 3, 1, 1, false, false>",
             "3D star; inputs 4 bytes reaching 4, 4 bytes reaching 0; 1 output; 0 sums"),
    "jacobi": ("stencil_functor::JacobiStep<float, ConstantDiffusion<float, 2> >",
               "2D star; inputs 4 bytes reaching 0, 4 bytes reaching 1; 1 output; 2 sums"),
}
SHORT, POINTS = 10, 1.2e11  # steps of the short run; points that the steps in between update


def arguments():
    parser = parser_of(__doc__, repeat=1)
    parser.add_argument("--case", choices=list(SWEEPS), default="wave")
    parser.add_argument("--cells", nargs="+", required=True, help="sizes: 512,512,256")
    parser.add_argument("--tiles", nargs="+", required=True, help="64x2:3:3: threads, steps ahead, chunks")
    parser.add_argument("--device", required=True, help="the name of the GPU, as nvidia-smi lists it")
    return parser.parse_args()


def size_class(cells):
    """As tuning tables round sizes: to three binary digits."""
    units = [1 << max(0, extent.bit_length() - 3) for extent in cells]
    return " x ".join(str((extent + unit // 2) // unit * unit) for extent, unit in zip(cells, units))


def table_with(given, cells, tile):
    threads_x, threads_y, ahead, chunks = map(int, re.fullmatch(r"(\d+)x(\d+):(\d+):(\d+)", tile).groups())
    parameters = {"threads_x": threads_x, "threads_y": threads_y, "ahead": ahead, "pace": 0,
                  "planes": 0 if chunks == 1 else math.ceil(cells[-1] / chunks)}
    functor, stencil = SWEEPS[given.case]
    # The program ignores tables of other versions.
    return {"format": 1, "version": given.version, "sweeps": [
        {"device": given.device, "functor": functor, "points": size_class([*cells, 1][:3]), "form": "streaming",
         "parameters": parameters, "stencil": stencil, "seconds": 1, "default_seconds": 1}]}


def deck_of(case, cells, steps):
    if case == "jacobi":
        return jacobi(cells, steps)
    return {"physics": "wave", "mesh": {"cells": cells}, "guard": {"every": 0},
            "wave": {"initial": "x*(1-x)*y*(1-y)*z"}, "time": {"step": 1e-5, "steps": steps}}


def seconds_and_form(given, folder, cells, tune):
    def run(steps):
        deck = {**deck_of(given.case, cells, steps), "precision": "single", "tune": tune}
        # A solve ends at its limit of iterations.
        return run_deck(given, folder, deck, 1, exit_codes=(3,) if given.case == "jacobi" else (0,))
    between = int(POINTS / math.prod(cells))
    short = min(seconds_of_steps(run(SHORT)) for _ in range(given.repeat))
    summaries = [run(SHORT + between) for _ in range(given.repeat)]
    form = next(sweep["form"] for sweep in summaries[0]["sweeps"] if sweep["functor"] == SWEEPS[given.case][0])
    return (min(map(seconds_of_steps, summaries)) - short) / between, form, summaries[0]["provenance"]


def main():
    given = arguments()
    given.version = run_or_exit([given.program, "--version"]).split()[0]
    rows, provenance = [], {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["HALOCLINE_TUNING_CACHE"] = str(folder / "tunings.json")
        for cells in [[int(extent) for extent in size.split(",")] for size in given.cells]:
            for tile in ["rule", *given.tiles]:
                if tile != "rule":
                    (folder / "tunings.json").write_text(json.dumps(table_with(given, cells, tile)))
                seconds, form, provenance = seconds_and_form(given, folder, cells, "off" if tile == "rule" else "read")
                if tile != "rule" and f"{tile.split(':')[0].replace('x', ' x ')} threads" not in form:
                    print(f"{cells} {tile}: does not fit", flush=True)
                    continue
                rate = 12 * math.prod(cells) / seconds
                rows.append({"cells": cells, "tile": tile, "form": form, "seconds": seconds, "bytes_per_second": rate})
                print(f"{cells} {tile}: {1e6 * seconds:.1f} us, {rate / 1e12:.2f} TB/s, {form}", flush=True)
    if given.json:
        store(given.json, provenance, remark=given.remark, functor=SWEEPS[given.case][0], rows=rows)
    if not rows:
        sys.exit("tile_trials: no tile fits")


if __name__ == "__main__":
    main()
