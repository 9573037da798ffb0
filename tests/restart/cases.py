#!/usr/bin/env python3
"""Interrupts runs and continues them: cases.py PROGRAM [--cases N] [--seed S] [--first K] [--json FILE]

Each case takes a random deck of decks.py, a random number of ranks, and one of four ways in which its run ends early: it
finishes (with half the steps, and is continued with all of them), a signal stops it, all of its processes are killed, or it
reaches its wall limit. A continued run may be interrupted again. In the end fields, tables, histories of residuals and the
summary are those of an uninterrupted run, to the bit on as many ranks. On another number of ranks the fields of explicit
methods are equal to the bit, and those of solves within their tolerance."""

import argparse
import json
import pathlib
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from decks import all_decks  # noqa: E402
from runs import Failure, Undisturbed, compare, kill_all, run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAYS = ("done", "signal", "kill", "wall limit")


class Cases:
    def __init__(self, program, seed, scratch):
        self.program, self.seed, self.scratch = program, seed, scratch
        self.decks = all_decks()
        self.undisturbed = Undisturbed(program, scratch)

    def case(self, number):
        choose = random.Random(f"{self.seed}/{number}")
        deck = choose.choice(self.decks)
        ranks = choose.choice((1, 2, 3))
        way = choose.choice(WAYS)
        goes_on_with = ranks if choose.random() < 0.75 else choose.choice([n for n in (1, 2, 3) if n != ranks])
        told_of = {"case": number, "deck": deck.name, "ranks": ranks, "way": way, "goes_on_with": goes_on_with}
        wanted, seconds = self.undisturbed.of(deck, ranks)
        folder = self.scratch / f"case-{number}"
        folder.mkdir()
        (folder / "deck.yaml").write_text(deck.text)
        every = choose.choice((1, 2, 3, 7, 20, 50))
        checkpoints = ["--set", f"checkpoint.every.steps={every}", "--set", f"checkpoint.keep={choose.choice((1, 2, 3))}"]
        try:
            told_of["breaks"] = self.break_off(choose, deck, way, ranks, seconds, folder, checkpoints)
            self.go_on(choose, deck, way, goes_on_with, seconds, folder, checkpoints, told_of)
            compare(folder / "deck.out", wanted, goes_on_with == ranks, deck.is_explicit)
            told_of["verdict"] = "same bits" if goes_on_with == ranks or deck.is_explicit else "within tolerance"
            shutil.rmtree(folder)
        except Failure as failure:
            told_of["verdict"] = "FAILED: " + str(failure)
        return told_of

    def break_off(self, choose, deck, way, ranks, seconds, folder, checkpoints):
        """Starts the run and lets it end early or, if it is quicker than that, finish. Returns exit codes."""
        arguments = ["run", "deck.yaml", *checkpoints]
        if way == "done":
            code, out = run(self.program, [*arguments, "--set", f"{deck.halves[0]}={deck.halves[1]}"], ranks, folder)
            if code != 0:
                raise Failure(f"half of the run ended with {code}: {out}")
            return [code]
        return [self.disturb(choose, way, arguments, ranks, seconds, folder)]

    def disturb(self, choose, way, arguments, ranks, seconds, folder):
        wait = choose.uniform(0.1, 1.0) * seconds
        if way == "wall limit":
            code, out = run(self.program, [*arguments, "--wall-limit", f"{max(0.6, wait):.3f}"], ranks, folder)
            allowed = (0, 5)
        elif way == "signal":
            def stop(process):
                time.sleep(wait)
                process.send_signal(choose.choice((signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)))
            code, out = run(self.program, arguments, ranks, folder, stop)
            # Before signal handlers are installed, a signal ends the program at once.
            allowed = (0, 5, -signal.SIGTERM, -signal.SIGINT, -signal.SIGUSR1)
        else:
            def kill(process):
                time.sleep(wait)
                kill_all(process)
            code, out = run(self.program, arguments, ranks, folder, kill)
            allowed = (0, -signal.SIGKILL)
        if code not in allowed:
            raise Failure(f"{way}: ended with {code}: {out}")
        return code

    def go_on(self, choose, deck, way, ranks, seconds, folder, checkpoints, told_of):
        """Continues until it is done; every other time it is interrupted again."""
        disturbances = choose.choice((0, 0, 1, 2)) if way != "done" else 0
        for n in range(disturbances + 1):
            chains = choose.random() < 0.5
            has_checkpoint = any(folder.glob("deck.out/checkpoint_*/manifest.json"))
            if way == "done" and not chains:
                whole = json.loads((self.undisturbed.of(deck, told_of["ranks"])[0] / "summary.json").read_text())
                whole = whole["provenance"]["deck"]["options"]
                section, option = deck.halves[0].split(".")
                arguments = ["restart", "deck.out", "--set", f"{deck.halves[0]}={whole[section][option]}"]
            elif chains or not has_checkpoint:
                arguments = ["run", "deck.yaml", "--continue", *checkpoints]
            else:
                arguments = ["restart", "deck.out"]
            if n < disturbances:
                told_of["breaks"].append(
                    self.disturb(choose, choose.choice(WAYS[1:]), arguments, ranks, seconds, folder))
                continue
            # By default a continued run uses the number of ranks that it had.
            command = arguments if ranks > 1 else [*arguments, "--ranks", "1"]
            code, out = run(self.program, command, ranks, folder)
            if code != 0:
                raise Failure(f"{' '.join(command)} ended with {code}: {out}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first case: a series may be taken in parts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, help="file for the verdicts; those of other cases in it are kept")
    given = parser.parse_args()
    program = given.program.resolve()
    results = {}
    if given.json and given.json.exists():
        results = {one["case"]: one for one in json.loads(given.json.read_text())["value"]["cases"]}
    with tempfile.TemporaryDirectory(prefix="halocline-restarts-") as scratch:
        cases = Cases(program, given.seed, pathlib.Path(scratch))
        for number in range(given.first, given.first + given.cases):
            told_of = cases.case(number)
            results[number] = told_of
            print(f"{number}: {told_of['deck']}, {told_of['ranks']} then {told_of['goes_on_with']} ranks, {told_of['way']}: "
                  f"{told_of['verdict']}", flush=True)
            if given.json:
                store(given, results)
    failed = [one for one in results.values() if one["verdict"].startswith("FAILED")]
    print(f"{len(results) - len(failed)} of {len(results)} cases ended as the undisturbed run")
    return 1 if failed else 0


def store(given, results):
    all_of_them = [results[number] for number in sorted(results)]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    record = {"machine": platform.processor() or platform.machine(), "date": time.strftime("%Y-%m-%d"), "commit": commit,
              "command": f"tests/restart/cases.py .halocline/build-release/bin/halocline --seed {given.seed}",
              "value": {"same_bits": sum(one["verdict"] == "same bits" for one in all_of_them),
                        "within_tolerance": sum(one["verdict"] == "within tolerance" for one in all_of_them),
                        "failed": sum(one["verdict"].startswith("FAILED") for one in all_of_them),
                        "cases": all_of_them}}
    given.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
