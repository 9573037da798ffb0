"""The Laplacian in HIP, and planes that a cache cannot hold."""

import math

from ..laplacians import blocks, planes, split
from ..records import digits, duration, fixed, link, milliseconds, one, percent, rate, record, rows, starts_with, table
from ..studies import best_of_kinds, rows_of_tile
from .cells import HEADINGS, file

PLANES = "7-point Laplacian inside, double, 2048 x 2048 x 256"


def kernel(problem, kind, name="reference_kernels_h100"):
    return best_of_kinds(rows(name, problem=problem))[kind]


def counted(row, name="counters_laplacian_2048_h100"):
    count = one(name, "counters", problem=row["problem"], form=row["form"])
    return [percent(count["fetch_efficiency"]), percent(count["second_level_hit_rate"])]


def printed(kind):
    """The kernel of a kind with the rows a tile that the document prints."""
    return one("reference_kernels_h100", problem=PLANES,
               form=lambda form: form.startswith("reference: tile of 8 rows, ") and form.endswith(kind))


@table
def seeds_laplacian_kernels():
    """The document's table of workarounds, beside the same kernels here."""
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
            "second-level hit rate",
            "relative to kernel 5",
            "H100, 2048 × 2048 × 256, 8 rows as printed",
            "best number of rows",
            "fetch efficiency",
            "second-level hit rate",
            "relative to kernel 5",
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
                rate(printed(kind)["bytes_per_second"]),
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
    made = [["device, 512³ points", "threads of a block", "launch bound", "rows a thread", "source"]]
    made += [[*line, "the document"] for line in theirs]
    found = {
        (threads, height): row for threads, heights in blocks(512).items() for height, row in heights.items()
    }
    flat = {key: row for key, row in found.items() if key[0].endswith(" × 1 × 1")}
    for words, kernels in (("H200", found), ("H200, blocks one point deep", flat)):
        threads, height = min(kernels, key=lambda key: kernels[key]["median_seconds"])
        made.append(
            [
                words,
                threads,
                str(math.prod(int(number) for number in threads.split(" × "))),
                str(height),
                f"{link('reference_blocks_h200')}, `halocline bench reference-laplacian-blocks`",
            ]
        )
    literal = found["256 × 1 × 1", 8]
    made.append(
        [
            "H200, as printed",
            "256 × 1 × 1",
            "256",
            "8",
            f"{fixed(min(row['median_seconds'] for row in found.values()) / literal['median_seconds'])} of the speed of the best",
        ]
    )
    return made


def spread_over_planes():
    """The largest relative difference between rates of kernel 5 where only the number of planes differs."""
    rates = {}
    for problem in dict.fromkeys(row["problem"] for row in rows("reference_shapes_h200")):
        best = best_of_kinds(rows("reference_shapes_h200", problem=problem))["256 x 1 x 1 threads"]
        rates.setdefault(problem.rsplit(" x ", 1)[0], []).append(best["bytes_per_second"])
    return max(max(found) / min(found) - 1 for found in rates.values())


@table
def seeds_laplacian():
    def cubes(n, device):
        best = kernel(f"7-point Laplacian inside, double, {n} x {n} x {n}", "256 x 1 x 1 threads",
                      f"reference_kernels_{device}")
        return best, counted(best, f"counters_laplacian_{n}_{device}")

    def as_written(n):
        """The document's kernel 5, with 8 rows."""
        problem, form = f"7-point Laplacian inside, double, {n} x {n} x {n}", "reference: tile of 8 rows, 256 x 1 x 1 threads"
        return one("reference_kernels_h100", problem=problem, form=form)

    small, (small_fetch, small_hits) = cubes(256, "h200")
    large, (large_fetch, large_hits) = cubes(1024, "h100")
    wide_fetch, wide_hits = counted(kernel(PLANES, "256 x 1 x 1 threads"))
    naive = one("counters_laplacian_steps_512_h100", "counters", form="reference: step 1, a thread a point")
    steps = rows("reference_steps_h100", form=starts_with("reference: step"))
    words_of_steps = [duration(row["median_seconds"]) for row in steps]
    strides = planes()
    growing = planes("reference_growing_h200")

    def grown(mebibytes, kind="whole"):
        return fixed(growing[mebibytes << 20][1024][kind]["of_copy"])

    def at(mebibytes):
        """Rates of kernel 5 relative to a copy, for all lengths of rows."""
        return [kinds["whole"]["of_copy"] for kinds in strides[mebibytes << 20].values()]

    shapes = [
        row["bytes_per_second"]
        for row in (
            best_of_kinds(rows("reference_shapes_h200", problem=problem))["256 x 1 x 1 threads"]
            for problem in dict.fromkeys(row["problem"] for row in rows("reference_shapes_h200"))
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
            "kernels 1 to 4, of the earlier parts: naive, tiled along y, reads reordered, launch bounds; streaming stores",
            "named, each faster than the one before",
            "`halocline bench reference-laplacian-steps`",
            f"512³: {', '.join(words_of_steps[:-1])}; with streaming stores {words_of_steps[-1]}; without them the naive "
            "kernel is "
            "the fastest ([table](performance.md#step-by-step), [plot](images/steps.png), "
            f"{link('reference_steps_h100')})",
        ],
        [
            "kernel 5: tile of 8 rows, reads reordered, launch bound of 256, streaming stores",
            "the whole kernel",
            f"{kernels}, `halocline bench reference-laplacian`",
            f"256³ and 1024³ at {rate(as_written(256)['bytes_per_second'])} and "
            f"{rate(as_written(1024)['bytes_per_second'])}, {fixed(as_written(256)['of_copy'])} and "
            f"{fixed(as_written(1024)['of_copy'])} of copy; with the fastest of 1, 2, 4, 8 and 16 rows, as in the "
            f"rows below on sizes, fetches and planes, {rate(small['bytes_per_second'])} and {rate(large['bytes_per_second'])} "
            f"({link('reference_kernels_h100')}, an H100)",
        ],
        [
            "metric: the least bytes that must be read and written, over the time",
            "reads all points but those on the edges of the box, writes the inner ones",
            "`halocline bench reference-laplacian`",
            "the same bytes ([sizes](performance.md#a-laplacian-by-hand-step-by-step))",
        ],
        [
            "devices",
            "RX 6900 XT, RX 7900 XTX, MI50, MI100, MI210, MI250, MI250X (one half)",
            "the same kernels for NVIDIA, and for HIP",
            "H100 and H200; for HIP (gfx90a) the kernels compile, but no AMD device was available",
        ],
        [
            "table of the best block, launch bound and tile for each device",
            "256 × 1 × 1 threads and 8 rows on most",
            "[below](#the-best-block-and-tile)",
            "see below",
        ],
        [
            "figure: bandwidth by device and size, 256³ to 1024³, each axis varied by itself",
            "flat on the Radeons, falling on the Instincts where nx or ny is large; the largest size did not fit into the "
            "RX "
            "6900 XT",
            "`halocline bench reference-laplacian-shapes`, [shapes.png](images/shapes.png)",
            f"kernel 5 between {rate(min(shapes))} and {rate(max(shapes))} over 60 boxes: three planes always fit the cache "
            f"([by shape](kernels-by-hand.md#boxes-of-all-shapes), {link('reference_shapes_h200')})",
        ],
        [
            "figure: fetch efficiency and second-level hit rate by size, MI250X",
            "a naive kernel has 50 % and 65 %; at the largest size both are a third",
            f"{file('tools/ncu_counters.py')}, [fetches.png](images/fetches.png)",
            f"kernel 5 {small_fetch} and {small_hits} at 256³ on an H200, {large_fetch} and {large_hits} at 1024³ "
            f"and {wide_fetch} and {wide_hits} on planes of 2048² on an H100 "
            f"({link('counters_laplacian_256_h200', 'counters_laplacian_1024_h100', 'counters_laplacian_2048_h100')}); a "
            "naive "
            f"kernel {percent(naive['fetch_efficiency'])} and {percent(naive['second_level_hit_rate'])} at 512³ "
            f"({link('counters_laplacian_steps_512_h100')})",
        ],
        [
            "only nx and ny matter, nz does not",
            "read off the figure",
            "`halocline bench reference-laplacian-shapes`",
            f"the same here: at fixed nx and ny the rates of kernel 5 differ by at most {percent(spread_over_planes())} "
            "([by shape](kernels-by-hand.md#boxes-of-all-shapes))",
        ],
        [
            "figure: plane stride, nx fixed at three values from 512 on, planes from 1 MB to beyond 8 MB, MI250X",
            "falls from 2.5 MB a plane on, where three planes no longer fit 8 MB; flat from 8 MB on",
            "`halocline bench reference-laplacian-strides`, [strides.png](images/strides.png)",
            f"{fixed(min(at(8)))} to {fixed(max(at(8)))} of copy at 8 MiB a plane, {fixed(min(at(10)))} to "
            f"{fixed(max(at(10)))} at 10 MiB, {fixed(min(at(24)))} at 24 MiB, where every plane is read three times, and "
            "flat "
            "beyond. Rows of 512, 1024 and 2048 points give the same: the rate falls where three planes no longer fit half "
            "of the cache "
            f"([table](performance.md#the-stride-between-planes), {link('reference_strides_h100')})",
        ],
        [
            "last-level cache of the Radeons",
            "a third level of 128 and 96 MB, shared",
            "`device` of the records",
            f"the second level: {digits(record('reference_kernels_h100')['device']['second-level cache, bytes'] / 1e6)} MB "
            "on "
            "an H100, "
            f"{digits(record('leapfrog_h200')['device']['second-level cache, bytes'] / 1e6)} MB on an H200",
        ],
        [
            "figure: growing ny at nx = 1024, nz = 32, Radeons",
            "falls above 32 MB (RX 6900 XT) and 25 MB (RX 7900 XTX) a plane",
            "`halocline bench reference-laplacian-growing`",
            f"H100 and H200 have no third level. Kernel 5 at {grown(8)} of copy with 8 MiB a plane, {grown(12)} with 12, "
            f"{grown(32)} with 32, this project's sweep at {grown(32, 'ours')} "
            f"([table](kernels-by-hand.md#planes-that-grow), {link('reference_growing_h200')})",
        ],
        [
            "blocks eight points deep along z, 128 × 1 × 8",
            "68 % faster, fetch efficiency 80 %",
            "`halocline bench reference-laplacian-planes`",
            f"{fixed(100 * (gain - 1), 0)} % faster on planes of 2048² "
            f"([table](#kernels-5-6-and-7-on-planes-that-the-cache-cannot-hold))",
        ],
        [
            "kernel 6: grid ordered y, z, x, so that blocks work in sub-planes of 256 columns (2 MB each)",
            "faster than deep blocks; larger planes will not fit either",
            "`halocline bench reference-laplacian-planes`",
            "the same on 2048² (sub-planes of 4 MB); on 4096² "
            f"{rate(kernel(wide, 'grid ordered y, z, x')['bytes_per_second'])}, deep blocks "
            f"{rate(kernel(wide, '128 x 1 x 8 threads')['bytes_per_second'])}",
        ],
        [
            "kernel 7: four subdomains along y, one launch each",
            "the fastest; with more subdomains any plane fits",
            "`halocline bench reference-laplacian-planes`",
            "the fastest of these kernels on planes of 2048² and 4096²; on 4096² with 16 subdomains "
            f"{rate(kernel(wide, 'subdomains')['bytes_per_second'])}",
        ],
        [
            "subdomains along x instead",
            "said to be as easy",
            "`halocline bench reference-laplacian-splits`",
            f"2048 × 2048 × 256 in four subdomains: along y {milliseconds(split(PLANES, 4, 'y')['median_seconds'])}, "
            f"along x {milliseconds(split(PLANES, 4, 'x')['median_seconds'])} "
            f"([table](kernels-by-hand.md#subdomains-along-y-and-along-x), {link('reference_splits_h100')})",
        ],
        [
            "a sweep that does not depend on the cache",
            "",
            "`halocline bench laplacian-3d`, the streaming form",
            f"{rate(kernel(PLANES, 'ours')['bytes_per_second'])} on 2048², "
            f"{rate(kernel(wide, 'ours')['bytes_per_second'])} on 4096²",
        ],
    ]
