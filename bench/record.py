"""Stores benchmark results, with the machine, the date, the commit and the command."""
import json
import os
import pathlib
import shlex
import sys


def store(path, provenance, **measured):
    """`provenance` is that of the summary of a run; paths in the command are reduced to their last component."""
    words = [os.path.basename(word) if "/" in word else word for word in sys.argv[1:]]
    result = {"machine": provenance["machine"], "hardware": provenance["hardware"], "backend": provenance["backend"],
              "version": provenance["version"], "commit": provenance["revision"], "date": provenance["started"],
              "command": f"bench/{os.path.basename(sys.argv[0])} {shlex.join(words)}", **measured}
    pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n")
