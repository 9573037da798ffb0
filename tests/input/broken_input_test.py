"""Invalid decks and command lines, given to the real program: each ends with exit code 2 and an exact message, and leaves no
files."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()

MESH = "mesh: {cells: [8, 8]}\n"
TIME = "time: {step: 0.1, steps: 1}\n"
REGION = "heat: {regions: [{density: 1, energy: 1}]}\n"
GOOD = "physics: heat\n" + MESH + TIME + REGION

TEA = """*tea
state 1 density=100.0 energy=0.0001
x_cells=8
y_cells=8
xmin=0.0
ymin=0.0
xmax=10.0
ymax=10.0
initial_timestep=0.004
end_step=1
tl_use_cg
tl_eps 1.0e-15
*endtea
"""

# Name, deck, further arguments, and the message, line by line. Lines that end in "..." are compared up to there.
BROKEN_DECKS = [
    ("unknown option", GOOD + "solver: {cg: {iteratons: 5}}\n", [],
     ["`iteratons`: unknown in solver.cg (deck:5:15); did you mean `iterations`?"]),
    ("unknown section", GOOD + "sovler: {}\n", [],
     ["`sovler`: unknown in the deck (deck:5:1); did you mean `solver`?"]),
    ("option in the wrong section", GOOD + "iterations: 5\n", [],
     ["`iterations`: unknown in the deck (deck:5:1); did you mean `solver.cg.iterations`?"]),
    ("option given twice", GOOD + "precision: double\nprecision: single\n", [],
     ["`precision`: given twice in the deck (deck:6:1); first at deck:5:1"]),
    ("section given twice", GOOD + "time: {step: 1}\n", [],
     ["`time`: given twice in the deck (deck:5:1); first at deck:3:1"]),
    ("unknown physics", "physics: heet\n" + MESH, [],
     ["`physics`: expected one of ..."]),
    ("unknown integrator", GOOD, ["--set", "time.method=rk44"],
     ["`time.method`: expected one of bdf2, ..."]),
    ("even number of stages", GOOD, ["--set", "time.method=rkl2", "--set", "time.rkl2.stages=4"],
     ["`time.rkl2.stages`: an even number (--set time.rkl2.stages=4); give an odd one"]),
    ("unknown solver", GOOD + "solver: {method: sor}\n", [],
     ["`solver.method`: expected one of bicgstab, cg, chebyshev, gmres, jacobi, minres, multigrid, got 'sor' (deck:5:18)"]),
    ("unknown preconditioner", GOOD + "solver: {cg: {preconditioner: jacbi}}\n", [],
     ["`solver.cg.preconditioner`: expected one of ..."]),
    ("text for an integer", GOOD + "solver: {cg: {iterations: ten}}\n", [],
     ["`solver.cg.iterations`: expected an integer, got 'ten' (deck:5:27)"]),
    ("half a cell", "physics: heat\nmesh: {cells: [8, 2.5]}\n" + TIME + REGION, [],
     ["`mesh.cells[1]`: expected an integer, got '2.5' (deck:2:19)"]),
    ("quoted number", "physics: heat\nmesh: {cells: [8, '8']}\n" + TIME + REGION, [],
     ["`mesh.cells[1]`: expected an integer, got the text \"8\" (deck:2:19)"]),
    ("negative size", "physics: heat\nmesh: {cells: [8, -8]}\n" + TIME + REGION, [],
     ["`mesh.cells[1]`: -8 is out of range: must be at least 1 (deck:2:19)"]),
    ("no cells", "physics: heat\nmesh: {cells: 0}\n" + TIME + REGION, [],
     ["`mesh.cells`: 0 is out of range: must be at least 1 (deck:2:15)"]),
    ("four axes", "physics: heat\nmesh: {cells: [8, 8, 8, 8]}\n" + TIME + REGION, [],
     ["`mesh.cells`: expected 1 to 3 integers, got 4 (deck:2:15)"]),
    ("integer beyond 64 bits", "physics: heat\nmesh: {cells: 9223372036854775808}\n" + TIME + REGION, [],
     ["`mesh.cells`: expected an integer, got '9223372036854775808': it does not fit in 64 bits (deck:2:15)"]),
    ("product beyond 64 bits", "physics: heat\nmesh: {cells: [4294967296, 4294967296]}\n" + TIME + REGION, [],
     ["`mesh.cells`: their product does not fit in 64 bits (deck:2:15)"]),
    ("more than the memory", "physics: heat\nmesh: {cells: [1000000, 1000000]}\n" + TIME + REGION, [],
     ["`mesh.cells`: needs 1..."]),  # 108 to 111 TiB: it depends on the heap use of small runs
    ("more ranks than cells", "physics: heat\nmesh: {cells: 1}\n" + TIME + REGION, ["--ranks", "2"],
     ["`mesh.cells`: a mesh of 1 cell cannot be cut into 2 blocks of at least one cell: use another number of ranks..."]),
    ("processes that are not the ranks", GOOD, ["--ranks", "3", "--set", "mesh.processes=[2, 1]"],
     ["`mesh.processes`: a mesh of 8 x 8 cells cannot be cut into 3 blocks of at least one cell, 2 x 1 along its axes: use "
      "another number of ranks or another process grid (--set mesh.processes=[2, 1])"]),
    ("processes of too few axes", GOOD, ["--set", "mesh.processes=2"],
     ["`mesh.processes`: it has 1 entry, mesh.cells has 2 (--set mesh.processes=2)"]),
    ("periodicity of too few axes", "physics: laplace\n" + MESH, ["--set", "mesh.periodic=true"],
     ["`mesh.periodic`: it has 1 entry, mesh.cells has 2 (--set mesh.periodic=true)"]),
    ("cells too thin", "physics: heat\nmesh: {cells: [2000, 8], growth: [2, 1]}\n" + TIME + REGION, [],
     ["`mesh.growth`: the thinnest of 2000 cells on axis x is too thin for double precision (deck:2:34)"]),
    ("steps beyond count", "physics: heat\n" + MESH + "time: {step: 1e-300, end: 1}\n" + REGION, [],
     ["`time.step`: 1e-300 is too short: it takes 2^53 steps or more from 0 to 1 (deck:3:14)"]),
    ("steps too short to change the time", "physics: heat\n" + MESH + "time: {start: 1e20, step: 1e-3, steps: 2}\n" + REGION, [],
     ["`time.step`: 0.001 is too short: added to 1e+20, where time starts, it changes nothing (deck:3:27)"]),
    ("empty domain", "physics: heat\nmesh: {cells: [8, 8], upper: [1, 0]}\n" + TIME + REGION, [],
     ["`mesh.upper`: the domain ends at 0 on axis y, not after its start at 0 (deck:2:30)"]),
    ("domain of a size that six digits do not show", "physics: heat\nmesh: {cells: 8, lower: 2.5e-9, upper: 1.25e-9}\n" + TIME
     + REGION, [],
     ["`mesh.upper`: the domain ends at 1.25e-09 on axis x, not after its start at 2.5e-09 (deck:2:40)"]),
    ("vectors of two lengths", "physics: heat\nmesh: {cells: [8, 8], periodic: true}\n" + TIME + REGION, [],
     ["`mesh.periodic`: it has 1 entry, mesh.cells has 2 (deck:2:33)"]),
    ("not a number", GOOD, ["--set", "time.step=nan"],
     ["`time.step`: expected a number, got 'nan': it is not finite (--set time.step=nan)"]),
    ("infinite", GOOD, ["--set", "mesh.upper=[.inf, 1]"],
     ["`mesh.upper[0]`: expected a number, got '.inf': it is not finite (--set mesh.upper=[.inf, 1])"]),
    ("too large for a real", GOOD, ["--set", "time.step=1e400"],
     ["`time.step`: expected a number, got '1e400': it does not fit in a 64-bit real (--set time.step=1e400)"]),
    ("step of zero", GOOD, ["--set", "time.step=0"],
     ["`time.step`: 0 is out of range: must be above 0 (--set time.step=0)"]),
    ("negative tolerance", GOOD, ["--set", "solver.cg.relative_tolerance=-1e-3"],
     ["`solver.cg.relative_tolerance`: -0.001 is out of range: must be at least 0 and below 1 "
      "(--set solver.cg.relative_tolerance=-1e-3)"]),
    ("word for a boolean", "physics: heat\nmesh: {cells: 8, periodic: maybe}\n" + TIME + REGION, [],
     ["`mesh.periodic`: expected true or false, got 'maybe' (deck:2:28)"]),
    ("scalar for a section", "physics: heat\nmesh: 8\n" + TIME + REGION, [],
     ["`mesh`: expected a section, got '8' (deck:2:7)"]),
    ("section for a scalar", GOOD + "precision: {bits: 64}\n", [],
     ["`precision`: expected one of double, single, got a section (deck:5:12)"]),
    ("scalar for a list", "physics: heat\n" + MESH + TIME + "heat: {regions: 1}\n", [],
     ["`heat.regions`: expected a list of sections, got '1' (deck:4:17)"]),
    ("option without a value", GOOD + "precision:\n", [],
     ["`precision`: expected one of double, single, got nothing (deck:6:1)"]),
    ("required option missing", "physics: heat\n" + TIME + REGION, [],
     ["`mesh.cells`: missing (deck:1:1); it is required: Cells along each axis; one, two or three numbers."]),
    ("physics missing", MESH, [],
     ["`physics`: missing (deck:1:1); it is required: Name of the physics to solve."]),
    ("time missing", "physics: heat\n" + MESH + REGION, [],
     ["`time.step`: missing (deck:1:1); give `step` or `courant`",
      "`time.steps`: missing (deck:1:1); give `steps` or `end`"]),
    ("two ends", GOOD, ["--set", "time.end=1"],
     ["`time.end`: given together with `steps` (--set time.end=1); give one of them"]),
    ("expression cut short", "physics: heat\n" + MESH + TIME + "heat: {initial: sin(x}\n", [],
     ["`heat.initial`: 'sin(x' is not an expression of x, y, z and t: a parenthesis is not closed (deck:4:17)"]),
    ("expression of unknowns", "physics: heat\n" + MESH + TIME + "heat: {initial: 2*u}\n", [],
     ["`heat.initial`: '2*u' is not an expression of x, y, z and t: `u` is not known ..."]),
    ("expression without a value", "physics: heat\n" + MESH + TIME + "heat: {initial: 1/0}\n", [],
     ["`heat.initial`: '1/0' is not finite (deck:4:17)"]),
    ("two conductivities", GOOD, ["--set", "heat.coefficient=density", "--set", "heat.conductivity=1"],
     ["`heat.coefficient`: given together with `conductivity` (--set heat.coefficient=density); give one of them"]),
    ("conductivity that changes", GOOD, ["--set", "heat.conductivity=1+t"],
     ["`heat.conductivity`: '1+t' depends on t, but coefficients are constant in time (--set heat.conductivity=1+t)"]),
    ("conductivity below 0", GOOD, ["--set", "heat.conductivity=-1"],
     ["`heat.conductivity`: '-1' is below 0 (--set heat.conductivity=-1)"]),
    ("conductivity below 0 somewhere", GOOD, ["--set", "heat.conductivity=0.71875-x"],
     ["the diffusivity of `u`, which follows from `heat.conductivity`, is -0.09375 at (0.8125, 0.0625), but must be at least 0 "
      "and finite"]),
    ("conductivity beyond single precision", GOOD, ["--set", "precision=single", "--set", "heat.conductivity=1e60"],
     ["`heat.conductivity`: '1e60' is too large for single precision at (0.0625, 0.0625, 0), t = 0"]),
    ("wall without a value", GOOD, ["--set", "heat.boundary.west={kind: dirichlet, value: log(-1-y)}"],
     ["boundary.west: 'log(-1-y)' is not a finite number at (0, 0.0625, 0), t = 0"]),
    ("exact solution without a value", GOOD, ["--set", "heat.exact=log(x-0.5)"],
     ["`heat.exact`: 'log(x-0.5)' is not a finite number at (0.0625, 0.0625, 0), t = 0"]),
    ("source without a value", "physics: laplace\n" + MESH, ["--set", "laplace.source=1/(x-0.25)"],
     ["`laplace.source`: '1/(x-0.25)' is not a finite number at (0.25, 0, 0), t = 0"]),
    ("walls that diffusion cannot have", GOOD,
     ["--set", "heat.boundary.west.kind=zero", "--set", "heat.boundary.east={kind: robin, b: -2}"],
     ["`heat.boundary.west.kind`: `zero` does not determine the flux through the wall "
      "(--set heat.boundary.west.kind=zero); use dirichlet, neumann, robin or reflecting",
      "`heat.boundary.east.b`: robin needs `a` and `b` of one sign, got 1 and -2 "
      "(--set heat.boundary.east={kind: robin, b: -2})"]),
    ("robin without a slope on nodes", "physics: laplace\n" + MESH, ["--set", "laplace.boundary.top.b=0", "--set",
     "laplace.boundary.east={kind: robin, b: 0}"],
     ["`laplace.boundary.top`: the mesh has 2 axes and no such face (--set laplace.boundary.top.b=0)",
      "`laplace.boundary.east.b`: robin with b = 0 on nodes (--set laplace.boundary.east={kind: robin, b: 0}); "
      "use dirichlet instead"]),
    ("no node between walls", "physics: laplace\nmesh: {cells: [8, 1]}\n", [],
     ["`mesh.cells`: both nodes of axis y lie on walls with a given value: two cells or more are needed (deck:2:15)"]),
    ("stretched cells for waves", "physics: wave\nmesh: {cells: 8, growth: 1.1}\n" + TIME, [],
     ["`mesh.growth`: wave needs cells of equal width along each axis (deck:2:26); leave it out"]),
    ("blocks thinner than the ghosts", "physics: wave\nmesh: {cells: 12}\n" + TIME, ["--ranks", "4"],
     ["`mesh.cells`: axis x is cut into 4 blocks for 4 ranks, the thinnest with 3 cells, and wave reads 4 cells beyond a "
      "block (deck:2:15); use at most 3 ranks, or more cells"]),
    ("blocks thinner than the ghosts along a chosen axis",
     "physics: wave\nmesh: {cells: [64, 7], processes: [1, 2]}\n" + TIME, ["--ranks", "2"],
     ["`mesh.cells`: axis y is cut into 2 blocks for 2 ranks, the thinnest with 3 cells, and wave reads 4 cells beyond a "
      "block (deck:2:15); choose other `processes`, or more cells"]),
    ("periodic axis shorter than the ghosts", "physics: wave\nmesh: {cells: 3, periodic: true}\n" + TIME, [],
     ["`mesh.cells`: axis x is periodic, with 3 cells, and wave reads 4 cells beyond a block (deck:2:15); "
      "give at least 4 cells"]),
    ("matrix of levels", GOOD, ["--set", "solver.assembled=true", "--set", "solver.method=multigrid"],
     ["`solver.assembled`: a matrix has no coarser levels, which multigrid is made of (--set solver.assembled=true); "
      "leave it false, or use another preconditioner"]),
    ("background not everywhere", GOOD, ["--set", "heat.regions[0].shape=point", "--set",
                                         "heat.regions[0].centre=[0, 0]"],
     ["`heat.regions[0].shape`: the first region is the background (--set heat.regions[0].shape=point); "
      "make it `everywhere`"]),
    ("faces that do not fit the mesh", GOOD,
     ["--set", "heat.boundary.west.kind=periodic", "--set", "heat.boundary.top.kind=zero"],
     ["`heat.boundary.west`: the face is periodic, the mesh is not along this axis "
      "(--set heat.boundary.west.kind=periodic)",
      "`heat.boundary.top`: the mesh has 2 axes and no such face (--set heat.boundary.top.kind=zero)"]),
    ("unknown option of the output", GOOD + "output: {snapshots: {every: 2}}\n", [],
     ["`every`: unknown in output.snapshots (deck:5:22); did you mean `guard.every`? Here are known: interval, "
      "time_interval"]),
    ("a change relative to the source", GOOD, ["--set", "solver.method=jacobi", "--set", "solver.jacobi.quantity=change",
                                               "--set", "solver.jacobi.relative_to=right_hand_side"],
     ["`solver.jacobi.relative_to`: a change is relative to the first one (--set "
      "solver.jacobi.relative_to=right_hand_side); leave it `initial`"]),
    ("tab", "physics: heat\nmesh:\n\tcells: 8\n", [],
     ["`deck`: not YAML: illegal map value (deck:3:7); indent with spaces, not with tabs"]),
    ("bracket not closed", "physics: heat\nmesh: {cells: [8, 8\n", [],
     ["`deck`: not YAML: end of sequence flow not found (deck:3:1)"]),
    ("two documents", GOOD + "---\n" + GOOD, [],
     ["`deck`: more than one YAML document (deck:5:1)"]),
    ("a list", "- physics: heat\n", [],
     ["`deck`: expected options like `name: value`, got a list (deck:1:1)"]),
    ("empty deck", "", [], ["`deck`: the deck is empty (deck:1:1)"]),
    ("binary deck", "physics: heat\n\0", [], ["`deck`: not a text file (UTF-8) (deck:2:1)"]),
    ("aliases that multiply", "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
        f"{name}: &{name} [{', '.join(['*' + before] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi")), [],
     ["`deck`: aliases repeat more than 100000 values or 16 MiB of text, the most a deck may have (deck:5:32)"]),
    ("lists deeper than a deck", GOOD + "a: " + 200000 * "[", [],
     ["`deck`: sections or lists nested deeper than 64, the most a deck may have (deck:5:1004)"]),
    ("a word as the last line", GOOD + "output\n", [],
     ["`output`: a name without a colon and a value (deck:5:1); write `output: ...`, or leave it out"]),
    ("a word between lines", GOOD + "output\nprecision: single\n", [],
     ["`deck`: not YAML: illegal map value (deck:6:10); line 5 has no colon"]),
    ("an empty axis beside other mistakes of the mesh", "physics: heat\n"
     "mesh: {cells: [8, 0], periodic: true, upper: [1, -1]}\n" + TIME + REGION, [],
     ["`mesh.cells[1]`: 0 is out of range: must be at least 1 (deck:2:19)",
      "`mesh.periodic`: it has 1 entry, mesh.cells has 2 (deck:2:33)",
      "`mesh.upper`: the domain ends at -1 on axis y, not after its start at 0 (deck:2:46)"]),
    ("an empty axis beside mistakes of the physics", "physics: heat\nmesh: {cells: [8, 0]}\n" + TIME +
     "heat: {regions: [{density: 1, energy: 1, shape: point, centre: 0}], "
     "boundary: {west: {kind: zero}, top: {kind: zero}}}\n", [],
     ["`mesh.cells[1]`: 0 is out of range: must be at least 1 (deck:2:19)",
      "`heat.regions[0].shape`: the first region is the background ...",
      "`heat.regions[0].centre`: has 1 entry ...",
      "`heat.boundary.west.kind`: `zero` does not determine the flux through the wall ...",
      "`heat.boundary.top`: the mesh has 2 axes and no such face ..."]),
    ("unknown word in a tea.in", TEA.replace("x_cells", "x_cell"), [],
     ["`x_cells`: missing (deck:1:1); it is required",
      "`x_cell`: unknown in a tea.in (deck:3:1); did you mean `x_cells`?"]),
    ("method a tea.in may ask for and not get", TEA.replace("tl_use_cg", "tl_use_ppcg"), [],
     ["`tl_use_ppcg`: not available here (deck:11:1); use tl_use_cg, tl_use_chebyshev or tl_use_jacobi"]),
    ("state of a tea.in without energy", TEA.replace("energy=0.0001", ""), [],
     ["`state 1`: its energy is missing (deck:2:1)"]),
    ("negative density in a tea.in", TEA.replace("density=100.0", "density=-1"), [],
     ["`heat.regions[0].density`: -1 is out of range: must be above 0 (deck:2:17)"]),
    ("shape of a tea.in", TEA.replace("x_cells", "state 2 density=1 energy=1 geometry=triangle\nx_cells"), [],
     ["`state 2`: unknown geometry 'triangle' (deck:3:37); known: rectangle, circle, point"]),
    ("--set deeper than a deck", GOOD, ["--set", "a" + 50000 * ".a" + "=1"],
     ["`a" + 29 * ".a" + "....`: a path of 50001 parts; decks nest up to 64 deep ..."]),
    ("--set of lists deeper than a deck", GOOD, ["--set", "mesh.cells=" + 100 * "["],
     ["`" + 60 * "[" + "...`: sections or lists nested deeper than 64, the most a deck may have (--set ..."]),
    ("many mistakes", "physics: heat\nmesh: {cells: ten}\ntime: {step: -1, steps: 1}\nouput: {}\n" + REGION,
     ["--set", "solver.cg.iterations=0", "--set", "mesh.lowr=1"],
     ["`mesh.cells`: expected an integer, got 'ten' (deck:2:15)",
      "`time.step`: -1 is out of range: must be above 0 (deck:3:14)",
      "`ouput`: unknown in the deck (deck:4:1); ...",
      "`solver.cg.iterations`: 0 is out of range: must be at least 1 (--set solver.cg.iterations=0)",
      "`lowr`: unknown in mesh (--set mesh.lowr=1); did you mean `lower`?"]),
    ("--set without a value", GOOD, ["--set", "solver.method"],
     ["`solver.method`: expected name=value, with a name like `solver.method` or `mesh.cells[0]` "
      "(--set solver.method)"]),
    ("--set beyond a list", GOOD, ["--set", "mesh.cells[7]=1"],
     ["`mesh.cells`: has 2 entries, counted from [0] (--set mesh.cells[7]=1)"]),
    ("--set into a scalar", GOOD, ["--set", "physics.name=heat"],
     ["`physics`: is 'heat', not a section (--set physics.name=heat)"]),
    ("--set that is no YAML", GOOD, ["--set", "mesh.cells=[8"],
     ["`[8`: not YAML: end of sequence flow not found (--set mesh.cells=[8)"]),
    ("devices that cannot be read", GOOD, ["--set", "devices=both"],
     ["`devices`: expected `all`, how many devices (2), or which ones (0,1; one alone: [1]), got 'both' "
      "(--set devices=both)"]),
    ("no such plugin", GOOD, ["--plugin", "none.so"], ["`none.so`: ..."]),
]

# Name, arguments, and the message.
BROKEN_COMMANDS = [
    ("no subcommand", [], ["run, restart, check, diff, verify, list, bench, new-physics, test-physics or completion? "
                           "`halocline --help` explains them"]),
    ("unknown subcommand", ["rum", "good"], ["`rum`: not a subcommand of halocline; did you mean `run`?"]),
    ("subcommand that others have", ["help"], ["`help`: not a subcommand of halocline; did you mean `--help`?"]),
    ("no deck", ["run"], ["halocline run: DECK is required; see halocline run --help"]),
    ("unknown flag", ["run", "good", "--overwite"],
     ["`--overwite`: unknown to halocline run; did you mean `--overwrite`?"]),
    ("flag of another subcommand", ["check", "good", "--plot"], ["`--plot`: unknown to halocline check; ..."]),
    ("unknown flag in front", ["-x", "check", "good"],
     ["`-x`: unknown before `check`; options of halocline check follow it"]),
    ("two decks", ["run", "good", "better"], ["`better`: unknown to halocline run; known: ..."]),
    ("no value", ["run", "good", "--set"], ["halocline run: --set: 1 required ..."]),
    ("ranks that are none", ["run", "good", "--ranks", "0"], ["halocline run: --ranks: Value 0 not in range ..."]),
    ("devices that are none", ["run", "good", "--devices", "0"],
     ["halocline run: --devices: expected `all`, how many devices (2), or which ones (0,1; one alone: [1]), got '0': ..."]),
    ("quiet and verbose", ["run", "good", "--quiet", "-v"],
     ["halocline run: --verbose excludes --quiet; see halocline run --help"]),
    ("no such file", ["run", "none.yaml"], ["`none.yaml`: cannot be read: No such file or directory"]),
    ("a folder", ["run", "folder"], ["`folder`: this is a folder, not a deck"]),
    ("a huge file", ["run", "huge"], ["`huge`: larger than 16 MiB, the most a deck may be"]),
    ("folder that holds a run", ["run", "good", "--output", "old"], ["old holds a run already; --overwrite replaces it, --output chooses another folder"]),
    ("output is a file", ["run", "good", "--output", "good"], ["good cannot be the output folder: ..."]),
    ("unknown subject", ["list", "solvrs"], ["`solvrs`: nothing to list; did you mean `solvers`?"]),
    ("subject like no other", ["list", "nosuch"],
     ["`nosuch`: nothing to list; known: physics, solvers, preconditioners, integrators, options, precision, ..."]),
    ("subject without a name", ["list", "."],
     ["`.` does not begin with a name; known: physics, ..."]),
    ("part of a subject", ["list", "solvers.cg"],
     ["`solvers.cg`: nothing to list; `halocline list solvers` tells all of them"]),
    ("part of a method", ["list", "cg.flexible"],
     ["`cg.flexible`: nothing to list; `halocline list cg` tells what it is good for, and options go by their place in "
      "the deck, as in `halocline list solver.cg.flexible`"]),
    ("unknown method", ["list", "minrse"], ["`minrse`: nothing to list; did you mean `minres`?"]),
    ("unknown option", ["list", "solver.cg.iteration"],
     ["`iteration`: unknown in solver.cg; did you mean `iterations`?"]),
]


def snapshot(folder):
    """All files in a folder, with sizes and modification times."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


class BrokenInput(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def expect(self, arguments, message):
        before = snapshot(self.folder)
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=600)
        said = done.stderr.removeprefix("halocline: ").splitlines()
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(said), len(message), done.stderr)
        for line, expected in zip(said, message):
            start, dots, _ = expected.partition("...")
            self.assertEqual(line[: len(start)] if dots else line, start)
        self.assertEqual(snapshot(self.folder), before, "something was written")

    def test_decks(self):
        self.assertGreaterEqual(len(BROKEN_DECKS), 40)
        for name, text, arguments, message in BROKEN_DECKS:
            with self.subTest(name):
                (self.folder / "deck").write_text(text)
                self.expect(["run", "deck", *arguments], message)

    def test_check_says_the_same(self):
        for name, text, arguments, message in BROKEN_DECKS[:3]:
            with self.subTest(name):
                (self.folder / "deck").write_text(text)
                self.expect(["check", "deck", *arguments], message)

    def test_devices(self):
        """More than available, or none in this build; several for one block of a mesh."""
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=600).stdout
        on_devices = "Cuda" in version or "HIP" in version
        (self.folder / "deck").write_text(GOOD + "devices: [0, 0]\n")
        if on_devices:
            self.expect(["run", "deck", "--devices", "1000"],
                        ["`devices`: 1000 asked for; this process sees ..."])
            self.expect(["run", "deck"], [
                "`devices`: 2 devices for a rank, but heat computes on a mesh, where a rank uses one device "
                "(deck:5:10); start 2 times as many ranks (--ranks), or choose fewer devices"])
            self.expect(["run", "deck", "--devices", "0,0,0"], ["`devices`: 3 devices for a rank, ..."])
        else:
            for arguments, place in (([], "deck:5:10"), (["--devices", "all"], "--devices all"),
                                     (["--set", "devices=all"], "--set devices=all")):
                self.expect(["run", "deck", *arguments], [
                    f"`devices`: this build {version.split()[-1]} computes on the processor and has no devices ({place}); "
                    "leave it out, or use a build for GPUs"])
            self.expect(["check", "deck"], ["`devices`: this build ..."])

    def test_transports(self):
        """Those of devices in builds without; missing libraries."""
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=600).stdout
        (self.folder / "deck").write_text(GOOD)
        for name in ("cuda-ipc", "nccl", "nvshmem"):
            with self.subTest(name):
                if "Cuda" not in version:
                    self.expect(["run", "deck", "--set", f"halo.transport={name}"], [
                        f"`halo.transport`: {name} cannot be used here: fields are in the memory of the host, not of a "
                        f"CUDA device (--set halo.transport={name}); `auto` chooses one that can"])
                elif not pathlib.Path(PROGRAM).parents[1].joinpath(f"lib/halocline/transports/{name}.so").exists():
                    if name != "cuda-ipc":
                        self.expect(["run", "deck", "--set", f"halo.transport={name}"], [
                            f"`halo.transport`: {name} cannot be used here: this build has none: CMake did not find the "
                            f"library (--set halo.transport={name}); `auto` chooses one that can"])

    def test_ranks_say_it_once(self):
        for name, text, arguments, message in BROKEN_DECKS[-6:-5]:
            with self.subTest(name):
                (self.folder / "deck").write_text(text)
                self.expect(["run", "deck", "--ranks", "2", *arguments], message)

    def test_signals_end_a_check_at_once(self):
        os.mkfifo(self.folder / "deck")  # a deck that never arrives
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name), subprocess.Popen(
                    [PROGRAM, "check", "deck"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    text=True) as check:
                self.addCleanup(check.kill)
                deck = self.opened_by_reader(self.folder / "deck")
                check.send_signal(number)
                out, said = check.communicate(timeout=600)
                os.close(deck)
                self.assertEqual((check.returncode, out, said), (5, "", "halocline: stopped by a signal\n"))

    def opened_by_reader(self, path):
        """A pipe to write to, once it has a reader."""
        for _ in range(3000):
            try:
                return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.02)
        self.fail("nobody reads the deck")

    def test_commands(self):
        (self.folder / "good").write_text(GOOD)
        (self.folder / "folder").mkdir()
        (self.folder / "old").mkdir()
        (self.folder / "old" / "summary.json").write_text("{}")
        with open(self.folder / "huge", "w") as huge:
            huge.truncate(1 << 30)
        for name, arguments, message in BROKEN_COMMANDS:
            with self.subTest(name):
                self.expect(arguments, message)


if __name__ == "__main__":
    unittest.main()
