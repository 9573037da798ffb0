"""Jacobi's iteration on a line: Laplace's equation in 1D."""

from ..records import digits, duration, fixed, link, microseconds, one, percent, record, rows, table
from .cells import HEADINGS, decks, file


ATOMIC = "reference: an atomic addition a thread"
BLOCKS = "reference: BlockReduce, an atomic addition a block"
PRINTED = ["0.00272958", "0.00034546", "0.000210903", "0.000157015", "0.000127122", "0.00010783"]
NVSHMEM_SWEEP = "a sweep whose kernel reads the neighbour's point, and its norm"


def jacobi(form, points=4194304):
    return one("reference_kernels_h100", problem=f"3-point Jacobi and norm inside, single, {points}", form=form)[
        "median_seconds"
    ]


def profiled(kernel):
    name = f"counters_first_rank_{kernel}_h200"
    return f"{duration(record(name)['counters'][0]['profiled_seconds'])} ({link(name)})"


@table
def seeds_jacobi_1d():
    reference = {row["reference"]: row["seconds"] for row in rows("exchange_h100") if "reference" in row}
    listed = one("nvshmem_references_h200", reference="the same with an atomic addition a thread")
    lines = "".join(f"Iteration = {10 * n} error = {change}\n" for n, change in enumerate(PRINTED)) + "Success!\n"
    program = record("jacobi_program_block_h200")
    if program["printed"] != lines:
        raise ValueError("jacobi_program_block_h200: not the lines of the document")
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
            "Laplace's equation in 1D between two fixed end values",
            "4,194,304 points, ends at 5 and 10, zero inside, single precision",
            f"{decks('laplace-1d')}, the same problem",
            "converges, see below",
        ],
        [
            "first derivative by central differences",
            "the formula",
            "`advection.scheme: central` ([options](options.md))",
            f"second order ({file('physics/advection/README.md', 'advection')})",
        ],
        [
            "second derivative by central differences",
            "the formula",
            "`halocline run decks/laplace-1d.yaml`, any physics with a point functor",
            f"second order in 1D, 2D and 3D, {accuracy}",
        ],
        [
            "Jacobi's iteration, serial",
            "stops when the root mean square of a step's change falls below 1e-4, or after 1000 iterations",
            "`solver: {method: jacobi, jacobi: {quantity: change}}`",
            "the same criterion",
        ],
        [
            "printed output: change at iterations 0, 10, 20, 30, 40, 50",
            "0.00272958, 0.00034546, 0.000210903, 0.000157015, 0.000127122, 0.00010783, then success",
            f"`halocline run decks/laplace-1d.yaml`, `--ranks 3`; {accuracy}",
            "the same six lines to the last digit on one and three ranks; converges in fewer than 60 iterations",
        ],
        [
            "kernel 1: one atomic addition a thread",
            "2.52 ms under the profiler, for 1,048,576 points (a quarter of all)",
            bench,
            f"{duration(atomic)} for all 4,194,304 points ({link('reference_kernels_h100')}, an H100); "
            f"{digits(1e9 * atomic / 4194304)} ns a point, {digits(1e9 * 2.52e-3 / 1048576)} in the document",
        ],
        [
            "the same on several devices by NVSHMEM: the kernel reads the neighbour's point itself",
            "each device has N / M points; prints the same six lines",
            "`bench/exchange.py --references`, `halo.transport: nvshmem`",
            f"a sweep with BlockReduce and its norm take {duration(reference[NVSHMEM_SWEEP], 2)} on two H100 "
            f"({link('exchange_h100')}); with an atomic addition a thread, as printed, "
            f"{duration(listed['seconds'])} on two H200 ({link('nvshmem_references_h200')}). Both print the same six lines, as does the "
            "deck",
        ],
        [
            "sum of the norm over all devices by a reduction of an NVSHMEM team",
            "one call an iteration",
            "`bench/exchange.py --references`",
            f"{duration(reference['the sum of one number over all ranks'], 2)}; the same by the hosts takes "
            f"{duration(reference['the sum of one number over all ranks, by the host'], 2)} ({link('exchange_h100')})",
        ],
        [
            "the whole iteration on several devices",
            "prints the same six lines",
            "`bench/scaling.py --case rod`, `halocline run decks/laplace-1d.yaml --ranks 2`",
            f"an iteration with its norm takes {microseconds(rod[1])} on one H200 and {microseconds(rod[2])} on two, "
            f"{fixed(rod[1] / rod[2])} times as fast ([by transport](performance.md#between-the-devices-of-a-host), "
            f"{link('scaling_rod_strong_h200')}); the deck prints the same lines on two GPUs",
        ],
        [
            "kernel 2: `cub::BlockReduce`, one atomic addition a block",
            "25.15 us under the profiler, a hundredth of kernel 1",
            bench,
            f"{duration(by_blocks)}, {digits(atomic / by_blocks)} times as fast as kernel 1 "
            f"({link('reference_kernels_h100')})",
        ],
        [
            "the sweep of this project",
            "",
            f"{bench}, `halocline bench jacobi-1d`",
            f"{duration(ours)}, {digits(by_blocks / ours)} times as fast as kernel 2; at 2²⁸ points "
            f"{duration(jacobi('streaming along x, 4 stages', 1 << 28))}, kernel 2 {duration(jacobi(BLOCKS, 1 << 28))}",
        ],
        [
            "printed output with BlockReduce",
            "the same six lines",
            f"{file('bench/jacobi_program.cpp')}, `jacobi_program --sum block`",
            f"the same six lines, then success after {program['iterations']} iterations of "
            f"{duration(program['seconds_an_iteration'])} each, with the copy of the norm; with an atomic addition a thread "
            f"{duration(record('jacobi_program_thread_h200')['seconds_an_iteration'])} "
            f"({link('jacobi_program_block_h200', 'jacobi_program_thread_h200')}, an H200; "
            f"{file('bench/reference_jacobi_test.cpp')})",
        ],
        [
            "how to profile one of several processes",
            "a script that profiles the first rank alone, one launch after the first 20",
            f"{file('tools/profile_first_rank.sh')}, {file('tools/ncu_counters.py')}",
            f"the first of two ranks, one launch after twenty: an atomic addition a thread {profiled('atomic')}, BlockReduce "
            f"{profiled('block_reduce')} of 2,097,152 points",
        ],
    ]


# The record that tools/ncu_counters.py makes of `halocline bench reference-jacobi-1d`.
PROFILED = "counters_jacobi_h100"
WARPS = 64  # of a multiprocessor of compute capability 9.0, at most


def seconds_in(name):
    return lambda row: duration(row[name])


def part_in(name):
    return lambda row: percent(row[name], 2)


def count_in(name):
    return lambda row: f"{int(fixed(row[name], 0)):,}"


def hertz_in(name):
    return lambda row: f"{digits(row[name] / 1e9)} GHz"


def bytes_in(name):
    return lambda row: f"{row[name]:.0f} bytes"


def block_limits(row):
    names = ("blocks_that_a_multiprocessor_holds", "blocks_that_fit_registers", "blocks_that_fit_shared_memory",
             "blocks_that_fit_warps")
    return ", ".join(f"{row[name]:.0f}" for name in names)


# Metric, the document's values for the atomic kernel and the one with BlockReduce, and ours from a row of the record.
PROFILE = [
    ("DRAM frequency", "0.877 GHz", "0.788 GHz", hertz_in("memory_frequency")),
    ("multiprocessor frequency", "1.31 GHz", "1.17 GHz", hertz_in("multiprocessor_frequency")),
    ("elapsed cycles", "3,305,314", "29,534", count_in("elapsed_cycles")),
    ("memory throughput, of peak", "1.06 %", "26.50 %", part_in("memory_throughput")),
    ("DRAM throughput, of peak", "0.24 %", "26.50 %", part_in("dram_throughput")),
    ("duration", "2.52 ms", "25.15 us", seconds_in("profiled_seconds")),
    ("first-level cache throughput, of peak", "0.93 %", "31.73 %", part_in("first_level_throughput")),
    ("second-level cache throughput, of peak", "1.06 %", "15.39 %", part_in("second_level_throughput")),
    ("active cycles of a multiprocessor", "3,268,284", "24,448", count_in("active_cycles")),
    ("multiprocessor throughput, of peak", "0.48 %", "31.95 %", part_in("multiprocessor_throughput")),
    ("threads of a block", "256", "256", count_in("block_size")),
    ("blocks", "4096", "4096", count_in("grid_size")),
    ("registers of a thread", "62", "62", count_in("registers_of_a_thread")),
    ("configured shared memory", "0", "8.19 KB", lambda row: f"{row['shared_bytes_configured'] / 1024:.0f} KiB"),
    ("static shared memory of a block", "0", "44 bytes", bytes_in("static_shared_bytes_of_a_block")),
    ("driver shared memory of a block", "0", "0", bytes_in("driver_shared_bytes_of_a_block")),
    ("dynamic shared memory of a block", "0", "0", bytes_in("dynamic_shared_bytes_of_a_block")),
    ("threads", "1,048,576", "1,048,576", lambda row: f"{row['block_size'] * row['grid_size']:,.0f}"),
    ("waves of a multiprocessor", "12.80", "12.80", lambda row: fixed(row["waves_of_a_multiprocessor"])),
    ("block limits: multiprocessor, registers, shared memory, warps", "32, 4, 32, 8", "32, 4, 384, 8", block_limits),
    ("theoretical active warps", "32", "32", lambda row: f"{WARPS * row['theoretical_occupancy']:g}"),
    ("theoretical occupancy", "50 %", "50 %", part_in("theoretical_occupancy")),
    ("achieved occupancy", "39.56 %", "41.47 %", part_in("achieved_occupancy")),
    ("achieved active warps", "25.32", "26.54", lambda row: fixed(WARPS * row["achieved_occupancy"])),
]


@table
def seeds_profile():
    made = [
        [
            "metric of a launch",
            "document: an atomic addition a thread",
            "document: BlockReduce",
            "here: an atomic addition a thread",
            "here: BlockReduce",
            "here: this project's sweep",
        ]
    ]
    for metric, *theirs, of in PROFILE:
        ours = [of(one(PROFILED, "counters", form=form)) for form in (ATOMIC, BLOCKS, "direct")]
        made.append([metric, *theirs, *ours])
    return made
