#!/usr/bin/env python3
"""Compiles the sources with device code of a configured build: a part as the build does, the rest for errors alone.

    tools/check_sources.py .halocline/build-cuda --seed "$(git rev-parse HEAD)" --host .halocline/build-release

A device compiler takes most of its time to optimise, and to read the headers of Kokkos anew for each source. So one source
in `--one-in`, drawn by a hash of its name and the seed, is compiled as the build compiles it. The others of a target are
joined, several in one file, and only checked: by the front ends for host and device, with all warnings. If a joined file has
errors, its sources are checked one by one, since names that are local to each may collide in it.

Nothing is linked. Sources without device code are those of a build for hosts (`--host`), but must not include Kokkos: its
headers for a device are only read by the device's compiler. Exits 1 if a source has errors, which are printed.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOINED = re.compile(r"_joined_\d+\.cpp$")
# A source with device code is compiled by nvcc or, where not told to be plain C++, by hipcc.
ENDS_AFTER_FRONT_END = {
    "nvcc": ["-fdevice-syntax-only", "-Xcompiler=-fsyntax-only"],
    "hipcc": ["-fsyntax-only"],
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a folder that CMake has configured")
    parser.add_argument("--host", type=pathlib.Path, help="a folder with a finished build for hosts")
    parser.add_argument("--seed", default="", help="draws the part that is compiled as the build does")
    parser.add_argument("--one-in", type=int, default=12, metavar="N", help="size of that part (default: %(default)s)")
    parser.add_argument("--joined", type=int, default=8, metavar="N", help="most sources in a file (default: %(default)s)")
    return parser.parse_args()


def is_export(word):
    """CMake's definition for the sources of a shared library, which is not used here."""
    return word.startswith("-D") and word.endswith("_EXPORTS")


class Source:
    """An entry of the compilation database with device code."""

    def __init__(self, entry, compiler):
        self.file = entry["file"]
        self.folder = entry["directory"]
        self.command = shlex.split(entry["command"])
        self.compiler = compiler
        self.output = self.command[self.command.index("-o") + 1]

    def checking(self, file):
        """The command that only finds the errors of `file`, compiled as this source is."""
        place = next(n for n, word in enumerate(self.command) if os.path.basename(word) == self.compiler)
        command = [file if word == self.file else word for word in self.command[place:]]
        command[command.index("-o") + 1] = "/dev/null"
        return command + ENDS_AFTER_FRONT_END[self.compiler]

    def way(self):
        """All that decides how a source is compiled: sources with the same can be joined."""
        return tuple(word for word in self.command if word not in (self.file, self.output) and not is_export(word)), self.folder


def asked(build, *words):
    """The lines that ninja's tools print."""
    return subprocess.run(["ninja", "-C", build, "-t", *words], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def sources_of(build):
    """Of the target `program`: the sources with device code, and the files of the others."""
    inputs = set(asked(build, "inputs", "program"))
    with_device_code, others = [], []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if words[words.index("-o") + 1] not in inputs:
            continue
        for compiler in ENDS_AFTER_FRONT_END:
            if any(os.path.basename(word) == compiler for word in words) and "-xc++" not in words:
                with_device_code.append(Source(entry, compiler))
                break
        else:
            others += joined_in(entry["file"]) or [entry["file"]]
    return with_device_code, others


def joined_in(file):
    """The sources that a file of the build includes to compile them at a time; none for any other file."""
    if not JOINED.search(file):
        return []
    return [str(ROOT / name) for name in re.findall(r'^#include "(.*)"$', pathlib.Path(file).read_text(), re.MULTILINE)]


def users_of_kokkos(host, files):
    """Those of the files that read a header of Kokkos when they were compiled for hosts, or one that was joined with them."""
    files, users, compiled, uses = set(files), set(), set(), False
    for line in [*asked(host, "deps"), "end:"]:
        if line and not line.startswith(" "):
            if uses:
                users |= compiled
            compiled, uses = set(), False
        elif line:
            read = os.path.normpath(host / line.strip())
            if read in files:  # itself, or one of those that were joined
                compiled.add(read)
            uses = uses or os.path.basename(read).startswith("Kokkos_")
    return sorted(users)


def is_drawn(source, build, seed, one_in):
    name = os.path.relpath(source.file, build)
    return int(hashlib.sha256(f"{seed} {name}".encode()).hexdigest(), 16) % one_in == 0


def joined(sources, most):
    """Groups of sources that are compiled in the same way; those of a target are spread evenly."""
    ways = {}
    for source in sources:
        ways.setdefault(source.way(), []).append(source)
    groups = []
    for same in ways.values():
        count = -(-len(same) // most)
        groups += [same[n::count] for n in range(count)]
    return sorted(groups, key=len, reverse=True)


def compiled(command, folder, environment):
    """What the command prints, and whether it succeeded."""
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    return done.stdout, done.returncode == 0


def check(group, folder, environment):
    """The errors of a group; empty if there are none."""
    if len(group) > 1:
        name = hashlib.sha256(" ".join(source.file for source in group).encode()).hexdigest()[:16]
        file = folder / f"{name}.cpp"
        file.write_text("".join(f'#include "{source.file}"\n' for source in group))
        _, is_right = compiled(group[0].checking(str(file)), group[0].folder, environment)
        if is_right:
            return ""
    errors = ""
    for source in group:
        text, is_right = compiled(source.checking(source.file), source.folder, environment)
        if not is_right:
            errors += text
    return errors


def build_as_it_is(source, environment):
    pathlib.Path(source.folder, source.output).parent.mkdir(parents=True, exist_ok=True)
    text, is_right = compiled(source.command, source.folder, environment)
    return "" if is_right else text


def main():
    given = arguments()
    build = given.build.resolve()
    sources, others = sources_of(build)
    if not sources:
        sys.exit(f"check_sources.py: {build} has no source with device code")
    environment = dict(os.environ)
    drawn = [source for source in sources if is_drawn(source, build, given.seed, given.one_in)]
    groups = joined([source for source in sources if source not in drawn], given.joined)
    folder = build / "checked"
    folder.mkdir(exist_ok=True)
    began = time.monotonic()
    misplaced = users_of_kokkos(given.host.resolve(), others) if given.host else []
    for file in misplaced:
        print(f"{file}: includes Kokkos, or another file that is compiled with it, but is not listed as a kernel source",
              flush=True)
    failed = len(misplaced)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        work = [pool.submit(build_as_it_is, source, environment) for source in drawn]
        work += [pool.submit(check, group, folder, environment) for group in groups]
        for done in concurrent.futures.as_completed(work):
            if done.result():
                failed += 1
                print(done.result(), flush=True)
    print(f"{len(drawn)} of {len(sources)} sources compiled, the others checked in {len(groups)} files: "
          f"{failed} with errors, {time.monotonic() - began:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
