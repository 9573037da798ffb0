"""Failures and restarts of the set-up: `setup_test.py ROOT`, with stand-ins for the tools that would change this machine."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
DEPENDENCIES = (ROOT / "tools/dependencies.sh").read_text()
SHA256 = re.search(r"^kokkos_sha256=(\w+)", DEPENDENCIES, re.MULTILINE)[1]
ARCHIVE = re.search(r"^kokkos_archive=(\S+)", DEPENDENCIES, re.MULTILINE)[1].replace("==", "-") + ".tar.gz"

INSTALLED = "echo installed"
MISSING = "exit 1"
# The call with which the set-up looks for a package: all are found.
FOUND = 'for ((n = 1; n < $#; ++n)); do [[ ${!n} == -B ]] && m=$((n + 1)) && build=${!m}; done\nmkdir -p "$build"; echo /opt > "$build/place"'
ALL_BUT_TEUCHOS = FOUND.replace("echo /opt", '{ [[ $* == *Teuchos* ]] && echo || echo /opt; }')
NO_NETWORK = "echo 'E: Failed to fetch http://deb/x  Temporary failure resolving deb'; exit 100"
FINDS_THE_DISK_FULL = 'if [[ $* == *" source "* ]]; then head -c 1 /dev/zero >/dev/full; fi'
NOTHING_FREE = "echo Filesystem; echo 'tmpfs 2048 2048 0 100% /'"


class Setup(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="halocline-setup-")
        self.addCleanup(temporary.cleanup)
        self.cache = pathlib.Path(temporary.name) / "cache"
        self.tools = pathlib.Path(temporary.name) / "tools"
        self.tools.mkdir()
        # Copies of the set-up's files, readable for other users too.
        pathlib.Path(temporary.name).chmod(0o777)
        self.root = pathlib.Path(temporary.name) / "halocline"
        for folder in ("tools", "cmake"):
            shutil.copytree(ROOT / folder, self.root / folder)
        # Only these programs are on PATH: no sudo, and no download.
        for name in ("bash", "env", "realpath", "mkdir", "rm", "rmdir", "cat", "grep", "awk", "sed", "sleep", "flock", "touch",
                     "tar", "gzip", "sha256sum", "head", "mv", "dirname", "kill", "cp", "df"):
            (self.tools / name).symlink_to(shutil.which(name))
        self.stand_in("dpkg-query", INSTALLED)
        self.stand_in("cmake", FOUND)
        self.stand_in("apt-get", NO_NETWORK)

    def stand_in(self, name, script):
        (self.tools / name).unlink(missing_ok=True)
        (self.tools / name).write_text(f"#!/bin/bash\n{script}\n")
        (self.tools / name).chmod(0o755)

    def have_kokkos_source(self):
        self.cache.joinpath("stamps").mkdir(parents=True, exist_ok=True)
        (self.cache / "stamps/kokkos-source").write_text(SHA256 + "\n")

    def start(self, *prefix, **environment):
        return subprocess.Popen(
            [*prefix, self.root / "tools/setup.sh", "release"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=self.tools,
            env={"PATH": str(self.tools), "HOME": "/nonexistent", "HALOCLINE_CACHE": str(self.cache), "LANG": "C.UTF-8",
                 "PIP_RETRIES": "1", "PIP_NO_CACHE_DIR": "1", **environment})

    def failures(self, *prefix, **environment):
        """The lines of a failing set-up, without reports of finished steps."""
        process = self.start(*prefix, **environment)
        out, err = process.communicate(timeout=100)
        self.assertNotEqual(process.returncode, 0, err)
        self.assertEqual(out, "")
        return [line for line in err.splitlines() if not re.match(r"halocline: \w.* \d+\.\d s(  |$)", line)]

    def test_a_set_up_that_has_all_it_needs(self):
        self.have_kokkos_source()
        self.stand_in("apt-get", "exit 1")
        for expected in (6, 0):  # the second start finds all steps done
            process = self.start()
            out, err = process.communicate(timeout=600)
            self.assertEqual((process.returncode, out), (0, ""), err)
            self.assertEqual(len(err.splitlines()), expected, err)

    def test_no_compiler_for_cuda(self):
        for caller in ("tools/setup.sh cuda", "tools/build.sh program"):
            with self.subTest(caller=caller):
                done = subprocess.run(
                    ["bash", "-c", f"{self.root}/{caller}"], capture_output=True, text=True, timeout=600,
                    env={"PATH": str(self.tools), "HALOCLINE_CACHE": str(self.cache), "CUDA_HOME": "/nonexistent",
                         "HALOCLINE_PRESET": "cuda"})
                self.assertEqual((done.returncode, done.stdout, done.stderr), (
                    2, "", "halocline: preset cuda needs CUDA's compiler, and there is no `nvcc` on PATH or in "
                    "/nonexistent/bin (CUDACXX=/path/to/nvcc or CUDA_HOME says where it is)\n"))

    def test_a_gpu_that_this_kokkos_does_not_know(self):
        """The message lists the known architectures, from Kokkos' own list."""
        self.have_kokkos_source()
        (self.tools / "sort").symlink_to(shutil.which("sort"))
        folder = self.cache / "source/kokkos/cmake"
        folder.mkdir(parents=True)
        (folder / "kokkos_arch.cmake").write_text(
            'kokkos_arch_option(ZEN3 HOST "AMD Zen3 architecture" "TRUE")\n'
            'kokkos_arch_option(AMPERE80 GPU "NVIDIA Ampere generation CC 8.0" "KOKKOS_SHOW_CUDA_ARCHS")\n'
            'kokkos_arch_option(BLACKWELL120 GPU "NVIDIA Blackwell generation CC 12.0" "KOKKOS_SHOW_CUDA_ARCHS")\n'
            'list(APPEND SUPPORTED_AMD_ARCHS AMD_GFX942 AMD_GFX942_APU)\nlist(APPEND SUPPORTED_AMD_ARCHS VEGA906 AMD_GFX906)\n')
        found_no_kokkos = FOUND.replace("echo /opt", '{ [[ $* == *PACKAGE=Kokkos\\ * ]] && echo || echo /opt; }')
        for preset, variable, asked, known, option in (
                ("cuda", "HALOCLINE_CUDA_ARCHITECTURES", "70;80", "80 120", None),
                ("cuda", "HALOCLINE_CUDA_ARCHITECTURES", "120", "", "-DKokkos_ARCH_BLACKWELL120=ON"),
                ("hip", "HALOCLINE_HIP_ARCHITECTURES", "gfx90a", "gfx906 gfx942 gfx942_apu", None),
                ("hip", "HALOCLINE_HIP_ARCHITECTURES", "gfx942", "", "-DKokkos_ARCH_AMD_GFX942=ON")):
            with self.subTest(preset=preset, asked=asked):
                asked_of_cmake = self.tools.parent / "asked"
                asked_of_cmake.unlink(missing_ok=True)
                self.stand_in("cmake", f'echo "$*" >>{asked_of_cmake}\n{found_no_kokkos}')
                done = subprocess.run(
                    [self.root / "tools/setup.sh", preset], capture_output=True, text=True, timeout=600,
                    env={"PATH": str(self.tools), "HALOCLINE_CACHE": str(self.cache), "CUDACXX": "/bin/true", variable: asked})
                if option is None:
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(f"knows no GPU `{asked.split(';')[0]}` (known: {known}) (see ", done.stderr)
                else:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(option, asked_of_cmake.read_text())

    def test_neither_root_nor_sudo(self):
        self.stand_in("dpkg-query", MISSING)
        user = [shutil.which("setpriv"), "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        self.assertEqual(self.failures(*user), [
            'halocline: "Debian packages: compiler, CMake" failed: neither root nor sudo, to install ca-certificates cmake '
            f"g++ libc6-dev ninja-build python3-pip (see {self.cache}/logs/toolchain-host.log)"])

    def test_no_network(self):
        self.have_kokkos_source()
        self.stand_in("cmake", ALL_BUT_TEUCHOS)
        self.assertEqual(self.failures(),
                         [f'halocline: "Teuchos" failed: no network (see {self.cache}/logs/teuchos.log)'])

    def test_no_network_for_a_real_download(self):
        self.assertEqual(self.failures(https_proxy="http://127.0.0.1:1"), [
            f'halocline: "Kokkos 4.5.1: source" failed: no network (see {self.cache}/logs/kokkos-source.log)'])

    def test_a_download_with_the_wrong_checksum(self):
        self.cache.joinpath("downloads").mkdir(parents=True)
        (self.cache / "downloads" / ARCHIVE).write_text("not what it should be")
        self.assertEqual(self.failures(), [
            f'halocline: "Kokkos 4.5.1: source" failed: {self.cache}/downloads/{ARCHIVE} has the wrong checksum; remove it, '
            f"and it is fetched again (see {self.cache}/logs/kokkos-source.log)"])

    def test_a_full_disk(self):
        self.have_kokkos_source()
        self.stand_in("cmake", ALL_BUT_TEUCHOS)
        self.stand_in("apt-get", FINDS_THE_DISK_FULL)
        self.expect_full_disk()

    def test_a_full_disk_whose_log_lacks_the_words(self):
        self.have_kokkos_source()
        self.stand_in("cmake", ALL_BUT_TEUCHOS)
        self.stand_in("apt-get", "exit 1")
        self.stand_in("df", NOTHING_FREE)
        self.expect_full_disk()

    def test_a_disk_that_fills_under_the_notes_of_a_finished_step(self):
        self.have_kokkos_source()
        self.stand_in("ln", f'exec {shutil.which("ln")} "$@"')
        self.stand_in("cmake", f"[[ $* == *PACKAGE=Teuchos* ]] && ln -s /dev/full {self.cache}/stamps/teuchos\n{FOUND}")
        self.stand_in("df", NOTHING_FREE)
        self.expect_full_disk()

    def expect_full_disk(self):
        self.assertEqual(self.failures(),
                         [f'halocline: "Teuchos" failed: the disk is full (see {self.cache}/logs/teuchos.log)'])

    def test_an_interrupted_set_up_goes_on_where_it_was(self):
        self.have_kokkos_source()
        began = self.tools.parent / "began"
        self.stand_in("cmake", f"if [[ $* == *PACKAGE=Teuchos* && ! -e {began} ]]; then touch {began}; sleep 1000; fi\n{FOUND}")
        process = self.start()
        for _ in range(300):
            if began.exists() and all((self.cache / "stamps" / name).exists() for name in ("plots", "kernels-host")):
                break
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130, err)
        self.assertNotIn("Teuchos", err)
        done = {path.name: path.stat().st_mtime_ns for path in (self.cache / "stamps").iterdir()}
        self.assertNotIn("teuchos", done)

        again = self.start()
        out, err = again.communicate(timeout=600)
        self.assertEqual((again.returncode, out), (0, ""), err)
        self.assertRegex(err, r"^halocline: Teuchos +\d+\.\d s  found in /opt\n$")
        for name, time_done in done.items():
            self.assertEqual((self.cache / "stamps" / name).stat().st_mtime_ns, time_done, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
