#!/usr/bin/env python3
"""Measures the time to fill the ghosts of a block with its neighbour's values, by transport and size of a face, by the
device's clock (bench/exchange_bench.cpp). Small and large sizes are started separately, since chains of small messages are
long and those of large ones short.

    bench/exchange.py --program bin/exchange_bench --ranks 2 --json bench/results/exchange_h200.json
"""
import argparse
import json
import shlex

from deck_runs import run_or_exit
from record import place, store


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="exchange_bench")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--bytes", type=int, nargs="+", default=[1 << n for n in range(10, 28)], help="of a face")
    parser.add_argument("--transports", nargs="+", default=["cuda-ipc", "nvshmem", "nccl", "shared-memory", "mpi-device", "mpi-host"])
    parser.add_argument("--largest-by-host", type=int, default=1 << 24, help="bytes of a face that goes by the host")
    parser.add_argument("--references", action="store_true", help="also what libraries of transports do by themselves")
    parser.add_argument("--launcher", default="mpirun -n", help="the number of ranks follows")
    parser.add_argument("--remark", help="kept in the result: what the machine was told beside the command")
    parser.add_argument("--json", type=place, help="where the result goes")
    return parser.parse_args()


def run(given, transport, sizes, length, *flags):
    """The rows that the program prints, and its provenance."""
    command = [*shlex.split(given.launcher), str(given.ranks), given.program, "--transport", transport, "--length",
               str(length), *flags, "--bytes", *map(str, sizes)]
    lines = [json.loads(line) for line in run_or_exit(command).splitlines() if line.startswith("{")]
    return lines[1:], lines[0]["provenance"]


def rows_of(rows, transport):
    return [row for row in rows if row.get("transport") == transport]


def main():
    given = arguments()
    rows, provenance = [], {}
    for transport in given.transports:
        for flags in ([], ["--split"], ["--graph"]):
            if flags == ["--graph"] and transport.startswith("mpi"):
                continue  # the host takes part
            for sizes, length in (([n for n in given.bytes if n < 1 << 20], 200),
                                  ([n for n in given.bytes if n >= 1 << 20], 20)):
                if transport == "mpi-host":
                    sizes = [n for n in sizes if n <= given.largest_by_host]
                if not sizes:
                    continue
                references = ["--references"] if given.references and not rows_of(rows, transport) else []
                more, provenance = run(given, transport, sizes, length, *flags, *references)
                more = [row for row in more if flags != ["--graph"] or row.get("graph", True)]  # not on hosts
                rows += more
                for row in more:
                    print(json.dumps(row) if "left_out" in row or "reference" in row else
                          f"{row['transport']:10} {row['bytes']:10} bytes "
                          f"{'in two parts' if row['split'] else 'in a graph' if row['graph'] else '':12} "
                          f"{1e6 * row['seconds']:9.2f} us {1e-9 * row['bytes_per_second_each_way']:7.1f} GB/s", flush=True)
    if given.json:
        store(given.json, provenance, remark=given.remark, rows=rows)


if __name__ == "__main__":
    main()
