"""Signals at random moments to runs of all kinds: each ends with a valid exit code, a summary that says how it ended, and no
remaining process. `storm_test.py PROGRAM PLUGIN [FIRST [COUNT]]`: seeds of the cases, which a failure prints; PLUGIN is the
physics of misbehaving.cpp."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

from program import PATIENCE, PROGRAM, awake, scratch, settings

PLUGIN = pathlib.Path(sys.argv.pop(1)).resolve()
FIRST, COUNT = (int(sys.argv.pop(1)) if len(sys.argv) > 1 else default for default in (1, 6))
CODES = (0, 2, 3, 4, 5)
STARTS = {"alone": ([], 1), "--ranks 2": ([], 2), "--ranks 3": ([], 3), "mpirun 2": (["mpirun", "-n", "2"], 2)}
# Signals after which a run stops at its next step, and signals that end it at once.
ASKING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
ENDING = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)


def deck(chance):
    """Short steps or long ones, many files or few; more steps than a case takes."""
    return {"physics": "misbehaving", "mesh": {"cells": [16, 16]}, "time": {"step": 1e-6, "steps": 100000000},
            "output": {"snapshots": {"interval": chance.choice((0, 1, 7, 1000000))},
                       "scalars": {"interval": chance.choice((0, 1, 50))}}}


def at_work(folder):
    """Processes of the program, or its launchers, in `folder`, by process id."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{entry}/cwd") == str(folder):
                found[int(entry)] = os.readlink(f"/proc/{entry}/exe")
        except OSError:
            pass
    return found


class Storm(unittest.TestCase):
    def victims(self, process, where, folder):
        """Processes that may get a signal: the ranks and, unless a user's launcher started them, the user's process."""
        ranks = [number for number, program in at_work(folder).items()
                 if program == str(PROGRAM) and number != process.pid and awake(number)]
        if where == "alone":
            return [process.pid] if awake(process.pid) else []
        return ranks if where.startswith("mpirun") else ranks + [process.pid] * awake(process.pid)

    def strike(self, chance, process, where, folder):
        time.sleep(chance.choice((0, 0.003, 0.05, 0.3)) * chance.random())
        victims = self.victims(process, where, folder)
        if not victims:
            return
        chosen = victims if chance.random() < 0.4 else [chance.choice(victims)]
        number = chance.choice(ENDING if chance.random() < 0.2 else ASKING)
        for victim in chosen:
            # The user's process is not a rank: if it is killed all end, but without a message.
            if victim == process.pid and where != "alone" and number in ENDING:
                continue
            try:
                os.kill(victim, number)
            except ProcessLookupError:
                pass

    def one(self, seed, folder):
        chance = random.Random(seed)
        where = chance.choice(sorted(STARTS))
        launcher, ranks = STARTS[where]
        path = pathlib.Path(folder) / "run.yaml"
        path.write_text(json.dumps(deck(chance)))
        options = settings({"misbehaving.how": chance.choice(("pause", "nothing"))})
        behind = ["--ranks", str(ranks)] if where.startswith("--ranks") else []
        process = subprocess.Popen([*launcher, PROGRAM, "run", path, "--plugin", PLUGIN, "--quiet", *options, *behind],
                                   cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        begun = pathlib.Path(folder) / ("run.out/scalars.csv" if chance.random() < 0.7 else "run.yaml")
        while process.poll() is None and not (begun.exists() and self.victims(process, where, folder)):
            time.sleep(0.005)
        time.sleep(chance.random() * 0.3)
        for _ in range(chance.randint(1, 3)):
            self.strike(chance, process, where, folder)
        # In case no signal was sent, send one.
        time.sleep(3.1)
        for victim in self.victims(process, where, folder):
            try:
                os.kill(victim, signal.SIGTERM)
            except ProcessLookupError:
                pass
        _, err = process.communicate(timeout=PATIENCE)
        self.assertIn(process.returncode, CODES, f"{where}\n{err}")
        summary = pathlib.Path(folder) / "run.out/summary.json"
        if summary.exists():
            found = json.loads(summary.read_text())
            self.assertNotEqual(found["status"], "running", f"{where}\n{err}")
            self.assertIn(found["exit_code"], CODES)
        deadline = time.monotonic() + PATIENCE
        while at_work(folder) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(at_work(folder), {})

    def test_storm(self):
        for seed in range(FIRST, FIRST + COUNT):
            with self.subTest(seed=seed), scratch() as folder:
                self.one(seed, pathlib.Path(folder).resolve())


if __name__ == "__main__":
    unittest.main(verbosity=2)
