#!/usr/bin/env python3
"""Counts the instructions of the innermost loops of compiled CUDA kernels, also per unit of work.

    cuobjdump --dump-sass libhalocline_nbody.so | c++filt >listing.txt
    loop_instructions.py listing.txt --kernel sum_by_steps --per MUFU.RSQ --json bench/results/nbody_instructions.json

`--per` is an instruction that each unit of work executes once. For every kernel whose name contains the word, the script finds
the innermost loop with the most such instructions, and counts its instructions of each kind, in total and per unit.
"""

import argparse
import datetime
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path


def functions(listing):
    """Name and instructions, (address, text), of each function."""
    for part in re.split(r"^\s*Function : ", listing, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        found = re.findall(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?);", body, flags=re.MULTILINE)
        yield name.strip(), [(int(address, 16), text) for address, text in found]


def innermost_loops(instructions):
    """Instructions of each loop without inner loops: from the target of a backward branch to the branch."""
    spans = []
    for address, text in instructions:
        target = re.search(r"\bBRA\b.*?(0x[0-9a-f]+)", text)
        if target and int(target[1], 16) < address:
            spans.append((int(target[1], 16), address))
    for begin, end in spans:
        if not any(begin <= other[0] and other[1] <= end and other != (begin, end) for other in spans):
            yield [text for address, text in instructions if begin <= address <= end]


def kind_of(text):
    """FFMA for "@!P0 FFMA R1, R2, R3, R4"; MUFU keeps the name of its function."""
    word = re.sub(r"^@!?U?P\d+\s+", "", text).split()[0]
    return ".".join(word.split(".")[: 2 if word.startswith("MUFU") else 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("listing", type=Path, help="what cuobjdump --dump-sass wrote")
    parser.add_argument("--kernel", required=True, help="a part of the names of kernels")
    parser.add_argument("--per", required=True, help="the instruction that each unit of work has once: MUFU.RSQ")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    for name, instructions in functions(arguments.listing.read_text(encoding="utf-8")):
        if arguments.kernel not in name:
            continue
        loops = [Counter(map(kind_of, loop)) for loop in innermost_loops(instructions)]
        units = lambda loop: sum(count for kind, count in loop.items() if kind.startswith(arguments.per))  # noqa: E731
        loop = max(loops, key=units, default=Counter())
        if units(loop) == 0:
            sys.exit(f"{name}: no loop has {arguments.per}")
        rows.append({"kernel": name, "units": units(loop), "instructions": loop.total(),
                     "instructions_of_unit": loop.total() / units(loop), "kinds": dict(loop.most_common())})
        print(f"{rows[-1]['instructions_of_unit']:7.3f}  {name}")
    if not rows:
        sys.exit(f"{arguments.listing}: no kernel {arguments.kernel}")
    if arguments.json:
        git = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True)
        record = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                  "commit": git.stdout.strip(), "per": arguments.per, "rows": rows,
                  "command": f"tools/loop_instructions.py {' '.join(Path(word).name for word in sys.argv[1:])}"}
        arguments.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


main()
