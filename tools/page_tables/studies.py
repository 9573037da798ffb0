"""Studies of one kernel by every means: a Laplacian by hand step by step, sums, Jacobi's sweep with its norm.

A table of a further record is a function like these: `@table`, named as the page names it, that returns rows of cells. For one
that lists all forms of a benchmark, `forms` makes the rows:

    @table
    def laplacian_everything_h100():
        return [["points", "kernel", "time", "rate", "of copy"], *without_repeats(forms("NAME", "reference-laplacian"))]
"""
import re

from .records import (duration, fixed, median, microseconds, milliseconds, one, parts_of_problem, percent, rate, record, rows,
                      table, without_repeats)

OURS = "ours"
KINDS = {"256 x 1 x 1 threads": "256 × 1 × 1 threads (kernel 5)", "128 x 1 x 8 threads": "128 × 1 × 8 threads (kernel 5)",
         "grid ordered y, z, x": "grid ordered y, z, x (kernel 6)", "subdomains": "subdomains along y (kernel 7)"}


def kind_of(form):
    if not form.startswith("reference"):
        return OURS
    return next(kind for kind in KINDS if form.endswith(kind))


def rows_of_tile(form):
    return int(re.search(r"tile of (\d+) row", form)[1])


def best_of_kinds(found):
    """{kind: the fastest row}, ours first."""
    best = {}
    for row in found:
        kind = kind_of(row["form"])
        if kind not in best or row["median_seconds"] < best[kind]["median_seconds"]:
            best[kind] = row
    return {kind: best[kind] for kind in (OURS, *KINDS)}


def problems_of(name, benchmark):
    return list(dict.fromkeys(row["problem"] for row in rows(name, benchmark=benchmark)))


def laplacian(name, benchmark, counters=()):
    """The best number of rows a thread of every kind of kernel, with what the hardware counted of it."""
    counted = {(row["problem"], row["form"]): row for each in counters for row in record(each)["counters"]}
    made = []
    for problem in problems_of(name, benchmark):
        for kind, row in best_of_kinds(rows(name, benchmark=benchmark, problem=problem)).items():
            line = [parts_of_problem(problem)[1], KINDS.get(kind, "ours, streaming"),
                    "" if kind == OURS else str(rows_of_tile(row["form"])), milliseconds(row["median_seconds"]),
                    rate(row["bytes_per_second"]), fixed(row["of_copy"], 3)]
            if counters:
                count = counted.get((problem, row["form"]))
                line += [percent(count["fetch_efficiency"]), percent(count["second_level_hit_rate"])] if count else ["", ""]
            made.append(line)
    return [["points", "kernel", "rows per thread", "time", "rate", "of copy",
             *(["fetch efficiency", "L2 hit rate"] if counters else [])], *without_repeats(made)]


@table
def laplacian_cubes_h200():
    return laplacian("reference_kernels_h200", "reference-laplacian",
                     [f"counters_laplacian_{n}_h200" for n in (256, 512)])


@table
def laplacian_planes_h100():
    return laplacian("reference_kernels_h100", "reference-laplacian-planes", ["counters_laplacian_2048_h100"])


@table
def laplacian_planes_h200():
    return laplacian("reference_kernels_h200", "reference-laplacian-planes")


@table
def laplacian_tiles_h100():
    """Planes of 2048 x 2048: every kernel by every tile."""
    problem = "7-point Laplacian inside, double, 2048 x 2048 x 256"
    made = [["rows per thread", *(words for words in KINDS.values())]]
    for tile in (1, 2, 4, 8, 16):
        line = [str(tile)]
        for kind in KINDS:
            row = next(row for row in rows("reference_kernels_h100", problem=problem)
                       if kind_of(row["form"]) == kind and rows_of_tile(row["form"]) == tile)
            line.append(f"{milliseconds(row['median_seconds'])}, {rate(row['bytes_per_second'])}")
        made.append(line)
    return made


@table
def laplacian_sizes():
    return [["points", "time", "of copy"],
            *([parts_of_problem(row["problem"])[1], duration(row["median_seconds"]), fixed(row["of_copy"], 3)]
              for row in rows("laplacian_sizes_h100"))]


def shapes(name):
    """{kind: times over ours} of the boxes of all shapes, the best tile of each kind."""
    times = {kind: [] for kind in KINDS}
    least = []
    for problem in problems_of(name, "reference-laplacian-shapes"):
        best = best_of_kinds(rows(name, benchmark="reference-laplacian-shapes", problem=problem))
        ours = best[OURS]["median_seconds"]
        ratios = {kind: best[kind]["median_seconds"] / ours for kind in KINDS}
        for kind, ratio in ratios.items():
            times[kind].append(ratio)
        least.append(min(ratios.values()))
    return times, least


@table
def laplacian_shapes_h200():
    times, least = shapes("reference_shapes_h200")
    made = [["kernel, one H200", "boxes", "ours faster for", "its time over ours: least", "median", "most"]]
    for words, found in (*((words, times[kind]) for kind, words in KINDS.items()), ("the fastest of these", least)):
        made.append([words, str(len(found)), str(sum(ratio > 1 for ratio in found)),
                     *(fixed(number, 3) for number in (min(found), median(found), max(found)))])
    return made


def forms(name, benchmark, words=None, counters=()):
    """Every form of a benchmark in the order of its record: problem, form (by `words` if it is there), time, rate, part of a
    copy, and what the hardware counted of it if `counters` are records of tools/ncu_counters.py."""
    counted = {(row["problem"], row["form"]): row for each in counters for row in record(each)["counters"]}
    made = []
    for row in rows(name, benchmark=benchmark):
        line = [parts_of_problem(row["problem"])[1], (words or {}).get(row["form"], row["form"].removeprefix("reference: ")),
                duration(row["median_seconds"]), rate(row["bytes_per_second"]), fixed(row["of_copy"], 3)]
        if counters:
            count = counted.get((row["problem"], row["form"]))
            line += [percent(count["fetch_efficiency"]), percent(count["second_level_hit_rate"])] if count else ["", ""]
        made.append(line)
    return made


JACOBI = {"direct": "ours, direct", "streaming along x, 4 stages": "ours, streaming",
          "reference: BlockReduce, an atomic addition a block": "`cub::BlockReduce`, one atomic addition per block",
          "reference: an atomic addition a thread": "one atomic addition per thread"}


@table
def jacobi_1d():
    made = []
    for device, name in (("H100", "reference_kernels_h100"), ("H200", "reference_kernels_h200")):
        made += [[device, *line] for line in forms(name, "reference-jacobi-1d", JACOBI)]
    return [["device", "points", "sweep with norm", "time", "rate", "of copy"], *without_repeats(made, 2)]


FORMS = {"specialised": "ours", "portable": "ours, portable", "CUB": "CUB",
         "iterated launches": "repeated launches until one value is left",
         "cooperative, one block a multiprocessor": "one cooperative launch, one block per multiprocessor",
         "cooperative, filled grid": "one cooperative launch, all blocks that fit",
         "a block a segment, tree in shared memory": "one block per segment, tree in shared memory",
         "a block a segment, shuffles within warps": "one block per segment, warp shuffles",
         "a block a segment, tree of a static tile": "one block per segment, static `thread_block_tile`",
         "a block a segment, tree by __syncthreads": "one block per segment, tree by `__syncthreads`",
         "a block a segment, shuffles by __shfl_down_sync": "one block per segment, `__shfl_down_sync`"}
PROBLEMS = {"sum, single, 536870912": "2²⁹ values", "segmented sum, single, 2048 x 262144": "2048 segments of 262,144"}


@table
def reductions():
    made = []
    for problem, words in PROBLEMS.items():
        for row in rows("reduction_forms_h200", benchmark="reductions", problem=problem):
            line = [words, FORMS.get(row["form"], row["form"])]
            for name in ("reduction_forms_h100", "reduction_forms_h200"):
                others = rows(name, benchmark="reductions", problem=problem, form=row["form"])
                line += [words for other in others for words in
                         (milliseconds(other["median_seconds"]), rate(other["bytes_per_second"]), fixed(other["of_peak"]))
                         ] or ["", "", ""]
            made.append(line)
    return [["sum of", "kernel", "H100: time", "rate", "of peak", "H200: time", "rate", "of peak"], *without_repeats(made)]


@table
def reductions_small():
    made = []
    for count, words in ((1024, "4 KiB"), (16384, "64 KiB")):
        for row in rows("reductions_h100", benchmark="reductions-small", problem=f"sum, single, {count}"):
            made.append([words, FORMS.get(row["form"], row["form"]), duration(row["median_seconds"])])
    return [["sum of", "kernel, in a graph of many", "time"], *without_repeats(made)]


@table
def reductions_beside_cub():
    made = [["CUB's time over ours", "H100", "H200"]]
    for problem, words in PROBLEMS.items():
        line = [words]
        for name in ("reduction_forms_h100", "reduction_forms_h200"):
            ours, cub = (one(name, benchmark="reductions", problem=problem, form=form)["median_seconds"]
                         for form in ("specialised", "CUB"))
            line.append(fixed(cub / ours))
        made.append(line)
    return made


@table
def reduction_grids_h100():
    made = [["blocks of 256 threads per multiprocessor", "time", "rate", "of peak", "launch and barrier alone"]]
    for row in rows("reduction_forms_h100", benchmark="reduction-grids"):
        made.append([row["form"].split(", ")[1].split()[0], microseconds(row["median_seconds"], 4),
                     rate(row["bytes_per_second"]), fixed(row["of_peak"]), microseconds(row["peer"]["seconds"], 2)])
    return made


@table
def jacobi_profile_h100():
    """What Nsight Compute counted of the three kernels of Jacobi's sweep."""
    forms = ("reference: an atomic addition a thread", "reference: BlockReduce, an atomic addition a block", "direct")
    problem = "3-point Jacobi and norm inside, single, 4194304"
    counts = [one("counters_jacobi_h100", "counters", problem=problem, form=form) for form in forms]
    timed = [one("reference_jacobi_h100", problem=problem, form=form) for form in forms]
    quantities = [("time of a launch, profiled", lambda row: duration(row["profiled_seconds"])),
                  ("DRAM throughput, of peak", lambda row: percent(row["dram_throughput"])),
                  ("L2 throughput, of peak", lambda row: percent(row["second_level_throughput"])),
                  ("L1 throughput, of peak", lambda row: percent(row["first_level_throughput"])),
                  ("multiprocessor throughput, of peak", lambda row: percent(row["multiprocessor_throughput"])),
                  ("blocks of 256 threads", lambda row: f"{row['grid_size']:,.0f}"),
                  ("registers per thread", lambda row: f"{row['registers_of_a_thread']:.0f}"),
                  ("static shared memory per block, bytes", lambda row: f"{row['static_shared_bytes_of_a_block']:.0f}"),
                  ("theoretical occupancy", lambda row: percent(row["theoretical_occupancy"])),
                  ("achieved occupancy", lambda row: percent(row["achieved_occupancy"]))]
    return [["2²² points, one H100", "one atomic addition per thread", "`cub::BlockReduce`", "ours, direct"],
            ["time of a launch", *(duration(row["median_seconds"]) for row in timed)],
            *([words, *(of(row) for row in counts)] for words, of in quantities)]


@table
def laplacian_shape_rates_h200():
    """TB/s by planes (down) and their number (across): kernel 5, and ours."""
    sizes = (256, 512, 768, 1024)
    best = {}
    for row in rows("reference_shapes_h200"):
        kind = kind_of(row["form"])
        if kind in (OURS, "256 x 1 x 1 threads"):
            key = (row["problem"].rsplit(", ", 1)[1], kind)
            best[key] = max(best.get(key, 0), row["bytes_per_second"])
    made = [["TB/s by planes of", *(f"kernel 5, {nz} planes" for nz in sizes), *(f"ours, {nz}" for nz in sizes)]]
    for nx in sizes:
        for ny in sizes:
            line = [f"{nx} × {ny}"]
            for kind in ("256 x 1 x 1 threads", OURS):
                found = [best.get((f"{nx} x {ny} x {nz}", kind)) for nz in sizes]
                line += [fixed(each / 1e12) if each else "" for each in found]
            made.append(line)
    return made
