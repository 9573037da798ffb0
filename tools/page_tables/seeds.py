"""The five documents that the studies of this project began with: what each has, what it says, where that is here, and what it
gave here. What they say is typed; what was measured here comes from records."""

import math

from .laplacians import blocks, planes, split
from .records import (
    digits,
    duration,
    fixed,
    link,
    microseconds,
    milliseconds,
    one,
    percent,
    rate,
    record,
    rows,
    starts_with,
    table,
)
from .studies import best_of_kinds, rows_of_tile

HEADINGS = ["what it has", "what it says", "here", "what it gave here"]
PLANES = "7-point Laplacian inside, double, 2048 x 2048 x 256"
CUBE = "7-point Laplacian inside, double, 1024 x 1024 x 1024"


def decks(*names):
    return ", ".join(f"[{name}](../decks/{name}.yaml)" for name in names)


def file(path, words=None):
    return f"[{words or path.rsplit('/', 1)[-1]}](../{path})"


def jacobi(form, points=4194304):
    return one("reference_kernels_h100", problem=f"3-point Jacobi and norm inside, single, {points}", form=form)[
        "median_seconds"
    ]


ATOMIC = "reference: an atomic addition a thread"
BLOCKS = "reference: BlockReduce, an atomic addition a block"


@table
def seeds_jacobi_1d():
    reference = {row["reference"]: row["seconds"] for row in rows("exchange_h100") if "reference" in row}
    bench = "`halocline bench reference-jacobi-1d`"
    rod = {
        1: one("scaling_rod_strong_h200", ranks=1)["seconds_a_step"],
        2: one("scaling_rod_strong_h200", ranks=2, transport="cuda-ipc")["seconds_a_step"],
    }
    atomic, by_blocks, ours = jacobi(ATOMIC), jacobi(BLOCKS), jacobi("direct")
    accuracy = file("tests/end_to_end/accuracy_test.py")
    return [
        HEADINGS,
        [
            "Laplace's equation in 1D between two held ends",
            "4,194,304 points, ends at 5 and 10, zero inside, single precision",
            f"{decks('laplace-1d')}, the same problem",
            "converges, below",
        ],
        [
            "first derivative by central differences",
            "the formula",
            "`advection.scheme: central` ([options](options.md))",
            f"of second order ({file('physics/advection/README.md', 'advection')})",
        ],
        [
            "second derivative by central differences",
            "the formula",
            "`halocline run decks/laplace-1d.yaml`, any physics of a point",
            f"second order in one, two and three dimensions, {accuracy}",
        ],
        [
            "Jacobi's iteration, serially",
            "stops by the root mean square of a step's change, 1e-4, or after 1000 iterations",
            "`solver: {method: jacobi, jacobi: {quantity: change}}`",
            "the same criterion",
        ],
        [
            "what it prints: change at iterations 0, 10, 20, 30, 40, 50",
            "0.00272958, 0.00034546, 0.000210903, 0.000157015, 0.000127122, 0.00010783, then success",
            f"`halocline run decks/laplace-1d.yaml`, `--ranks 3`; {accuracy}",
            "the same six lines to the last digit on one and three ranks; converged in fewer than 60 iterations",
        ],
        [
            "kernel 1: every thread adds its term atomically",
            "2.52 ms under the profiler, for 1,048,576 points (a quarter of all)",
            bench,
            f"{duration(atomic)} for all 4,194,304 points ({link('reference_kernels_h100')}, an H100); "
            f"{digits(1e9 * atomic / 4194304)} ns a point for {digits(1e9 * 2.52e-3 / 1048576)}",
        ],
        [
            "the same on several devices by NVSHMEM, which gets the neighbour's point from inside the kernel",
            "each device has N / M points; prints the same six lines",
            "`bench/exchange.py --references`, `halo.transport: nvshmem`",
            f"a sweep with BlockReduce and its norm {duration(reference[NVSHMEM_SWEEP], 2)} on two H100 "
            f"({link('exchange_h100')}); the "
            "deck on two ranks prints the same lines",
        ],
        [
            "sum of the norm over all devices by NVSHMEM's team",
            "one call an iteration",
            "`bench/exchange.py --references`",
            f"{duration(reference['the sum of one number over all ranks'], 2)}, by the hosts "
            f"{duration(reference['the sum of one number over all ranks, by the host'], 2)} ({link('exchange_h100')})",
        ],
        [
            "the iteration on several devices, whole",
            "prints the same six lines",
            "`bench/scaling.py --case rod`, `halocline run decks/laplace-1d.yaml --ranks 2`",
            f"an iteration with its norm {microseconds(rod[1])} on one H200, {microseconds(rod[2])} on two, "
            f"{fixed(rod[1] / rod[2])} times as fast ([by transport](performance.md#between-the-devices-of-a-host), "
            f"{link('scaling_rod_strong_h200')}); the deck on two GPUs prints the same lines",
        ],
        [
            "kernel 2: `cub::BlockReduce`, one atomic addition a block",
            "25.15 us under the profiler, a hundredth of kernel 1",
            bench,
            f"{duration(by_blocks)}, {digits(atomic / by_blocks)} times as fast ({link('reference_kernels_h100')})",
        ],
        [
            "the sweep of this project",
            "",
            f"{bench}, `halocline bench jacobi-1d`",
            f"{duration(ours)}, {digits(by_blocks / ours)} times as fast again; at 2²⁸ points "
            f"{duration(jacobi('streaming along x, 4 stages', 1 << 28))} for {duration(jacobi(BLOCKS, 1 << 28))}",
        ],
        [
            "what the change to BlockReduce prints",
            "the same six lines",
            "tests of [sums](../bench/reduction_bodies_test.cpp)",
            "sums of the reference kernels are held to the portable form's before they are timed",
        ],
        [
            "how one process of several is profiled",
            "a script that profiles the first rank alone, one launch after the first 20",
            file("tools/ncu_counters.py"),
            "the command is in its first lines",
        ],
    ]


NVSHMEM_SWEEP = "a sweep whose kernel reads the neighbour's point, and its norm"

# The record that tools/ncu_counters.py makes of `halocline bench reference-jacobi-1d`.
PROFILED = "counters_jacobi_h100"


def seconds_in(name):
    return lambda row: duration(row[name])


def part_in(name):
    return lambda row: percent(row[name], 2)


def count_in(name):
    return lambda row: f"{int(fixed(row[name], 0)):,}"


WARPS = 64  # that a multiprocessor of compute capability 9.0 holds


def hertz_in(name):
    return lambda row: f"{digits(row[name] / 1e9)} GHz"


def bytes_in(name):
    return lambda row: f"{row[name]:.0f} bytes"


def blocks_that_fit(row):
    names = ("blocks_that_a_multiprocessor_holds", "blocks_that_fit_registers", "blocks_that_fit_shared_memory",
             "blocks_that_fit_warps")
    return ", ".join(f"{row[name]:.0f}" for name in names)


# Quantity, of the atomic kernel, of the one with BlockReduce, and of a row of our record.
PROFILE = [
    ("frequency of the memory", "0.877 GHz", "0.788 GHz", hertz_in("memory_frequency")),
    ("frequency of the multiprocessors", "1.31 GHz", "1.17 GHz", hertz_in("multiprocessor_frequency")),
    ("clocks", "3,305,314", "29,534", count_in("elapsed_cycles")),
    ("memory, of peak", "1.06 %", "26.50 %", part_in("memory_throughput")),
    ("DRAM, of peak", "0.24 %", "26.50 %", part_in("dram_throughput")),
    ("duration", "2.52 ms", "25.15 us", seconds_in("profiled_seconds")),
    ("first-level cache, of peak", "0.93 %", "31.73 %", part_in("first_level_throughput")),
    ("second-level cache, of peak", "1.06 %", "15.39 %", part_in("second_level_throughput")),
    ("active clocks of a multiprocessor", "3,268,284", "24,448", count_in("active_cycles")),
    ("multiprocessors, of peak", "0.48 %", "31.95 %", part_in("multiprocessor_throughput")),
    ("threads of a block", "256", "256", count_in("block_size")),
    ("blocks", "4096", "4096", count_in("grid_size")),
    ("registers of a thread", "62", "62", count_in("registers_of_a_thread")),
    ("shared memory configured", "0", "8.19 KB", lambda row: f"{row['shared_bytes_configured'] / 1024:.0f} KiB"),
    ("static shared memory of a block", "0", "44 bytes", bytes_in("static_shared_bytes_of_a_block")),
    ("shared memory that the driver takes of a block", "0", "0", bytes_in("driver_shared_bytes_of_a_block")),
    ("dynamic shared memory of a block", "0", "0", bytes_in("dynamic_shared_bytes_of_a_block")),
    ("threads", "1,048,576", "1,048,576", lambda row: f"{row['block_size'] * row['grid_size']:,.0f}"),
    ("waves of a multiprocessor", "12.80", "12.80", lambda row: fixed(row["waves_of_a_multiprocessor"])),
    ("blocks that fit by multiprocessor, registers, shared memory, warps", "32, 4, 32, 8", "32, 4, 384, 8", blocks_that_fit),
    ("theoretical active warps", "32", "32", lambda row: f"{WARPS * row['theoretical_occupancy']:g}"),
    ("theoretical occupancy", "50 %", "50 %", part_in("theoretical_occupancy")),
    ("achieved occupancy", "39.56 %", "41.47 %", part_in("achieved_occupancy")),
    ("achieved active warps", "25.32", "26.54", lambda row: fixed(WARPS * row["achieved_occupancy"])),
]


@table
def seeds_profile():
    made = [
        [
            "quantity of a launch",
            "document: an atomic addition a thread",
            "document: BlockReduce",
            "here: an atomic addition a thread",
            "here: BlockReduce",
            "here: this project's sweep",
        ]
    ]
    for quantity, *theirs, of in PROFILE:
        ours = [of(one(PROFILED, "counters", form=form)) for form in (ATOMIC, BLOCKS, "direct")]
        made.append([quantity, *theirs, *ours])
    return made


def summed(problem, form):
    row = one("reduction_forms_h100", benchmark="reductions", problem=problem, form=form)
    return f"{milliseconds(row['median_seconds'])}, {rate(row['bytes_per_second'])}, {fixed(row['of_peak'])} of peak"


WHOLE, SEGMENTS = "sum, single, 536870912", "segmented sum, single, 2048 x 262144"


@table
def seeds_reductions():
    device = record("reduction_forms_h100")["device"]
    peak = device["peak of the memory, bytes a second"]
    grids = rows("reduction_forms_h100", benchmark="reduction-grids")
    sums = file("bench/reduction_bodies_test.cpp")
    return [
        HEADINGS,
        [
            "the device",
            "RTX 3090, 23.67 GB, a peak of 936.1 GB/s, printed in a banner",
            "what `halocline bench` prints first; `hardware` and `device` of records",
            f"an H100, {digits(device['memory, GiB'])} GiB, a peak of {rate(peak)} ({link('reduction_forms_h100')})",
        ],
        [
            "how it is measured",
            "10 launches to warm up, the mean of 10",
            "`halocline bench reductions`",
            "the median of 15, by events",
        ],
        [
            "batches of one block: a tree in shared memory, synchronised by `thread_block`",
            "2048 batches of 262,144: 2.433 ms, 882.6 GB/s, 0.94 of peak",
            "`halocline bench reductions`",
            f"{summed(SEGMENTS, 'a block a segment, tree in shared memory')} ({link('reduction_forms_h100')})",
        ],
        [
            "the same by a static `thread_block_tile` of the whole block",
            "written, and said not to work",
            "`halocline bench reductions`, `a block a segment, tree of a static tile`",
            "works with memory of the block for its barriers: "
            f"{summed(SEGMENTS, 'a block a segment, tree of a static tile')}",
        ],
        [
            "batches: shuffles within warps of `thread_block_tile<32>`, then their sums",
            "2.434 ms, 882.1 GB/s, 0.94 of peak",
            "`halocline bench reductions`",
            summed(SEGMENTS, "a block a segment, shuffles within warps"),
        ],
        [
            "one launch for the whole array: blocks meet by the grid's barrier, one block a multiprocessor",
            "2.478 ms, 866.7 GB/s, 0.93 of peak",
            "`halocline bench reductions`",
            f"{summed(WHOLE, 'cooperative, one block a multiprocessor')}: too few loads under way on this device",
        ],
        [
            "the same by all blocks that fit",
            "left as a comment, with a doubt",
            "`halocline bench reductions`",
            summed(WHOLE, "cooperative, filled grid"),
        ],
        [
            "why the one and the other: launch cost against idle blocks",
            "told, not measured",
            "`halocline bench reduction-grids`",
            f"idle slots: launch and barriers take {microseconds(grids[0]['peer']['seconds'], 2)} of "
            f"{microseconds(grids[0]['median_seconds'], 4)} by one block, "
            f"{microseconds(grids[-1]['peer']['seconds'], 2)} of {microseconds(grids[-1]['median_seconds'], 4)} by all that "
            "fit ([table](performance.md#grids-of-the-sum-in-one-launch))",
        ],
        [
            "launches of batches until one value is left",
            "named as the other way, not measured",
            "`halocline bench reductions`",
            f"{summed(WHOLE, 'iterated launches')}; 64 KiB in "
            f"{duration(one('reductions_h100', problem='sum, single, 16384', form='iterated launches')['median_seconds'])}",
        ],
        [
            "late passes leave most blocks without work",
            "told, not measured",
            "`halocline bench reductions-small`",
            f"64 KiB in one cooperative launch "
            f"{duration(one('reductions_h100', problem='sum, single, 16384', form='cooperative, filled grid')['median_seconds'])}, "
            "by ours "
            f"{duration(one('reductions_h100', problem='sum, single, 16384', form='specialised')['median_seconds'])}",
        ],
        [
            "ours, and CUB",
            "",
            "`halocline bench reductions`",
            f"batches {summed(SEGMENTS, 'specialised')}, CUB {summed(SEGMENTS, 'CUB')}; whole "
            f"{summed(WHOLE, 'specialised')}, CUB "
            f"{summed(WHOLE, 'CUB')}",
        ],
        [
            "what is checked: a sum of ones is their number",
            "stops if not",
            sums,
            "every body adds up every value once, of random values as accurately as its grouping is",
        ],
        [
            "cooperative groups against what there was before them",
            "alike",
            "`halocline bench reductions`",
            f"with groups {summed(SEGMENTS, 'a block a segment, tree in shared memory')}; the portable form, by Kokkos' "
            "teams, "
            f"{summed(SEGMENTS, 'portable')}",
        ],
    ]


def kernel(problem, kind, name="reference_kernels_h100"):
    return best_of_kinds(rows(name, problem=problem))[kind]


def counted(row, name="counters_laplacian_2048_h100"):
    count = one(name, "counters", problem=row["problem"], form=row["form"])
    return [percent(count["fetch_efficiency"]), percent(count["second_level_hit_rate"])]


@table
def seeds_laplacian_kernels():
    """The document's table of workarounds, beside ours."""
    theirs = [
        ("256 x 1 x 1 threads", "kernel 5, 256 × 1 × 1", "555.4 GB/s", "33.1 %", "34.4 %", 555.389),
        ("128 x 1 x 8 threads", "kernel 5, 128 × 1 × 8", "934.1 GB/s", "79.8 %", "60.6 %", 934.111),
        ("grid ordered y, z, x", "kernel 6, grid ordered y, z, x", "1070 GB/s", "95.4 %", "66.2 %", 1070.04),
        ("subdomains", "kernel 7, four subdomains", "1176 GB/s", "99.6 %", "67.7 %", 1175.54),
    ]
    base = kernel(PLANES, "256 x 1 x 1 threads")["bytes_per_second"]
    made = [
        [
            "kernel",
            "MI250X, one half, 1024³",
            "fetch efficiency",
            "hits",
            "of kernel 5",
            "H100, 2048 × 2048 × 256",
            "fetch efficiency",
            "hits",
            "of kernel 5",
        ]
    ]
    for kind, words, speed, fetched, hits, number in theirs:
        row = kernel(PLANES, kind)
        made.append(
            [
                words,
                speed,
                fetched,
                hits,
                fixed(number / theirs[0][5]),
                rate(row["bytes_per_second"]),
                *counted(row),
                fixed(row["bytes_per_second"] / base),
            ]
        )
    ours = kernel(PLANES, "ours")
    made.append(
        [
            "this project's sweep",
            "",
            "",
            "",
            "",
            rate(ours["bytes_per_second"]),
            *counted(ours),
            fixed(ours["bytes_per_second"] / base),
        ]
    )
    return made


@table
def seeds_best_blocks():
    """The document's table of the best block and tile of each device, with those found here."""
    theirs = [
        ("RX 6900 XT", "256 × 1 × 1", "256", "16"),
        ("RX 7900 XTX", "256 × 1 × 1", "256", "8"),
        ("MI50", "256 × 1 × 1", "256", "4"),
        ("MI100", "128 × 1 × 1", "128", "4"),
        ("MI210", "256 × 1 × 1", "256", "8"),
        ("MI250", "256 × 1 × 1", "256", "8"),
        ("MI250X", "256 × 1 × 1", "256", "8"),
    ]
    made = [["device, 512³ points", "threads of a block", "launch bound", "rows a thread", "where it stands"]]
    made += [[*line, "the document"] for line in theirs]
    found = {
        (threads, height): row for threads, heights in blocks(512).items() for height, row in heights.items()
    }
    flat = {key: row for key, row in found.items() if key[0].endswith(" × 1 × 1")}
    for words, kernels in (("H100", found), ("H100, blocks without a depth", flat)):
        threads, height = min(kernels, key=lambda key: kernels[key]["median_seconds"])
        made.append(
            [
                words,
                threads,
                str(math.prod(int(number) for number in threads.split(" × "))),
                str(height),
                f"{link('reference_blocks_h100')}, `halocline bench reference-laplacian-blocks`",
            ]
        )
    best = best_of_kinds(rows("reference_kernels_h200", problem="7-point Laplacian inside, double, 512 x 512 x 512"))
    kinds = ("256 x 1 x 1 threads", "128 x 1 x 8 threads")
    kind = min(kinds, key=lambda kind: best[kind]["median_seconds"])
    made.append(
        [
            "H200, of two blocks",
            kind.removesuffix(" threads").replace(" x ", " × "),
            str(math.prod(int(number) for number in kind.removesuffix(" threads").split(" x "))),
            str(rows_of_tile(best[kind]["form"])),
            f"{link('reference_kernels_h200')}, `halocline bench reference-laplacian`",
        ]
    )
    return made


def spread_over_planes():
    """How far the rates of kernel 5 lie apart at most where only the number of planes differs."""
    rates = {}
    for problem in dict.fromkeys(row["problem"] for row in rows("reference_shapes_h100")):
        best = best_of_kinds(rows("reference_shapes_h100", problem=problem))["256 x 1 x 1 threads"]
        rates.setdefault(problem.rsplit(" x ", 1)[0], []).append(best["bytes_per_second"])
    return max(max(found) / min(found) - 1 for found in rates.values())


@table
def seeds_laplacian():
    def cubes(n):
        best = kernel(f"7-point Laplacian inside, double, {n} x {n} x {n}", "256 x 1 x 1 threads")
        return best, counted(best, f"counters_laplacian_{n}_h100")

    small, (small_fetch, small_hits) = cubes(256)
    large, (large_fetch, large_hits) = cubes(1024)
    wide_fetch, wide_hits = counted(kernel(PLANES, "256 x 1 x 1 threads"))
    naive = one("counters_laplacian_steps_512_h100", "counters", form="reference: step 1, a thread a point")
    steps = rows("reference_steps_h100", form=starts_with("reference: step"))
    words_of_steps = [duration(row["median_seconds"]) for row in steps]
    strides = planes()

    def at(mebibytes):
        """Of copy, by kernel 5, for all lengths of rows."""
        return [kinds["whole"]["of_copy"] for kinds in strides[mebibytes << 20].values()]

    shapes = [
        row["bytes_per_second"]
        for row in (
            best_of_kinds(rows("reference_shapes_h100", problem=problem))["256 x 1 x 1 threads"]
            for problem in dict.fromkeys(row["problem"] for row in rows("reference_shapes_h100"))
        )
    ]
    gain = (
        kernel(PLANES, "128 x 1 x 8 threads")["bytes_per_second"] / kernel(PLANES, "256 x 1 x 1 threads")["bytes_per_second"]
    )
    wide = "7-point Laplacian inside, double, 4096 x 4096 x 64"
    kernels = file("bench/reference_laplacian.cpp")
    return [
        HEADINGS,
        [
            "kernels 1 to 4, of the parts before: naive, tiled along y, reads reordered, launch bounds; streaming stores",
            "named, each faster than the one before",
            "`halocline bench reference-laplacian-steps`",
            f"512³: {', '.join(words_of_steps[:-1])}; with streaming stores {words_of_steps[-1]}, so that the naive kernel is "
            "the fastest without them ([table](performance.md#step-by-step), [drawn](images/steps.png), "
            f"{link('reference_steps_h100')})",
        ],
        [
            "kernel 5: tile of 8 rows, reads reordered, launch bound of 256, streaming stores",
            "the kernel whole",
            f"{kernels}, `halocline bench reference-laplacian`",
            f"256³ to 1024³ at {rate(small['bytes_per_second'])} to {rate(large['bytes_per_second'])}, "
            f"{fixed(small['of_copy'])} to "
            f"{fixed(large['of_copy'])} of copy ({link('reference_kernels_h100')}, an H100)",
        ],
        [
            "what is counted: the least that must be read and written, over the time",
            "points but for the edges of the box, and the inner ones",
            "`halocline bench reference-laplacian`",
            "the same bytes ([sizes](performance.md#a-laplacian-by-hand-step-by-step))",
        ],
        [
            "devices",
            "RX 6900 XT, RX 7900 XTX, MI50, MI100, MI210, MI250, MI250X (one half)",
            "the same kernels for NVIDIA, and for HIP",
            "H100 and H200; for HIP (gfx90a) the kernels compile, no device of AMD was at hand",
        ],
        [
            "table of the best block, launch bound and tile of each device",
            "256 × 1 × 1 threads and 8 rows on most",
            "[below](#the-best-block-and-tile)",
            "below",
        ],
        [
            "figure: bytes a second by device and size, 256³ to 1024³, every axis by itself",
            "even on the Radeons, falling on the Instincts where nx or ny are large; the largest did not fit into the RX "
            "6900 XT",
            "`halocline bench reference-laplacian-shapes`, [shapes.png](images/shapes.png)",
            f"kernel 5 between {rate(min(shapes))} and {rate(max(shapes))} over 60 boxes: three planes always fit the cache "
            f"([by shape](kernels-by-hand.md#boxes-of-all-shapes), {link('reference_shapes_h100')})",
        ],
        [
            "figure: fetch efficiency and hits of the second-level cache over the sizes, MI250X",
            "a naive kernel has 50 % and 65 %; at the largest size both are a third",
            f"{file('tools/ncu_counters.py')}, [fetches.png](images/fetches.png)",
            f"kernel 5 {small_fetch} and {small_hits} at 256³, {large_fetch} and {large_hits} at 1024³, "
            f"{wide_fetch} and {wide_hits} on planes of 2048² "
            f"({link('counters_laplacian_256_h100', 'counters_laplacian_1024_h100', 'counters_laplacian_2048_h100')}); a naive "
            f"one {percent(naive['fetch_efficiency'])} and {percent(naive['second_level_hit_rate'])} at 512³ "
            f"({link('counters_laplacian_steps_512_h100')})",
        ],
        [
            "only nx and ny count, nz does not",
            "told from the figure",
            "`halocline bench reference-laplacian-shapes`",
            f"so it is here: at fixed nx and ny the rates of kernel 5 differ by {percent(spread_over_planes())} at most "
            "([by shape](kernels-by-hand.md#boxes-of-all-shapes))",
        ],
        [
            "figure: stride of planes, nx held at three values from 512 on, planes from 1 MB to beyond 8 MB, MI250X",
            "falls from 2.5 MB a plane on, where three no longer fit 8 MB; level from 8 MB on",
            "`halocline bench reference-laplacian-strides`, [strides.png](images/strides.png)",
            f"{fixed(min(at(8)))} to {fixed(max(at(8)))} of copy at 8 MiB a plane, {fixed(min(at(10)))} to "
            f"{fixed(max(at(10)))} at 10 MiB, {fixed(min(at(24)))} at 24 MiB, where every plane is read three times, and level "
            "beyond; alike for rows of 512, 1024 and 2048 points: it falls where three planes no longer fit half of the cache "
            f"([table](performance.md#the-stride-between-planes), {link('reference_strides_h100')})",
        ],
        [
            "the last cache of the Radeons",
            "a third level of 128 and 96 MB, shared",
            "`device` of the records",
            f"second level, {digits(record('reference_kernels_h100')['device']['second-level cache, bytes'] / 1e6)} MB on "
            "an H100, "
            f"{digits(record('reference_kernels_h200')['device']['second-level cache, bytes'] / 1e6)} MB on an H200",
        ],
        [
            "figure: ny rising at nx = 1024, nz = 32, Radeons",
            "falls above 32 MB (RX 6900 XT) and 25 MB (RX 7900 XTX) a plane",
            "`halocline bench reference-laplacian-strides`",
            "H100 and H200 have no third level; at nx = 1024, the fewer planes the larger they are, it falls above 8 MiB a "
            "plane, as at other nx",
        ],
        [
            "blocks with a depth of eight, 128 × 1 × 8",
            "68 % more, fetch efficiency 80 %",
            "`halocline bench reference-laplacian-planes`",
            f"{fixed(100 * (gain - 1), 0)} % more on planes of 2048² "
            f"([table](#kernels-5-6-and-7-on-planes-that-the-cache-cannot-hold))",
        ],
        [
            "kernel 6: grid along y and z first, sub-planes of 256 columns (2 MB each)",
            "faster than blocks with a depth; larger planes will not fit either",
            "`halocline bench reference-laplacian-planes`",
            "the same on 2048² (sub-planes of 4 MB); on 4096² "
            f"{rate(kernel(wide, 'grid ordered y, z, x')['bytes_per_second'])} for "
            f"{rate(kernel(wide, '128 x 1 x 8 threads')['bytes_per_second'])} by blocks with a depth",
        ],
        [
            "kernel 7: four subdomains along y, one launch each",
            "the fastest; fits any plane by more subdomains",
            "`halocline bench reference-laplacian-planes`",
            "the fastest of these kernels on planes of 2048² and 4096²; there in 16 subdomains, "
            f"{rate(kernel(wide, 'subdomains')['bytes_per_second'])}",
        ],
        [
            "subdomains along x instead",
            "said to be as easy",
            "`halocline bench reference-laplacian-splits`",
            f"2048 × 2048 × 256 in four: along y {milliseconds(split(PLANES, 4, 'y')['median_seconds'])}, along x "
            f"{milliseconds(split(PLANES, 4, 'x')['median_seconds'])} "
            f"([table](kernels-by-hand.md#subdomains-along-y-and-along-x), {link('reference_splits_h100')})",
        ],
        [
            "a sweep that does not need the cache",
            "",
            "`halocline bench laplacian-3d`, the streaming form",
            f"{rate(kernel(PLANES, 'ours')['bytes_per_second'])} on 2048², "
            f"{rate(kernel(wide, 'ours')['bytes_per_second'])} on 4096²",
        ],
    ]


@table
def seeds_cluster():
    strong = one("scaling_stencil_weak_h200", ranks=2)
    alone = one("scaling_stencil_weak_h200", ranks=1)
    hidden, waiting = (
        one("scaling_wave_strong_h200", ranks=2, transport="mpi-host", overlap=overlap) for overlap in (True, False)
    )
    star = one("sweeps_h100", benchmark="star-25")
    aware = one("exchange_mpi_device_h200", bytes=1 << 24, split=False)
    staged = one("exchange_h200", transport="mpi-host", bytes=1 << 24, split=False)
    served = record("io_ranks_h100")["slower"]
    exchange = file("framework/halo/exchange.hpp")
    failures = file("tests/end_to_end/failure_test.py")
    return [
        HEADINGS,
        [
            "figure 1: nodes with processes that send messages",
            "a model of clusters",
            "`halocline run DECK --ranks N`, [clusters.md](clusters.md)",
            f"{len(rows('slurm', 'cases'))} cases under a Slurm ({link('slurm')})",
        ],
        [
            "heat that flows, by Jacobi's iteration",
            "the physics of the example",
            f"{decks('heat-plate', 'heat-explicit', 'laplace-1d')}",
            "second order, tests/end_to_end/accuracy_test.py",
        ],
        [
            "figure 2: a stencil of 25 points",
            "four neighbours to each side of three axes, single precision",
            f"{decks('stencil-25')}, `halocline bench star-25`",
            f"768³ in {milliseconds(star['median_seconds'])}, {fixed(star['of_copy'])} of copy on an H100 "
            f"({link('sweeps_h100')}); held to NumPy's "
            "values, tests/end_to_end/fields_test.py",
        ],
        [
            "figure 3: a duct cut into four along z",
            "D0 to D3, one a process",
            "`mesh.processes: [1, 1, 0]` of the deck",
            "the same bits on any ranks",
        ],
        [
            "figure 4: how it lies in memory",
            "x next to each other, then y, then z",
            "`framework/field`",
            "the same, with padding",
        ],
        [
            "figure 5: five calls of MPI",
            "start, rank, size, abort, end",
            file("framework/runtime/communicator.hpp"),
            "and a failure of one rank ends all, with one message, below",
        ],
        [
            "figure 6: a program of MPI",
            "at least three processes, of which the last serves data; process 0 reports errors once",
            "`--ranks 3 --set io.ranks=1`",
            f"too few ranks are refused before anything is written; a rank that fails: {failures}",
        ],
        [
            "figures 7 and 8: send and receive",
            "pointer, number, type, rank, tag",
            "`halo.transport: mpi-host`",
            "one message a neighbour for all fields, tests of the exchange",
        ],
        [
            "figure 9: the data server fills the grid with random numbers and sends slabs, four planes more to each side",
            "edges get +4 planes, inner processes +8",
            "`initial: 2*random(7) - 1`, `io.ranks: 1`",
            "expressions are evaluated by I/O ranks and served, with the same bits on any ranks",
        ],
        [
            "figures 10 and 11: memory of hosts and devices, pinned buffers for the four boundary and ghost slabs, two "
            "streams",
            "page-locked, so that copies run beside kernels",
            f"{exchange}, `framework/halo/cuda`",
            "made once, when the plan is made",
        ],
        [
            "figure 12: boundary planes first, then messages beside the interior",
            "hides messages if the interior takes longer",
            "`halo.overlap: true`, `bench/overlap.py`, `bench/scaling.py`",
            f"by the hosts' memory {milliseconds(hidden['seconds_a_step'])} a step for "
            f"{milliseconds(waiting['seconds_a_step'])} without, wave of 512³ "
            f"on two H200 ({link('scaling_wave_strong_h200')})",
        ],
        [
            "figures 13 and 14: no neighbour at the ends, coefficients in constant memory, offsets of the twelve planes "
            "that a boundary needs",
            "zeros beyond the ends",
            f"{decks('stencil-25')}; weights are arguments of the kernel",
            "the same zeros",
        ],
        [
            "figures 15 and 16: copies beside kernels, `MPI_Sendrecv` with the left and the right",
            "two messages, in a fixed order",
            "`halo.transport: mpi-host`",
            f"16 MiB in {duration(staged['seconds'])} on two H200 ({link('exchange_h200')})",
        ],
        [
            "the whole loop",
            "one slab a device",
            "`bench/scaling.py --case stencil`",
            f"768³ a device: {milliseconds(alone['seconds_a_step'])} on one H200, "
            f"{milliseconds(strong['seconds_a_step'])} on two, "
            f"{fixed(strong['efficiency'], 3)} ({link('scaling_stencil_weak_h200')})",
        ],
        [
            "figures 17 and 18: results go to the data server, which stores them",
            "after a barrier",
            "`io.ranks: 1`, snapshots",
            f"steps {percent(served['I/O ranks write'])} slower, without it {percent(served['all ranks write'], 0)} "
            f"({link('io_ranks_h100')}; an H100 a rank)",
        ],
        [
            "collective calls",
            "barrier, and by name broadcast, reduction, gathering and scattering",
            "sums of solvers, `framework/runtime`",
            "a wait ends when any rank fails",
        ],
        [
            "figure 19: an MPI that takes memory of devices",
            "no pinned buffers, no copies by hand",
            "`halo.transport: mpi-device`",
            f"16 MiB in {duration(aware['seconds'])} ({link('exchange_mpi_device_h200')}); the fastest way is chosen at "
            "start",
        ],
    ]


@table
def seeds_devices():
    peer = [one("peer_copy_two_h100", problem="134217728 bytes, device 0 to 1", form=form) for form in ("direct", "staged")]
    two = {row["how"]: row for row in rows("nbody_two_h100")}
    form = "reference: one body a thread, 300 x 256 threads, tiles of 256 bodies"
    reference, ours = (one("nbody_h100", problem="gravity of bodies, single, 262144", form=name) for name in (form, "cuda"))
    return [
        HEADINGS,
        [
            "a thread drives several devices by choosing the current one",
            "the runtime's call; by the driver, a stack of contexts",
            "`--devices all`, [several devices in a process](architecture.md#several-devices-in-a-process)",
            "the caller's current device is left as it was, physics/nbody/gravity_test.cpp",
        ],
        [
            "copy between devices by the runtime, two pinned buffers in turn, events",
            "listing 1, of the section before",
            "`halocline bench peer-copy`, `staged`",
            f"{rate(peer[1]['bytes_per_second'])} at 128 MiB, {fixed(peer[1]['peer']['of_peer'])} of what two pinned "
            "copies at once take "
            f"({link('peer_copy_two_h100')})",
        ],
        [
            "the same by the driver's interface",
            "listing 2",
            "`halocline bench peer-copy`; the runtime alone is used",
            "the same buffers and events",
        ],
        [
            "direct copies between devices",
            "named",
            "`halocline bench peer-copy`, `direct`",
            f"{rate(peer[0]['bytes_per_second'])}, {fixed(peer[0]['of_copy'])} of the library's own",
        ],
        [
            "all forces of N bodies in N² steps, an equal part for each of k devices",
            "the number of bodies a multiple of k, at most 32 devices",
            f"{decks('star-cluster')} `--devices 2`; any number of bodies and devices",
            f"262,144 bodies: {milliseconds(two['--devices 1']['seconds_a_step'])} a step, on two H100 "
            f"{milliseconds(two['--devices 2']['seconds_a_step'])}, {fixed(two['--devices 2']['efficiency'], 3)} "
            f"({link('nbody_two_h100')})",
        ],
        [
            "devices that are not alike: a queue of smaller pieces",
            "named as what could be done",
            "`nbody.schedule: queue`",
            f"{milliseconds(two['--devices 2 --set nbody.schedule=queue']['seconds_a_step'])} on two alike "
            f"({fixed(two['--devices 2 --set nbody.schedule=queue']['efficiency'], 3)})",
        ],
        [
            "listing 3: a kernel for a part of the bodies, tiles of 256 in shared memory, one body a thread, loop "
            "unrolled by 32",
            "300 blocks of 256 threads",
            f"{file('bench/reference_nbody.cpp')}, `halocline bench nbody`",
            f"{milliseconds(reference['median_seconds'])} for 262,144 bodies, {fixed(reference['of_bound'])} of the "
            "bound; ours "
            f"{milliseconds(ours['median_seconds'])}, {fixed(ours['of_bound'])} ({link('nbody_h100')})",
        ],
        [
            "listing 4: the host in three loops: memory and copies in, kernels and copies out, waiting",
            "so that devices overlap",
            file("physics/nbody/gravity.cpp"),
            f"{fixed(two['--devices 2']['efficiency'], 3)} of twice as fast, by two ranks "
            f"{fixed(two['--ranks 2']['efficiency'], 3)}",
        ],
        [
            "bodies as four numbers, softened",
            "x, y, z and mass",
            file("physics/nbody/README.md", "nbody"),
            "the same; bodies that begin in one place without softening are refused",
        ],
        [
            "time of a step, wall clock",
            "returned, no figures",
            f"{decks('two-bodies')}, tests/end_to_end/nbody_test.py",
            "an orbit closes to second order, and time runs back",
        ],
    ]
