"""Runs of decks by benchmarks: the options that such benchmarks share, and a run to its summary."""
import argparse
import json
import shlex
import subprocess
import sys

from record import place


def parser_of(description, repeat):
    """With the options that all of them have; `repeat` is how often each case is run if nobody says otherwise."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the driver")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2])
    parser.add_argument("--repeat", type=int, default=repeat)
    parser.add_argument("--launcher", default="mpirun -n", help="their number follows")
    parser.add_argument("--remark", help="kept in the result: what the machine was told beside the command")
    parser.add_argument("--json", type=place, help="where the result goes")
    return parser


def run_or_exit(command, exit_codes=(0,)):
    """What a command says on its standard output. Ends the program at another exit code."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in exit_codes:
        sys.exit(f"exit {done.returncode} of {shlex.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def seconds_of_steps(summary):
    """Of a run's only solve, or of all its steps."""
    solves = summary["solves"]
    return solves[0]["seconds"] if solves else summary["timings"]["advance"]


def run_deck(given, folder, deck, ranks, *flags, exit_codes=(0,)):
    """Runs a deck into `folder`/out, without snapshots and tables where it does not say; the summary, or None of a deck that
    was refused. Ends the program at another exit code."""
    deck = {"output": {"snapshots": {"interval": 0}, "scalars": {"interval": 0}}, **deck}
    (folder / "deck.yaml").write_text(json.dumps(deck))
    command = [*shlex.split(given.launcher), str(ranks), given.program, "run", str(folder / "deck.yaml"), "--output",
               str(folder / "out"), "--overwrite", "--quiet", *flags]
    summary = folder / "out/summary.json"
    summary.unlink(missing_ok=True)
    run_or_exit(command, exit_codes)
    return json.loads(summary.read_text()) if summary.exists() else None
