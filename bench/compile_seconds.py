#!/usr/bin/env python3
"""Measures how long the sources of a build take to compile: processor seconds of each, by itself and without a cache.

    bench/compile_seconds.py .halocline/build-release --limit 60 --json bench/results/compile_seconds_host.json
    bench/compile_seconds.py .halocline/build-cuda --limit 150 --only 'crs_gauss_seidel|tiles_test' --json seconds.json

The sources are those of the build's compile_commands.json, after the build has made what they include; the objects are
thrown away. Ends with 1 if a source does not compile or takes longer than the limit.
"""
import argparse
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from record import command, place

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from try_building import git, machine  # noqa: E402


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
    return words[next(n for n, word in enumerate(words) if re.search(r"(\+\+|cc|nvcc\.sh|clang)(-\d+)?$", word)):]


def name_of(file):
    """The path from the root of the sources, or of the build for sources that it made."""
    return re.sub(r"^\.halocline/[^/]*/", "", os.path.relpath(file, ROOT))


def compile_one(entry):
    """(source, processor seconds, exit code) of an entry of compile_commands.json."""
    words = without_cache(shlex.split(entry["command"]))
    with tempfile.TemporaryDirectory() as folder:
        words[words.index("-o") + 1] = str(pathlib.Path(folder) / "object.o")
        process = subprocess.Popen(words, cwd=entry["directory"])
        _, status, used = os.wait4(process.pid, 0)  # with the compiler's own children
    process.returncode = os.waitstatus_to_exitcode(status)
    return name_of(entry["file"]), used.ru_utime + used.ru_stime, process.returncode


def main():
    given = arguments()
    entries = [entry for entry in json.loads((given.build / "compile_commands.json").read_text(encoding="utf-8"))
               if re.search(given.only, entry["file"])]
    with concurrent.futures.ThreadPoolExecutor(given.parallel) as pool:
        found = sorted(pool.map(compile_one, entries), key=lambda row: -row[1])
    for name, seconds, code in found[:10]:
        print(f"{seconds:7.1f} s  {name}" + ("" if code == 0 else f"  exit {code}"))
    total = sum(seconds for _, seconds, _ in found)
    too_long = [name for name, seconds, code in found if code != 0 or seconds > given.limit]
    print(f"{len(found)} sources, {total:.0f} processor seconds, {len(too_long)} above the limit")
    if given.json:
        now = datetime.datetime.now(datetime.timezone.utc)
        result = {**machine(), "commit": git("describe", "--always", "--dirty", "--abbrev=12", folder=ROOT).strip(),
                  "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "command": command(), "remark": given.remark,
                  "sources": len(found), "processor_seconds": round(total, 1),
                  "limit": given.limit if math.isfinite(given.limit) else None, "above_the_limit": too_long,
                  "longest": [{"source": name, "processor_seconds": round(seconds, 1)} for name, seconds, _ in found[:20]]}
        given.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
