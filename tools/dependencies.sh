# Dependencies of Halocline: names, versions, build options. Sourced by setup.sh and install.sh, which first set
# $preset, $root and $cache. docs/dependencies.md gives the reason for each.
# shellcheck shell=bash disable=SC2034,SC2154

case $preset in
  release | serial | debug) variant=host ;;
  threads | cuda | hip) variant=$preset ;;
  *)
    echo "halocline: no preset is called \`$preset\` (known: release, serial, threads, cuda, hip, debug)" >&2
    exit 2
    ;;
esac

toolchain_packages=(ca-certificates cmake g++ libc6-dev ninja-build python3-pip)
library_packages=(libcli11-dev libfmt-dev libhdf5-openmpi-dev libmuparser-dev libopenmpi-dev libspdlog-dev
  libxxhash-dev libyaml-cpp-dev nlohmann-json3-dev openmpi-bin)
plot_packages=(python3-h5py-mpi python3-matplotlib)
test_packages=(fish groff libgmock-dev libgtest-dev lmod mandoc python3-jsonschema python3-vtk9 python3-yaml zsh)
style_packages=(ccache clang-format clang-tidy shellcheck)
if [[ $variant == hip ]]; then toolchain_packages+=(hipcc libamdhip64-dev rocm-device-libs); fi

# One source distribution contains both Kokkos and Kokkos Kernels, complete and unpatched.
kokkos_version=4.5.1
kokkos_archive=pycompadre==1.7.6
kokkos_sha256=c766ec4d445ce076069be4b8c51a23ffac4ee79ea949ca86446bfd8c299b154c

prefix=$cache/prefix
kokkos_prefix=$prefix
if [[ $variant != host ]]; then kokkos_prefix=$cache/prefix-$variant; fi

# shellcheck disable=SC2016 # $ORIGIN is for the loader
common_options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_LIBDIR=lib
  '-DCMAKE_INSTALL_RPATH=$ORIGIN' -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_EXTENSIONS=OFF)

# install.sh translates this into Kokkos' name of the GPU, once the source is there.
architecture=
kokkos_options=(-DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_DEPRECATED_CODE_4=OFF -DKokkos_ENABLE_IMPL_MDSPAN=OFF)
kernels_options=(-DKokkosKernels_ENABLE_ALL_COMPONENTS=OFF -DKokkosKernels_ENABLE_COMPONENT_BLAS=ON
  -DKokkosKernels_ENABLE_COMPONENT_SPARSE=ON -DKokkosKernels_ENABLE_COMPONENT_GRAPH=ON
  -DKokkosKernels_ADD_DEFAULT_ETI=OFF)
case $variant in
  host)
    device=OPENMP
    kokkos_options+=(-DKokkos_ENABLE_OPENMP=ON)
    ;;
  threads)
    device=THREADS
    kokkos_options+=(-DKokkos_ENABLE_THREADS=ON)
    ;;
  cuda)
    # Kokkos is built for one GPU architecture, the first of the list; so the oldest must come first.
    device=CUDA
    architecture=${HALOCLINE_CUDA_ARCHITECTURES:-90}
    architecture=${architecture%%;*}
    # Debian's CMake does not know the C++20 flag of nvcc.
    cuda_options=("-DCMAKE_CUDA_ARCHITECTURES=$architecture" -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared
      "-DCMAKE_CUDA_FLAGS=-std=c++20 -include=$root/cmake/cuda13.hpp")
    kokkos_options+=(-DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_CUDA=ON
      -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON "${cuda_options[@]}")
    # NVIDIA's libraries do not support matrices with 64-bit indices, and add a gigabyte.
    kernels_options+=("${cuda_options[@]}" -DKokkosKernels_ENABLE_TPL_CUBLAS=OFF -DKokkosKernels_ENABLE_TPL_CUSPARSE=OFF
      -DKokkosKernels_ENABLE_TPL_CUSOLVER=OFF)
    ;;
  hip)
    # Debian's clang 15 crashes on <regex> in C++20 device code. Only Kokkos' own sources include it: they use C++17.
    device=HIP
    architecture=${HALOCLINE_HIP_ARCHITECTURES:-gfx90a}
    export ROCM_PATH=/usr HIP_PATH=/usr HIP_PLATFORM=amd HIP_CLANG_PATH=/usr/lib/llvm-15/bin
    kokkos_options+=(-DKokkos_ENABLE_HIP=ON -DKokkos_ENABLE_ROCTHRUST=OFF
      -DCMAKE_CXX_COMPILER=hipcc -DCMAKE_CXX_STANDARD=17)
    kernels_options+=(-DCMAKE_CXX_COMPILER=hipcc)
    ;;
esac

# Teuchos' parameter lists and timers are not performance-critical: they are built without optimisation, several sources
# at a time.
teuchos_options=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG" -DTrilinos_ENABLE_ALL_PACKAGES=OFF
  -DTrilinos_ENABLE_ALL_OPTIONAL_PACKAGES=OFF -DTrilinos_ENABLE_SECONDARY_TESTED_CODE=OFF
  -DTrilinos_ENABLE_TeuchosCore=ON -DTrilinos_ENABLE_TeuchosParser=ON -DTrilinos_ENABLE_TeuchosParameterList=ON
  -DTrilinos_ENABLE_TeuchosComm=ON -DTrilinos_ENABLE_Kokkos=OFF -DTrilinos_ENABLE_Fortran=OFF -DTPL_ENABLE_MPI=OFF
  -DTPL_ENABLE_BLAS=OFF -DTPL_ENABLE_LAPACK=OFF)
