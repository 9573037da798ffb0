# SPDX-License-Identifier: BSD-3-Clause

import pathlib

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage


class Halocline(CMakePackage, CudaPackage, ROCmPackage):
    """Performance-portable framework for stencil and particle solvers on Kokkos and MPI."""

    # The recipe travels with the sources: it builds the checkout that it stands in.
    homepage = pathlib.Path(__file__).resolve().parents[6].as_uri()
    git = homepage

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant(
        "host",
        default="openmp",
        values=("openmp", "serial", "threads"),
        multi=False,
        description="Execution space of the processor",
    )
    variant("nccl", default=False, when="+cuda", description="Halos by NCCL")
    variant("nvshmem", default=False, when="+cuda", description="Halos by NVSHMEM")
    variant("plot", default=True, description="Python with what `halocline run --plot` draws with")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    generator("ninja")

    depends_on("mpi@3.1:")
    depends_on("hdf5@1.10:+mpi")
    depends_on("yaml-cpp@0.7:+shared")
    depends_on("spdlog@1.10:+shared")
    depends_on("fmt@9:+shared")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.1:")
    depends_on("muparser@2.3.3:")
    depends_on("xxhash@0.8:")

    # Plugins share one Kokkos with the program, so it is a shared library.
    depends_on("kokkos@4.5:5+shared")
    depends_on("kokkos@4.5: cxxstd=20")
    depends_on("kokkos-kernels@4.5:5+shared")
    for _space in ("openmp", "serial", "threads"):
        depends_on(f"kokkos+{_space}", when=f"host={_space}")
        if _space != "serial":
            depends_on(f"kokkos-kernels+{_space}", when=f"host={_space}")
    depends_on("kokkos~cuda", when="~cuda")
    depends_on("kokkos~rocm", when="~rocm")
    depends_on("kokkos+cuda+cmake_lang~cuda_relocatable_device_code", when="+cuda")
    for _arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos+cuda cuda_arch={_arch}", when=f"+cuda cuda_arch={_arch}")
        depends_on(f"kokkos-kernels+cuda cuda_arch={_arch}", when=f"+cuda cuda_arch={_arch}")
        depends_on(f"nccl cuda_arch={_arch}", when=f"+nccl cuda_arch={_arch}")
        depends_on(f"nvshmem cuda_arch={_arch}", when=f"+nvshmem cuda_arch={_arch}")
    for _target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos+rocm amdgpu_target={_target}", when=f"+rocm amdgpu_target={_target}")

    # Of Trilinos only Teuchos is used, without its own Kokkos in the process; Belos is what asks
    # for it. Without MPI it would sum no timers over ranks.
    depends_on(
        "trilinos@16+belos+shared~amesos~amesos2~anasazi~aztec~epetra~epetraext~fortran~ifpack"
        "~ifpack2~kokkos~ml+mpi~muelu~sacado~tpetra"
    )

    with default_args(type="run", when="+plot"):
        depends_on("python@3.9:")
        depends_on("py-h5py")
        depends_on("py-matplotlib")

    with default_args(type=("build", "test")):
        depends_on("googletest@1.12:+gmock")

    conflicts("+cuda", when="cuda_arch=none", msg="cuda_arch says which GPU to compile for")
    conflicts(
        "+rocm", when="amdgpu_target=none", msg="amdgpu_target says which GPU to compile for"
    )
    conflicts("+cuda", when="+rocm", msg="A build has one execution space")
    conflicts("%gcc@:11", msg="C++20 as GCC 12 has it")

    def backend(self):
        if self.spec.satisfies("+cuda"):
            return "Cuda"
        if self.spec.satisfies("+rocm"):
            return "HIP"
        return {"openmp": "OpenMP", "serial": "Serial", "threads": "Threads"}[
            self.spec.variants["host"].value
        ]

    def cmake_args(self):
        # Spack's compiler wrapper says which processor to compile for. Nothing is taken because it
        # happens to be there.
        args = [
            self.define("HALOCLINE_BACKEND", self.backend()),
            self.define("HALOCLINE_MARCH", ""),
            self.define("HALOCLINE_COMPILER_CACHE", ""),
            self.define("HALOCLINE_BUNDLE", False),
            self.define("HALOCLINE_JOIN_SOURCES", True),
            self.define("HALOCLINE_PEERS", False),
            self.define("HALOCLINE_PREFIX", ""),
            self.define("HALOCLINE_SANITIZE", False),
            self.define("HALOCLINE_TESTS", self.run_tests),
            self.define("HALOCLINE_WARNINGS_AS_ERRORS", False),
            self.define("HALOCLINE_NCCL", self.spec.satisfies("+nccl")),
            self.define("HALOCLINE_NVSHMEM", self.spec.satisfies("+nvshmem")),
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            self.define("KokkosKernels_ROOT", self.spec["kokkos-kernels"].prefix),
            self.define("Teuchos_ROOT", self.spec["trilinos"].prefix),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(
                self.define("HALOCLINE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value)
            )
        if self.spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        return args
