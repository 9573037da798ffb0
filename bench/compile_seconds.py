#!/usr/bin/env python3
"""Measures how long the sources of a build take to compile: processor seconds of each, by itself and without a cache.

    bench/compile_seconds.py .halocline/build-release --limit 60 --json bench/results/compile_seconds_host.json
    bench/compile_seconds.py .halocline/build-cuda --limit 150 --only 'crs_gauss_seidel|tiles_test' --json seconds.json

The sources are those of the build's compile_commands.json, after the build has made what they include; the objects are thrown
away. Ends with 1 if a source does not compile or takes longer than the limit.
"""
import argparse
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile

from record import place

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a folder that has been built")
    parser.add_argument("--only", default="", help="an expression: sources whose paths match")
    parser.add_argument("--limit", type=float, default=float("inf"), help="processor seconds for one source")
    parser.add_argument("--parallel", type=int, default=1, help="that are compiled at a time")
    parser.add_argument("--remark", help="kept in the result")
    parser.add_argument("--json", type=place, help="where the result goes")
    return parser.parse_args()


def without_cache(words):
    """A compiler's command without what runs it through ccache, as CMake does: env, variables, ccache."""
    start = next(n for n, word in enumerate(words) if re.search(r"(\+\+|cc|nvcc|nvcc\.sh|clang|hipcc)(-\d+)?$", word)
                 and not word.endswith("ccache"))
    return words[start:]


def name_of(file):
    """The path from the root of the sources, or of the build for sources that it made."""
    return re.sub(r"^\.halocline/[^/]*/", "", os.path.relpath(file, ROOT))


def compile_one(entry, folder):
    """(source, processor seconds, exit code) of an entry of compile_commands.json."""
    command = without_cache(shlex.split(entry["command"]))
    with tempfile.TemporaryDirectory(dir=folder) as own:
        command[command.index("-o") + 1] = str(pathlib.Path(own) / "object.o")
        process = subprocess.Popen(command, cwd=entry["directory"])
        _, status, used = os.wait4(process.pid, 0)  # with the compiler's own children
    process.returncode = os.waitstatus_to_exitcode(status)
    return name_of(entry["file"]), used.ru_utime + used.ru_stime, process.returncode


def hardware():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return names[0] if names else platform.machine()


def main():
    given = arguments()
    entries = [entry for entry in json.loads((given.build / "compile_commands.json").read_text(encoding="utf-8"))
               if re.search(given.only, entry["file"])]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.parallel) as pool:
        found = sorted(pool.map(lambda entry: compile_one(entry, folder), entries), key=lambda row: -row[1])
    for name, seconds, code in found[:10]:
        print(f"{seconds:7.1f} s  {name}" + ("" if code == 0 else f"  exit {code}"))
    too_long = [name for name, seconds, code in found if code != 0 or seconds > given.limit]
    print(f"{len(found)} sources, {sum(row[1] for row in found):.0f} processor seconds, {len(too_long)} above the limit")
    if given.json:
        commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT, capture_output=True,
                                text=True, check=True).stdout.strip()
        compiler = without_cache(shlex.split(entries[0]["command"]))[0]
        version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
        result = {"machine": platform.node(), "hardware": hardware(), "commit": commit,
                  "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                  "command": f"bench/compile_seconds.py {shlex.join(os.path.basename(word) for word in sys.argv[1:])}",
                  "remark": given.remark, "compiler": next(line for line in version if "elease" in line or "(" in line),
                  "sources": len(found), "processor_seconds": round(sum(row[1] for row in found), 1), "limit": given.limit if math.isfinite(given.limit) else None,
                  "above_the_limit": too_long,
                  "longest": [{"source": name, "processor_seconds": round(seconds, 1)} for name, seconds, _ in found[:20]]}
        given.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
