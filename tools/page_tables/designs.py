"""Designs that were tried: what was expected of each, what was measured."""
import math
import re

from .records import (binary, digits, duration, fixed, median, microseconds, milliseconds, one, parts_of_problem, percent,
                      powers, record, rows, size, starts_with, table, without_repeats)


def described(name, words, key="designs"):
    """The designs of a record in its order, each with its words in a page; `words` must have as many."""
    return list(zip(words, record(name)[key], strict=True))


def of_copy(values, cases):
    return ", ".join(fixed(values[case], 3) for case in cases if case in values)


@table
def sweep_designs_host():
    made = [["design", "predicted", "median of eight runs", "near memory", "far memory"]]
    words = [("16-point segments of four rows, ordinary stores, prefetch at a distance in bytes", "0.67"),
             ("64-point segments of a row, non-temporal stores, prefetch four rows ahead", "1.0"),
             ("the second, with four rows at a time that share loads in registers (used)", "0.87 to 0.94 near")]
    for (design, predicted), found in described("sweep_designs", words):
        levels = []
        for near in (True, False):  # a copy takes 3.8 ms or 6 ms
            parts = [run["of_best_copy"] for run in found["runs"] if (run["best_copy_median_seconds"] < 0.005) == near]
            levels.append(f"{fixed(min(parts))} to {fixed(max(parts))}")
        made.append([design, predicted, fixed(found["median_of_best_copy"]), *levels])
    return made


@table
def sweep_designs_h100():
    words = [("3 or 4 rows per thread, streaming stores (`.cs`); 1D by the direct form", "baseline"),
             ("clusters of two blocks that load their common rows once (multicast)", "0.965, 0.955; 0.94; star 0.91"),
             ("256 threads of 8 rows, to avoid register spills", "Jacobi 0.945, 0.95"),
             ("256 × 9 tiles for sweeps with sums, too", "Jacobi 0.94"),
             ("partial sums merged in shared memory, in sets of 1024", "Jacobi 0.930, 2D 0.955"),
             ("2D: chunks of 128 rows", "2D 0.955"),
             ("25-point star: 6 rows per thread, 192 threads", "star 0.89"),
             ("1D: streaming, one block per multiprocessor", "1D 0.947"),
             ("1D: stretches of 32 rows assigned dynamically", "1D 0.955"),
             ("stores that bypass L1 only (`.cg`), with all that was faster above", "1D 0.006 more"),
             ("the same, pace 2 for sweeps with sums", ""),
             ("bulk copies marked evict-first in L2", "0.005 more"),
             ("stores marked evict-last in L2", "")]
    columns = [("laplacian_512", "laplacian_1024"), ("jacobi_512", "jacobi_1024"), ("star_768",), ("jacobi_2d",), ("jacobi_1d",)]
    return [["design", "predicted", "Laplacian 512³, 1024³", "Jacobi 512³, 1024³", "25-point star", "2D", "1D"],
            *([design, predicted, *(of_copy(found["of_copy"], column) for column in columns)]
              for (design, predicted), found in described("sweep_designs_h100", words))]


@table
def one_place_h100():
    """One buffer for norms beside two alternating ones."""
    made = [["sweep with norm", "one buffer", "two alternating buffers", "of copy: one buffer", "two"]]
    for row in rows("sweeps_one_place_h100", benchmark=lambda name: name.startswith("jacobi")):
        other = one("sweeps_h100", problem=row["problem"])
        made.append([", ".join(parts_of_problem(row["problem"])).replace(" and norm", ""), duration(row["median_seconds"]),
                     duration(other["median_seconds"]), fixed(row["of_copy"], 3), fixed(other["of_copy"], 3)])
    return made


@table
def tunings_h100():
    def form_of(row):
        if not row["form"].startswith("streaming"):
            return row["form"]
        return "paced" if "pace" in row["form"] else "streaming"
    problems = list(dict.fromkeys(row["problem"] for row in rows("tunings_h100")))
    made = [["form", *(parts_of_problem(problem)[0] for problem in problems)]]
    for form, words in (("portable", "portable (`MDRangePolicy`)"), ("direct", "direct"),
                        ("streaming", "streaming, best without a pace"), ("paced", "streaming, best with a pace")):
        made.append([words, *(fixed(max(row["of_copy"] for row in rows("tunings_h100", problem=problem) if form_of(row) == form))
                              for problem in problems)])
    return made


@table
def leapfrog_shapes():
    counts = sorted({row["rows_a_thread"] for row in rows("leapfrog_shapes")})
    made = []
    for device in dict.fromkeys(row["device"] for row in rows("leapfrog_shapes")):
        for cells in sorted({row["cells"] for row in rows("leapfrog_shapes", device=device)}):
            line = [device, f"{cells}³"]
            for count in counts:
                found = rows("leapfrog_shapes", device=device, cells=cells, rows_a_thread=count)
                line.append(fixed(max(row["of_copy"] for row in found)) if found else "")
            made.append(line)
    return [["best tile, of copy", "cells", *(f"{count} rows per thread" for count in counts)], *without_repeats(made)]


@table
def star_designs_h200():
    words = ["rows copied into stages of planes, values shifted through registers",
             "columns in rings of registers, one copy per plane of a tile", "partial sums: each plane is added to nine outputs",
             "the second design with other kinds of stores", "the second design without one or two of its parts"]
    made = [["25-point star, 768³, single", "variants", "predicted", "fastest", "of copy"]]
    for design, found in described("star_designs_h200", words):
        fastest = min(found["measured"].values(), key=lambda row: row["milliseconds"])
        expected = list(found["expected_milliseconds"].values())
        predicted = "" if not expected else f"{digits(min(expected))} ms"
        if len(set(expected)) > 1:
            predicted = f"{digits(min(expected))} to {digits(max(expected))} ms"
        made.append([design, str(len(found["measured"])), predicted, f"{digits(fastest['milliseconds'])} ms",
                     fixed(fastest["of_copy"])])
    return made


@table
def law_designs_h100():
    words = ["each cell evaluates all its faces", "threads of a tile evaluate lower faces, 32 × 16 threads (used)",
             "32 × 12 threads",
             "32 × 8 threads, two blocks per multiprocessor",
             "32 × 16 threads, fused multiply-add: bits differ from those on hosts"]
    made = [["design", "registers per thread", "predicted at 256³", "128³, time per step", "256³, time per step",
             "256³, 1e9 cell updates/s"]]
    for design, found in described("law_designs_h100", words):
        small, large = found["rows"]
        predicted = found["predicted_seconds_a_step_256"]
        made.append([design, str(found["registers_of_a_thread"]), f"{digits(1e3 * predicted)} ms" if predicted else "",
                     f"{digits(1e3 * small['seconds_a_step'])} ms", f"{digits(1e3 * large['seconds_a_step'])} ms",
                     digits(large["cell_steps_a_second"] / 1e9)])
    return made


SOLVER_DESIGNS = ["all coefficients loaded with borders on all sides; vector updates by the direct form",
                  "direct form: loads of four steps before the stores of the first",
                  "vector updates by the streaming form; coefficients loaded with borders along their own axis only",
                  "256 threads of 3 or 4 rows where coefficients are read",
                  "rows and threads by an estimate of registers that counts all inputs",
                  "alpha and beta in device memory, iterations enqueued ahead of the host",
                  "a branch skips points outside the sponge", "a precomputed factor per axis (used)",
                  "one kernel, every barrier fences", "one kernel, only barriers that publish r fence (used)"]


@table
def solver_designs_h100():
    cases = ("cg double", "cg single", "jacobi double", "jacobi single")
    made = [["four coefficients, 512³", *(f"{case.replace('cg', 'CG').replace('jacobi', 'Jacobi').replace(' ', ', ')}, ms"
                                           for case in cases)]]
    for design, found in described("solver_designs_h100", SOLVER_DESIGNS)[:6]:
        values = found["milliseconds"]
        made.append([design, *(digits(values[case]) if case in values else "" for case in cases)])
    return made


@table
def scalars_ahead_h100():
    designs = described("solver_designs_h100", SOLVER_DESIGNS)
    before, after = designs[4][1]["milliseconds"], designs[5][1]["milliseconds"]

    def now(case, precision):
        return milliseconds(one("deck_rates_h100", case=case, precision=precision)["seconds_an_iteration"])
    precisions = ("double", "single")
    return [["CG ahead of the host, 512³", "before", "scalars loaded for every row", "scalars loaded once (used)"],
            *([f"without coefficients, {precision}", "", f"{digits(after[f'cg {precision}, no coefficients'])} ms",
               now("Dirichlet walls", precision)] for precision in precisions),
            *([f"four coefficients, {precision}", f"{digits(before[f'cg {precision}'])} ms",
               f"{digits(after[f'cg {precision}'])} ms", now("stretched mesh: four coefficients", precision)]
              for precision in precisions)]


@table
def sponge_designs_h100():
    made = [["leapfrog step in a medium with a sponge, 512³", "double", "of Dirichlet", "single", "of Dirichlet"]]
    precisions = ("double", "single")
    line = ["every point computes its depth and divides, with a sponge or without"]
    for precision in precisions:
        row = one("deck_rates_h100", case="wave in a medium: three fields", precision=precision)
        line += [milliseconds(row["seconds_an_iteration"]), fixed(row["of_dirichlet"])]
    made.append(line)
    for design, found in described("solver_designs_h100", SOLVER_DESIGNS)[6:8]:
        made.append([design, *(words for precision in precisions for words in
                               (f"{digits(found['milliseconds'][f'with a sponge {precision}'])} ms",
                                fixed(found["of_dirichlet"][f"with a sponge {precision}"])))])
    return made


@table
def small_solves_h100():
    made = [["CG, 64³ cells, time per iteration", "double", "single"]]
    for design, found in described("solver_designs_h100", SOLVER_DESIGNS)[8:]:
        made.append([design, *(f"{digits(found['microseconds_a_step'][precision])} us" for precision in ("double", "single"))])
    made.append(["the same, in runs of decks (deck_rates_64_h100)",
                 *(duration(one("deck_rates_64_h100", precision=precision)["seconds_an_iteration"]) for precision in
                   ("double", "single"))])
    return made


@table
def graphs_h100():
    made = [["Jacobi iteration, double", "replayed as a graph", "launched one by one"]]
    for row in rows("graphs_h100"):
        taken = row["microseconds_an_iteration"]
        made.append([f"{row['cells']}³", *(f"{digits(median(taken[way]))} us" for way in ("graphs", "no graphs"))])
    return made


@table
def shared_device_designs_h100():
    words = ["processes time-share the device", "multi-process service",
             "the same, single-copy messages (`cma`)", "the same, messages through shared memory"]
    made = [["design", "two ranks, ms per iteration", "four ranks"]]
    for design, found in described("shared_device_designs_h100", words):
        made.append([design, *(digits(found["milliseconds"][ranks]) for ranks in ("2", "4"))])
    return made


MULTIGRID_DESIGNS = {
    "half-sweeps, one thread an unknown": "a sweep for each colour, one thread per unknown",
    "both colours in one sweep, streamed; shells by half-sweeps":
        "both colours in one streaming sweep; in the shell a sweep for each colour",
    "loops launched at once, cycles replayed as a graph": "loops launched together, cycles replayed as a graph",
    "threads find out once which colour their points have; no pass for the largest residual: double":
        "threads determine the colour of their points once; no pass for the largest residual: double",
    "the same with two rows a thread: double": "the same with two rows per thread: double",
    "the same with two rows a thread: single": "the same with two rows per thread: single",
    "levels up to 32³ by one block of threads": "levels up to 32³ in one block of threads",
    "levels up to 32³ by a cluster of eight blocks, those up to 16³ by one of them; one division a point":
        "levels up to 32³ in a cluster of eight blocks, those up to 16³ in one of them; one division per point",
    "what describes the levels goes with the launch; no quotients in transfers":
        "level descriptions passed as kernel arguments; no integer divisions in transfers",
    "levels that one block does stay in its shared memory": "levels of a single block stay in its shared memory",
    "shells of boxes on a stream beside the sweeps of what is inside (deleted)":
        "shells on a second stream beside the interior sweeps (deleted)",
    "interpolation by columns of pairs (of one kernel at 512³, profiled)":
        "interpolation by columns of pairs of fine unknowns (one kernel, profiled)",
    "V(2,2) by a cluster": "V(2,2) with the coarse levels in a cluster",
    "no quotients in transfers, families restricted with what they share loaded once":
        "no integer divisions in transfers; restriction loads values that children share once"}


@table
def multigrid_designs_h100():
    kinds = {"cycle": "a V-cycle", "full": "full multigrid"}
    made = []
    for row in rows("multigrid_designs_h100"):
        predicted = row.get("predicted_milliseconds", {})
        design = powers(row["design"]).removeprefix("V-cycle: ").removeprefix("full multigrid: ")
        design = MULTIGRID_DESIGNS.get(design, design)
        for cells, taken in row["milliseconds"].items():
            if cells in ("512", "cycle 64", "full 512") or cells in predicted:
                single = row.get("single_milliseconds", {}).get(cells)
                what = "a kernel" if "one kernel" in design else kinds.get(cells.split()[0], "a solve")
                expected = f"{digits(predicted[cells])} ms" if cells in predicted else ""
                made.append([design, what, f"{cells.split()[-1]}³", expected, f"{digits(taken)} ms",
                             f"{digits(single)} ms" if single else ""])
    return [["design", "timed", "cells", "predicted", "measured", "in single precision"], *without_repeats(made)]


@table
def relaxation_h100():
    return [["relaxation of 508³ unknowns", "precision", "bytes per unknown", "time", "of copy"],
            *([row["sweep"], row["precision"], str(row["bytes_an_unknown"]), f"{digits(row['microseconds'])} us",
               fixed(row["of_copy"])] for row in record("multigrid_designs_h100")["sweeps"]["rows"])]


@table
def exchange_designs_h100():
    expected = record("exchange_designs_h100")["predicted_seconds"]

    def taken(name, transport, number, graph):
        return duration(one(name, transport=transport, bytes=number, graph=graph, split=False)["seconds"])
    places = {"nvshmem, 64 KiB, in a graph, put with a signal for each KiB":
                  taken("exchange_designs_h100", "nvshmem", 1 << 16, True),
              "nvshmem, 64 KiB, in a graph, stored with a flag for each four bytes":
                  taken("exchange_h100", "nvshmem", 1 << 16, True),
              "shared-memory, 4 MiB (two copies over PCIe at a time, 50 GB/s each)":
                  taken("exchange_h100", "shared-memory", 1 << 22, True),
              "mpi-host, 4 MiB in parts of 1 MiB": taken("exchange_h100", "mpi-host", 1 << 22, False)}
    made = [["exchange between two H100", "predicted", "measured"]]
    for words, seconds in expected.items():
        made.append([words, duration(seconds), places[words]])
    return made


@table
def nvshmem_designs_h100():
    """Messages put with signals, beside what was kept: small ones are stored."""
    made = [["nvshmem, launched one by one", "all put with signals", "small ones stored with flags (used)"]]
    for number in (1 << 12, 1 << 16, 1 << 20, 1 << 22, 1 << 24):
        found = [one(name, transport="nvshmem", bytes=number, graph=False, split=False)
                 for name in ("exchange_designs_h100", "exchange_h100")]
        made.append([binary(number), *(duration(row["seconds"]) for row in found)])
    return made


@table
def nbody_designs_h100():
    expected = record("nbody_designs_h100")["predicted_of_bound_at_262144"]
    loops = (64, 32, 16)
    made = []
    for bodies in (65536, 262144):
        for targets in (1, 4, 8):
            words = f"{targets} target" + ("s" if targets > 1 else "")
            predicted = " to ".join(fixed(part) for part in expected[words]) if bodies == 262144 else ""
            made.append([f"{bodies:,}", str(targets), predicted,
                         *(fixed(one("nbody_designs_h100", bodies=bodies, targets_of_a_thread=targets,
                                     interactions_of_a_loop=loop)["of_bound"], 3) for loop in loops)])
    return [["bodies", "targets per thread", "predicted, of bound", *(f"loop of {loop} interactions" for loop in loops)],
            *without_repeats(made)]


@table
def nbody_counters_h100():
    counters = record("nbody_designs_h100")["counters"]
    stalls = counters["stalled_warps_per_issue_percent"]
    return [["attraction of 65,536 bodies", "counted"],
            ["cycles in which an instruction is issued", f"{digits(counters['issue_slots_busy_percent'])} %"],
            ["eligible warps per scheduler", digits(counters["eligible_warps_per_scheduler"])],
            ["active warps per scheduler", digits(counters["active_warps_per_scheduler"])],
            *([f"warps stalled by `{reason}` per issue, %", digits(part)] for reason, part in stalls.items())]


@table
def nbody_instructions():
    made = []
    for row in rows("nbody_instructions"):
        real, targets = re.search(r"Shape<(\w+), (\d+)", row["kernel"]).groups()
        made.append([{"float": "single", "double": "double"}[real], targets, digits(row["instructions_of_unit"], 4)])
    return [["attraction, compiled for sm_90", "targets per thread", "instructions per interaction"],
            *without_repeats(sorted(made, reverse=True))]


@table
def block_stages_h100():
    """What adds up the numbers of a block: ranges of its speed beside what is used, and whether its bits are the same."""
    used = "cub::WarpReduce within warps, then of warps"
    pairs = "pairs of eight neighbours in shared memory, then cub::WarpReduce; blocks of 256 threads"
    forms = {used: ("`cub::WarpReduce` within warps, then over the warps' sums", "used in sums of arrays"),
             "cub::BlockReduce, warp reductions": ("`cub::BlockReduce`, warp reductions", "bits differ"),
             "cub::BlockReduce, raking": ("`cub::BlockReduce`, raking", "bits differ"),
             "cub::BlockReduce, raking, commutative only": ("`cub::BlockReduce`, raking, commutative only", "bits differ"),
             pairs: ("pairwise sums of eight neighbours in shared memory, then `cub::WarpReduce`",
                     "small gain; bits not tested on a device with sums that round"),
             "a thread merges the sums of warps": ("one thread merges the warps' sums", "used in sweeps"),
             "cub::WarpReduce merges the sums of warps": ("`cub::WarpReduce` merges the warps' sums", "no faster")}
    name = "block_stages_h100"
    other_bits = record(name)["other_bits"]["part_of_blocks"]

    def values_of(problem):
        return math.prod(int(number) for number in problem.rsplit(", ", 1)[1].split(" x "))

    groups = [lambda problem: problem.startswith("sum") and values_of(problem) <= 16384,
              lambda problem: problem.startswith("sum") and 16384 < values_of(problem) < 1 << 22,
              lambda problem: problem.startswith("sum") and values_of(problem) >= 1 << 22,
              lambda problem: problem.startswith("segmented"), lambda problem: " and norm" in problem]
    made = [["block stage", "sums of 1024 to 16,384", "of 65,536 to 2²⁰", "of 2²² to 2²⁸", "of segments", "sweeps with norm",
             "blocks whose bits differ", "verdict"]]
    for form, (words, verdict) in forms.items():
        line = [words]
        for group in groups:
            parts = [row["of_today"] for row in rows(name, form=form, problem=group)]
            line.append("" if not parts else "1" if set(parts) == {1} else f"{fixed(min(parts))} to {fixed(max(parts))}")
        bits = one(name, form=form, problem=rows(name, form=form)[0]["problem"])["order_of_today"]
        if bits != (other_bits.get(form, 0) == 0):
            raise ValueError(f"{form}: other bits than its order says")
        made.append([*line, percent(other_bits[form], 0) if form in other_bits else "none", verdict])
    return made


# design of the record: words, and those of what was predicted where they are others
ASSEMBLED_DESIGNS = {
    "Kokkos Kernels' product, 32-bit columns; x . y by a pass of its own": (
        "Kokkos Kernels' product, 32-bit columns; x · y in a separate pass",
        "iteration 0.75 at 96³, if 12 instead of 16 bytes per entry are the whole difference"),
    "rows of ours that ask for entries 640 ahead": (
        "our own row loop, prefetch 640 entries ahead",
        "product 0.8, iteration 0.8: hardware prefetches too little of two streams"),
    "the same in large pages (deleted)": ("the same in large pages (deleted)", "product 0.85: no waits for address translation"),
    "rows that ask ahead, with x . y in the same loop (what is used)": (
        "row loop with prefetch, x · y in the same loop (used)",
        "iteration faster by a tenth: 168 instead of 184 bytes per unknown"),
    "Kokkos Kernels' product; x . y by a pass of its own": ("Kokkos Kernels' product; x · y in a separate pass", None),
    "entries in order through shared memory, x . y by cub::BlockReduce in the same kernel": (
        "entries in order through shared memory, x · y by `cub::BlockReduce` in the same kernel", None),
    "the same, each thread loads its eight entries before it uses the first (what is used)": (
        "the same, each thread loads its eight entries before it uses the first (used)",
        "product 0.9, iteration 0.87: enough loads in flight")}


@table
def assembled_designs():
    made = [["where", "design", "predicted", "size", "precision", "product, of copy", "iteration, of copy"]]
    for design in record("assembled_designs")["designs"]:
        found = {}
        for row in design["rows"]:
            words, extents = parts_of_problem(row["problem"])
            what, precision = words.rsplit(", ", 1)
            found.setdefault((extents, precision), {})[what] = row["of_copy"]
        words, predicted = ASSEMBLED_DESIGNS[design["design"]]
        for (extents, precision), parts in found.items():
            made.append([design["where"], words, predicted or design["predicted"], extents, precision,
                         *(fixed(parts[what]) for what in ("product with a matrix", "iteration of conjugate gradients"))])
    return [made[0], *without_repeats(made[1:], 3)]


@table
def wide_tiles():
    made = [["eighth-order leapfrog", "cells", "former rule", "rule", "former over rule", "best of a search"]]
    for row in rows("wide_tiles", functor=starts_with("wave::LeapfrogStep")):
        made.append([row["device"], size(row["cells"]), microseconds(row["former_seconds"]), microseconds(row["seconds"]),
                     fixed(row["former_seconds"] / row["seconds"]),
                     microseconds(row["search_seconds"]) if "search_seconds" in row else ""])
    return [made[0], *without_repeats(made[1:])]
