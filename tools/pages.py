#!/usr/bin/env python3
"""Generates the tables of docs, and of the READMEs of physics, from the records in bench/results.

    tools/pages.py [--check] [PAGE…]

A page marks the place of a table:

    <!-- table: NAME -->
    <!-- end of table -->

The function NAME of a file in tools/page_tables makes its rows from records (tools/page_tables/records.py has functions to
select and format them). The text between the two lines is replaced. `--check` writes nothing: it names every table that
differs from its records or has a record of no commit (those of designs that were tried and dropped may be such) and, if all
pages are checked, every function whose table is on no page; exit code 1 if there are any. The default is all pages of docs
and all READMEs of physics.
"""
import argparse
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from page_tables import TABLES, records  # noqa: E402  (nothing is written beside the sources)

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^<!-- table: (\S+) -->\n(.*?)^<!-- end of table -->$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^<!-- (?:table: \S+|end of table) -->$", re.MULTILINE)
DESIGNS_TRIED = "designs-tried.md"


class PageError(Exception):
    """A page whose tables cannot be made; the message is for the user."""


def markdown(rows):
    """Rows of cells, starting with the headings, as a table. Raises ValueError if a row has another number of cells than the
    first, or a cell that would break the table."""
    for row in rows:
        if len(row) != len(rows[0]):
            raise ValueError(f"a row of {len(row)} cells below {len(rows[0])} headings: {row}")
        for cell in row:
            if "\n" in cell or re.search(r"(?<!\\)\|", cell):
                raise ValueError(f"a cell that would break the table: {cell}")
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  |", "| |").replace("|  |", "| |") for line in lines)


def made(name):
    if name not in TABLES:
        raise PageError(f"no function in tools/page_tables makes the table {name}")
    try:
        return markdown(TABLES[name]())
    except (ValueError, LookupError, TypeError, OSError) as error:
        raise PageError(f"the table {name} cannot be made: {error}") from error


def first_difference(old, new):
    """The first line in which both differ, for a message."""
    before, after = old.splitlines(), new.splitlines()
    at = next((n for n, (one, other) in enumerate(zip(before, after)) if one != other), min(len(before), len(after)))
    return (f"  the page has:     {before[at] if at < len(before) else 'no such row'}\n"
            f"  the records give: {after[at] if at < len(after) else 'no such row'}")


def renewed(text, page):
    """The text with its tables regenerated, the names of all tables, {name: difference} of those that changed, and messages
    about those that cannot be made, which are left unchanged, or that have records of no commit. Raises PageError if the
    marks do not match."""
    blocks = list(BLOCK.finditer(text))
    if 2 * len(blocks) != len(MARK.findall(text)) or any("<!-- table:" in block[2] for block in blocks):
        raise PageError(f"{page}: a table begins without an end, or ends without a begin")
    differences, failures, parts, end = {}, [], [], 0
    for block in blocks:
        name, old = block[1], block[2]
        records.USED.clear()
        try:
            new = made(name)
        except PageError as error:
            failures.append(f"{page}: {error}")
            continue
        if page.name != DESIGNS_TRIED:
            failures += [f"{page}: the table {name} has the record {used}, whose commit is none (-dirty)"
                         for used in sorted(records.USED) if records.is_of_no_commit(used)]
        if new != old:
            differences[name] = first_difference(old, new)
        parts += [text[end:block.start(2)], new]
        end = block.end(2)
    return "".join([*parts, text[end:]]), [block[1] for block in blocks], differences, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    parser.add_argument("--check", action="store_true", help="write nothing, name what differs")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder that has docs, physics and bench/results")
    given = parser.parse_args()
    records.FOLDER = given.root / "bench/results"
    known, complaints = set(), []
    every_page = sorted((given.root / "docs").glob("*.md")) + sorted((given.root / "physics").glob("*/README.md"))
    for page in given.pages or every_page:
        text = page.read_text(encoding="utf-8")
        try:
            new, names, differences, failures = renewed(text, page)
        except PageError as error:
            complaints.append(str(error))
            continue
        known.update(names)
        complaints += failures
        if given.check:
            complaints += [f"{page}: the table {name} is not what its records say (tools/pages.py makes it)\n{difference}"
                           for name, difference in differences.items()]
        elif differences:
            page.write_text(new, encoding="utf-8")
            print(f"{page}: {', '.join(differences)}")
    if given.check and not given.pages:
        complaints += [f"no page has the table {name}" for name in TABLES if name not in known]
    sys.exit("\n".join(complaints) if complaints else 0)


if __name__ == "__main__":
    main()
