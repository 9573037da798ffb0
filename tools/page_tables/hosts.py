"""What was measured on the cores of hosts."""
import re

from .records import (binary, digits, duration, fixed, link, median, microseconds, milliseconds, one, percent, record, rows,
                      scientific, size, table, without_repeats)


@table
def tealeaf():
    made = [["deck, ten steps", "Halocline's method", "TeaLeaf, CG", "Halocline", "speedup", "speedup, steps only",
             "record"]]
    for preconditioner, words in (("multigrid", "CG with multigrid"), ("cg", "CG")):
        for cells, deck in ((250, "tea_bm_2"), (500, "tea_bm_3"), (1000, "tea_1000"), (2000, "tea_2000"), (4000, "tea_4000")):
            if preconditioner == "cg" and cells > 1000:
                continue
            race = record(f"tealeaf_{cells}_{preconditioner}")
            runs = len(race["ours"]["whole_seconds"])
            made.append([f"{deck}, {cells}²" + (", one run of each" if runs == 1 else ""), words,
                         duration(race["theirs"]["whole_median"]), duration(race["ours"]["whole_median"]),
                         f"{race['whole_ratio']:.1f}", f"{race['inner_ratio']:.1f}", link(f"tealeaf_{cells}_{preconditioner}")])
    return made


@table
def poisson_peers():
    problems = {"128": "128³, constant", "256": "256³, constant", "128_jump": "128³, checkerboard"}
    peers = {"hypre": "hypre 2.26, PFMG", "petsc": "PETSc 3.18, geometric multigrid", "smg": "hypre 2.26, SMG",
             "boomeramg": "hypre 2.26, BoomerAMG"}
    known = ["128_hypre", "128_petsc", "128_smg", "128_boomeramg", "256_hypre", "256_petsc", "128_jump_hypre",
             "128_jump_petsc", "128_jump_smg", "128_jump_boomeramg"]
    once = {"128_hypre", "128_petsc", "256_hypre", "256_petsc", "128_jump_hypre", "128_jump_petsc"}
    made = []
    for name in known:
        problem, peer = name.rsplit("_", 1)
        line = [problems[problem], peers[peer]]
        names = []
        for there, ending in ((name != "256_petsc", ""), (name in once, "_once")):
            if not there:
                line += ["", "", ""]
                continue
            names.append(f"poisson_{name}{ending}")
            race = record(names[-1])
            line += [duration(race["theirs"]["inner_median"]), duration(race["ours"]["inner_median"]),
                     f"{race['inner_ratio']:.1f}"]
        made.append([*line, link(*names)])
    return [["problem", "peer", "fourth solve: peer", "Halocline", "speedup", "first solve: peer", "Halocline", "speedup",
             "records"],
            *without_repeats(made)]


@table
def random_configurations():
    ran = record("random_configurations")["rows"]
    outcomes = {"agrees": "agrees", "ended": "ends with 3", "refused": "refused with 2"}
    made = [["physics", "configurations", *outcomes.values(), "fails"]]
    for physics in sorted({row["physics"] for row in ran}):
        ends = [row["outcome"] for row in ran if row["physics"] == physics]
        made.append([physics, str(len(ends)), *(str(ends.count(name)) for name in outcomes),
                     str(ends.count("failed"))])
    return made


FUNCTORS = {"laplace": "diffusion, coefficients in memory",
            "reaction": "−div(k grad u) + c u: five or seven points, face couplings stored",
            "tensor": "full tensor: nine points, evaluated in every pass"}


@table
def point_functors():
    places = [("point_functors", [1024, 1024], "two cores"), ("point_functors", [128, 128, 128], "two cores"),
              ("point_functors_h200", [1024, 1024], "H200"), ("point_functors_h200", [128, 128, 128], "H200"),
              ("point_functors_large_h200", [4096, 4096], "H200"), ("point_functors_large_h200", [256, 256, 256], "H200")]
    made = [["functor", *(f"{where}, {size(cells)}" for _, cells, where in places)]]
    for physics, words in FUNCTORS.items():
        line = [words]
        for name, cells, _ in places:
            found = rows(name, physics=physics, cells=cells)
            if not found:
                line.append("")
            elif physics == "laplace":
                line.append(milliseconds(median(found[0]["seconds"])))
            else:
                line.append(f"{fixed(found[0]['of_diffusion'])} × that")
        made.append(line)
    return made


@table
def sweeps_host():
    cases = {"7-point, double": "7-point, double, 256³", "5-point, 4096 x 4096, double": "5-point, double, 4096²",
             "7-point and dot product, double": "7-point and dot product, double, 256³",
             "Jacobi step and norms, double": "Jacobi step and norms, double, 256³"}
    places = ("sweep_near_memory", "sweep_far_memory")
    return [["sweep, of the best copy", "near memory", "far memory"],
            *([words, *(fixed(one(place, "cases", name=name)["of_best_copy_median_bytes_per_second"]) for place in places)]
              for name, words in cases.items())]


@table
def stages():
    names = [("stages_host", "two cores, 4096²"), ("stages_8192_h100", "H100, 8192²"), ("stages_16384_h100", "H100, 16384²")]
    made = [["stage, of copy",
             *(f"{words}, {form}" for _, words in names for form in ("from the functor", "by hand"))]]
    for stage in ("first stage", "second stage"):
        made.append([stage, *(fixed(one(name, form=form, problem=lambda problem: stage in problem)["of_copy"], 3)
                              for name, _ in names for form in ("as declared", "written by hand"))])
    return made


@table
def guard_cost():
    cases = {"wave, 128^3, single": "wave, 128³, single", "weighted sum, 128^3, double": "weighted sum, 128³, double",
             "heat, 64^3, cg": "heat, 64³, CG", "wave, 64 cells": "wave, 64 cells",
             "wave, 100,000 cells": "wave, 100,000 cells"}
    return [["run", "one rank", "two ranks"],
            *([words, *(percent(one("guard_cost", case=case, ranks=ranks)["share"], 2) for ranks in (1, 2))]
              for case, words in cases.items())]


@table
def io_ranks():
    made = [["computing ranks", "disk busy: planned", "measured", "slowdown, all ranks write",
             "slowdown, one I/O rank", "record"]]
    for name, ranks in (("io_ranks_h100", "two, an H100 each"), ("io_ranks_host_15", "two of 15 threads, on 32 cores"),
                        ("io_ranks_host_8", "two of 8 threads, on 32 cores")):
        run = record(name)
        meant = re.search(r"--load ([\d.]+)", run["command"])
        busy = fixed(median(run["disk_busy"])) if "disk_busy" in run else "not recorded"
        made.append([ranks, meant[1] if meant else "0.5", busy, percent(run["slower"]["all ranks write"], 0),
                     percent(run["slower"]["I/O ranks write"]), link(name)])
    return made


@table
def transports_host():
    return [["bytes", "mpi-host", "shared-memory"],
            *([binary(row["bytes"]), *(microseconds(row["seconds"][name], 2 if row["seconds"][name] < 1e-5 else 3)
                                             for name in ("mpi-host", "shared-memory"))]
              for row in rows("transports_host"))]


@table
def overlap_host():
    made = []
    for cells in (32, 64, 128):
        for transport, name in (("shared-memory", "overlap_host"), ("mpi-host", "overlap_mpi_host")):
            hidden, waiting = (one(name, cells=cells, overlap=overlap) for overlap in (True, False))
            made.append([f"{cells}³", transport, microseconds(hidden["seconds_a_step"]), microseconds(waiting["seconds_a_step"]),
                         fixed(hidden["seconds_a_step"] / waiting["seconds_a_step"]),
                         f"{1e6 * hidden['seconds_waiting']:.1f} us", f"{1e6 * waiting['seconds_waiting']:.1f} us"])
    return [["cells", "transport", "step: overlap", "no overlap", "ratio", "wait for ghosts: overlap", "no overlap"],
            *without_repeats(made)]


def candidate(problem, name):
    return next(row for row in problem["rows"] if row["candidate"] == name)


# problem of the record: its words, the choice, an alternative without multigrid, notes (`noted` fills in their figures)
CHOICES = {
    "constant coefficients, 2D": ("constant coefficients, 240²", ["cg, multigrid", "multigrid"], "cg", ""),
    "constant coefficients, 3D": (
        "constant coefficients, 40³", ["cg, multigrid", "multigrid"], "cg",
        "few cells along an axis: plain `cg` is not far behind"),
    "coefficient that jumps by 1e4": (
        "coefficient that jumps by 1e4, 240²", ["cg, multigrid"], "cg, chebyshev",
        "`multigrid` alone and plain `cg` reach the limit; the error is {error of cg, multigrid}, see below"),
    "stretched mesh": (
        "stretched mesh, cells up to 11 times as wide as others", ["cg, multigrid"], "cg, chebyshev",
        "`multigrid` alone: {multigrid} iterations; `jacobi` as a preconditioner more than halves those of `cg` ({cg} to "
        "{cg, jacobi})"),
    "cells ten times as wide as high": (
        "cells ten times as wide as high", ["cg, multigrid"], "cg, chebyshev",
        "`chebyshev` alone ({chebyshev} iterations) and plain `cg` ({cg}) take about as long as `cg` with `chebyshev`"),
    "insulated, long step": ("insulated walls, long time step", ["cg, multigrid", "multigrid"], "cg", ""),
    "insulated, 100 short steps": (
        "insulated walls, 100 short time steps", ["cg"], "minres",
        "with a preconditioner `cg` takes at least twice as long; `jacobi` alone takes {jacobi} iterations"),
    "constant coefficients, 2D, single precision": (
        "constant coefficients in single precision, 240²", ["cg, multigrid", "multigrid"], "cg",
        "all but `jacobi` converge to rounding; estimated errors from {least error} to {largest error}"),
    "flow that turns round": (
        "recirculating flow, 240², cell Péclet numbers up to 1", ["gmres, multigrid", "bicgstab, multigrid"], "bicgstab",
        "`gmres` alone reaches the limit; `multigrid` alone finds the operator not definite"),
    "flow that turns round, strong": (
        "the same, 16 times as strong, upwind", ["bicgstab, multigrid", "gmres, multigrid"], "bicgstab, jacobi", ""),
    "flow that turns round, hardly mixed": (
        "the same, almost pure advection (diffusivity 1e-6)", ["bicgstab, multigrid", "gmres, multigrid"], "bicgstab, ilu",
        "`multigrid` alone finds the operator not definite; all others reach the limit"),
    "flow through a plane, hardly mixed": (
        "flow through a plane, 240², almost pure advection (diffusivity 1e-5)", ["bicgstab, ilu"], "bicgstab, gauss_seidel",
        "`gmres` and `bicgstab` with `multigrid`: {gmres, multigrid} and {bicgstab, multigrid} iterations"),
    "flow through a box": (
        "flow through a box, 40³", ["gmres, multigrid", "bicgstab, multigrid"], "bicgstab, jacobi",
        "`multigrid` alone: {multigrid} iterations"),
    "Helmholtz": (
        "Helmholtz equation, 2.6 wavelengths across 240²", ["minres"], "minres, gauss_seidel",
        "`gauss_seidel` halves the iterations, not the time; `cg` and `multigrid` find the operator not definite, `gmres` "
        "reaches the limit and stalls with `multigrid`"),
}


def words_of_candidate(name):
    method, _, preconditioner = name.partition(", ")
    return f"`{method}` with `{preconditioner}`" if preconditioner else f"`{method}`"


def noted(note, candidates):
    """A note of CHOICES with its figures from the rows of the problem: {CANDIDATE} is the number of iterations, {error of
    CANDIDATE} the estimated error; {least error} and {largest error} are those of all candidates."""
    errors = {row["candidate"]: row["error_estimate"] for row in candidates if row.get("error_estimate") is not None}
    figures = {row["candidate"]: str(row["iterations"]) for row in candidates}
    figures |= {f"error of {name}": scientific(error) for name, error in errors.items()}
    for which, extreme in (("least error", min), ("largest error", max)):
        name = extreme(errors, key=errors.get)
        figures[which] = f"{scientific(errors[name])} ({words_of_candidate(name)})"
    return note.format_map(figures)


@table
def solver_choices():
    made = [["problem", "choice", "iterations", "time", "alternative without multigrid", "iterations", "time", "notes"]]
    for problem in record("solver_choices")["problems"]:
        words, chosen, other, note = CHOICES[problem["problem"]]
        found = [candidate(problem, name) for name in chosen]
        beside = candidate(problem, other)
        made.append([words, " or ".join(words_of_candidate(name) for name in chosen),
                     " or ".join(str(row["iterations"]) for row in found),
                     " or ".join(duration(row["seconds"], 2) for row in found),
                     words_of_candidate(other), str(beside["iterations"]), duration(beside["seconds"], 2),
                     noted(note, problem["rows"])])
    return made


@table
def assembled():
    made = [["where", "size", "precision", "product", "of a copy", "by the stencil", "iteration", "of a copy", "by the stencil"]]
    for name, where in (("assembled_host", "two cores"), ("assembled_h100", "an H100")):
        found = rows(name, benchmark="assembled")
        for product, iteration in zip(found[::2], found[1::2], strict=True):
            _, precision, extents = product["problem"].split(", ")
            line = [where, size(extents), precision]
            for row in (product, iteration):
                line += [duration(row["median_seconds"]), fixed(row["of_copy"]), duration(row["peer"]["seconds"])]
            made.append(line)
    return [made[0], *without_repeats(made[1:])]


@table
def full_multigrid():
    words = {"2D cells, sines": "256², cells, product of sines", "2D nodes, sines": "256², nodes",
             "3D cells, sines": "128³, cells", "3D cells, two wavelengths": "128³, two wavelengths",
             "3D cells, values on walls": "128³, values on all walls",
             "3D cells, walls of three kinds": "128³, walls of three kinds", "2D cells, stretched": "128², stretched mesh"}
    made = [["problem", "error after the first iteration over the discretisation error: cycle", "full",
             "full, `start_cycles: 2`", "time, full", "iterations to 1e-10, cycle", "full"]]
    for problem, named in words.items():
        starts = {row["start"]: row for row in one("full_multigrid", "problems", problem=problem, ranks=1)["rows"]}
        made.append([named, f"{starts['cycle']['error_ratio']:.0f}",
                     *(fixed(starts[start]["error_ratio"]) for start in ("full", "full, two cycles")),
                     duration(starts["full"]["seconds_of_first_iteration"], 2),
                     *(str(starts[start]["iterations"]) for start in ("cycle", "full"))])
    return made


@table
def standing_jump():
    made = [["cells", "`van_leer`: jump", "behind", "`minmod`: jump", "behind"]]
    for cells in dict.fromkeys(row["cells"] for row in rows("standing_jump")):
        found = [one("standing_jump", cells=cells, limiter=limiter) for limiter in ("van_leer", "minmod")]
        made.append([str(cells), *(f"{digits(100 * row[where], 2)} %" for row in found for where in ("in_the_jump", "behind"))])
    return made


@table
def sponge():
    wavelengths = list(dict.fromkeys(row["wavelengths"] for row in rows("sponge")))
    made = [["`reflection`", *(f"{number} wavelength{'' if number == 1 else 's'} in the sponge" for number in wavelengths)]]
    for reflection in dict.fromkeys(row["reflection"] for row in rows("sponge")):
        found = [one("sponge", reflection=reflection, wavelengths=number)["returned"] for number in wavelengths]
        made.append([scientific(reflection, 1), *(f"{digits(100 * part, 2)} %" for part in found)])
    return made
