#!/usr/bin/env python3
"""Tries the commands of docs/building.md as written, and records the results:

    tools/try_building.py [--only REGEX] [--list]

A trial is a block of commands, or a command of the table of backends; each begins in a fresh clone of this checkout's HEAD,
with a separate cache folder. If this machine has no device for a backend, its program is built and prints its version, and the
record says "compiled". Otherwise the command runs, and some tests are built and run as well. Earlier trials stay in the record
while the page contains them; `tests/setup/building_record_test.py` compares page and record.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/building.md"
# The replacement of `…` in a command of the table.
RUN = "run decks/heat-plate.yaml"
TESTS = ["field_test", "kernel_test", "halo_test", "iterations_test", "linear_solver_test", "wave_test"]
# Paths that exist if a backend's devices are available.
DEVICES = {"cuda": "/dev/nvidiactl", "hip": "/dev/kfd"}


def table(page, column):
    """The rows of the first table of a page with this column, each as a dictionary."""
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in page.splitlines() if line.startswith("| ")]
    head = next(n for n, row in enumerate(rows) if column in row)
    body = rows[head + 2:]
    end = next((n for n, row in enumerate(body) if len(row) != len(rows[head])), len(body))
    return [dict(zip(rows[head], row)) for row in body[:end]]


def trials(page):
    """The trials of a page, each a list of commands: one trial per block of `sh`, one per row of the table."""
    found = [[row["command"].strip("`")] for row in table(page, "command")]
    for block in re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        found.append([re.sub(r"\s+# .*", "", line) for line in block.splitlines() if line.strip()])
    return found


def preset(command):
    """The preset that a command builds."""
    named = re.search(r"HALOCLINE_PRESET=(\w+)|--preset (\w+)|tools/setup.sh (\w+)|HALOCLINE_BACKEND=(\w+)", command)
    return next(filter(None, named.groups())).lower().replace("openmp", "release") if named else "release"


def needs_a_device(command):
    """Whether its program needs a device that this machine lacks."""
    name = preset(command)
    return name in DEVICES and not os.path.exists(DEVICES[name])


def tried(command):
    """The command that is run for a command of the page."""
    if needs_a_device(command):
        return re.sub(r"(\./halocline ).*", r"\1--version", command)
    return command.replace("…", RUN)


def how_far(trial):
    """The page's table entry about a trial."""
    if trial["tests"] is None:
        return trial["extent"]
    return f"{trial['extent']}, {trial['tests']['passed']} tests"


def environment(folder, commands):
    """For the commands of a trial. Without a driver a program for NVIDIA's GPUs starts with the toolkit's stub library."""
    names = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": str(len(os.sched_getaffinity(0)))}
    names.pop("HALOCLINE_CACHE", None)
    stub = pathlib.Path("/usr/local/cuda/lib64/stubs/libcuda.so")
    if preset(commands[0]) == "cuda" and needs_a_device(commands[0]) and stub.exists():
        (folder / "stub").mkdir(exist_ok=True)
        (folder / "stub/libcuda.so.1").unlink(missing_ok=True)
        (folder / "stub/libcuda.so.1").symlink_to(stub)
        names["LD_LIBRARY_PATH"] = f"{folder / 'stub'}:{names.get('LD_LIBRARY_PATH', '')}"
    return names


def git(*words, folder=ROOT):
    return subprocess.run(["git", *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def run(command, clone, names):
    """(exit code, seconds); output goes to this terminal."""
    print(f"$ {command}", flush=True)
    begin = time.monotonic()
    code = subprocess.run(["bash", "-c", command], cwd=clone, env=names, stdin=subprocess.DEVNULL).returncode
    seconds = round(time.monotonic() - begin, 1)
    print(f"exit code {code}, {seconds} s", flush=True)
    return code, seconds


def run_tests(name, clone, names):
    """Builds and runs TESTS on one and two ranks, in the build that the launcher has made."""
    build = f".halocline/build-{name}"
    for command in (f"tools/setup.sh {name} tests", f"cmake {build} -DHALOCLINE_TESTS=ON",
                    f"cmake --build {build} --target {' '.join(TESTS)}"):
        if run(command, clone, names)[0]:
            sys.exit(f"try_building: `{command}` failed")
    selection = rf"^({'|'.join(TESTS)})(\.[12])?$"
    print(f"$ ctest -R {selection}", flush=True)
    said = subprocess.run(["ctest", "--test-dir", build, "-R", selection], cwd=clone, env=names, text=True,
                          stdout=subprocess.PIPE).stdout
    print(said, flush=True)
    failed, total = re.search(r"(\d+) tests failed out of (\d+)", said).groups()
    return {"selection": selection, "passed": int(total) - int(failed), "failed": int(failed)}


def version_of_what_was_built(clone, names):
    programs = [*clone.glob(".halocline/build-*/bin/halocline"), *clone.glob("*/bin/halocline")]
    if not programs:
        return None
    newest = max(programs, key=lambda path: path.stat().st_mtime)
    return subprocess.run([newest, "--version"], env=names, capture_output=True, text=True).stdout.strip()


def cloned(given):
    """A new clone of HEAD, always at the same path in one call, so that a compiler cache recognises its files."""
    clone = given.work / "checkout"
    shutil.rmtree(clone, ignore_errors=True)
    git("clone", "--quiet", ROOT, clone)
    if given.downloads:
        shutil.copytree(given.downloads, clone / ".halocline/downloads")
    return clone


def here(command, given):
    """A command of the page adapted to this machine."""
    for place in given.place:
        command = command.replace(*place.split("=", 1))
    return command


def attempt(given, commands):
    """One trial. Its clone is kept if a command failed."""
    clone = cloned(given)
    names = environment(given.work, commands)
    began = datetime.datetime.now(datetime.timezone.utc)
    steps = []
    for command in commands:
        code, seconds = run(here(tried(command), given), clone, names)
        steps.append({"command": command, "ran": tried(command), "exit_code": code, "seconds": seconds})
    built = all(step["exit_code"] == 0 for step in steps)
    runs = built and any(" run " in step["ran"] for step in steps)
    trial = {"commands": steps, "extent": "compiled and run" if runs else "compiled" if built else "failed",
             "program": version_of_what_was_built(clone, names),
             "tests": run_tests(preset(commands[0]), clone, names) if runs and "…" in commands[0] else None,
             "commit": git("rev-parse", "--short=12", "HEAD", folder=clone).strip(),
             **machine(), "date": began.strftime("%Y-%m-%dT%H:%M:%SZ"), "downloads_kept": bool(given.downloads),
             "compiler_cache": bool(os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER"))}
    if built:
        shutil.rmtree(clone)
    return trial


def said(*command):
    """The output of a program; empty if it does not exist."""
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        return ""


def machine():
    """The machine of a trial."""
    processor = re.search(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {"machine": platform.node(), "hardware": processor[1] if processor else platform.machine(),
            "cores": len(os.sched_getaffinity(0)), "system": platform.freedesktop_os_release()["PRETTY_NAME"],
            "gpus": said("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines(),
            "compilers": [line for line in (said("g++", "--version").partition("\n")[0], said("nvcc", "--version").rstrip(
                "\n").rpartition("\n")[2]) if line]}


def commands_of(trial):
    return [step["command"] for step in trial["commands"]]


def store(path, page, trial):
    """Adds a trial to the record, and removes those that are no longer on the page."""
    kept = json.loads(path.read_text())["trials"] if path.exists() else []
    known = {tuple(commands_of(other)): other for other in kept} | {tuple(commands_of(trial)): trial}
    result = {"name": "The commands of docs/building.md, each in a fresh clone", "command": "tools/try_building.py",
              "trials": [known[tuple(commands)] for commands in trials(page) if tuple(commands) in known]}
    path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX", help="trials whose first command matches")
    parser.add_argument("--list", action="store_true", help="says the trials of the page, and makes none")
    parser.add_argument("--place", action="append", default=[], metavar="WORD=FOLDER",
                        help="what a folder that the page names stands for here, as in /opt/kokkos=FOLDER")
    parser.add_argument("--downloads", type=pathlib.Path, help="of another cache folder: archives that need not be fetched")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / ".halocline/trial", help="where the clones go")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "bench/results/building.json")
    return parser.parse_args()


def main():
    given = arguments()
    given.work = given.work.resolve()
    page = git("show", f"HEAD:{PAGE}")
    chosen = [commands for commands in trials(page) if re.search(given.only, commands[0])]
    failed = 0
    for commands in chosen:
        print("\n".join(commands), end="\n\n", flush=True)
        if not given.list:
            trial = attempt(given, commands)
            store(given.json, page, trial)
            failed += trial["extent"] == "failed" or bool(trial["tests"] and trial["tests"]["failed"])
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
