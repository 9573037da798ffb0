"""CMake's errors for missing or mismatched parts of Halocline: `configure_test.py ROOT COMPILER`, using only the modules, with
small stand-ins for libraries."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COMPILER = sys.argv.pop(2)
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
HINTS = ("CMAKE_PREFIX_PATH", "Kokkos_ROOT", "KokkosKernels_ROOT", "Teuchos_ROOT", "HDF5_ROOT")


class Configure(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="halocline-configure-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def cmake(self, script):
        """(exit code, output) of a script that can include the modules."""
        file = self.folder / "script.cmake"
        file.write_text(f"cmake_minimum_required(VERSION 3.25)\nlist(PREPEND CMAKE_MODULE_PATH {ROOT}/cmake)\n{script}")
        done = subprocess.run(["cmake", "-P", file], capture_output=True, text=True,
                              env={name: value for name, value in os.environ.items() if name not in HINTS})
        return done.returncode, re.sub(r"\s+", " ", done.stdout + done.stderr)

    def library(self, name, soname, needs=()):
        """A shared object that depends on others."""
        file = self.folder / name
        source = self.folder / "empty.cpp"
        source.write_text("")
        subprocess.run([COMPILER, "-shared", "-o", file, source, f"-Wl,-soname,{soname}", "-Wl,--no-as-needed", *needs],
                       check=True)
        return file

    def header(self, define):
        folder = self.folder / "include"
        folder.mkdir(exist_ok=True)
        (folder / "mpi.h").write_text(f"#define {define} 1\n")
        return folder

    def test_what_is_missing_is_named_with_what_brings_it(self):
        for package, command in (("Kokkos", 'halocline_find_kokkos(REQUIRED "")'),
                                 ("KokkosKernels", "halocline_find_kokkos_kernels(REQUIRED)"),
                                 ("Teuchos", "halocline_find_teuchos(REQUIRED)")):
            for backend, preset in (("OpenMP", "release"), ("Cuda", "cuda")):
                with self.subTest(package=package, backend=backend):
                    code, said = self.cmake(f"set(HALOCLINE_BACKEND {backend})\ninclude(HaloclineDependencies)\n{command}\n")
                    self.assertNotEqual(code, 0)
                    self.assertRegex(said, rf"{package}( 4\.5 or newer)? was not found\.")
                    self.assertIn(f"`tools/setup.sh {preset}` builds it, and `cmake --preset {preset}` takes it", said)
                    self.assertIn(f"{package}_ROOT", said)

    def test_what_was_found_but_will_not_do_is_named(self):
        place = self.folder / "prefix/lib/cmake/Kokkos"
        place.mkdir(parents=True)
        (place / "KokkosConfig.cmake").write_text("")
        (place / "KokkosConfigVersion.cmake").write_text("set(PACKAGE_VERSION 3.4.1)\n")
        code, said = self.cmake(
            f'set(HALOCLINE_PREFIX {self.folder}/prefix)\ninclude(HaloclineDependencies)\nhalocline_find_kokkos(REQUIRED "")\n')
        self.assertNotEqual(code, 0)
        self.assertIn(f"3.4.1 in {place}/KokkosConfig.cmake will not do.", said)

    def test_a_teuchos_that_sums_nothing_over_ranks_is_refused(self):
        place, headers = self.folder / "prefix/lib/cmake/Teuchos", self.folder / "prefix/include"
        place.mkdir(parents=True)
        headers.mkdir()
        (place / "TeuchosConfig.cmake").write_text(f"set(Teuchos_INCLUDE_DIRS {headers})\n")
        (headers / "Teuchos_config.h").write_text("/* #undef HAVE_TEUCHOS_MPI */\n")
        script = f"set(HALOCLINE_PREFIX {self.folder}/prefix)\ninclude(HaloclineDependencies)\n%s\nmessage(STATUS fine)\n"
        found = script % "halocline_find_teuchos(QUIET)"
        code, said = self.cmake(found)
        self.assertNotEqual(code, 0)
        self.assertIn(f"The Teuchos in {place} is without TeuchosComm.", said)
        (headers / "Teuchos_TimeMonitor.hpp").write_text("")
        (headers / "Teuchos_CommHelpers.hpp").write_text("")
        code, said = self.cmake(found)
        self.assertNotEqual(code, 0)
        self.assertIn(f"The Teuchos in {place} was built without MPI", said)
        self.assertIn("needs Trilinos_ENABLE_TeuchosComm=ON and TPL_ENABLE_MPI=ON", said)
        # Scripts cannot have targets: only the checks run.
        checks = script % f"set(Teuchos_INCLUDE_DIRS {headers})\n_halocline_require_teuchos_comm()"
        for file, define in (("Teuchos_config.h", "HAVE_TEUCHOS_MPI"), ("Teuchos_CommHelpers.hpp", "TEUCHOS_COMM_IS_ALWAYS_ASKED")):
            with self.subTest(define=define):
                before = (headers / file).read_text()
                (headers / file).write_text(f"#define {define}\n")
                self.assertEqual(self.cmake(checks), (0, "-- fine "))
                (headers / file).write_text(before)

    def test_an_hdf5_of_another_mpi_is_refused(self):
        open_mpi = self.library("libmpi.so", "libmpi.so.40")
        mpich = self.library("libmpich.so", "libmpich.so.12")
        for hdf5_needs, mpi, kind, matches in ((open_mpi, open_mpi, "OPEN_MPI", True), (mpich, mpich, "MPICH_VERSION", True),
                                               (mpich, open_mpi, "OPEN_MPI", False), (open_mpi, mpich, "MPICH_VERSION", False)):
            with self.subTest(hdf5=hdf5_needs.name, mpi=mpi.name):
                hdf5 = self.library("libhdf5.so", "libhdf5.so.1", [hdf5_needs])
                code, said = self.cmake(
                    f"set(CMAKE_READELF readelf)\nset(MPI_C_LIBRARIES {mpi})\nset(MPI_C_INCLUDE_DIRS {self.header(kind)})\n"
                    f"set(HDF5_C_LIBRARIES {hdf5} /usr/lib/libz.so)\ninclude(HaloclineMpi)\nhalocline_require_hdf5_of_this_mpi()\n")
                self.assertEqual(code == 0, matches, said)
                if not matches:
                    self.assertIn(f"The HDF5 in {hdf5} was built for another MPI", said)
                    self.assertIn("HDF5_ROOT names an HDF5 for this MPI", said)

    def test_an_mpiexec_of_another_mpi_gives_way(self):
        folder = self.folder / "bin"
        folder.mkdir()

        def program(name, words):
            (folder / name).write_text(f"#!/bin/sh\necho '{words}'\n")
            (folder / name).chmod(0o755)

        program("mpiexec", "mpiexec (OpenRTE) 4.1.4")
        script = (f"set(CMAKE_SYSTEM_PROGRAM_PATH {folder})\nset(MPI_C_COMPILER {folder}/mpicc)\n"
                  f"set(MPIEXEC_EXECUTABLE {folder}/mpiexec)\nset(MPI_C_LIBRARIES libmpich.so)\n"
                  "set(ENV{PATH} /nonexistent)\ninclude(HaloclineMpi)\nset(MPI_C_INCLUDE_DIRS %s)\nhalocline_match_mpiexec()\n"
                  "message(STATUS \"it is $CACHE{MPIEXEC_EXECUTABLE}\")\n")
        self.assertEqual(self.cmake(script % self.header("OPEN_MPI"))[1], "-- it is ")
        code, said = self.cmake(script % self.header("MPICH_VERSION"))
        self.assertNotEqual(code, 0)
        self.assertIn("MPIEXEC_EXECUTABLE names the mpiexec of MPICH", said)
        program("mpiexec.hydra", "HYDRA build details:")
        self.assertIn(f"it is {folder}/mpiexec.hydra", self.cmake(script % self.header("MPICH_VERSION"))[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
