"""Stores benchmark results, with the machine, the date, the commit and the command."""
import argparse
import json
import os
import pathlib
import shlex
import sys


def place(text):
    """Type of an argument: where a record goes. Refused before anything is measured if there is no such folder."""
    path = pathlib.Path(text)
    written = path if path.exists() else path.parent
    if path.is_dir() or not path.parent.is_dir() or not os.access(written, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text}: not the name of a file in a folder that can be written to")
    return path


def command():
    """The command of this benchmark; paths are reduced to their last component."""
    words = [os.path.basename(word) if "/" in word else word for word in sys.argv[1:]]
    return f"bench/{os.path.basename(sys.argv[0])} {shlex.join(words)}"


def store(path, provenance, **measured):
    """`provenance` is that of the summary of a run."""
    result = {"machine": provenance["machine"], "hardware": provenance["hardware"], "backend": provenance["backend"],
              "version": provenance["version"], "commit": provenance["revision"], "date": provenance["started"],
              "command": command(), **measured}
    pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n")
