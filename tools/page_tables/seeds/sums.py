"""Sums by cooperative groups."""

from ..records import digits, duration, fixed, link, microseconds, milliseconds, one, rate, record, rows, table
from .cells import HEADINGS, file


def small(form):
    """Time of a sum of 64 KiB."""
    return duration(one("reductions_h100", problem="sum, single, 16384", form=form)["median_seconds"])


def summed(problem, form):
    row = one("reduction_forms_h200", benchmark="reductions", problem=problem, form=form)
    return f"{milliseconds(row['median_seconds'])}, {rate(row['bytes_per_second'])}, {fixed(row['of_peak'])} of peak"


WHOLE, SEGMENTS = "sum, single, 536870912", "segmented sum, single, 2048 x 262144"


@table
def seeds_reductions():
    device = record("reduction_forms_h200")["device"]
    peak = device["peak of the memory, bytes a second"]
    grids = rows("reduction_forms_h200", benchmark="reduction-grids")
    sums = file("bench/reduction_bodies_test.cpp")
    return [
        HEADINGS,
        [
            "the device",
            "RTX 3090, 23.67 GB, a peak of 936.1 GB/s, printed in a banner",
            "the first lines of `halocline bench`; `hardware` and `device` of records",
            f"an H200, {digits(device['memory, GiB'])} GiB, a peak of {rate(peak)} ({link('reduction_forms_h200')})",
        ],
        [
            "how it is measured",
            "10 warm-up launches, then the mean of 10",
            "`halocline bench reductions`",
            "the median of 15, timed by events",
        ],
        [
            "batched sums, one block a batch: a tree in shared memory, synchronised by `thread_block`",
            "2048 batches of 262,144: 2.433 ms, 882.6 GB/s, 0.94 of peak",
            "`halocline bench reductions`",
            f"{summed(SEGMENTS, 'a block a segment, tree in shared memory')} ({link('reduction_forms_h200')})",
        ],
        [
            "the same by a static `thread_block_tile` of the whole block",
            "written, but said not to work",
            "`halocline bench reductions`, `a block a segment, tree of a static tile`",
            "works with `block_tile_memory` for its barriers: "
            f"{summed(SEGMENTS, 'a block a segment, tree of a static tile')}",
        ],
        [
            "batched sums: shuffles within warps by `thread_block_tile<32>`, then the sum of their results",
            "2.434 ms, 882.1 GB/s, 0.94 of peak",
            "`halocline bench reductions`",
            summed(SEGMENTS, "a block a segment, shuffles within warps"),
        ],
        [
            "one cooperative launch for the whole array with grid-wide barriers, one block a multiprocessor",
            "2.478 ms, 866.7 GB/s, 0.93 of peak",
            "`halocline bench reductions`",
            f"{summed(WHOLE, 'cooperative, one block a multiprocessor')}: too few loads in flight on this device",
        ],
        [
            "the same with as many blocks as fit",
            "commented out, with a doubt",
            "`halocline bench reductions`",
            summed(WHOLE, "cooperative, filled grid"),
        ],
        [
            "why one or the other: launch cost against idle block slots",
            "discussed, not measured",
            "`halocline bench reduction-grids`",
            f"idle slots cost more: launch and barriers take {microseconds(grids[0]['peer']['seconds'], 2)} of "
            f"{microseconds(grids[0]['median_seconds'], 4)} with one block a multiprocessor, "
            f"{microseconds(grids[-1]['peer']['seconds'], 2)} of {microseconds(grids[-1]['median_seconds'], 4)} with as "
            "many as "
            "fit ([table](performance.md#grids-of-the-sum-in-one-launch))",
        ],
        [
            "launches of batched sums until one value is left",
            "named as the alternative, not measured",
            "`halocline bench reductions`",
            f"{summed(WHOLE, 'iterated launches')}; 64 KiB in {small('iterated launches')}",
        ],
        [
            "late passes leave most blocks idle",
            "discussed, not measured",
            "`halocline bench reductions-small`",
            f"64 KiB in one cooperative launch {small('cooperative, filled grid')}, by this project's kernel "
            f"{small('specialised')}",
        ],
        [
            "this project's kernels, and CUB",
            "",
            "`halocline bench reductions`",
            f"batched {summed(SEGMENTS, 'specialised')}, CUB {summed(SEGMENTS, 'CUB')}; whole array "
            f"{summed(WHOLE, 'specialised')}, CUB {summed(WHOLE, 'CUB')}",
        ],
        [
            "check: a sum of ones equals their number",
            "stops if it does not",
            sums,
            "every kernel adds every value exactly once; sums of random values are as accurate as their grouping allows",
        ],
        [
            "cooperative groups against the primitives before them",
            "alike",
            "`halocline bench reductions`",
            f"trees by `__syncthreads` {summed(SEGMENTS, 'a block a segment, tree by __syncthreads')}; shuffles by "
            f"`__shfl_down_sync` {summed(SEGMENTS, 'a block a segment, shuffles by __shfl_down_sync')}; with groups as above; "
            f"the portable form, with Kokkos' teams, {summed(SEGMENTS, 'portable')}",
        ],
    ]
