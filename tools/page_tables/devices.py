"""What was measured on one GPU, beside a copy and beside other programs."""
import re

from .records import (digits, duration, fixed, link, median, milliseconds, one, parts_of_problem, rate, record, rows, size,
                      starts_with, table, without_repeats)

# targets of copy, by benchmark and size
AIMS_H100 = {"laplacian-3d": (("512³", "1024³"), "0.95"), "jacobi-3d": (("512³", "1024³"), "0.95"),
             "jacobi-2d": (("20480²",), "0.95"), "jacobi-1d": (("2²⁸",), "0.95"), "star-25": (("768³",), "0.90")}


def sweeps(name, aims):
    made = []
    for row in rows(name):
        problem, extents = parts_of_problem(row["problem"])
        sizes, aim = aims.get(row["benchmark"], ((), ""))
        made.append([problem, extents, milliseconds(row["median_seconds"]), rate(row["bytes_per_second"]),
                     fixed(row["of_copy"], 3), aim if extents in sizes else "",
                     row["form"].split(",")[0].removesuffix(" along x")])
    return [["sweep", "size", "time", "rate", "of copy", "target", "form"], *without_repeats(made)]


@table
def sweeps_h100():
    return sweeps("sweeps_h100", AIMS_H100)


CASES = {"Dirichlet walls": "Dirichlet walls", "insulated but for one wall": "insulated except one wall",
         "Robin walls": "Robin walls", "reflecting but for one wall": "reflecting except one wall",
         "periodic along x": "periodic along x", "periodic along y and z": "periodic along y and z",
         "stretched mesh: four coefficients": "stretched mesh: four coefficients",
         "conductivity that varies: four coefficients": "variable conductivity: four coefficients",
         "wave: two fields": "wave, leapfrog step: two fields",
         "wave in a medium: three fields": "wave in a medium: three fields",
         "wave in a medium with a sponge: three fields": "wave in a medium with a sponge: three fields"}


@table
def deck_rates_h100():
    made = [["case", "bytes per unknown", "double: time per iteration", "rate", "of Dirichlet",
             "single: time per iteration", "rate", "of Dirichlet"]]
    for case, words in CASES.items():
        name = "deck_rates_wave_h100" if "wave" in case else "deck_rates_h100"
        found = [one(name, case=case, precision=precision) for precision in ("double", "single")]
        line = [words, " / ".join(str(row["bytes_an_unknown"]) for row in found)]
        for row in found:
            line += [milliseconds(row["seconds_an_iteration"]), rate(row["bytes_per_second"]),
                     "" if case == "Dirichlet walls" else fixed(row["of_dirichlet"])]
        made.append(line)
    return made


@table
def deck_rates_h200():
    made = []
    for method, words in (("cg", "conjugate gradients"), ("jacobi", "Jacobi")):
        for case in ("Dirichlet walls", "stretched mesh: four coefficients"):
            line = [words, case]
            for precision in ("double", "single"):
                row = one("deck_rates_h200", case=case, method=method, precision=precision)
                line += [milliseconds(row["seconds_an_iteration"]), rate(row["bytes_per_second"])]
            made.append(line)
    return [["512³ cells, one H200", "case", "double: time per iteration", "rate", "single: time per iteration", "rate"],
            *without_repeats(made)]


@table
def deck_rates_shared_h100():
    made = [["ranks", "time per iteration", "speed, of one rank's"]]
    alone = one("deck_rates_shared_h100", ranks=1)["seconds_an_iteration"]
    for row in rows("deck_rates_shared_h100"):
        seconds = row["seconds_an_iteration"]
        made.append([str(row["ranks"]), milliseconds(seconds), "" if row["ranks"] == 1 else fixed(alone / seconds, 3)])
    return made


@table
def law_rates_h100():
    cases = list(dict.fromkeys(row["case"] for row in rows("law_rates_h100")))
    made = []
    for case in cases:
        cells = list(dict.fromkeys(tuple(row["cells"]) for row in rows("law_rates_h100", case=case)))
        for extents in cells:
            found = [one("law_rates_h100", case=case, cells=list(extents), precision=precision)
                     for precision in ("double", "single")]
            made.append([case, size(list(extents)), *(digits(row["cell_steps_a_second"] / 1e9) for row in found)])
    return [["case", "cells", "double, 1e9 cell updates/s", "single"], *without_repeats(made)]


@table
def law_rates_two_h200():
    made = [["case", "cells", "one device, time per step", "two devices", "ratio"]]
    for alone in rows("law_rates_two_h200", ranks=1):
        both = one("law_rates_two_h200", case=alone["case"], ranks=2)
        made.append([alone["case"], size(alone["cells"]), milliseconds(alone["seconds_a_step"]),
                     milliseconds(both["seconds_a_step"]), fixed(both["seconds_a_step"] / alone["seconds_a_step"])])
    return made


@table
def multigrid_h100():
    kept = [("multigrid_h100", 128, "run", "cycle", 2, ""), ("multigrid_h100", 128, "single", "cycle", 2, ""),
            ("refinement_h100", 128, "single", "cycle", 3, ""), ("multigrid_h100", 512, "run", "cycle", 2, ""),
            ("multigrid_h100", 512, "run", "full", 3, ""), ("multigrid_h100", 512, "single", "cycle", 2, ""),
            ("multigrid_h100", 512, "single", "full", 3, "100 ms"), ("refinement_h100", 512, "single", "full", 3, "100 ms")]
    made = []
    for name, cells, precision, start, sweeps_each_way, aim in kept:
        row = one(name, cells=cells, precision_of_cycles=precision, start=start, sweeps=sweeps_each_way)
        made.append([f"{cells}³", f"`{row['method']}`", "double" if precision == "run" else precision, start,
                     str(sweeps_each_way), str(row["iterations"]), milliseconds(row["median_seconds"]), aim])
    return [["cells", "method", "cycles in", "start", "relaxations each way", "iterations", "time", "target"],
            *without_repeats(made)]


@table
def multigrid_cycles_h100():
    def of(benchmark, words, cells, form):
        return one("multigrid_cycles_h100", benchmark=benchmark, problem=f"{words}, {cells} x {cells} x {cells}",
                   form=starts_with(form))
    sizes = (64, 128, 256, 512)
    made = [["without set-up", *(f"{cells}³" for cells in sizes), "target"]]
    for precision, aim in (("double", "0.12 ms at 128³"), ("single", "")):
        found = [of("multigrid", f"V-cycle, {precision}", cells, "V(2,2)") for cells in sizes]
        made.append([f"V(2,2) cycle, {precision}",
                     *(milliseconds(row["median_seconds"]) for row in found), aim])
    full = [of("full-multigrid", "full multigrid, double", cells, "V(2,2)") for cells in sizes]
    made.append(["full multigrid, double", *(milliseconds(row["median_seconds"]) for row in full), "12 ms at 512³"])
    made.append(["its error over the discretisation error", *(fixed(float(row["form"].split()[1])) for row in full), "1.1"])
    return made


@table
def nbody_h200():
    made = []
    for bodies in (65536, 262144):
        for precision in ("single", "double"):
            for form, words in (("cuda", "ours"), ("portable", "portable"),
                                ("reference: one body a thread, 300 x 256 threads, tiles of 256 bodies", "one body per thread"),
                                ("reference: one body a thread, 300 x 256 threads, loop over tiles unrolled",
                                 "the same, the loop over tiles unrolled")):
                found = rows("nbody_h200", problem=f"gravity of bodies, {precision}, {bodies}", form=form)
                for row in found:
                    made.append([f"{bodies:,}", precision, words, milliseconds(row["median_seconds"]),
                                 f"{digits(row['interactions_per_second'] / 1e9)} G/s", fixed(row["of_bound"], 3)])
    return [["bodies", "precision", "kernel", "time, all forces", "interactions", "of bound"], *without_repeats(made, 2)]


@table
def nbody_from_host_h200():
    made = []
    for bodies in (65536, 262144):
        for row in rows("nbody_devices_two_h200", problem=f"gravity of bodies, single, {bodies}"):
            devices, memory = re.match(r"reference: (\d) devices? from host memory, (.*)", row["form"]).groups()
            made.append([f"{bodies:,}", devices, memory, milliseconds(row["median_seconds"])])
    return [["bodies", "H200", "memory of the devices", "time, with copies"], *without_repeats(made, 2)]


@table
def nbody_host():
    made = []
    for precision in ("single", "double"):
        for form in ("vectorised", "portable"):
            row = one("nbody", problem=f"gravity of bodies, {precision}, 16384", form=form)
            made.append([precision, form, milliseconds(row["median_seconds"]),
                         f"{digits(row['interactions_per_second'] / 1e9)} G/s", fixed(row["of_bound"], 3)])
    return [["16,384 bodies", "form", "time, all forces", "interactions", "of bound"], *without_repeats(made)]


@table
def nbody_two_h100():
    words = {"--devices 1": "one device", "--devices 2": "two devices of one process",
             "--ranks 2": "two ranks with a device each",
             "--devices 2 --set nbody.schedule=queue": "two devices, work from a queue"}
    return [["262,144 bodies, single", "options", "time per step", "efficiency"],
            *([words[row["how"]], f"`{row['how']}`", milliseconds(row["seconds_a_step"]), fixed(row["efficiency"], 3)]
              for row in rows("nbody_two_h100"))]


@table
def repeated_h100():
    made = []
    for cells, form in ((512, "refinement"), (512, "conjugate gradients, cycles in single precision"), (1024, "refinement")):
        found = rows("poisson_repeated_h100", cells=cells, form=form)
        solves = [row["solve_seconds"] for row in found]
        setups = [row["setup_seconds"] for row in found]
        made.append([f"{cells}³", form, str(found[0]["iterations"]), duration(solves[0]), duration(median(solves[2:])),
                     duration(setups[0]), duration(median(setups[2:])), "850 ms" if cells == 1024 else "100 ms"])
    return [["cells", "method", "iterations", "solve: first", "third and fourth", "set-up: first", "third and fourth", "target"],
            *without_repeats(made)]


@table
def elastic_bodies():
    made = [["program", "machine", "cells", "case", "iterations", "solve", "memory"]]
    race = record("elasticity_96_petsc")
    for name in ("ours", "theirs"):
        made.append([race[name]["program"], "two cores", "96³", "Poisson's ratio 0.3", "", duration(race[name]["inner_median"]), ""])
    for row in record("elasticity_h200")["rows"]:
        made.append(["halocline", "one H200", f"{row['cells']}{'²³'[row['axes'] - 2]}", row["case"], str(row["iterations"]),
                     duration(row["seconds"]), f"{fixed(row['device_bytes'] / 1e9, 1)} GB"])
    return made


@table
def tests_on_devices():
    made = [["what ran", "commit", "passed", "failed or stopped", "record"]]
    for name, words in (("tests_h200", "programs at one and two ranks"),
                        ("tests_more_h200", "programs at more ranks"),
                        ("tests_kernel_h200", "kernel tests, in parts"),
                        ("tests_scripts_h200", "scripts, and programs that end the multi-process service"),
                        ("tests_signals_h200", "those that failed, again"),
                        ("tests_changed_h200", "programs of what changed since, at all ranks"),
                        ("tests_scripts_changed_h200", "scripts of what changed since, and `folder` and `stranger`"),
                        ("tests_scripts_again_h200", "those that failed, again, and others"),
                        ("tests_two_h200", "programs that know several devices, on two GPUs"),
                        ("tests_transports_two_h200", "exchanges by every transport, on two GPUs"),
                        ("memcheck_h100", "kernel tests under memcheck"), ("initcheck_h100", "kernel tests under initcheck"),
                        ("racecheck_h100", "kernel tests under racecheck, in parts"),
                        ("memcheck_new_h200", "tests of later kernels under memcheck"),
                        ("memcheck_jacobi_h200", "the Jacobi programs of GPU kernels by hand under memcheck"),
                        ("racecheck_new_h200", "tests of later kernels under racecheck"),
                        ("memcheck_changed_h200", "tests of what changed since under memcheck, in parts"),
                        ("racecheck_changed_h200", "tests of what changed since under racecheck, in parts")):
        ran = record(name)
        made.append([words, ran["commit"], str(ran["passed"]), str(len(ran["failed"])), link(name)])
    return made
