"""What was measured between the devices of a host."""
import re

from .records import (binary, digits, duration, fixed, microseconds, milliseconds, one, rate, rows, scientific, size, table,
                      without_repeats)


def exchange(name, transport, number, graph=False):
    """The one exchange of that size in one part, or None."""
    found = rows(name, transport=transport, bytes=number, split=False, graph=lambda given: bool(given) == graph)
    return found[0] if found else None


@table
def exchange_h200():
    made = [["bytes of the face", "cuda-ipc", "each way", "mpi-device", "mpi-host"]]
    for number in (1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 27):
        ours, device, host = (exchange(name, transport, number) for name, transport in
                              (("exchange_h200", "cuda-ipc"), ("exchange_mpi_device_h200", "mpi-device"),
                               ("exchange_h200", "mpi-host")))
        made.append([binary(number), duration(ours["seconds"]), rate(ours["bytes_per_second_each_way"]),
                     *(duration(row["seconds"]) if row else "" for row in (device, host))])
    return made


@table
def exchange_h100():
    transports = ("cuda-ipc", "nvshmem", "nccl", "shared-memory", "mpi-host")
    made = [["bytes of the face", *transports, "cuda-ipc in a graph, each way"]]
    for number in (1 << 12, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26):
        line = [binary(number)]
        for transport in transports:
            found = [exchange("exchange_h100", transport, number, graph) for graph in (False, True)]
            line.append(" / ".join(digits(1e6 * row["seconds"]) for row in found if row))
        line.append(rate(exchange("exchange_h100", "cuda-ipc", number, True)["bytes_per_second_each_way"]))
        made.append(line)
    return made


@table
def nvshmem_h100():
    """What NVSHMEM does by itself."""
    what = {"the sum of one number over all ranks": "the sum of one number over both devices, by its team",
            "the sum of one number over all ranks, by the host": "the same by the hosts, in the order of ranks",
            "a sweep whose kernel reads the neighbour's point, and its norm":
                "Jacobi sweep of 4,194,304 points whose kernel reads the neighbour's point, with its norm"}
    return [["of NVSHMEM by itself, two H100", "time"],
            *([words, microseconds(one("exchange_h100", reference=reference)["seconds"], 2)]
              for reference, words in what.items())]


def scaled(name, run):
    """A row for each way of messages on two devices."""
    alone = one(name, ranks=1)
    found = rows(name, ranks=2)
    return [[run, f"{size(alone['cells'])} in all", row["transports"] + ("" if row["overlap"] else ", without overlap"),
             milliseconds(alone["seconds_a_step"]), milliseconds(row["seconds_a_step"]), fixed(row["efficiency"], 3)]
            for row in found if row["transport"] != "auto" or len(found) == 1]  # what auto took is among the others


HEADINGS = ["run", "cells", "messages", "one device", "two devices", "efficiency"]
# Cases of bench/devices.py.
DEVICE_RUNS = {
    "wave_weak": "eighth-order wave, a step",
    "wave_strong": "eighth-order wave, a step",
    "jacobi_strong": "Jacobi in 2D with the norm of each iteration, an iteration",
    "multigrid_weak": "CG with multigrid, an iteration",
    "multigrid_strong": "CG with multigrid, an iteration",
    "bodies_threads_strong": "gravity, all devices in one process, a step",
    "bodies_ranks_strong": "gravity, a rank for each device, a step",
}


def on_devices(number, word):
    """A row for each case on one device and on `number` devices."""
    made = [["run", "cells", "one device", f"{word} devices", "efficiency", "largest difference from a single rank"]]
    for name, run in DEVICE_RUNS.items():
        alone, all_of_them = (one(f"scaling_{name}_{word}_h200", ranks=ranks) for ranks in (1, number))
        cells = f"{alone['cells'][0]:,} bodies" if name.startswith("bodies") else size(alone["cells"])
        gate = all_of_them["gate"]
        if not gate["passed"]:
            raise ValueError(f"{name}: not the answer of a single rank")
        difference = max(gate["tables"], gate["fields"] or 0)
        made.append([run, cells + (" per device" if name.endswith("weak") else " in all"), milliseconds(alone["seconds_a_step"]),
                     milliseconds(all_of_them["seconds_a_step"]), fixed(all_of_them["efficiency"], 3),
                     "none" if difference == 0 else scientific(difference)])
    return made


@table
def scaling_two_h200():
    return on_devices(2, "two")


@table
def scaling_four_h200():
    return on_devices(4, "four")


@table
def wave_designs_four_h200():
    """Orders of a step of the wave, 1024³ points a device."""
    made = [["order of a step on four H200", "predicted", "measured", "efficiency"]]
    for order, predicted, name in (
            ("thin shells of 4 planes first, the exchange beside the interior", "", "scaling_wave_weak_shells_four_h200"),
            ("the whole block, then the exchange (used)", "4.21 ms", "scaling_wave_weak_four_h200")):
        row = one(name, ranks=4)
        made.append([order, predicted, milliseconds(row["seconds_a_step"]), fixed(row["efficiency"], 3)])
    alone = one("wave_shells_four_h200", order="one device")["seconds_a_step"]
    for planes in (16, 64, 128):
        seconds = one("wave_shells_four_h200", planes=planes)["seconds_a_step"]
        made.append([f"shells of {planes} planes first, the exchange beside the interior", "4.16 ms", milliseconds(seconds),
                     fixed(alone / seconds, 3)])
    return made


@table
def jacobi_tiles_h200():
    """Tiles of Jacobi in 2D on a whole mesh and on the part of one of four devices."""
    made = [["tile: threads, stages, rows of a chunk", "20480 x 5120", "20480 x 20480"]]
    found = {}
    for row in rows("jacobi_tiles_h200"):
        tile = ", ".join(re.fullmatch(r"streaming, (\d+) x 1 threads, (\d+) stages, chunks of (\d+)", row["form"]).groups())
        found.setdefault(tile, {}).setdefault(row["cells"][1], row["seconds"])
    for tile, by_cells in found.items():
        made.append([tile, *(microseconds(by_cells[cells]) if cells in by_cells else "" for cells in (5120, 20480))])
    return made


@table
def scaling_h100():
    return [HEADINGS, *without_repeats(scaled("scaling_wave_strong_h100", "eighth-order wave"), 2)]


@table
def scaling_rod_h200():
    name = "scaling_rod_strong_h200"
    alone = one(name, ranks=1)["seconds_a_step"]
    made = [["Jacobi in 1D with the norm of every step, 2²² points", "an iteration", "speed, of one device's"],
            ["one device", microseconds(alone), ""]]
    for row in rows(name, ranks=2, transport=lambda given: given != "auto"):
        made.append([f"two devices, {row['transport']}", microseconds(row["seconds_a_step"]),
                     fixed(alone / row["seconds_a_step"])])
    four = "scaling_rod_strong_four_h200"
    alone = one(four, ranks=1)["seconds_a_step"]
    for row in rows(four, ranks=4):
        made.append([f"four devices, {row['transport']}", microseconds(row["seconds_a_step"]),
                     fixed(alone / row["seconds_a_step"])])
    return made


COPY_BY_RUNTIME = "reference: staged by the runtime, the current device set in turn"
COPY_BY_DRIVER = "reference: staged by the driver, contexts pushed and popped"


@table
def peer_copy_h200():
    made = []
    for way, words in (("", "one way"), (", both ways at once", "each way at once")):
        for number in (1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 27):
            found = [one("peer_copy_two_h200", problem=f"{number} bytes, device 0 to 1{way}", form=form)
                     for form in ("direct", "staged")]
            listed = [rate(one("peer_copy_two_h200", problem=f"{number} bytes, device 0 to 1", form=form)["bytes_per_second"])
                      for form in (COPY_BY_RUNTIME, COPY_BY_DRIVER)] if not way else ["", ""]
            made.append([words, binary(number), *(rate(row["bytes_per_second"]) for row in found), *listed,
                         fixed(found[0]["of_copy"]), fixed(found[1]["peer"]["of_peer"]) if "peer" in found[1] else ""])
    return [["two H200", "bytes", "directly", "by two pinned buffers", "as listed, by the runtime", "as listed, by the driver",
             "directly, of the library's own copy",
             "by two buffers, of two pinned copies at once"],
            *without_repeats(made)]
