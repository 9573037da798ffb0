#!/usr/bin/env python3
"""Holds every room to the arrows of docs/architecture.md: who may know whom.

Prints each include that points the wrong way, and each word in framework/ and solvers/ that names a physics. Exits 1 if
there is one.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A room may know those below it, however far down.
ARROWS = {
    "framework/runtime": [],
    "framework/deck": ["framework/runtime"],
    "framework/mesh": ["framework/runtime", "framework/deck"],
    "framework/field": ["framework/mesh"],
    "framework/halo": ["framework/field"],
    "framework/kernel": ["framework/field"],
    "framework/operator": ["framework/halo", "framework/kernel"],
    "framework/grid": ["framework/kernel"],
    "framework/multigrid": ["framework/grid", "framework/operator"],
    "framework/io": ["framework/multigrid"],
    "framework/plugin": ["framework/io"],
}
# Solvers know operators and vectors, and no mesh, field or kernel, though operators are made of them.
SOLVERS = {"framework/runtime", "framework/deck", "framework/operator", "framework/plugin"}
# What several physics share; otherwise none knows another.
SHARED_PHYSICS = {"physics/equations"}
# Files of any kind in these rooms name no other folder of physics/.
NAMELESS = ("framework", "solvers")
# Physics whose names are those of other things as well: Euler's methods step all that evolves.
NAMES_OF_MORE = {"euler"}


def below(room):
    reach = set()
    for lower in ARROWS[room]:
        reach |= {lower} | below(lower)
    return reach


def room_of(path):
    """The room of a file or of what an include names; None for a header that is no part of this repository."""
    parts = path.split("/")
    if parts[0] in ("framework", "physics", "drivers"):
        return "/".join(parts[:2])
    return parts[0] if parts[0] in ("solvers", "tests", "bench") and len(parts) > 1 else None


def may_know(room):
    if room in ARROWS:
        return below(room)
    if room == "solvers":
        return SOLVERS
    known = set(ARROWS) | {"solvers"}
    if room.startswith("physics/"):
        return known | SHARED_PHYSICS
    physics = {f"physics/{folder.name}" for folder in (ROOT / "physics").iterdir()}
    drivers = {"bench"} if room.startswith("drivers/") else {"drivers/halocline"} if room == "tests" else set()
    return known | physics | drivers


def files(*patterns):
    """Paths of this checkout, from its root."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
                             cwd=ROOT, text=True, capture_output=True, check=True)
    return [path for path in listing.stdout.split("\0") if path and (ROOT / path).is_file()]


def wrong_includes():
    """Prints them; returns how many there are."""
    wrong = 0
    for path in files("*.hpp", "*.cpp"):
        file, room = ROOT / path, room_of(path)
        if room is None:
            continue
        known = may_know(room) | {room}
        if path.endswith("_test.cpp") or "/test_" in path:
            known = known | {"tests"}
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include "([^"]+)"', line)
            target = room_of(include[1]) if include else None
            if target is not None and target not in known:
                print(f"{path}:{number}: {room} must not know {target}")
                wrong += 1
    return wrong


def physics_names():
    """Of the plugins: a folder that holds no file of the repository is none."""
    folders = {"/".join(path.split("/")[:2]) for path in files("physics/*/*")}
    return sorted({folder.split("/")[1] for folder in folders - SHARED_PHYSICS} - NAMES_OF_MORE)


def named_physics():
    """Prints words that name a physics where none may be known; returns how many there are."""
    # Whole words, which anything but letters and digits ends, an underscore too.
    named = re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, physics_names()))})(?![^\W_])", re.IGNORECASE)
    wrong = 0
    for path in files(*NAMELESS):
        text = (ROOT / path).read_text(errors="replace")
        # The first line stands for the path as well.
        for number, line in enumerate([path, *text.splitlines()]):
            for word in named.findall(line):
                print(f"{path}:{max(number, 1)}: {path.split('/')[0]} must not know the physics {word}")
                wrong += 1
    return wrong


def main():
    return 1 if wrong_includes() + named_physics() else 0


if __name__ == "__main__":
    sys.exit(main())
