#!/usr/bin/env python3
"""Times a Halocline command and another program on the same problem, alternating, and stores the medians.

Both commands are run alternately, `--repeat` times each after `--warm-ups`, so that a change in the machine's load affects
both.
A time measured inside a program is extracted by a pattern whose first group is seconds:
    --ours-inner 'out/summary.json:"solve": ([0-9.e-]+)'
    --theirs-inner 'tea.out:Wall clock +([0-9.]+)'
The last match in the file is used. The file name `-` stands for the program's standard output; the option must then be written
as one word, --ours-inner='-:"seconds":([0-9.e-]+)'.

The result is JSON: machine, date, commit, commands, every time, medians and their ratio (theirs / ours).
"""
import argparse
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time

from record import place


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True, help="what is compared, in a few words")
    parser.add_argument("--ours", required=True, help="our command, for the shell")
    parser.add_argument("--theirs", required=True, help="the other program's command, for the shell")
    parser.add_argument("--theirs-name", required=True, help="name and version of the other program")
    parser.add_argument("--ours-inner", help="FILE:PATTERN of a time that our program reports")
    parser.add_argument("--theirs-inner", help="FILE:PATTERN of a time that the other program reports")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--warm-ups", type=int, default=1, help="runs that do not count; 0 where a run takes minutes")
    parser.add_argument("--json", required=True, type=place, help="where the result goes")
    return parser.parse_args()


def processor():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def inner_seconds(where, output):
    """The last time that PATTERN matches in FILE, or in the program's output."""
    file_name, pattern = where.split(":", 1)
    text = output if file_name == "-" else open(file_name, encoding="utf-8").read()
    found = re.findall(pattern, text)
    if not found:
        sys.exit(f"race: '{pattern}' is not in {file_name}")
    return float(found[-1])


def run(command, inner):
    start = time.perf_counter()
    done = subprocess.run(command, shell=True, text=True, capture_output=True)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"race: exit {done.returncode} of: {command}\n{done.stdout}{done.stderr}")
    return seconds, inner_seconds(inner, done.stdout) if inner else None


def side(name, command, times):
    result = {"program": name, "command": command, "whole_seconds": [round(whole, 4) for whole, _ in times],
              "whole_median": round(statistics.median(whole for whole, _ in times), 4)}
    if times[0][1] is not None:
        result["inner_seconds"] = [round(inner, 4) for _, inner in times]
        result["inner_median"] = round(statistics.median(inner for _, inner in times), 4)
    return result


def main():
    options = arguments()
    sides = {"ours": (options.ours, options.ours_inner), "theirs": (options.theirs, options.theirs_inner)}
    times = {who: [] for who in sides}
    for repetition in range(options.warm_ups + options.repeat):
        for who, (command, inner) in sides.items():
            measured = run(command, inner)
            if repetition >= options.warm_ups:
                times[who].append(measured)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], text=True, capture_output=True,
                            cwd=os.path.dirname(os.path.abspath(__file__))).stdout.strip()
    ours = side("halocline", options.ours, times["ours"])
    theirs = side(options.theirs_name, options.theirs, times["theirs"])
    result = {"name": options.name, "machine": processor(), "cores": os.cpu_count(),
              "date": datetime.date.today().isoformat(), "commit": commit, "ours": ours, "theirs": theirs,
              "whole_ratio": round(theirs["whole_median"] / ours["whole_median"], 2)}
    if "inner_median" in ours and "inner_median" in theirs:
        result["inner_ratio"] = round(theirs["inner_median"] / ours["inner_median"], 2)
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
        file.write("\n")
    print(json.dumps({key: value for key, value in result.items() if "ratio" in key or key == "name"}))


if __name__ == "__main__":
    main()
