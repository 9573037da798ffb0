#!/usr/bin/env python3
"""Turns what Nsight Compute counted of the Laplacian's kernels into a result: bytes, fetch efficiency and cache hits.

    ncu --csv --page raw --print-units base --print-kernel-base demangled --clock-control none \\
        --kernel-name 'regex:laplacian_tile|stream_sweep|direct_sweep' \\
        --metrics dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sector_hit_rate.pct,gpu__time_duration.sum \\
        --log-file counters.csv \\
        halocline bench reference-laplacian --size 512 --repetitions 1 --json profiled.json
    ncu_counters.py counters.csv profiled.json --json bench/results/counters_laplacian_512.json

One size a run, of `reference-laplacian` or `reference-laplacian-planes`. Of profiled.json only the machine, the problem and
the names of the forms are taken: its times are those of a profiled program. The fetch efficiency is the least that a run
must read (all points but those on the edges of the box, once) over what it read from memory.
"""

import argparse
import csv
import json
import math
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
HITS, DURATION = "lts__t_sector_hit_rate.pct", "gpu__time_duration.sum"
UNITS = {READ: ("byte", 1), WRITTEN: ("byte", 1), HITS: ("%", 0.01), DURATION: ("ns", 1e-9)}
TAKEN_OVER = ("machine", "hardware", "backend", "version", "commit", "date", "command", "device")


def numbers(text):
    """Of "(256, 1, 1)"."""
    return [int(number) for number in re.findall(r"\d+", text)]


def read_launches(path):
    """The launches that were counted: a dictionary each, metrics in bytes, parts of one and seconds."""
    with open(path, newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(line for line in file if line.startswith('"')))
    if not table:
        sys.exit(f"{path}: no launch was counted")
    units, launches = table[0], table[1:]
    for metric, (unit, _) in UNITS.items():
        if (units.get(metric) or "").replace("nsecond", "ns") != unit:
            sys.exit(f"{path}: {metric} is not there in {unit} (ncu --print-units base)")
    for launch in launches:
        for metric, (_, factor) in UNITS.items():
            launch[metric] = float(launch[metric].replace(",", "")) * factor
    return launches


def describe(launch, extents):
    """The form that a launch is part of, as `halocline bench` calls it, and how many launches make a run."""
    tile = re.search(r"laplacian_tile<.*?(Grid\w+), (?:\(int\))?(\d+),", launch["Kernel Name"])
    if not tile:
        return ("streaming" if "stream_sweep" in launch["Kernel Name"] else "direct"), 1
    grid, rows = tile[1], int(tile[2])
    form = f"reference: tile of {rows} row{'s' * (rows > 1)}, "
    if grid == "GridYzx":
        return form + "grid ordered y, z, x", 1
    if grid == "GridXyz":
        return form + " x ".join(str(n) for n in numbers(launch["Block Size"])) + " threads", 1
    tiles = math.ceil(extents[1] / rows)
    # The last launch of a run may be smaller: told by the first.
    return form + "subdomains", math.ceil(tiles / numbers(launch["Grid Size"])[1])


def least_read_bytes(extents):
    inside = sum(n - 2 for n in extents)
    return 8 * (math.prod(extents) - 8 - 4 * inside)


def name_in(record, form, launches_of_run, path):
    """The name of a form as the record has it: a sweep's with its tile, subdomains with their number."""
    if form.endswith(" subdomains"):
        form = form.removesuffix("subdomains") + f"{launches_of_run} subdomains"
    for row in record["rows"]:
        if row["form"] == form or (not form.startswith("reference") and row["form"].startswith(form)):
            return row["form"]
    return sys.exit(f"{path}: no row has the form `{form}`")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counters", type=Path, help="the table that ncu wrote")
    parser.add_argument("record", type=Path, help="the record of the profiled `halocline bench`")
    parser.add_argument("--json", type=Path, required=True, help="where the result goes")
    options = parser.parse_args()
    record = json.loads(options.record.read_text(encoding="utf-8"))
    problems = {row["problem"] for row in record["rows"]}
    if len(problems) != 1:
        sys.exit(f"{options.record}: {len(problems)} problems; profile one size a run")
    problem = problems.pop()
    extents = numbers(problem.rsplit(",", 1)[1])

    forms = defaultdict(list)
    for launch in read_launches(options.counters):
        form, launches_of_run = describe(launch, extents)
        forms[form].append((launch, launches_of_run))
    rows = []
    for form, members in forms.items():
        launches = [launch for launch, _ in members]
        launches_of_run = min(count for _, count in members)
        runs = len(launches) / launches_of_run
        read = sum(launch[READ] for launch in launches) / runs
        rows.append({
            "problem": problem, "form": name_in(record, form, launches_of_run, options.record),
            "runs": runs, "launches_of_a_run": launches_of_run,
            "read_bytes": read, "written_bytes": sum(launch[WRITTEN] for launch in launches) / runs,
            "least_read_bytes": least_read_bytes(extents), "fetch_efficiency": least_read_bytes(extents) / read,
            "second_level_hit_rate": statistics.mean(launch[HITS] for launch in launches),
            "profiled_seconds": sum(launch[DURATION] for launch in launches) / runs})
    result = {key: record[key] for key in TAKEN_OVER} | {"counters": rows}
    options.json.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
