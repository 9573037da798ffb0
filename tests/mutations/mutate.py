#!/usr/bin/env python3
"""How many mistakes the battery finds: `mutate.py BUILD [RESULT.json] [--first N] [--only SUBJECT]`.

Makes the mistakes of mutations.json one at a time in the sources (the first place where `old` stands becomes `new`), builds
the physics alone, holds it to its decks by `halocline test-physics`, and puts the source back. BUILD is the build tree of this
checkout, configured with -DHALOCLINE_TESTS=ON; the checkout must be clean. The verdicts:

    caught            a check failed; which one is named
    not caught        all checks held
    does not compile  the compiler found it
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECKS = ROOT / "tests/battery"
# Of each subject: the target that is built, what is tested, and its decks.
SUBJECTS = {
    "probe": ("battery_probe", "tests/plugins_of_runs/probe.so", ["probe.yaml", "probe-walls.yaml"]),
    "wave": ("halocline_physics_wave", "wave", ["wave.yaml"]),
    "heat": ("halocline_physics_heat", "heat", ["heat.yaml"]),
    "laplace": ("halocline_physics_laplace", "laplace", ["laplace.yaml"]),
    "advection": ("halocline_physics_advection", "advection", ["advection.yaml"]),
}
QUICK = ["order in space", "order in time", "conservation", "mirror", "axes", "blocks", "precision", "ghosts",
         "stable step"]
SLOW = ["ranks"]


def run(words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)


def build(folder, subject):
    return run(["nice", "-n", "5", "ninja", "-j", "2", "-C", folder, SUBJECTS[subject][0]])


def failures(folder, subject, checks):
    """The checks of the battery that failed, with what they said."""
    _, tested, decks = SUBJECTS[subject]
    words = [folder / "bin/halocline", "test-physics", folder / tested if tested.endswith(".so") else tested]
    for deck in decks:
        words += ["--deck", DECKS / deck]
    for check in checks:
        words += ["--only", check]
    done = run(words)
    found = [(name.strip(), text.strip()) for name, text in re.findall(r"^  (.{15}) FAILED (.*)$", done.stdout, re.MULTILINE)]
    if done.returncode != 0 and not found:
        found = [("none", done.stderr.strip())]
    return found


def verdict(folder, mutation):
    if build(folder, mutation["subject"]).returncode != 0:
        return {"verdict": "does not compile"}
    for checks in (QUICK, SLOW):
        found = failures(folder, mutation["subject"], checks)
        if found:
            return {"verdict": "caught", "by": sorted({name for name, _ in found}), "said": found[0][1][:200]}
    return {"verdict": "not caught"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("result", type=pathlib.Path, nargs="?")
    parser.add_argument("--first", type=int)
    parser.add_argument("--seconds", type=float, default=1e9, help="no mutation is begun after so many")
    parser.add_argument("--only")
    given = parser.parse_args()
    folder = given.build.resolve()
    mutations = json.loads((ROOT / "tests/mutations/mutations.json").read_text())
    mutations = [one for one in mutations if given.only in (None, one["subject"])][:given.first]
    os.environ["OMP_NUM_THREADS"] = "1"
    begin = time.monotonic()
    verdicts = []
    for subject in sorted({one["subject"] for one in mutations}):
        if build(folder, subject).returncode != 0 or failures(folder, subject, QUICK):
            sys.exit(f"{subject}: does not build, or does not hold without any mistake")
    for one in mutations:
        if time.monotonic() - begin > given.seconds:
            break
        source = ROOT / one["file"]
        before = source.read_text()
        if one["old"] not in before:
            sys.exit(f"{one['file']}: there is no `{one['old']}`")
        try:
            source.write_text(before.replace(one["old"], one["new"], 1))
            verdicts.append({**one, **verdict(folder, one)})
        finally:
            source.write_text(before)
        print(f"{verdicts[-1]['verdict']:<16} {', '.join(verdicts[-1].get('by', []))[:40]:<42} {one['file']}: {one['what']}",
              flush=True)
    for subject in sorted({one["subject"] for one in mutations}):
        build(folder, subject)
    compiled = [one for one in verdicts if one["verdict"] != "does not compile"]
    caught = [one for one in compiled if one["verdict"] == "caught"]
    record = {"command": "tests/mutations/mutate.py .halocline/build-release", "mutations": len(verdicts),
              "compiled": len(compiled), "caught": len(caught),
              "part_caught": round(len(caught) / max(1, len(compiled)), 3),
              "seconds": round(time.monotonic() - begin, 1), "verdicts": verdicts}
    print(f"{len(caught)} of {len(compiled)} caught")
    if given.result:
        given.result.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
