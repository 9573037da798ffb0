#!/usr/bin/env python3
"""Runs a build's GoogleTest programs without the build tree: on a device, from copies of the programs.

    ctest --test-dir build --show-only=json-v1 > tests.json           # in the build's checkout
    bench/device_tests.py --program bin/halocline --tests tests --list tests.json --json tests_h100.json
    bench/device_tests.py --program build/bin/halocline --tests build/tests --list tests.json --as-listed 'physics|restart' \
        --without-label kills --json tests_scripts_h100.json
    bench/device_tests.py --program bin/halocline --tests tests --sanitizer racecheck --json racecheck_h100.json

The first form runs every program with the numbers of ranks that ctest uses, and the scripts that compare runs of decks with
reference values; several at a time share the device, or the devices of a host. The second, for a device with a build tree,
runs the tests whose names match as they are listed, without those that have the label `host`. NVIDIA's multi-process service
does not survive tests with the label `kills`. The third runs the kernel tests under a tool of compute-sanitizer, which needs
the device exclusively: one test per process, or several, since a process takes seconds to start there. Failures are printed
and stored with the counts in the record.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from deck_runs import run_or_exit
from record import place, store

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The count of hazards or errors is on a line of one of these forms.
REASON = re.compile(r"FAILED|Failure|what\(\)|rror[: ]|hazard|Signal:")
SUMMARY = re.compile(r"(?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")
# Properties of tests that pass when a program fails.
MUST_FAIL = {"WILL_FAIL", "PASS_REGULAR_EXPRESSION"}
COUNT = re.compile(r"^\[==========\] (\d+) tests? from .* ran", re.MULTILINE)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=pathlib.Path, help="the driver, which names the machine")
    parser.add_argument("--tests", required=True, type=pathlib.Path, help="the folder with the test programs")
    parser.add_argument("--list", type=pathlib.Path, help="what ctest --show-only=json-v1 says")
    parser.add_argument("--as-listed", help="an expression: the tests of the list whose names match, as they are listed there")
    parser.add_argument("--without", default="$^", help="an expression: tests of the list whose names match do not run")
    parser.add_argument("--label", help="of the list, tests with this label alone")
    parser.add_argument("--without-label", help="of the list, tests without this label")
    parser.add_argument("--sanitizer", choices=["memcheck", "racecheck", "initcheck", "synccheck"])
    parser.add_argument("--launches", type=int, help="of a test that the sanitizer checks; it keeps memory for each")
    parser.add_argument("--test", default="kernel_test", help="the program that the sanitizer checks")
    parser.add_argument("--filter", default="*", help="of its tests, as --gtest_filter takes it")
    parser.add_argument("--parallel", type=int, default=1, help="that run at a time")
    parser.add_argument("--environments", nargs="+", default=[""], metavar="NAME=VALUE[,NAME=VALUE]",
                        help="those that run at a time are dealt out to these, one for each device of the host")
    parser.add_argument("--parts", type=int, default=1, help="that programs without ranks, or the one that is checked, are run in")
    parser.add_argument("--part", type=int, nargs="+", help="of --parts, these alone")
    parser.add_argument("--within", type=float, default=float("inf"), help="seconds after which nothing is begun any more")
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds after which what still runs is stopped")
    parser.add_argument("--limit", type=float, default=300, help="seconds for each")
    parser.add_argument("--launcher", default="mpirun --oversubscribe --bind-to none -n", help="the number of ranks follows")
    parser.add_argument("--remark", help="kept in the result: what the machine was told beside the command")
    parser.add_argument("--failures", type=pathlib.Path, help="the folder that gets what failed tests said")
    parser.add_argument("--json", type=place, help="where the result goes")
    return parser.parse_args()


def place_of(pattern, words):
    return next((n for n, word in enumerate(words) if re.search(pattern, word)), None)


def parts(given, name, command):
    for part in range(given.parts):
        if given.part and part + 1 not in given.part:
            continue
        said = f"{name}, part {part + 1} of {given.parts}" if given.parts > 1 else name
        yield said, command, {"GTEST_TOTAL_SHARDS": str(given.parts), "GTEST_SHARD_INDEX": str(part)}


def listed_tests(given):
    """(name, command, environment) of every GoogleTest program with every number of ranks in ctest's list, and of the
    scripts."""
    for test in json.loads(given.list.read_text())["tests"]:
        command = test.get("command", [])
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        labels = properties.get("LABELS", [])
        if re.search(given.without, test["name"]) or given.without_label in labels or given.label not in [None, *labels]:
            continue
        if given.as_listed:
            for_devices = "host" not in labels and not MUST_FAIL & properties.keys()
            if command and for_devices and re.search(given.as_listed, test["name"]):
                yield test["name"], command, dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", []))
            continue
        script = place_of(r"/tests/end_to_end/(accuracy|tealeaf)_test\.py$", command)
        if script is not None:
            own = [sys.executable, str(ROOT / "tests/end_to_end" / pathlib.Path(command[script]).name)]
            yield test["name"], [*own, str(given.program.resolve()), *command[script + 2:]], {}
        program = place_of(r"/tests/\w+_test$", command)
        if program is None or command[program + 1:]:  # with arguments: a test that must fail
            continue
        own = [str(given.tests / pathlib.Path(command[program]).name), "--gtest_brief=1"]
        if "-n" in command[:program]:
            yield test["name"], [*shlex.split(given.launcher), command[command.index("-n") + 1], *own], {}
            continue
        yield from parts(given, test["name"], own)


def checked_tests(given):
    """(name, command, environment) of every test of a program, or of every group of them, under the sanitizer."""
    program = str(given.tests / given.test)
    limit = ["--launch-count", str(given.launches)] if given.launches else []
    sanitizer = ["compute-sanitizer", "--tool", given.sanitizer, *limit, "--error-exitcode", "9", program]
    if given.parts > 1:
        yield from parts(given, given.test, [*sanitizer, f"--gtest_filter={given.filter}"])
        return
    suite = ""
    for line in run_or_exit([program, "--gtest_list_tests", f"--gtest_filter={given.filter}"]).splitlines():
        line = line.split("#")[0].rstrip()
        if line and not line.startswith(" ") and line.endswith("."):
            suite = line
        elif line.startswith("  "):
            name = suite + line.strip()
            yield name, [*sanitizer, f"--gtest_filter={name}"], {}


def run(given, name, command, environment):
    if time.monotonic() > given.begin + given.within:
        print(f"{name}: not begun", flush=True)
        return False, {"test": name, "exit_code": None, "seconds": 0}
    own = given.free.get()
    try:
        return run_in(given, name, command, {**environment, **own})
    finally:
        given.free.put(own)


def run_in(given, name, command, environment):
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, **environment}, start_new_session=True) as process:
        try:
            limit = min(given.limit, given.begin + given.until - begin)
            said, code = process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            process.terminate()  # mpirun then ends its ranks, which would disturb the other tests
            try:
                said, code = process.communicate(timeout=10)[0], None
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                said, code = process.communicate()[0], None
    found = SUMMARY.findall(said)
    test = {"test": name, "exit_code": code, "seconds": round(time.monotonic() - begin, 1)}
    if given.sanitizer:
        test["found"] = int(found[-1][0] or found[-1][1]) if found else None
        test["ran"] = sum(int(count) for count in COUNT.findall(said))
    passed = code == 0 and test.get("found", 0) == 0
    outcome = "passed" if passed else "not over" if code is None else f"exit {code}"
    print(f"{name}: {outcome}, {test['seconds']} s", flush=True)
    if not passed:
        lines = said.splitlines()
        print("\n".join([line for line in lines if REASON.search(line)][:20] or lines[-12:]), flush=True)
        if given.failures:
            (given.failures / f"{name.replace('/', '_')}.txt").write_text(said)
    return passed, test


def provenance(program):
    """The provenance, from a run of a minimal deck."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "deck.yaml").write_text("physics: laplace\nmesh: {cells: [8]}\n")
        run_or_exit([str(program), "run", str(folder / "deck.yaml"), "--output", str(folder / "out"), "--quiet"])
        return json.loads((folder / "out/summary.json").read_text())["provenance"]


def main():
    given = arguments()
    if (given.list is None) == (given.sanitizer is None):
        sys.exit("device_tests: either --list or --sanitizer")
    if given.failures:
        given.failures.mkdir(parents=True, exist_ok=True)
    given.begin = time.monotonic()
    given.free = queue.SimpleQueue()
    for number in range(given.parallel):
        words = given.environments[number % len(given.environments)].split(",")
        given.free.put(dict(word.split("=", 1) for word in words if word))
    tests = list(checked_tests(given) if given.sanitizer else listed_tests(given))
    with concurrent.futures.ThreadPoolExecutor(given.parallel) as pool:
        outcomes = list(pool.map(lambda test: run(given, *test), tests))
    failed = [test for passed, test in outcomes if not passed]
    print(f"{len(tests) - len(failed)} of {len(tests)} passed")
    if given.json:
        store(given.json, provenance(given.program), remark=given.remark, sanitizer=given.sanitizer,
              passed=len(tests) - len(failed), failed=failed, tests=[test for _, test in outcomes])
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
