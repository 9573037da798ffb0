"""Designs that were tried: what was expected of each, what was measured."""
import math
import re

from .records import (binary, digits, duration, fixed, median, milliseconds, one, parts_of_problem, percent, powers, record, rows,
                      table, without_repeats)


def described(name, words, key="designs"):
    """The designs of a record in its order, each with its words in a page; `words` must have as many."""
    return list(zip(words, record(name)[key], strict=True))


def of_copy(values, cases):
    return ", ".join(fixed(values[case], 3) for case in cases if case in values)


@table
def sweep_designs_host():
    made = [["design", "predicted", "median of eight runs", "near memory", "far memory"]]
    words = [("pieces of a row, plain stores, lines fetched some bytes ahead", "0.67"),
             ("stretches of a row, stores past the caches, rows fetched ahead", "1.0"),
             ("four rows at a time, sharing loads in registers (what is used)", "0.87 to 0.94 near")]
    for (design, predicted), found in described("sweep_designs", words):
        levels = []
        for near in (True, False):  # a copy takes 3.8 ms or 6 ms
            parts = [run["of_best_copy"] for run in found["runs"] if (run["best_copy_median_seconds"] < 0.005) == near]
            levels.append(f"{fixed(min(parts))} to {fixed(max(parts))}")
        made.append([design, predicted, fixed(found["median_of_best_copy"]), *levels])
    return made


@table
def sweep_designs_h100():
    words = [("tiles of 3 or 4 rows a thread, stores past both caches; 1D direct", "what there was"),
             ("clusters of two blocks that bring common rows once", "0.965, 0.955; 0.94; star 0.91"),
             ("256 threads of 8 rows, so that nothing spills", "Jacobi 0.945, 0.95"),
             ("tiles of 256 × 9 for sums, too", "Jacobi 0.94"),
             ("partial sums merged in shared memory, and in sets", "Jacobi 0.930, 2D 0.955"),
             ("2D in chunks of 128 rows", "2D 0.955"),
             ("25-point star: 6 rows, 192 threads", "star 0.89"),
             ("1D: streaming, one block a multiprocessor", "1D 0.947"),
             ("1D: stretches taken as they come", "1D 0.955"),
             ("stores past the first-level cache alone", "1D 0.006 more"),
             ("the same, with sums a pace of 2", ""),
             ("copies that leave the second-level cache first", "0.005 more"),
             ("stores that leave the second-level cache last", "")]
    columns = [("laplacian_512", "laplacian_1024"), ("jacobi_512", "jacobi_1024"), ("star_768",), ("jacobi_2d",), ("jacobi_1d",)]
    return [["design", "predicted", "Laplacian 512³, 1024³", "Jacobi 512³, 1024³", "25-point star", "2D", "1D"],
            *([design, predicted, *(of_copy(found["of_copy"], column) for column in columns)]
              for (design, predicted), found in described("sweep_designs_h100", words))]


@table
def one_place_h100():
    """One place for norms beside two alternating ones."""
    made = [["sweep with norm", "one buffer", "two alternating buffers", "of copy, one", "two"]]
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
                        ("streaming", "streaming, the best that keeps no pace"), ("paced", "streaming, the best that does")):
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
    return [["the best tile, of copy", "cells", *(f"{count} rows a thread" for count in counts)], *without_repeats(made)]


@table
def star_designs_h200():
    words = ["copies into stages of planes, values in registers that are shifted",
             "columns in rings of registers, a plane of a tile a copy", "partial sums: a plane is added to nine outputs",
             "the second with stores of other kinds", "the second without one of its parts"]
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
    words = ["each cell evaluates its own faces", "lower faces of a tile, 32 × 16 threads (what is used)", "32 × 12 threads",
             "32 × 8 threads, two blocks on a multiprocessor",
             "32 × 16 threads, fused multiplications: not the bits that hosts have"]
    made = [["design", "registers of a thread", "predicted at 256³", "128³, a step", "256³, a step",
             "256³, 1e9 cells a second"]]
    for design, found in described("law_designs_h100", words):
        small, large = found["rows"]
        predicted = found["predicted_seconds_a_step_256"]
        made.append([design, str(found["registers_of_a_thread"]), f"{digits(1e3 * predicted)} ms" if predicted else "",
                     f"{digits(1e3 * small['seconds_a_step'])} ms", f"{digits(1e3 * large['seconds_a_step'])} ms",
                     digits(large["cell_steps_a_second"] / 1e9)])
    return made


SOLVER_DESIGNS = ["borders of every coefficient brought; vectors updated by the direct form",
                  "direct form: four steps loaded before the first is stored",
                  "vectors updated by the streaming form; coefficients brought along their own axis alone",
                  "256 threads of 3 or 4 rows where there are coefficients",
                  "rows and threads by all that a kernel holds in registers",
                  "scalars in the device's memory, ahead of the host",
                  "a sponge by a branch", "a sponge by a factor for each axis",
                  "one kernel for 64³: every barrier fences", "one kernel for 64³: only barriers that publish fence"]


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
    return [["conjugate gradients ahead of the host, 512³", "before", "scalars loaded for every row", "loaded once"],
            *([f"without coefficients, {precision}", "", f"{digits(after[f'cg {precision}, no coefficients'])} ms",
               now("Dirichlet walls", precision)] for precision in precisions),
            *([f"four coefficients, {precision}", f"{digits(before[f'cg {precision}'])} ms",
               f"{digits(after[f'cg {precision}'])} ms", now("stretched mesh: four coefficients", precision)]
              for precision in precisions)]


@table
def sponge_designs_h100():
    made = [["leapfrog step in a medium with a sponge, 512³", "double", "of Dirichlet", "single", "of Dirichlet"]]
    precisions = ("double", "single")
    line = ["every point works out its depth and divides (a medium without a sponge, too)"]
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
    made = [["conjugate gradients for 64³ cells, a step", "double", "single"]]
    for design, found in described("solver_designs_h100", SOLVER_DESIGNS)[8:]:
        made.append([design, *(f"{digits(found['microseconds_a_step'][precision])} us" for precision in ("double", "single"))])
    made.append(["by decks (deck_rates_64_h100)",
                 *(duration(one("deck_rates_64_h100", precision=precision)["seconds_an_iteration"]) for precision in
                   ("double", "single"))])
    return made


@table
def graphs_h100():
    made = [["Jacobi's steps, double", "replayed as graphs", "enqueued one by one"]]
    for row in rows("graphs_h100"):
        taken = row["microseconds_an_iteration"]
        made.append([f"{row['cells']}³", *(f"{digits(median(taken[way]))} us" for way in ("graphs", "no graphs"))])
    return made


@table
def shared_device_designs_h100():
    words = ["processes as they are: kernels take turns", "under NVIDIA's multi-process service",
             "the same, messages copied by the kernel once", "the same, messages through shared memory"]
    made = [["design", "two ranks, ms an iteration", "four ranks"]]
    for design, found in described("shared_device_designs_h100", words):
        made.append([design, *(digits(found["milliseconds"][ranks]) for ranks in ("2", "4"))])
    return made


@table
def multigrid_designs_h100():
    kinds = {"cycle": "a V-cycle", "full": "full multigrid"}
    made = []
    for row in rows("multigrid_designs_h100"):
        predicted = row.get("predicted_milliseconds", {})
        design = powers(row["design"]).removeprefix("V-cycle: ").removeprefix("full multigrid: ")
        for cells, taken in row["milliseconds"].items():
            if cells in ("512", "cycle 64", "full 512") or cells in predicted:
                single = row.get("single_milliseconds", {}).get(cells)
                what = "a kernel" if "of one kernel" in design else kinds.get(cells.split()[0], "a solve")
                expected = f"{digits(predicted[cells])} ms" if cells in predicted else ""
                made.append([design, what, f"{cells.split()[-1]}³", expected, f"{digits(taken)} ms",
                             f"{digits(single)} ms" if single else ""])
    return [["design", "what", "cells", "predicted", "measured", "in single"], *without_repeats(made)]


@table
def relaxation_h100():
    return [["sweep of 508³ unknowns", "precision", "bytes an unknown", "time", "of copy"],
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
    made = [["nvshmem, launched one by one", "all put with signals", "small ones stored with flags (what is used)"]]
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
    return [["bodies", "targets a thread", "predicted of bound", *(f"loops of {loop} interactions" for loop in loops)],
            *without_repeats(made)]


@table
def nbody_counters_h100():
    counters = record("nbody_designs_h100")["counters"]
    stalls = counters["stalled_warps_per_issue_percent"]
    return [["counted in the attraction of 65,536 bodies", ""],
            ["clocks in which an instruction is issued", f"{digits(counters['issue_slots_busy_percent'])} %"],
            ["warps of a scheduler that could issue", digits(counters["eligible_warps_per_scheduler"])],
            ["warps of a scheduler", digits(counters["active_warps_per_scheduler"])],
            *([f"warps held up by `{reason}`, per cent of an issue", digits(part)] for reason, part in stalls.items())]


@table
def nbody_instructions():
    made = []
    for row in rows("nbody_instructions"):
        real, targets = re.search(r"Shape<(\w+), (\d+)", row["kernel"]).groups()
        made.append([{"float": "single", "double": "double"}[real], targets, digits(row["instructions_of_unit"], 4)])
    return [["attraction, compiled for sm_90", "targets a thread", "instructions an interaction"],
            *without_repeats(sorted(made, reverse=True))]


@table
def block_stages_h100():
    """What adds up the numbers of a block: ranges of its speed beside what is used, and whether its bits are the same."""
    used = "cub::WarpReduce within warps, then of warps"
    pairs = "pairs of eight neighbours in shared memory, then cub::WarpReduce; blocks of 256 threads"
    forms = {used: ("`cub::WarpReduce` within warps, then over the sums of warps", "used in sums of arrays"),
             "cub::BlockReduce, warp reductions": ("`cub::BlockReduce`, reductions by warps", "other bits"),
             "cub::BlockReduce, raking": ("`cub::BlockReduce`, raking", "other bits"),
             "cub::BlockReduce, raking, commutative only": ("`cub::BlockReduce`, raking for commutative sums", "other bits"),
             pairs: ("pairs of eight neighbours in shared memory, then `cub::WarpReduce`",
                     "small gain; its bits were not tried on a device with sums that round"),
             "a thread merges the sums of warps": ("a thread merges the sums of warps", "used in sweeps"),
             "cub::WarpReduce merges the sums of warps": ("`cub::WarpReduce` merges the sums of warps", "no faster")}
    name = "block_stages_h100"
    other_bits = record(name)["other_bits"]["part_of_blocks"]

    def values_of(problem):
        return math.prod(int(number) for number in problem.rsplit(", ", 1)[1].split(" x "))

    groups = [lambda problem: problem.startswith("sum") and values_of(problem) <= 16384,
              lambda problem: problem.startswith("sum") and 16384 < values_of(problem) < 1 << 22,
              lambda problem: problem.startswith("sum") and values_of(problem) >= 1 << 22,
              lambda problem: problem.startswith("segmented"), lambda problem: " and norm" in problem]
    made = [["block stage", "sums of 1024 to 16,384", "of 65,536 to 2²⁰", "of 2²² to 2²⁸", "of segments", "sweeps with norm",
             "blocks with other bits", "verdict"]]
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


@table
def assembled_designs():
    made = [["where", "design", "predicted", "size", "precision", "product, of copy", "iteration, of copy"]]
    for design in record("assembled_designs")["designs"]:
        found = {}
        for row in design["rows"]:
            words, extents = parts_of_problem(row["problem"])
            what, precision = words.rsplit(", ", 1)
            found.setdefault((extents, precision), {})[what] = row["of_copy"]
        for (extents, precision), parts in found.items():
            made.append([design["where"], design["design"], powers(design["predicted"]), extents, precision,
                         *(fixed(parts[what]) for what in ("product with a matrix", "iteration of conjugate gradients"))])
    return [made[0], *without_repeats(made[1:], 3)]
