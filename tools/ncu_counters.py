#!/usr/bin/env python3
"""Converts Nsight Compute's counters of benchmark kernels to a record: for the Laplacian bytes, fetch efficiency and cache
hits; for Jacobi's iteration, and for a launch on one rank of a run, the utilisation and the resources of the device.

    ncu --csv --page raw --print-units base --print-kernel-base demangled --clock-control none \\
        --kernel-name 'regex:laplacian_|stream_sweep|direct_sweep' \\
        --metrics dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sector_hit_rate.pct,gpu__time_duration.sum \\
        --log-file counters.csv \\
        halocline bench reference-laplacian --size 512 --repetitions 1 --json profiled.json
    ncu_counters.py counters.csv profiled.json --json bench/results/counters_laplacian_512.json

    ncu --csv --page raw --print-units base --print-kernel-base demangled --clock-control none \\
        --kernel-name 'regex:jacobi_|direct_sweep|line_sweep' \\
        --section SpeedOfLight --section LaunchStats --section Occupancy --log-file counters.csv \\
        halocline bench reference-jacobi-1d --size 4194304 --repetitions 1 --json profiled.json

    mpirun -n 2 tools/profile_first_rank.sh counters.csv 'regex:direct_sweep|line_sweep' \\
        halocline run decks/laplace-1d.yaml --output profiled
    ncu_counters.py counters.csv profiled/summary.json --of 'laplace-1d on two ranks, the first' \\
        --json bench/results/counters_first_rank.json

    mpirun -n 2 tools/profile_first_rank.sh counters.csv jacobi_atomic \\
        exchange_bench --transport nvshmem --references >profiled.jsonl
    ncu_counters.py counters.csv profiled.jsonl --of 'Jacobi by NVSHMEM on two ranks, the first' --json …

The last two profile one launch on the first rank of a run, after twenty that warm up; the machine is that of the run's
summary, or of the first line that the program prints. Each other run profiles one benchmark of the Laplacian
(`reference-laplacian`, `-planes`, `-steps`, `-splits`, `-strides`) or of Jacobi's iteration. From profiled.json only the
machine, the problems and the names of the forms are used, since its times are those of a profiled program. The fetch
efficiency is the minimum of bytes to be read (all points except those on the edges of the box, once) divided by the bytes read
from memory.
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
TRAFFIC = {READ: ("byte", 1), WRITTEN: ("byte", 1), HITS: ("%", 0.01), DURATION: ("ns", 1e-9)}
# Columns of the second kind of table: the metric's name, its unit and the factor to the record's unit.
PEAK = "throughput.avg.pct_of_peak_sustained_"
QUANTITIES = {
    "profiled_seconds": (DURATION, "ns", 1e-9),
    "memory_throughput": ("gpu__compute_memory_" + PEAK + "elapsed", "%", 0.01),
    "dram_throughput": ("gpu__dram_" + PEAK + "elapsed", "%", 0.01),
    "first_level_throughput": ("l1tex__" + PEAK + "active", "%", 0.01),
    "second_level_throughput": ("lts__" + PEAK + "elapsed", "%", 0.01),
    "multiprocessor_throughput": ("sm__" + PEAK + "elapsed", "%", 0.01),
    "memory_frequency": ("dram__cycles_elapsed.avg.per_second", "hz", 1),
    "multiprocessor_frequency": ("gpc__cycles_elapsed.avg.per_second", "hz", 1),
    "active_cycles": ("sm__cycles_active.avg", "cycle", 1),
    "elapsed_cycles": ("gpc__cycles_elapsed.max", "cycle", 1),
    "block_size": ("launch__block_size", "", 1),
    "grid_size": ("launch__grid_size", "", 1),
    "registers_of_a_thread": ("launch__registers_per_thread", "register/thread", 1),
    "static_shared_bytes_of_a_block": ("launch__shared_mem_per_block_static", "byte/block", 1),
    "dynamic_shared_bytes_of_a_block": ("launch__shared_mem_per_block_dynamic", "byte/block", 1),
    "driver_shared_bytes_of_a_block": ("launch__shared_mem_per_block_driver", "byte/block", 1),
    "shared_bytes_configured": ("launch__shared_mem_config_size", "byte", 1),
    "blocks_that_a_multiprocessor_holds": ("launch__occupancy_limit_blocks", "block", 1),
    "blocks_that_fit_registers": ("launch__occupancy_limit_registers", "block", 1),
    "blocks_that_fit_shared_memory": ("launch__occupancy_limit_shared_mem", "block", 1),
    "blocks_that_fit_warps": ("launch__occupancy_limit_warps", "block", 1),
    "waves_of_a_multiprocessor": ("launch__waves_per_multiprocessor", "", 1),
    "theoretical_occupancy": ("sm__maximum_warps_per_active_cycle_pct", "%", 0.01),
    "achieved_occupancy": ("sm__warps_active.avg.pct_of_peak_sustained_active", "%", 0.01),
}
WAYS = {"jacobi_atomic": "reference: an atomic addition a thread",
        "jacobi_block_reduce": "reference: BlockReduce, an atomic addition a block", "direct_sweep": "direct",
        "line_sweep": "streaming along x"}
TAKEN_OVER = ("machine", "hardware", "backend", "version", "commit", "date", "command", "device")


def numbers(text):
    """The numbers in "(256, 1, 1)"."""
    return [int(number) for number in re.findall(r"\d+", text)]


def read_launches(path, metrics):
    """The profiled launches, one dictionary each, with `metrics` ({name: (unit, factor)}) in bytes, fractions of one and
    seconds."""
    with open(path, newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(line for line in file if line.startswith('"')))
    if not table:
        sys.exit(f"{path}: no launch was counted")
    units, launches = table[0], table[1:]
    for metric, (unit, _) in metrics.items():
        if metric not in units or (units[metric] or "").replace("nsecond", "ns") != unit:
            sys.exit(f"{path}: {metric} is not there in {unit or 'numbers'} (ncu --print-units base)")
    for launch in launches:
        for metric, (_, factor) in metrics.items():
            launch[metric] = float(launch[metric].replace(",", "")) * factor
    return launches


def name_of_kernel(launch):
    return re.search(r"(\w+)[<(]", launch["Kernel Name"].replace("(anonymous namespace)::", ""))[1]


def describe(launch, extents):
    """The form that a launch belongs to, as named by `halocline bench`, and the number of launches in a run."""
    kernel = launch["Kernel Name"]
    step = re.search(r"laplacian_(of_rows|reordered|bounded)<(?:\(int\))?(\d+)", kernel)
    if step:
        steps = {"of_rows": "1" if step[2] == "1" else "2", "reordered": "3", "bounded": "4"}
        return f"reference: step {steps[step[1]]}", 1
    tile = re.search(r"laplacian_tile<.*?(Grid\w+), (?:\(int\))?(\d+),", kernel)
    if not tile:
        return ("streaming" if "stream_sweep" in kernel else "direct"), 1
    grid, rows = tile[1], int(tile[2])
    form = f"reference: tile of {rows} row{'s' * (rows > 1)}, "
    if grid == "GridYzx":
        return form + "grid ordered y, z, x", 1
    if grid == "GridXyz":
        return form + " x ".join(str(n) for n in numbers(launch["Block Size"])) + " threads", 1
    # The last launch of a run may be smaller: use the first.
    if grid == "GridOfSubdomainAlongX":
        blocks = math.ceil(extents[0] / numbers(launch["Block Size"])[0])
        launches = math.ceil(blocks / numbers(launch["Grid Size"])[0])
        return f"{form}{launches} subdomains along x", launches
    launches = math.ceil(math.ceil(extents[1] / rows) / numbers(launch["Grid Size"])[1])
    return f"{form}{launches} subdomains", launches


def least_read_bytes(extents):
    inside = sum(n - 2 for n in extents)
    return 8 * (math.prod(extents) - 8 - 4 * inside)


def name_in(record, problem, form, path):
    """The full name of a form in the record: a sweep's with its tile, a step's with its sentence. The tile that is named by its
    rows elsewhere is the last step."""
    names = [row["form"] for row in record["rows"] if row["problem"] == problem]
    for start in (form, "reference: step 5") if form.startswith("reference: tile") else (form,):
        for name in names:
            if name == start or name.startswith((start + ",", start + " ")):
                return name
    return sys.exit(f"{path}: no row of `{problem}` has the form `{form}`")


def by_problem(launches, problems, path):
    """Pairs of a problem and its launches; the sweep's launches are the first of each problem."""
    parts = []
    behind = True
    for launch in launches:
        ours = "laplacian_" not in launch["Kernel Name"]
        if ours and behind:
            parts.append([])
        behind = not ours
        parts[-1].append(launch)
    if len(parts) != len(problems):
        sys.exit(f"{path}: {len(problems)} problems, but launches of {len(parts)}")
    return zip(problems, parts)


def rows_of_laplacian(problem, launches, record, path):
    extents = numbers(problem.rsplit(",", 1)[1])
    forms = defaultdict(list)
    runs_of = {}
    subdomains = None
    left = 0
    for launch in launches:
        form, launches_of_run = describe(launch, extents)
        if launches_of_run > 1 or left > 0:
            # The launches of a run are consecutive; the first determines their number.
            if left == 0:
                subdomains, left = (form, launches_of_run), launches_of_run
            form, launches_of_run = subdomains
            left -= 1
        forms[form].append(launch)
        runs_of[form] = launches_of_run
    rows = []
    for form, members in forms.items():
        runs = len(members) / runs_of[form]
        read = sum(launch[READ] for launch in members) / runs
        rows.append({
            "problem": problem, "form": name_in(record, problem, form, path),
            "runs": runs, "launches_of_a_run": runs_of[form],
            "read_bytes": read, "written_bytes": sum(launch[WRITTEN] for launch in members) / runs,
            "least_read_bytes": least_read_bytes(extents), "fetch_efficiency": least_read_bytes(extents) / read,
            "second_level_hit_rate": statistics.mean(launch[HITS] for launch in members),
            "profiled_seconds": sum(launch[DURATION] for launch in members) / runs})
    return rows


def rows_of_kernels(problem, launches, record, path):
    """The median of every quantity over the launches of a kernel."""
    kernels = defaultdict(list)
    for launch in launches:
        kernels[name_of_kernel(launch)].append(launch)
    return [{"problem": problem, "form": name_in(record, problem, WAYS[kernel], path), "kernel": kernel,
             "launches": len(members),
             **{name: statistics.median(launch[metric] for launch in members)
                for name, (metric, _, _) in QUANTITIES.items()}}
            for kernel, members in kernels.items()]


def record_of_run(path):
    """What a record has of its machine, from the summary of a run, or from the first line of JSON that a benchmark of ranks
    prints."""
    text = path.read_text(encoding="utf-8")
    try:
        said = json.loads(text)
    except json.JSONDecodeError:
        said = json.loads(next(line for line in text.splitlines() if line.startswith("{")))
    provenance = said["provenance"]
    return {"machine": provenance["machine"], "hardware": provenance["hardware"], "backend": provenance["backend"],
            "version": provenance["version"], "commit": provenance["revision"], "date": provenance["started"]}


def rows_of_rank(problem, launches):
    return [{"problem": problem, "form": WAYS.get(name_of_kernel(launch), name_of_kernel(launch)),
             "kernel": name_of_kernel(launch), "launches": 1,
             **{name: launch[metric] for name, (metric, _, _) in QUANTITIES.items()}} for launch in launches]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counters", type=Path, help="the table that ncu wrote")
    parser.add_argument("record", type=Path, help="the record of the profiled `halocline bench`, or with --of the summary of a run")
    parser.add_argument("--of", metavar="PROBLEM", help="the launches are of one rank of a run: of which, in words")
    parser.add_argument("--json", type=Path, required=True, help="where the result goes")
    options = parser.parse_args()
    utilisation = {metric: (unit, factor) for metric, unit, factor in QUANTITIES.values()}
    if options.of:
        result = record_of_run(options.record) | {
            "command": "tools/ncu_counters.py of tools/profile_first_rank.sh …",
            "counters": rows_of_rank(options.of, read_launches(options.counters, utilisation))}
        options.json.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    record = json.loads(options.record.read_text(encoding="utf-8"))
    problems = list(dict.fromkeys(row["problem"] for row in record["rows"]))
    if all("Laplacian" in problem for problem in problems):
        launches = read_launches(options.counters, TRAFFIC)
        rows = [row for problem, members in by_problem(launches, problems, options.record)
                for row in rows_of_laplacian(problem, members, record, options.record)]
    elif len(problems) == 1:
        launches = read_launches(options.counters, utilisation)
        rows = rows_of_kernels(problems[0], launches, record, options.record)
    else:
        sys.exit(f"{options.record}: {len(problems)} problems; profile one size a run")
    result = {key: record[key] for key in TAKEN_OVER} | {
        "command": f"tools/ncu_counters.py of ncu … {record['command']}", "counters": rows}
    options.json.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
