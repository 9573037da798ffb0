"""Further studies of a Laplacian by hand: step by step, by the stride between planes, by subdomains and by the threads of a
block."""
import re

from .records import duration, fixed, milliseconds, one, percent, rate, rows, size, table, without_repeats

WHOLE = "reference: tile of 8 rows, 256 x 1 x 1 threads"
STEPS = {1: "1: one thread per point", 2: "2: one thread per 8 rows, seven loads per point",
         3: "3: loads reordered, values that rows share loaded once", 4: "4: launch bound of 256 threads per block",
         5: "5: streaming stores (kernel 5)"}


def is_ours(form):
    return not form.startswith("reference")


def extents_of(problem):
    return [int(number) for number in problem.rsplit(", ", 1)[1].split(" x ")]


def count_of(name, row):
    return one(name, "counters", problem=row["problem"], form=row["form"])


@table
def laplacian_steps_h100():
    made = [["step, 512³ points", "time", "rate", "of copy", "fetch efficiency", "L2 hit rate"]]
    for row in sorted(rows("reference_steps_h100"), key=lambda row: is_ours(row["form"])):
        number = re.search(r"step (\d)", row["form"])
        count = count_of("counters_laplacian_steps_512_h100", row)
        made.append([STEPS[int(number[1])] if number else "ours, streaming", duration(row["median_seconds"]),
                     rate(row["bytes_per_second"]), fixed(row["of_copy"]), percent(count["fetch_efficiency"]),
                     percent(count["second_level_hit_rate"])])
    return made


def planes(name="reference_strides_h100"):
    """{bytes of a plane: {points of a row: {whether ours, or the kind: row}}}."""
    found = {}
    for row in rows(name):
        nx, ny, _ = extents_of(row["problem"])
        kind = "ours" if is_ours(row["form"]) else "whole" if row["form"] == WHOLE else "subdomains"
        found.setdefault(8 * nx * ny, {}).setdefault(nx, {})[kind] = row
    return dict(sorted(found.items()))


@table
def laplacian_strides_h100():
    made = [["MiB per plane", "kernel 5, of copy, rows of 512 / 1024 / 2048", "fetch efficiency, 1024", "L2 hit rate, 1024",
             "kernel 7, of copy", "ours, of copy"]]
    for plane, of_lengths in planes().items():
        parts = {kind: " / ".join(fixed(kinds[kind]["of_copy"]) for _, kinds in sorted(of_lengths.items()))
                 for kind in ("whole", "subdomains", "ours")}
        count = count_of("counters_laplacian_strides_1024_h100", of_lengths[1024]["whole"])
        made.append([f"{plane / 2**20:g}", parts["whole"], fixed(count["fetch_efficiency"]),
                     fixed(count["second_level_hit_rate"]), parts["subdomains"], parts["ours"]])
    return made


@table
def laplacian_growing_h200():
    made = [["rows of 1024 points, 32 planes", "MiB per plane", "kernel 5", "of copy", "kernel 7", "of copy", "ours", "of copy"]]
    for plane, of_lengths in planes("reference_growing_h200").items():
        kinds = of_lengths[1024]
        made.append([f"{plane // 8192}", f"{plane / 2**20:g}",
                     *(words for kind in ("whole", "subdomains", "ours")
                       for words in (rate(kinds[kind]["bytes_per_second"]), fixed(kinds[kind]["of_copy"])))])
    return made


def split(problem, parts, along):
    found = rows("reference_splits_h100", problem=problem,
                 form=f"reference: tile of 8 rows, {parts} subdomains{' along x' if along == 'x' else ''}")
    return found[0] if found else None


@table
def laplacian_splits_h100():
    counts = (2, 4, 8, 16)
    made = []
    for problem in dict.fromkeys(row["problem"] for row in rows("reference_splits_h100")):
        ours = one("reference_splits_h100", problem=problem, form=is_ours)
        whole = one("reference_splits_h100", problem=problem, form=WHOLE)
        for along in "yx":
            made.append([size(extents_of(problem)), f"time, parts along {along}", milliseconds(ours["median_seconds"]),
                         milliseconds(whole["median_seconds"]),
                         *(milliseconds(row["median_seconds"]) if row else ""
                           for row in (split(problem, parts, along) for parts in counts))])
        if extents_of(problem)[0] == 2048:
            for along in "yx":
                made.append([size(extents_of(problem)), f"fetch efficiency, parts along {along}",
                             *(fixed(count_of("counters_laplacian_splits_2048_h100", row)["fetch_efficiency"]) if row else ""
                               for row in (ours, whole, *(split(problem, parts, along) for parts in counts)))])
    return [["points", "quantity", "ours", "whole planes", *(f"{parts} parts" for parts in counts)], *without_repeats(made)]


def blocks(extents):
    """{threads of a block: {rows of a tile: row}} of a cube."""
    found = {}
    for row in rows("reference_blocks_h200", problem=f"7-point Laplacian inside, double, {extents} x {extents} x {extents}"):
        form = re.match(r"reference: tile of (\d+) rows?, (.*) threads", row["form"])
        if form:
            found.setdefault(form[2].replace(" x ", " × "), {})[int(form[1])] = row
    return found


@table
def laplacian_blocks_h200():
    heights = (1, 2, 4, 8, 16)
    made = [["threads per block", *(f"{size}1 row" if height == 1 else f"{height} rows"
                                    for size in ("512³: ", "1024³: ") for height in heights),
             "fetch efficiency, 1024³, 8 rows"]]
    cubes = [blocks(512), blocks(1024)]
    for threads in cubes[0]:
        made.append([threads, *(fixed(cube[threads][height]["of_copy"]) for cube in cubes for height in heights),
                     fixed(count_of("counters_laplacian_blocks_1024_h200", cubes[1][threads][8])["fetch_efficiency"])])
    return made
