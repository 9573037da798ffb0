"""Several devices in one thread: copies between them, N bodies."""

from ..records import fixed, link, milliseconds, one, rate, rows, table
from ..exchanges import COPY_BY_DRIVER, COPY_BY_RUNTIME
from .cells import HEADINGS, decks, file


@table
def seeds_devices():
    peer = [one("peer_copy_two_h200", problem="134217728 bytes, device 0 to 1", form=form) for form in ("direct", "staged")]
    listed = {form: one("peer_copy_two_h200", problem="134217728 bytes, device 0 to 1", form=form)
              for form in (COPY_BY_RUNTIME, COPY_BY_DRIVER)}
    two = {row["how"]: row for row in rows("nbody_two_h100")}
    form = "reference: one body a thread, 300 x 256 threads, tiles of 256 bodies"
    outside = "reference: one body a thread, 300 x 256 threads, loop over tiles unrolled"
    reference, as_listed, ours = (one("nbody_h200", problem="gravity of bodies, single, 262144", form=name)
                                  for name in (form, outside, "cuda"))

    def from_host(devices, memory):
        return milliseconds(one("nbody_devices_two_h200", problem="gravity of bodies, single, 262144",
                                form=f"reference: {devices} from host memory, {memory}")["median_seconds"])
    return [
        HEADINGS,
        [
            "one thread drives several devices by setting the current one",
            "one call of the runtime API; a stack of contexts in the driver API",
            "`--devices all` for nbody alone, [several devices in a process]"
            "(architecture.md#several-devices-in-a-process)",
            "physics on meshes use one device a rank; no stack of contexts: the runtime API alone. The caller's current "
            "device remains unchanged, physics/nbody/gravity_test.cpp",
        ],
        [
            "copy between devices by the runtime API, double-buffered through pinned memory, with events",
            "listing 1, of the section before",
            "`halocline bench peer-copy`, `staged`",
            f"{rate(peer[1]['bytes_per_second'])} at 128 MiB, {fixed(peer[1]['peer']['of_peer'])} of the rate of "
            f"two concurrent pinned copies ({link('peer_copy_two_h200')})",
        ],
        [
            "the same by the driver API",
            "listing 2",
            "`halocline bench peer-copy`, [waiting_copy.cpp](../bench/waiting_copy.cpp)",
            f"{rate(listed[COPY_BY_DRIVER]['bytes_per_second'])} at 128 MiB in pieces of 1 MiB, pushing and popping a context "
            "for "
            f"each; by the runtime in the same way {rate(listed[COPY_BY_RUNTIME]['bytes_per_second'])}",
        ],
        [
            "direct copies between devices",
            "mentioned",
            "`halocline bench peer-copy`, `direct`",
            f"{rate(peer[0]['bytes_per_second'])}, {fixed(peer[0]['of_copy'])} of `cudaMemcpyPeerAsync`",
        ],
        [
            "all forces of N bodies by N² interactions, divided evenly between k devices",
            "N must be a multiple of k, at most 32 devices",
            f"{decks('star-cluster')} `--devices 2`; any number of bodies and devices",
            f"262,144 bodies: {milliseconds(two['--devices 1']['seconds_a_step'])} a step, on two H100 "
            f"{milliseconds(two['--devices 2']['seconds_a_step'])}, efficiency {fixed(two['--devices 2']['efficiency'], 3)} "
            f"({link('nbody_two_h100')})",
        ],
        [
            "devices of unequal speed: a queue of smaller pieces",
            "suggested",
            "`nbody.schedule: queue`",
            f"{milliseconds(two['--devices 2 --set nbody.schedule=queue']['seconds_a_step'])} a step on two equal devices "
            f"(efficiency {fixed(two['--devices 2 --set nbody.schedule=queue']['efficiency'], 3)})",
        ],
        [
            "listing 3: a kernel for a part of the bodies, tiles of 256 in shared memory, one body a thread, loop "
            "unrolled by 32",
            "300 blocks of 256 threads",
            f"{file('bench/reference_nbody.cpp')}, `halocline bench nbody`",
            f"262,144 bodies: with the loop over tiles unrolled, as printed, {milliseconds(as_listed['median_seconds'])}; with "
            f"that over the bodies of a tile {milliseconds(reference['median_seconds'])}, {fixed(reference['of_bound'])} of the "
            "bound; this project's kernel "
            f"{milliseconds(ours['median_seconds'])}, {fixed(ours['of_bound'])} ({link('nbody_h200')})",
        ],
        [
            "listing 4: three loops of the host: allocations and copies in, kernels and copies out, waits",
            "so that devices work concurrently",
            f"{file('bench/reference_nbody.cpp')}, `halocline bench nbody-devices`; {file('physics/nbody/gravity.cpp')}",
            f"as printed, 262,144 bodies take {from_host('1 device', 'with allocations')} on one H200, "
            f"{from_host('2 devices', 'with allocations')} on two; with memory allocated before "
            f"{from_host('1 device', 'allocated before')} and {from_host('2 devices', 'allocated before')} "
            f"({link('nbody_devices_two_h200')}). Steps of this project have an "
            f"efficiency of {fixed(two['--devices 2']['efficiency'], 3)} with two devices in a process, "
            f"{fixed(two['--ranks 2']['efficiency'], 3)} with two ranks",
        ],
        [
            "bodies as four numbers, softened",
            "x, y, z and mass",
            file("physics/nbody/README.md", "nbody"),
            "the same; without softening, bodies that start in one place are refused",
        ],
        [
            "wall-clock time of a step",
            "returned, no figures",
            f"{decks('two-bodies')}, tests/end_to_end/nbody_test.py",
            "an orbit closes to second order; steps are reversible in time",
        ],
    ]
