"""An external physics, from its source folder to a run: `stranger_test.py PROGRAM BUILD`, where BUILD is the build tree to
install from."""

import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import program
from program import ROOT, Run, scratch, settings

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


def command(*words):
    """The command's output, on both streams."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout, done.stderr


def configure(source, build, **variables):
    return command("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                   *[f"-D{name}={value}" for name, value in variables.items()])


def cached(build, variable):
    """The value of a variable in a build tree."""
    return re.search(rf"^{variable}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def compiler_options(build, source):
    """The options with which a build tree compiles a file."""
    entries = json.loads((build / "compile_commands.json").read_text())
    return next(entry["command"].split() for entry in entries if entry["file"].endswith(source))


class Stranger(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = scratch()
        cls.home = pathlib.Path(cls.scratch.name)
        # A moved installation, and no C compiler.
        command("cmake", "--install", BUILD, "--prefix", cls.home / "before")
        (cls.home / "before").rename(cls.home / "halocline")
        shutil.copytree(ROOT / "tests/stranger", cls.home / "source")
        cls.said_by_cmake = configure(cls.home / "source", cls.home / "build", CMAKE_PREFIX_PATH=cls.home / "halocline")
        command("cmake", "--build", cls.home / "build")
        cls.plugin = cls.home / "build/transport.so"
        program.PROGRAM = cls.home / "halocline/bin/halocline"

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_deck(self, folder, *arguments, ranks=1, **options):
        return Run(["run", self.home / "source/transport.yaml", "--output", "run.out", "--ranks", ranks, *arguments,
                    *settings(options)], folder)

    def test_runs_as_a_plugin_of_the_installed_program(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks), scratch() as folder:
                run = self.run_deck(folder, "--plugin", self.plugin, ranks=ranks)
                self.assertEqual((run.code, run.err), (0, ""))
                quantities = run.summary()["quantities"]
                self.assertAlmostEqual(quantities["total"], 0, delta=1e-14)
                # Upwind at half the stable step damps the wave by cos(pi / 64) per step.
                self.assertAlmostEqual(quantities["norm"], math.sqrt(0.5) * math.cos(math.pi / 64) ** 128, delta=1e-14)
                self.assertIn("run.out/snapshot_000128.vti", run.files())
                # 128 steps of a few roundings, and a sum of 64 values.
                total = run.summary()["conserved"]["total"]
                self.assertLess(total["largest_relative_drift"], total["explained_relative_drift"])
                self.assertAlmostEqual(total["explained_relative_drift"], (128 * 8 + 8) * 2**-52, delta=1e-16)

    def test_a_program_of_its_own_on_libraries_of_the_framework(self):
        for launcher in ([], [cached(BUILD, "MPIEXEC_EXECUTABLE"), "-n", 3]):
            with self.subTest(launcher=launcher):
                self.assertEqual(command(*launcher, self.home / "build/own_program")[0], "192\n")

    def test_an_installation_knows_no_place_of_its_build(self):
        """No path of the build is in its packages or libraries; dependencies of the machine are found by name."""
        installed = self.home / "halocline"
        places = [str(place) for place in (ROOT, BUILD, self.home / "before")]
        places += [place for place in cached(BUILD, "HALOCLINE_PREFIX").split(";") if place]
        for path in installed.rglob("*"):
            if path.suffix in (".cmake", ".txt"):
                self.assertEqual([place for place in places if place in path.read_text()], [], path)
        for path in (installed / "bin/halocline", *installed.glob("lib/**/*.so")):
            said = command("readelf", "-d", path)[0]
            ways = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", said)
            self.assertEqual([place for place in places for way in ways if place in way], [], path)
        needs = (installed / "share/halocline/needs.txt").read_text()
        self.assertRegex(needs, r"(?m)^libmpi\S*\.so\S* +\S+$")
        self.assertIn("\nlibhdf5", needs)
        self.assertNotIn("halocline_", needs)

    def test_a_bundle_leaves_cryptography_to_the_machine(self):
        bundled = self.home / "bundled"
        command("cmake", "--install", BUILD, "--prefix", bundled, "--component", "bundle")
        names = {path.name.split(".so")[0] for path in bundled.rglob("*.so*")}
        self.assertLess({"libyaml-cpp", "libfmt"}, names)
        for left in ("crypto", "ssl", "gnutls", "gcrypt", "krb5", "gssapi_krb5", "curl", "ssh2", "c", "m", "stdc++", "mpi"):
            self.assertNotIn(f"lib{left}", names)
        installed = {path.name.split(".so")[0] for path in (self.home / "halocline").rglob("*.so*")}
        self.assertNotIn("libfmt", installed)

    def solve(self, name, ranks=1, **options):
        """The summary of a solve of an elliptic equation."""
        with scratch() as folder:
            run = Run(["run", self.home / f"source/{name}.yaml", "--plugin", self.home / f"build/{name}.so", "--output",
                       "run.out", "--ranks", ranks, *settings(options)], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            return run.summary()

    def test_elliptic_equations_get_multigrid_by_name(self):
        """By functors with five and nine points only: second order, almost constant iterations, on any number of ranks."""
        for name in ("reaction", "tensor"):
            with self.subTest(name=name):
                coarse, fine = (self.solve(name, **{"mesh.cells": f"[{n}, {n}]"}) for n in (32, 128))
                ratio = coarse["quantities"]["error_2"] / fine["quantities"]["error_2"]
                self.assertGreater(math.log(ratio, 4), 1.9)
                iterations = [summary["solves"][0]["iterations"] for summary in (coarse, fine)]
                self.assertLessEqual(iterations[1], iterations[0] + 2)
                spread = self.solve(name, ranks=3)
                alone = self.solve(name)
                for quantity, value in alone["quantities"].items():
                    self.assertAlmostEqual(spread["quantities"][quantity], value, delta=1e-7)

    def test_one_field_diffuses_as_declared(self):
        """A functor without `fields`, and with members that have names of no meaning. A sine on a periodic mesh stays one: the
        methods multiply it by polynomials or rational functions of its eigenvalues, here of explicit and of implicit Euler."""
        step, steps, cells, diffusivity, decay = 0.01, 20, 64, 0.01, 0.5
        diffusion = diffusivity * (2 * cells * math.sin(math.pi / cells)) ** 2
        peak = math.cos(math.pi / cells)  # the largest of the sine at centres of cells
        gamma = 1 - math.sqrt(0.5)
        delta = 1 - 1 / (2 * gamma)

        def ssp_rk3(z):
            return 1 + z + z**2 / 2 + z**3 / 6

        # Section 2.6 of Ascher, Ruuth and Spiteri, with f = -decay u and g = -diffusion u.
        f, g = -step * decay, -step * diffusion
        v = (1 + gamma * f) / (1 - gamma * g)
        w = (1 + delta * f + (1 - delta) * f * v + (1 - gamma) * g * v) / (1 - gamma * g)
        for method, factor in (("ssp_rk3", ssp_rk3(f + g)), ("imex_ars222", w)):
            for precision, tolerance in (("double", 1e-9), ("single", 1e-5)):
                with self.subTest(method=method, precision=precision), scratch() as folder:
                    run = Run(["run", self.home / "source/decay.yaml", "--plugin", self.home / "build/decay.so", "--output",
                               "run.out", "--set", f"time.method={method}", "--set", f"precision={precision}"], folder)
                    self.assertEqual((run.code, run.err), (0, ""))
                    # Tolerances: of the solves by default, and of rounding in 20 steps.
                    self.assertAlmostEqual(run.summary()["quantities"]["maximum(u)"], peak * factor**steps, delta=tolerance)

    def test_a_reader_of_its_own_is_differentiated(self):
        """`Square` of decay.cpp, against the same steps here; and the limit of the step by `inverse_spacing`."""
        cells, step, steps, a, decay = 64, 2e-5, 10, 0.5, 0.5
        u = [2 + math.sin(2 * math.pi * (i + 0.5) / cells) for i in range(cells)]
        # `fastest` is decay / 2 plus 4 a u per square of the spacing.
        stable = 1 / (decay / 2 + 4 * a * max(u) * cells**2)
        for _ in range(steps):
            square = [value**2 for value in u]
            u = [u[i] + step * (a * cells**2 * (square[i - 1] - 2 * square[i] + square[(i + 1) % cells]) - decay * u[i])
                 for i in range(cells)]
        options = {"decay.a": a, "decay.D": 0, "decay.u.initial": "2+sin(2*pi*x)", "time.method": "explicit_euler",
                   "time.steps": steps}
        words = ["run", self.home / "source/decay.yaml", "--plugin", self.home / "build/decay.so", "--output", "run.out"]
        with scratch() as folder:
            run = Run([*words, *settings({**options, "time.step": step})], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            # Ten steps of some ten roundings each, of terms a step times cells^2 as large.
            self.assertAlmostEqual(run.summary()["quantities"]["maximum(u)"], max(u), delta=1e-13)
        with scratch() as folder:
            run = Run([*words, *settings({**options, "time.step": 1.001 * stable})], folder)
            self.assertEqual(run.code, 2)
            self.assertIn("is longer than the longest stable step", run.err)

    def test_timers_of_a_plugin_are_regions(self):
        """For code that reads its parameters from a Teuchos::ParameterList, see material.cpp."""
        for ranks in (1, 3):
            regions = {region["name"]: region for region in self.solve("reaction", ranks=ranks)["timings"]["regions"]}
            self.assertEqual(regions["material"]["calls"], 1)
            seconds = regions["material"]["seconds"]
            self.assertLessEqual(seconds["least"], seconds["mean"])
            self.assertLessEqual(seconds["mean"], seconds["most"])

    def test_a_broken_promise_of_conservation_is_a_warning(self):
        with scratch() as folder:
            run = self.run_deck(folder, "--plugin", self.plugin,
                                **{"mesh.periodic": False, "transport.initial": "x > 0", "time.steps": 32})
            self.assertEqual(run.code, 0)
            self.assertRegex(run.err, r"warning: `total` should be conserved, but drifted by 0\.25 of its size; ")
            self.assertEqual(run.err.count("\n"), 1, run.err)
            self.assertAlmostEqual(run.summary()["conserved"]["total"]["largest_relative_drift"], 0.25, delta=1e-12)

    def test_the_documented_build_optimises(self):
        self.assertIn("no CMAKE_BUILD_TYPE was chosen, so it is Release", self.said_by_cmake[0])
        self.assertEqual(self.said_by_cmake[1], "")
        self.assertEqual(cached(self.home / "build", "CMAKE_BUILD_TYPE"), "Release")
        self.assertIn("-O3", compiler_options(self.home / "build", "transport.cpp"))

    def test_a_build_without_optimisation_is_a_warning(self):
        for number, (choice, warned) in enumerate((
                ({"CMAKE_BUILD_TYPE": "Debug"}, True), ({"CMAKE_CXX_FLAGS": "-O0"}, True),
                ({"CMAKE_BUILD_TYPE": "Release", "CMAKE_CXX_FLAGS_RELEASE": "-Og"}, True),
                ({"CMAKE_BUILD_TYPE": "RelWithDebInfo"}, False), ({"CMAKE_CXX_FLAGS": "-O2"}, False))):
            with self.subTest(choice=choice):
                _, said = configure(self.home / "source", self.home / f"build{number}",
                                    CMAKE_PREFIX_PATH=self.home / "halocline", **choice)
                told = re.sub(r"\s+", " ", said)
                self.assertEqual("halocline_add_physics(transport): CMAKE_BUILD_TYPE is "
                                 f"`{choice.get('CMAKE_BUILD_TYPE', '')}`, which does not optimise" in told, warned, said)

    def test_a_program_of_its_own_is_compiled_like_a_physics(self):
        def settings_of(build, source):
            words = compiler_options(build, source)
            return {word for word in words if re.match("-(?!I|o$|c$|isystem|D.*EXPORTS|(Xcompiler=-)?fPI)", word)}

        lonely = self.home / "lonely"
        lonely.mkdir()
        shutil.copy(self.home / "source/own_program.cpp", lonely)
        (lonely / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.25)
project(Lonely LANGUAGES CXX)
find_package(Halocline REQUIRED)
halocline_add_program(own_program SOURCES own_program.cpp)
""")
        said, warned = configure(lonely, lonely / "build", CMAKE_PREFIX_PATH=self.home / "halocline")
        self.assertIn("no CMAKE_BUILD_TYPE was chosen, so it is Release", said)
        self.assertEqual(warned, "")
        self.assertEqual(settings_of(lonely / "build", "own_program.cpp"), settings_of(self.home / "build", "transport.cpp"))
        _, warned = configure(lonely, lonely / "debug", CMAKE_PREFIX_PATH=self.home / "halocline", CMAKE_BUILD_TYPE="Debug")
        self.assertIn("halocline_add_program(own_program): CMAKE_BUILD_TYPE is `Debug`, which does not optimise",
                      re.sub(r"\s+", " ", warned))

    def test_a_part_of_another_project(self):
        """The guest's physics, and what links Halocline, gets our floating-point flags; -Werror is only for our own builds."""
        guest = self.home / "guest"
        guest.mkdir()
        (guest / "own.cpp").write_text("double own(double a, double b, double c) { return a * b + c; }\n")
        shutil.copy(self.home / "source/transport.cpp", guest)
        (guest / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(Guest LANGUAGES C CXX)
add_subdirectory({ROOT} halocline)
halocline_add_physics(transport SOURCES transport.cpp)
add_library(own MODULE own.cpp)
target_link_libraries(own PRIVATE Halocline::halocline)
""")
        configure(guest, guest / "build", **{name: cached(BUILD, name) for name in (
            "HALOCLINE_BACKEND", "HALOCLINE_PREFIX", "HALOCLINE_MARCH")})
        device = cached(BUILD, "HALOCLINE_BACKEND") == "Cuda"
        for source in ("transport.cpp", "own.cpp", "framework/runtime/collectives.cpp"):
            with self.subTest(source=source):
                options = compiler_options(guest / "build", source)
                contraction = "--fmad=false" if device and source == "transport.cpp" else "-ffp-contract=off"
                self.assertIn(contraction, options)
                self.assertEqual([word for word in options if word.startswith("-Werror")], [])
        self.assertIn("-O3", compiler_options(guest / "build", "transport.cpp"))
        self.assertIn(f"-march={cached(BUILD, 'HALOCLINE_MARCH')}" if cached(BUILD, "HALOCLINE_MARCH") else "-O3",
                      " ".join(compiler_options(guest / "build", "transport.cpp")))

    def test_a_forgotten_exchange_is_said(self):
        forgetful = self.home / "forgetful"
        shutil.copytree(ROOT / "tests/stranger", forgetful)
        source = forgetful / "transport.cpp"
        text = source.read_text()
        self.assertIn("exchange_.exchange({&u_});", text)
        source.write_text(text.replace("exchange_.exchange({&u_});", ""))
        configure(forgetful, forgetful / "build", CMAKE_PREFIX_PATH=self.home / "halocline")
        command("cmake", "--build", forgetful / "build", "--target", "halocline_physics_transport")
        for ranks, beyond in ((1, "where the mesh closes on itself"), (2, r"where rank \d begins")):
            with self.subTest(ranks=ranks), scratch() as folder:
                run = self.run_deck(folder, "--plugin", forgetful / "build/transport.so", ranks=ranks)
                self.assertEqual(run.code, 3, run.err)
                self.assertRegex(run.err, r"plugin `.*transport\.so`, physics `transport`, in `advance` of step \d .*: "
                                          r"`Upwind` reads 1 layer of ghosts beyond the \w+ face of `u`, " + beyond +
                                          r", where none are valid: .*Exchange `u` before this sweep")
                self.assertNotIn("defect of Halocline", run.err)
                self.assertEqual(run.summary()["exit_code"], 3)

    def test_it_may_bring_tunings(self):
        tuned = self.home / "tuned"
        shutil.copytree(ROOT / "tests/stranger", tuned)
        lists = tuned / "CMakeLists.txt"
        lists.write_text(lists.read_text().replace("transport.cpp)", "transport.cpp TUNINGS tunings.json)"))
        for text, code in (("no table", 2), ((ROOT / "framework/plugin/test_tunings.json").read_text(), 0)):
            (tuned / "tunings.json").write_text(text)
            configure(tuned, tuned / "build", CMAKE_PREFIX_PATH=self.home / "halocline")
            command("cmake", "--build", tuned / "build")
            with scratch() as folder:
                plugin = tuned / "build/transport.so"
                run = Run(["check", tuned / "transport.yaml", "--plugin", plugin], folder)
                self.assertEqual(run.code, code, run.err)
                if code != 0:
                    self.assertIn(f"`{plugin}`: its tunings: not a table of tunings: ", run.err)

    def test_headers_of_tests_are_not_installed(self):
        names = {path.name for path in (self.home / "halocline/include").rglob("*.hpp")}
        self.assertIn("sweep.hpp", names)
        self.assertEqual({name for name in names if name.startswith("test_") or "_test" in name}, set())

    def test_its_options_are_listed_and_validated(self):
        with scratch() as folder:
            listed = Run(["list", "transport", "--plugin", self.plugin], folder)
            self.assertIn("Speed along +x.", listed.out)
            wrong = self.run_deck(folder, "--plugin", self.plugin, **{"transport.velocity": -1})
            self.assertEqual(wrong.code, 2)
            self.assertIn("`transport.velocity`: -1 is out of range", wrong.err)

    def test_is_unknown_without_the_plugin(self):
        with scratch() as folder:
            run = self.run_deck(folder)
            self.assertEqual(run.code, 2)
            self.assertIn("`physics`", run.err)
            self.assertEqual(run.files(), [])

    def test_a_mesh_that_it_is_not_written_for_is_refused(self):
        """Its stencil would read outside a field, or ignore some axes."""
        for cells, axes in (("[64, 8]", 2), ("[64, 8, 8]", 3)):
            for command in ("check", "run"):
                with self.subTest(axes=axes, command=command), scratch() as folder:
                    run = Run([command, self.home / "source/transport.yaml", "--plugin", self.plugin,
                               *settings({"mesh.cells": cells, "mesh.periodic": str([True] * axes).lower()})], folder)
                    self.assertEqual(run.code, 2)
                    self.assertEqual(run.err, f"halocline: `mesh.cells`: a mesh of {axes} axes, but transport is written "
                                     f"for 1 axis (--set mesh.cells={cells})\n")
                    self.assertEqual(run.files(), [])

    def test_cells_of_several_widths_are_refused(self):
        with scratch() as folder:
            run = self.run_deck(folder, "--plugin", self.plugin, **{"mesh.growth": 1.01})
            self.assertEqual((run.code, run.err), (2, "halocline: `mesh.growth`: transport needs cells of equal width "
                             "along each axis (--set mesh.growth=1.01); leave it out\n"))

    def test_a_precision_it_does_not_have_is_refused(self):
        with scratch() as folder:
            run = self.run_deck(folder, "--plugin", self.plugin, precision="single")
            self.assertEqual(run.code, 2)
            self.assertIn("the deck asks for single, but the physics `transport` is built for double", run.err)
            self.assertEqual(run.files(), [])

    def test_a_step_beyond_the_stable_one_is_refused(self):
        with scratch() as folder:
            run = self.run_deck(folder, "--plugin", self.plugin, **{"time.step": 0.02})
            self.assertEqual(run.code, 2)
            self.assertIn("`time.step`: 0.02 is longer than the longest stable step, 0.015625", run.err)
            self.assertEqual(run.files(), [])

    def test_what_is_no_plugin_is_refused(self):
        with scratch() as folder:
            text = pathlib.Path(folder) / "text.so"
            text.write_text("no plugin\n")
            for file, words in ((text, "cannot be loaded as a plugin"), ("missing.so", "no such plugin"),
                                (BUILD / "tests/plugins/other_version.so", "built for version 0.0.7, but this Halocline"),
                                (BUILD / "tests/plugins/other_backend.so", "built for backend Abacus, but this")):
                with self.subTest(file=str(file)):
                    run = self.run_deck(folder, "--plugin", file)
                    self.assertEqual(run.code, 2)
                    self.assertIn(words, run.err)
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["text.so"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
