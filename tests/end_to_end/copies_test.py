"""Steps on a GPU make no copies between host and device: checked by a trace of all copies and kernels (cuda_trace.cpp).

Values on which steps depend (norms, the longest step) are written by kernels to pinned host memory, which is not a copy.
"""

import json
import pathlib
import sys
import unittest

from program import ROOT, Run, scratch

TRACER = pathlib.Path(sys.argv.pop(1)).resolve()
QUIET = {"snapshots": {"interval": 0}, "scalars": {"interval": 0}}
MOVING = "x < 0.2 + t ? 8 : 1.4"

DECKS = {
    "a law, steps by the fastest wave": {
        "physics": "euler", "mesh": {"cells": [40, 36, 19], "periodic": [True, True, False]},
        "euler": {"initial": {"density": "1 + 0.2*sin(2*pi*x)", "velocity_x": 0.5}}, "time": {"courant": 0.4}},
    "a law, walls that move": {
        "physics": "euler", "mesh": {"cells": [64, 48]},
        "euler": {"initial": {"density": MOVING}, "density": {"source": "x*t"},
                  "boundary": {"west": {"kind": "inflow", "density": "1 + t", "velocity_x": "sin(t)", "velocity_y": 0,
                                        "pressure": 1},
                               "north": {"kind": "reflecting"}}},
        "time": {"step": 1e-4}},
    "a law with a balance": {
        "physics": "shallow-water", "mesh": {"cells": [50, 41]},
        "shallow-water": {"initial": {"depth": "1 + 0.1*x"}, "boundary": {"west": {"kind": "reflecting"}}},
        "time": {"courant": 0.4}},
    "equations": {
        "physics": "gray-scott", "mesh": {"cells": [64, 37], "upper": [0.64, 0.37]},
        "gray-scott": {"u": {"initial": "1 - 0.5*(x < 0.3)", "source": "1e-3*cos(t)*x"}, "v": {"initial": 0.2}},
        "time": {"method": "rk4", "step": 0.1}},
    "equations, walls that move": {
        "physics": "heat", "mesh": {"cells": [31, 20, 17]},
        "heat": {"initial": "sin(x)", "source": "t*x", "boundary": {"west": {"kind": "dirichlet", "value": "sin(t)*y"}}},
        "time": {"method": "ssp_rk3", "courant": 0.5}},
    "heat that is solved for": {
        "physics": "heat", "mesh": {"cells": [33, 32, 17]}, "heat": {"initial": "sin(3*x)*y", "source": "t*x"},
        "time": {"method": "theta", "step": 1e-3}},
    "a wave": {
        "physics": "wave", "mesh": {"cells": [40, 33, 30]}, "wave": {"initial": "sin(3*x)*y"}, "time": {"step": 1e-3}},
    "advection": {
        "physics": "advection", "mesh": {"cells": [60, 33]}, "advection": {"velocity": {"x": "1+y", "y": "x"}, "initial": "sin(x)"},
        "time": {"method": "ssp_rk2", "courant": 0.5}},
}


def traced(deck, steps):
    """The copies of a run with this many steps, by direction; and its kernel launches."""
    with scratch() as folder:
        where = pathlib.Path(folder)
        (where / "deck.yaml").write_text(json.dumps({**deck, "time": {**deck["time"], "steps": steps}, "output": QUIET}))
        run = Run(["run", "deck.yaml", "--output", "run.out"], folder,
                  {"CUDA_INJECTION64_PATH": str(TRACER), "HALOCLINE_CUDA_TRACE": str(where / "trace")})
        assert run.code == 0, run.said
        rows = [json.loads(line) for line in (where / "trace").read_text().splitlines()]
    copies = {row["copy"]: (row["count"], row["bytes"]) for row in rows if "copy" in row}
    return copies, sum(row["count"] for row in rows if "kernel" in row)


class Copies(unittest.TestCase):
    def test_steps_copy_nothing(self):
        for name, deck in DECKS.items():
            with self.subTest(name):
                few, launches = traced(deck, 10)
                many, more_launches = traced(deck, 30)
                self.assertGreaterEqual(more_launches - launches, 20, "the trace does not see the steps")
                self.assertGreater(few.get("to device", (0, 0))[0], 0, "the trace does not see copies")
                for direction in ("to device", "to host"):
                    self.assertEqual(few.get(direction), many.get(direction), f"{direction}: (copies, bytes)")


if __name__ == "__main__":
    unittest.main()
