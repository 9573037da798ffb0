#!/usr/bin/env python3
"""Checks the module dependencies of docs/architecture.md.

Prints each include that violates them, and each word in framework/ and solvers/ that names a physics. Exits 1 if there is
one.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A module may depend on those below it, however far down.
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
# Solvers depend on operators and vectors, but not on meshes, fields or kernels, although operators are made of them.
SOLVERS = {"framework/runtime", "framework/deck", "framework/operator", "framework/plugin"}
# Shared by several physics; otherwise no physics depends on another.
SHARED_PHYSICS = {"physics/equations"}
# Files of any kind in these modules must not name other folders of physics/.
NAMELESS = ("framework", "solvers")
# Physics whose names have other meanings as well: Euler's methods are integrators.
NAMES_OF_MORE = {"euler"}


def below(room):
    reach = set()
    for lower in ARROWS[room]:
        reach |= {lower} | below(lower)
    return reach


def room_of(path):
    """The module of a file or of an include; None for a header that is not part of this repository."""
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
    """Paths of this checkout, relative to its root."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
                             cwd=ROOT, text=True, capture_output=True, check=True)
    return [path for path in listing.stdout.split("\0") if path and (ROOT / path).is_file()]


def wrong_includes():
    """Prints wrong includes; returns their number."""
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
    """Names of the plugins; a folder without files of the repository is not a plugin."""
    folders = {"/".join(path.split("/")[:2]) for path in files("physics/*/*")}
    return sorted({folder.split("/")[1] for folder in folders - SHARED_PHYSICS} - NAMES_OF_MORE)


def named_physics():
    """Prints words that name a physics where this is not allowed; returns their number."""
    # Whole words, ended by anything but letters and digits, also by an underscore.
    named = re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, physics_names()))})(?![^\W_])", re.IGNORECASE)
    wrong = 0
    for path in files(*NAMELESS):
        text = (ROOT / path).read_text(errors="replace")
        # Matches in the path itself are reported at line 1.
        for number, line in enumerate([path, *text.splitlines()]):
            for word in named.findall(line):
                print(f"{path}:{max(number, 1)}: {path.split('/')[0]} must not know the physics {word}")
                wrong += 1
    return wrong


def main():
    return 1 if wrong_includes() + named_physics() else 0


if __name__ == "__main__":
    sys.exit(main())
