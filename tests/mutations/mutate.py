#!/usr/bin/env python3
"""Measures how many defects the battery finds: `mutate.py BUILD [RESULT.json] [--first N] [--only SUBJECT] [--seconds S]
[--jobs N]`, or `mutate.py --check [SOURCE]`.

Applies the mutations of mutations.json one at a time to copies of the sources (the only occurrence of `old` becomes `new`),
compiles the affected file as BUILD does but with -O1, and tests the physics with its decks by `halocline test-physics`. The
sources and BUILD, an up-to-date build tree of this checkout with -DHALOCLINE_TESTS=ON, are not changed. The verdicts:

    caught            a check failed; it is named
    not caught        all checks passed
    does not compile  the compiler found it

With --check it only reports mutations that no longer fit the sources. A mutation fits if `old` occurs exactly once in `file`
and `new` differs from it.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECKS = ROOT / "tests/battery"
# By subject: what is tested (the plugin's shared object), its source, and the decks.
SUBJECTS = {
    "probe": ("tests/plugins_of_runs/probe.so", "tests/battery/probe.cpp", ["probe.yaml", "probe-walls.yaml", "probe-squares.yaml",
                                                                              "probe-slopes.yaml", "probe-pair.yaml"]),
    "wave": ("lib/halocline/physics/wave.so", "physics/wave/sweeps_2d.cpp", ["wave.yaml"]),
    "heat": ("lib/halocline/physics/heat.so", "physics/heat/heat.cpp", ["heat.yaml"]),
    "laplace": ("lib/halocline/physics/laplace.so", "physics/laplace/laplace.cpp", ["laplace.yaml"]),
    "elasticity": ("lib/halocline/physics/elasticity.so", "physics/elasticity/elasticity.cpp",
                   ["elasticity.yaml", "elasticity-3d.yaml"]),
    "advection": ("lib/halocline/physics/advection.so", "physics/advection/advection.cpp",
                  ["advection.yaml", "advection-unsteady.yaml"]),
}
# Sources in libraries, and headers that only these include.
LIBRARIES = {"framework/field": "field", "framework/halo": "halo", "framework/operator": "operator",
             "physics/equations": "equations"}
UNITS = {"framework/operator/vector_functors.hpp": "framework/operator/swept_vector.cpp",
         "framework/field/boundary_kernel.hpp": "framework/field/boundary_fill.cpp"}
QUICK = ["order in space", "order in time", "conservation", "mirror", "axes", "blocks", "precision", "ghosts",
         "stable step"]
SLOW = ["ranks"]


def run(words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)


def version(folder):
    return re.search(r"libhalocline_runtime\.so\.(\d+\.\d+\.\d+)$",
                     str(sorted((folder / "lib").glob("libhalocline_runtime.so.*.*.*"))[0]))[1]


def shared_object(folder, unit, subject):
    """The shared object that contains a source, by its place in the build tree."""
    for place, library in LIBRARIES.items():
        if unit == place or (unit.startswith(place + "/") and unit != SUBJECTS[subject][1]):
            return f"lib/libhalocline_{library}.so.{version(folder)}"
    return SUBJECTS[subject][0]


def mistake_in(root, mutation):
    """Why a mutation does not fit the sources; None if it does."""
    path = root / mutation["file"]
    if mutation["subject"] not in SUBJECTS:
        return f"there is no subject `{mutation['subject']}`"
    if not path.is_file():
        return "there is no such file"
    count = path.read_text(encoding="utf-8").count(mutation["old"])
    if count != 1:
        return f"`{mutation['old']}` occurs {count} times; `old` must occur exactly once"
    if mutation["new"] == mutation["old"]:
        return f"`new` is the same as `old`, `{mutation['old']}`"
    return None


def mistakes_in(root, mutations):
    """A line for each mutation that does not fit the sources."""
    found = [(one, mistake_in(root, one)) for one in mutations]
    return [f"{one['file']}: mutation `{one['what']}`: {mistake}" for one, mistake in found if mistake]


def mutant(folder, scratch, mutation):
    """The shared object with the mutation, and the original one; None if the compiler rejects it."""
    text = (ROOT / mutation["file"]).read_text(encoding="utf-8")
    copy = scratch / mutation["file"]
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text.replace(mutation["old"], mutation["new"]), encoding="utf-8")
    unit = mutation["file"]
    if unit.endswith(".hpp"):
        unit = UNITS.get(unit, SUBJECTS[mutation["subject"]][1])
    entry = next((one for one in json.loads((folder / "compile_commands.json").read_text())
                  if one["file"].endswith("/" + unit)), None)
    if entry is None:
        sys.exit(f"{unit} has no command of its own in {folder}: configure it with -DHALOCLINE_JOIN_SOURCES=OFF")
    source = copy if unit == mutation["file"] else ROOT / unit
    words = entry["command"].split()
    object_file = words[words.index("-o") + 1]
    words[words.index("-o") + 1] = str(scratch / "mutant.o")
    words[words.index("-c") + 1] = str(source)
    words = ["-O1" if word == "-O3" else word for word in words if word != "ccache" and not word.startswith("-Werror")]
    if run(["nice", "-n", "2", words[0], f"-I{scratch}", *words[1:]], cwd=folder).returncode != 0:
        return None
    target = shared_object(folder, unit, mutation["subject"])
    commands = run(["ninja", "-C", folder, "-t", "commands", target]).stdout.splitlines()
    link = next(line for line in reversed(commands) if f" -o {target} " in line)
    result = scratch / pathlib.Path(target).name
    link = link.replace(f" -o {target} ", f" -o {result} ").replace(object_file, str(scratch / "mutant.o"))
    done = run(["bash", "-c", link], cwd=folder)
    return (result, target) if done.returncode == 0 else None


def failures(folder, subject, checks, made=None):
    """The failed checks of the battery and their messages, for the first deck with any."""
    tested, _, decks = SUBJECTS[subject]
    environment = dict(os.environ)
    physics = folder / tested if subject == "probe" else subject
    if made and made[1] == tested and subject == "probe":
        physics = made[0]
    elif made:
        environment["LD_PRELOAD"] = str(made[0])  # it has the name of the original
    program = folder / "bin/halocline"
    if made and made[1] == tested and subject != "probe":
        # Built-in plugins are found next to the program: make a tree of links, with this one replaced.
        tree = made[0].parent / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        (tree / "bin").mkdir(parents=True)
        (tree / "lib/halocline/physics").mkdir(parents=True)
        shutil.copy(program, tree / "bin/halocline")
        for plugin in (folder / "lib/halocline/physics").glob("*.so"):
            (tree / "lib/halocline/physics" / plugin.name).symlink_to(made[0] if plugin.name == made[0].name else plugin)
        program = tree / "bin/halocline"
        del environment["LD_PRELOAD"]
    for deck in decks:
        words = [program, "test-physics", physics, "--deck", DECKS / deck]
        for check in checks:
            words += ["--only", check]
        done = run(words, env=environment)
        found = [(name.strip(), text.strip())
                 for name, text in re.findall(r"^  (.{15}) FAILED (.*)$", done.stdout, re.MULTILINE)]
        if done.returncode != 0 and not found:
            found = [("none", done.stderr.strip())]
        if found:
            return found
    return []


def verdict(folder, mutation):
    with tempfile.TemporaryDirectory(prefix="halocline-mutant-") as scratch:
        made = mutant(folder, pathlib.Path(scratch), mutation)
        if made is None:
            return {"verdict": "does not compile"}
        for checks in (QUICK, SLOW):
            found = failures(folder, mutation["subject"], checks, made)
            if found:
                return {"verdict": "caught", "by": sorted({name for name, _ in found}), "said": found[0][1].replace(f"{folder}/", "")[:200]}
        return {"verdict": "not caught"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("result", type=pathlib.Path, nargs="?")
    parser.add_argument("--first", type=int)
    parser.add_argument("--seconds", type=float, default=1e9, help="no mutation is begun after so many")
    parser.add_argument("--only")
    parser.add_argument("--jobs", type=int, default=1, help="mutations at a time")
    parser.add_argument("--check", type=pathlib.Path, nargs="?", const=ROOT, metavar="SOURCE",
                        help="only report mutations that do not fit the sources")
    given = parser.parse_args()
    if given.build is None and not given.check:
        parser.error("give a build tree or --check")
    root = given.check or ROOT
    mutations = json.loads((root / "tests/mutations/mutations.json").read_text(encoding="utf-8"))
    if mistakes := mistakes_in(root, mutations):
        advice = "Change tests/mutations/mutations.json so that each mutation has the present text of its source."
        sys.exit("\n".join([*mistakes, advice]))
    if given.check:
        return
    folder = given.build.resolve()
    mutations = [one for one in mutations if given.only in (None, one["subject"])][:given.first]
    os.environ["OMP_NUM_THREADS"] = "1"
    begin = time.monotonic()
    verdicts = []
    for subject in sorted({one["subject"] for one in mutations}):
        if found := failures(folder, subject, QUICK):
            sys.exit(f"{subject}: does not hold without any mistake: {found}")

    def tried(one):
        return None if time.monotonic() - begin > given.seconds else {**one, **verdict(folder, one)}

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as several:
        for one in filter(None, several.map(tried, mutations)):
            verdicts.append(one)
            print(f"{one['verdict']:<16} {', '.join(one.get('by', []))[:40]:<42} {one['file']}: {one['what']}", flush=True)
    compiled = [one for one in verdicts if one["verdict"] != "does not compile"]
    caught = [one for one in compiled if one["verdict"] == "caught"]
    commit = subprocess.run(["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12"], capture_output=True, text=True)
    record = {"machine": platform.node(), "cores": os.cpu_count(), "date": datetime.date.today().isoformat(),
              "commit": commit.stdout.strip(), "command": f"tests/mutations/mutate.py {given.build} --jobs {given.jobs}",
              "mutations": len(verdicts),
              "compiled": len(compiled), "caught": len(caught),
              "part_caught": round(len(caught) / max(1, len(compiled)), 3),
              "seconds": round(time.monotonic() - begin, 1), "verdicts": verdicts}
    print(f"{len(caught)} of {len(compiled)} caught")
    if given.result:
        given.result.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
