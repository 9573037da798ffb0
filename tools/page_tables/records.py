"""What tables are made with: records are read, rows chosen, numbers and sizes written."""
import functools
import json
import math
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import median

FOLDER = Path(__file__).resolve().parent.parent.parent / "bench/results"  # tools/pages.py may name another one
TABLES = {}
USED = set()  # the names of records that were read since it was cleared


def table(function):
    """Makes a function without arguments the table of its name: it returns rows of cells (strings), the headings first."""
    if function.__name__ in TABLES:
        raise ValueError(f"two tables {function.__name__}")
    TABLES[function.__name__] = function
    return function


@functools.cache
def _read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def record(name):
    """The record bench/results/NAME.json."""
    USED.add(name)
    return _read(FOLDER / f"{name}.json")


def is_of_no_commit(name):
    """Whether a record was measured with sources that no commit has, so that nobody can repeat it."""
    return str(_read(FOLDER / f"{name}.json").get("commit")).endswith("-dirty")


def link(*names):
    """Links to records, from a page in docs."""
    return ", ".join(f"[{name}](../bench/results/{name}.json)" for name in names)


def rows(name, key="rows", /, **conditions):
    """Those rows of a record that have all the values given; a function as a condition says whether a value fits."""
    def fits(row):
        return all(wanted(row.get(key)) if callable(wanted) else row.get(key) == wanted for key, wanted in conditions.items())
    return [row for row in record(name)[key] if fits(row)]


def one(name, key="rows", /, **conditions):
    """The only such row. Raises LookupError if there is none, or more than one."""
    found = rows(name, key, **conditions)
    if len(found) != 1:
        raise LookupError(f"{name}: {len(found)} rows with {conditions}, not one")
    return found[0]


def ends_with(words):
    return lambda text: text is not None and text.endswith(words)


def starts_with(words):
    return lambda text: text is not None and text.startswith(words)


def _rounded(number, places):
    """To so many places behind the point (fewer than none: tens), halves away from zero as the record writes them."""
    quantum = Decimal(1).scaleb(-places)
    return Decimal(repr(number)).quantize(quantum, rounding=ROUND_HALF_UP)


def digits(number, count=3):
    """A number to so many significant digits, without an exponent."""
    if number == 0:
        return "0"
    places = count - 1 - math.floor(math.log10(abs(number)))
    rounded = _rounded(number, places)
    if len(rounded.as_tuple().digits) > count:  # 9.996 is 10.0
        rounded = _rounded(number, places - 1)
    return f"{rounded:f}".replace("-", "−")


def fixed(number, places=2):
    """A number to so many places behind the point: parts of one."""
    return f"{_rounded(number, places):f}".replace("-", "−")


def scientific(number, count=2):
    """A number to so many significant digits, with an exponent: 4.3e-6."""
    return re.sub(r"e([+-])0+", r"e\1", f"{number:.{count - 1}e}")


def percent(part, places=1):
    return f"{fixed(100 * part, places)} %"


def duration(seconds, count=3):
    """Seconds in the unit that leaves a number from 1 to 1000."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{digits(seconds * factor, count)} {unit}"
    return f"{digits(seconds * 1e9, count)} ns"


def milliseconds(seconds, count=3):
    return f"{digits(seconds * 1e3, count)} ms"


def microseconds(seconds, count=3):
    return f"{digits(seconds * 1e6, count)} us"


def rate(per_second, count=3):
    """Bytes a second."""
    if per_second >= 1e12:
        return f"{digits(per_second / 1e12, count)} TB/s"
    return f"{digits(per_second / 1e9, count)} GB/s"


POWERS = {1 << 22: "2²²", 1 << 28: "2²⁸", 1 << 29: "2²⁹"}


def size(extents):
    """Of [512, 512, 512] or "512 x 512 x 512": 512³."""
    if isinstance(extents, str):
        extents = [int(word) for word in extents.split(" x ")]
    if len(extents) > 1 and len(set(extents)) == 1:
        return f"{extents[0]}{'²³'[len(extents) - 2]}"
    return " × ".join(POWERS.get(extent, str(extent)) for extent in extents)


def parts_of_problem(problem):
    """Of "7-point Laplacian, double, 512 x 512 x 512": what stands before the size, and the size."""
    words, extents = problem.rsplit(", ", 1)
    return words, size(extents)


def binary(number):
    """Bytes as they are in sizes of messages: 64 KiB."""
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if number >= factor and number % factor == 0:
            return f"{number // factor} {unit}"
    return str(number)


def powers(words):
    """Of "256^3": 256³."""
    return re.sub(r"\^([23])\b", lambda found: "²³"[int(found[1]) - 2], words)


def without_repeats(lines, columns=1):
    """Rows of cells in which the first `columns` cells are left empty where they are those of the row above."""
    result, above = [], None
    for line in lines:
        head = line[:columns]
        same = 0
        while above is not None and same < columns and head[same] == above[same]:
            same += 1
        result.append([""] * same + line[same:])
        above = head
    return result


__all__ = ["binary", "digits", "duration", "ends_with", "fixed", "link", "median", "microseconds", "milliseconds", "one",
           "parts_of_problem", "percent", "powers", "rate", "record", "rows", "scientific", "size", "starts_with", "table",
           "without_repeats"]
