#!/usr/bin/env python3
"""Measures the scaling over several devices of one host: runs each case below with bench/scaling.py and stores its record. Some
cases have a target, the least efficiency on the largest number of devices.

    bench/devices.py --program bin/halocline --ranks 1 2 4 --name four_h100 --folder bench/results
    bench/devices.py --program bin/halocline --ranks 1 2 --name trial --folder . --divide 16    # a quick trial of all cases

Cases whose record exists are skipped, so the same command continues after a time limit. The exit code is 1 if a case fails or
its answer is not that of a single rank; a missed target is only reported.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys

SCALING = pathlib.Path(__file__).resolve().parent / "scaling.py"
# name: options, cells, least efficiency
CASES = {
    "wave_weak": ("--case wave --weak --steps 20 100 --repeat 2", 1024, 0.97),
    "wave_strong": ("--case wave --steps 100 500", 512, None),
    "stencil_weak": ("--case stencil --weak --overlap true false --transports auto mpi-host --steps 20 420 --repeat 1", 512, None),
    "stencil_strong": ("--case stencil --overlap true false --transports auto mpi-host --steps 20 420 --repeat 1", 512, None),
    "jacobi_strong": ("--case jacobi --steps 100 500", 20480, 0.92),
    "multigrid_weak": ("--case multigrid --precision double --weak --steps 2 8 --repeat 2", 1024, 0.85),
    "multigrid_strong": ("--case multigrid --precision double --steps 2 8", 512, None),
    "bodies_threads_strong": ("--case bodies --one-process --steps 6 46", 262144, 0.95),
    "bodies_ranks_strong": ("--case bodies --steps 6 46", 262144, 0.95),
    "rod_strong": ("--case rod --transports nvshmem cuda-ipc --steps 1000 5000", 1 << 22, None),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the driver")
    parser.add_argument("--ranks", type=int, nargs="+", required=True)
    parser.add_argument("--name", required=True, help="suffix of the records: scaling_wave_weak_NAME.json")
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="folder of the records; made if it is missing")
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--divide", type=int, default=1, help="divides cells along each axis, bodies and points")
    parser.add_argument("--launcher", default="mpirun --oversubscribe --bind-to none -n", help="the number of ranks follows")
    parser.add_argument("--remark", default="", help="stored in the records")
    return parser.parse_args()


def measure(given, name, record):
    options, cells, _ = CASES[name]
    command = [sys.executable, str(SCALING), "--program", given.program, *shlex.split(options), "--cells",
               str(cells // given.divide), "--ranks", *map(str, given.ranks), "--launcher", given.launcher, "--json", str(record)]
    return subprocess.run([*command, *(["--remark", given.remark] if given.remark else [])]).returncode


def verdict(name, record):
    least = CASES[name][2]
    last = max(json.loads(record.read_text())["rows"], key=lambda row: (row["ranks"], row["efficiency"]))
    target = "" if least is None else f", target {least} {'met' if last['efficiency'] >= least else 'MISSED'}"
    by = last["transports"] and f", {last['transports']}"
    return f"{name}: {last['efficiency']:.3f} on {last['ranks']}{by}{target}"


def main():
    given = arguments()
    given.folder.mkdir(parents=True, exist_ok=True)
    failed, said = [], []
    for name in given.cases:
        record = given.folder / f"scaling_{name}_{given.name}.json"
        if not record.exists() and measure(given, name, record) != 0:
            failed.append(name)
        if record.exists():
            said.append(verdict(name, record))
    print("\n".join(said))
    if failed:
        sys.exit(f"devices: failed, or not the answer of a single rank: {', '.join(failed)}")


if __name__ == "__main__":
    main()
