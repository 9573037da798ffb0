#!/usr/bin/env python3
"""Tries an installation in a new Debian system without the checkout, and records the result:

    tests/setup/fresh_system.py [BUILD]

BUILD (.halocline/build-release) is installed, moved, and put into a system created by debootstrap, together with external
sources (tests/stranger). That system then gets exactly the packages that the installation lists in
share/halocline/needs.txt: first those for running, with which decks run, then those for building a plugin, with which
plugins and a program on libraries of the framework are built and run. Needs root, debootstrap and a network; takes some
minutes.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True
from try_building import git, machine  # noqa: E402

HOME = "/opt/elsewhere/halocline"
PROGRAM = f"{HOME}/bin/halocline"
STRANGER = "/root/stranger"
# Mounts that are removed when the command ends, however it ends.
INSIDE = 'mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" && mount -t tmpfs tmpfs "$0/dev/shm" && exec chroot "$0" /bin/bash -c "$1"'

RUNS = [f"{PROGRAM} --version",
        f"cd /root && {PROGRAM} run {STRANGER}/heat-plate.yaml --output alone --quiet",
        f"cd /root && {PROGRAM} run {STRANGER}/heat-plate.yaml --output ranks --ranks 2 --quiet",
        f"cd /root && {PROGRAM} run {STRANGER}/shock-tube.yaml --output tube --ranks 2 --quiet"]
BUILDS = [f"cmake -G Ninja -S {STRANGER} -B {STRANGER}/build -DCMAKE_PREFIX_PATH={HOME}",
          f"cmake --build {STRANGER}/build",
          f"cd /root && {PROGRAM} run {STRANGER}/transport.yaml --plugin {STRANGER}/build/transport.so --output plugin --quiet",
          f"cd /root && {PROGRAM} run {STRANGER}/reaction.yaml --plugin {STRANGER}/build/reaction.so --output solve --ranks 2 --quiet",
          f'test "$({STRANGER}/build/own_program)" = 192',
          f'test "$(mpiexec -n 2 {STRANGER}/build/own_program)" = 192',
          f"cd /root && {PROGRAM} new-physics frost --kind evolution",
          f"cd /root/frost && cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH={HOME} && cmake --build build",
          f"cd /root/frost && {PROGRAM} run frost.yaml --plugin build/frost.so --output frost.out --quiet"]


def mirror():
    """The mirror that this machine's apt uses."""
    for folder in ("/etc/apt/sources.list", "/etc/apt/sources.list.d"):
        path = pathlib.Path(folder)
        for file in sorted(path.iterdir()) if path.is_dir() else [path] * path.exists():
            found = re.search(r"(?m)^(?:URIs: *|deb (?:\[[^]]*\] )?)(\S+/debian/?)(?: |$)", file.read_text())
            if found:
                return found[1]
    sys.exit("fresh_system: apt's sources name no Debian (--mirror does)")


def packages(text, title):
    """The Debian packages below a title of needs.txt."""
    part = re.search(rf"(?ms)^# {title}\n(.*?)(?=^#|\Z)", text)[1]
    names = {line.split()[-1] for line in part.splitlines() if line.strip()}
    if "-" in names:
        sys.exit(f"fresh_system: a package is not known:\n{part}")
    return sorted(names)


class System:
    """The new system, and operations in it."""

    def __init__(self, folder):
        self.folder, self.steps = folder, []

    def does(self, command, inside=True):
        print(f"$ {command}", flush=True)
        words = ["unshare", "--mount", "--fork", "--kill-child", "sh", "-c", INSIDE, self.folder, command] if inside else ["bash", "-c", command]
        names = {name: os.environ[name] for name in os.environ if name.lower().endswith("_proxy")}
        names.update(PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME="/root", LANG="C.UTF-8",
                     DEBIAN_FRONTEND="noninteractive", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                     OMPI_MCA_rmaps_base_oversubscribe="1", OMP_NUM_THREADS="1")
        begin = time.monotonic()
        code = subprocess.run(words, env=names, stdin=subprocess.DEVNULL).returncode
        seconds = round(time.monotonic() - begin, 1)
        print(f"exit code {code}, {seconds} s", flush=True)
        self.steps.append({"command": command.replace(str(self.folder), "FOLDER").replace(str(ROOT), "CHECKOUT"),
                           "exit_code": code, "seconds": seconds})
        return code == 0

    def summaries(self):
        """How the runs ended."""
        return {str(file.parent.relative_to(self.folder / "root")): json.loads(file.read_text())["status"]
                for file in sorted((self.folder / "root").rglob("summary.json"))}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, nargs="?", default=ROOT / ".halocline/build-release")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / ".halocline/fresh-system", help="where the system goes")
    parser.add_argument("--mirror", default=None, help="of Debian; otherwise apt's own")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "bench/results/fresh_system.json")
    return parser.parse_args()


def install(given):
    """The moved installation and the external sources in the new system; returns the packages that it lists."""
    before = given.folder.parent / "installed-before"
    shutil.rmtree(before, ignore_errors=True)
    subprocess.run(["cmake", "--install", given.build, "--prefix", before], check=True, stdout=subprocess.DEVNULL)
    home = given.folder / HOME.lstrip("/")
    home.parent.mkdir(parents=True)
    shutil.move(before, home)
    stranger = given.folder / STRANGER.lstrip("/")
    shutil.copytree(ROOT / "tests/stranger", stranger)
    for deck in ("heat-plate.yaml", "shock-tube.yaml"):
        shutil.copy(ROOT / "decks" / deck, stranger)
    return (home / "share/halocline/needs.txt").read_text()


def main():
    given = arguments()
    given.folder = given.folder.resolve()
    if given.folder.exists():
        sys.exit(f"fresh_system: {given.folder} is there already; remove it first")
    given.folder.parent.mkdir(parents=True, exist_ok=True)
    began = datetime.datetime.now(datetime.timezone.utc)
    system = System(given.folder)
    suite = re.search(r"VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())[1]
    made = system.does(f"debootstrap --variant=minbase {suite} {given.folder} {given.mirror or mirror()} >/dev/null", inside=False)
    system.steps[-1]["command"] = f"debootstrap --variant=minbase {suite} FOLDER"
    if not made:
        sys.exit("fresh_system: there is no system")
    needs = install(given)
    to_run, to_build = packages(needs, "to run"), packages(needs, "to build a plugin")
    apt = "apt-get -q install -y --no-install-recommends {} >/dev/null"
    done = all(system.does(command) for command in
               [apt.format(" ".join(to_run)), *RUNS, apt.format(" ".join(to_build)), *BUILDS])
    ends = system.summaries()
    result = {"name": "A moved installation in a Debian of its own", "command": "tests/setup/fresh_system.py",
              "commit": git("rev-parse", "--short=12", "HEAD").strip(), **machine(),
              "date": began.strftime("%Y-%m-%dT%H:%M:%SZ"), "done": done and all(end == "done" for end in ends.values()),
              "packages_to_run": to_run, "packages_to_build": to_build, "steps": system.steps, "runs": ends}
    given.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    sys.exit(0 if result["done"] else 1)


if __name__ == "__main__":
    main()
