"""A stencil on a cluster: MPI, streams, 25 points."""

from ..records import duration, fixed, link, milliseconds, one, percent, record, rows, table
from .cells import HEADINGS, decks, file


@table
def seeds_cluster():
    alone, two = (one("scaling_stencil_weak_h200", ranks=ranks) for ranks in (1, 2))
    hidden, waiting = (
        one("scaling_wave_strong_h200", ranks=2, transport="mpi-host", overlap=overlap) for overlap in (True, False)
    )
    slabs = {case: {(row["ranks"], row["transport"], row["overlap"]): row for row in rows(f"scaling_stencil_{case}_two_h200")}
             for case in ("weak", "strong")}

    def slab(case, transport, overlap):
        row = slabs[case][2, transport, overlap]
        return f"{milliseconds(row['seconds_a_step'])} ({fixed(row['efficiency'])})"

    star = one("sweeps_h100", benchmark="star-25")
    aware = one("exchange_mpi_device_h200", bytes=1 << 24, split=False)
    staged = one("exchange_h200", transport="mpi-host", bytes=1 << 24, split=False)
    served = record("io_ranks_h100")["slower"]
    exchange = file("framework/halo/exchange.hpp")
    failures = file("tests/end_to_end/failure_test.py")
    return [
        HEADINGS,
        [
            "figure 1: nodes with processes that exchange messages",
            "a model of clusters",
            "`halocline run DECK --ranks N`, [clusters.md](clusters.md)",
            f"{len(rows('slurm', 'cases'))} cases under a Slurm whose two nodes were one machine of "
            f"{record('slurm')['cores']} cores ({link('slurm')}); no run has used two hosts",
        ],
        [
            "heat conduction by Jacobi's iteration",
            "the physics of the example",
            f"{decks('heat-plate', 'heat-explicit', 'laplace-1d')}",
            "second order, tests/end_to_end/accuracy_test.py",
        ],
        [
            "figure 2: a 25-point stencil",
            "four neighbours on each side along three axes, single precision",
            f"{decks('stencil-25')}, `halocline bench star-25`",
            f"768³ in {milliseconds(star['median_seconds'])}, {fixed(star['of_copy'])} of copy on an H100 "
            f"({link('sweeps_h100')}); checked against NumPy, tests/end_to_end/fields_test.py",
        ],
        [
            "figure 3: a duct cut into four along z",
            "D0 to D3, one a process",
            "`mesh.processes: [1, 1, 0]` of the deck",
            "bitwise equal results on any number of ranks",
        ],
        [
            "figure 4: memory layout",
            "x contiguous, then y, then z",
            "`framework/field`",
            "the same, with padding",
        ],
        [
            "figure 5: five MPI calls",
            "initialise, rank, size, abort, finalise",
            file("framework/runtime/communicator.hpp"),
            "an error on one rank ends all ranks with one message, see the next row",
        ],
        [
            "figure 6: an MPI program",
            "at least three processes, the last one a data server; process 0 reports errors once",
            "`--ranks 3 --set io.ranks=1`",
            f"too few ranks are refused before anything is written; errors on one rank: {failures}",
        ],
        [
            "figures 7 and 8: send and receive",
            "pointer, count, type, rank, tag",
            "`halo.transport: mpi-host`",
            "one message a neighbour for all fields, tests of the exchange",
        ],
        [
            "figure 9: the data server fills the grid with random numbers and sends slabs with four more planes at each "
            "inner side",
            "processes at the ends get 4 planes more, inner ones 8",
            "`initial: 2*random(7) - 1`, `io.ranks: 1`",
            "I/O ranks evaluate expressions and send the values; results are bitwise equal on any number of ranks",
        ],
        [
            "figures 10 and 11: host and device memory, pinned buffers for the four boundary and ghost slabs, two "
            "streams",
            "page-locked, so that copies overlap with kernels",
            f"{exchange}, `framework/halo/cuda`",
            "allocated once, with the exchange plan",
        ],
        [
            "figure 12: boundary planes first, then messages overlapped with the interior",
            "hides messages if the interior takes longer",
            "`halo.overlap: true`, `bench/overlap.py`, `bench/scaling.py`",
            f"through host memory {milliseconds(hidden['seconds_a_step'])} a step, without overlap "
            f"{milliseconds(waiting['seconds_a_step'])}: wave of 512³ on two H200 ({link('scaling_wave_strong_h200')}). "
            "Over NVLink, since 27 November 2026, the sweep is whole and its messages follow: boundary planes by themselves "
            "cost more than they hide ([designs tried](designs-tried.md#four-devices))",
        ],
        [
            "figures 13 and 14: no neighbour at the ends, coefficients in constant memory, offsets of the twelve planes "
            "that a boundary needs",
            "zeros beyond the ends",
            f"{decks('stencil-25')}; weights are kernel arguments",
            "the same zeros",
        ],
        [
            "figures 15 and 16: copies overlapped with kernels, `MPI_Sendrecv` with the left and right neighbours",
            "two messages, in a fixed order",
            "`halo.transport: mpi-host`",
            f"16 MiB in {duration(staged['seconds'])} on two H200 ({link('exchange_h200')})",
        ],
        [
            "the whole loop",
            "one slab a device",
            "`bench/scaling.py --case stencil`",
            f"768³ a device: {milliseconds(alone['seconds_a_step'])} a step on one H200, "
            f"{milliseconds(two['seconds_a_step'])} on two, efficiency {fixed(two['efficiency'], 3)} "
            f"({link('scaling_stencil_weak_h200')}, {record('scaling_stencil_weak_h200')['date'][:10]}, when the boundary "
            "planes were still swept first)",
        ],
        [
            "the same with and without overlap, random values, each held to the answer of one rank",
            "figure 12 against the simple way",
            "`bench/devices.py --cases stencil_weak stencil_strong`",
            f"512³ on one H200 {milliseconds(slabs['weak'][1, 'auto', True]['seconds_a_step'])} a step. On two, time and "
            f"efficiency with overlap, without: 512³ each by NVLink {slab('weak', 'auto', True)}, {slab('weak', 'auto', False)}, "
            f"by pinned host memory {slab('weak', 'mpi-host', True)}, {slab('weak', 'mpi-host', False)}; 512³ in all "
            f"{slab('strong', 'auto', True)}, {slab('strong', 'auto', False)} and {slab('strong', 'mpi-host', True)}, "
            f"{slab('strong', 'mpi-host', False)} ({link('scaling_stencil_weak_two_h200', 'scaling_stencil_strong_two_h200')})",
        ],
        [
            "figures 17 and 18: results go to the data server, which stores them",
            "after a barrier",
            "`io.ranks: 1`, snapshots",
            f"steps {percent(served['I/O ranks write'])} slower, {percent(served['all ranks write'], 0)} where all ranks "
            "write "
            f"({link('io_ranks_h100')}; an H100 a rank)",
        ],
        [
            "collective calls",
            "barrier; broadcast, reduction, gather and scatter are named",
            "global sums of solvers, `framework/runtime`",
            "a wait ends when any rank fails",
        ],
        [
            "figure 19: MPI on device memory",
            "no pinned buffers, no explicit copies",
            "`halo.transport: mpi-device`",
            f"16 MiB in {duration(aware['seconds'])} ({link('exchange_mpi_device_h200')}); the fastest transport is "
            "chosen at start",
        ],
    ]
