#!/usr/bin/env bash
# Brings everything Halocline is built from: Debian packages by name; Kokkos, Kokkos Kernels and Teuchos from source.
#
#   tools/setup.sh [PRESET] [tests|gates]
#
# What is built lands in the cache folder: HALOCLINE_CACHE, else .halocline in this checkout. A finished step leaves a
# stamp that holds the recipe it followed, and is skipped for as long as that recipe stays the same.
set -euo pipefail

self=$(realpath "${BASH_SOURCE[0]}")
root=${self%/tools/setup.sh}
cache=${HALOCLINE_CACHE:-$root/.halocline}
[[ $cache == /* ]] || cache=$PWD/$cache

preset=${1:-release}
purpose=${2:-run}

# --- what is needed ---------------------------------------------------------------------------------------------------

toolchain_packages=(ca-certificates cmake g++ libc6-dev ninja-build python3-pip)
library_packages=(libcli11-dev libfmt-dev libhdf5-openmpi-dev libmuparser-dev libopenmpi-dev libspdlog-dev
  libxxhash-dev libyaml-cpp-dev nlohmann-json3-dev openmpi-bin python3-h5py-mpi python3-matplotlib)
test_packages=(libgmock-dev libgtest-dev python3-jsonschema python3-vtk9)
gate_packages=(clang-format clang-tidy shellcheck)
hip_packages=(hipcc libamdhip64-dev rocm-device-libs)

# One source distribution carries both Kokkos and Kokkos Kernels, whole and unpatched.
kokkos_version=4.5.1
kokkos_archive=pycompadre==1.7.6
kokkos_sha256=c766ec4d445ce076069be4b8c51a23ffac4ee79ea949ca86446bfd8c299b154c

common_options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_LIBDIR=lib
  '-DCMAKE_INSTALL_RPATH=$ORIGIN' -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_EXTENSIONS=OFF)
kokkos_options=(-DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_DEPRECATED_CODE_4=OFF -DKokkos_ENABLE_IMPL_MDSPAN=OFF
  -DKokkos_ENABLE_TESTS=OFF -DKokkos_ENABLE_EXAMPLES=OFF)
kernels_options=(-DKokkosKernels_ENABLE_ALL_COMPONENTS=OFF -DKokkosKernels_ENABLE_COMPONENT_BLAS=ON
  -DKokkosKernels_ENABLE_COMPONENT_SPARSE=ON -DKokkosKernels_ENABLE_COMPONENT_GRAPH=ON
  -DKokkosKernels_ADD_DEFAULT_ETI=OFF -DKokkosKernels_ENABLE_TESTS=OFF -DKokkosKernels_ENABLE_EXAMPLES=OFF)
teuchos_options=(-DTrilinos_ENABLE_ALL_PACKAGES=OFF -DTrilinos_ENABLE_ALL_OPTIONAL_PACKAGES=OFF
  -DTrilinos_ENABLE_SECONDARY_TESTED_CODE=OFF -DTrilinos_ENABLE_TeuchosCore=ON -DTrilinos_ENABLE_TeuchosParser=ON
  -DTrilinos_ENABLE_TeuchosParameterList=ON -DTrilinos_ENABLE_Kokkos=OFF -DTrilinos_ENABLE_Fortran=OFF
  -DTPL_ENABLE_MPI=OFF -DTPL_ENABLE_BLAS=OFF -DTPL_ENABLE_LAPACK=OFF -DTrilinos_ENABLE_TESTS=OFF
  -DTrilinos_ENABLE_EXAMPLES=OFF)

# The first architecture of the list is the one that Kokkos itself is tuned for.
cuda_architectures=${HALOCLINE_CUDA_ARCHITECTURES:-90}

case $preset in
  release | serial | debug) variant=host ;;
  threads | cuda | hip) variant=$preset ;;
  *)
    echo "halocline: no preset is called \`$preset\` (release, serial, threads, cuda, hip, debug)" >&2
    exit 2
    ;;
esac
prefix=$cache/prefix
[[ $variant == host ]] && kokkos_prefix=$prefix || kokkos_prefix=$cache/prefix-$variant

case $variant in
  host) devices=OPENMP kokkos_options+=(-DKokkos_ENABLE_OPENMP=ON) ;;
  threads) devices=THREADS kokkos_options+=(-DKokkos_ENABLE_THREADS=ON) ;;
  cuda)
    devices=CUDA
    source "$root/tools/setup-cuda.sh"
    ;;
  hip)
    devices=HIP
    library_packages+=("${hip_packages[@]}")
    source "$root/tools/setup-hip.sh"
    ;;
esac

# --- the steps --------------------------------------------------------------------------------------------------------

# install_packages NAME…: by apt, as root, only those that are missing
install_packages() {
  local missing=() name
  for name in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
  done
  ((${#missing[@]})) || return 0
  local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  if ((EUID)); then
    command -v sudo >/dev/null || { echo "no root and no sudo to install: ${missing[*]}" >&3 && return 1; }
    apt=(sudo "${apt[@]}")
  fi
  "${apt[@]}" update
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

# found PACKAGE [DEVICE]: does CMake find a suitable one that somebody else installed?
found() {
  local build=$cache/build-probe-$1 place
  rm -rf "$build"
  cmake -S "$root/cmake/probe" -B "$build" -G Ninja -DPACKAGE="$1" -DDEVICE="${2:-}" || return 1
  place=$(<"$build/place") && rm -rf "$build"
  echo "found in $place" >&3
}

# build_and_install SOURCE PREFIX OPTION…
build_and_install() {
  local source=$1 into=$2 build
  shift 2
  build=$cache/build-dependencies/${source##*/}-$variant
  rm -rf "$build"
  cmake -S "$source" -B "$build" -DCMAKE_INSTALL_PREFIX="$into" "${common_options[@]}" "$@"
  cmake --build "$build" --target install
  rm -rf "$build"
}

do_toolchain() { install_packages "${toolchain_packages[@]}"; }
do_libraries() { install_packages "${library_packages[@]}"; }
do_tests() { install_packages "${test_packages[@]}"; }
do_gates() { install_packages "${gate_packages[@]}"; }

# pip checks the sum before it unpacks anything, and sha256sum again says so for a copy that was put here by hand
do_kokkos_source() {
  local folder=$cache/downloads archive
  archive=$folder/pycompadre-${kokkos_archive#*==}.tar.gz
  mkdir -p "$folder"
  if [[ ! -f $archive ]]; then
    echo "$kokkos_archive --hash=sha256:$kokkos_sha256" >"$folder/requirements.txt"
    /usr/bin/python3 -m pip download --no-deps --no-binary "${kokkos_archive%==*}" --require-hashes \
      -r "$folder/requirements.txt" -d "$folder"
  fi
  echo "$kokkos_sha256  $archive" | sha256sum --check || { rm -f "$archive" && return 1; }
  rm -rf "$cache/source/kokkos" "$cache/source/kokkos-kernels"
  mkdir -p "$cache/source"
  tar -xzf "$archive" -C "$cache/source" --strip-components=1 --wildcards '*/kokkos/*' '*/kokkos-kernels/*'
}

do_kokkos() {
  found Kokkos "$devices" && return
  build_and_install "$cache/source/kokkos" "$kokkos_prefix" "${kokkos_options[@]}"
}

do_kernels() {
  found KokkosKernels && return
  build_and_install "$cache/source/kokkos-kernels" "$kokkos_prefix" -DKokkos_ROOT="$kokkos_prefix" \
    "${kernels_options[@]}"
}

# Debian's binary Teuchos drags an old Kokkos in, so its source package is fetched (apt checks the signature) and built
# without it. The machine's own apt sources are used, with `deb` turned into `deb-src` in a private copy.
do_teuchos() {
  found Teuchos && return
  local lists=$cache/apt archive file
  archive=$(find "$cache/downloads" -name 'trilinos_*.orig.tar.gz' 2>/dev/null | head -n 1)
  if [[ -z $archive ]]; then
    rm -rf "$lists" && mkdir -p "$lists/sources" "$lists/lists/partial" "$cache/downloads"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
      [[ -f $file ]] || continue
      sed -E 's/^(Types:).*/\1 deb-src/; s/^deb /deb-src /' "$file" >"$lists/sources/${file##*/}"
    done
    local -a options=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$lists/sources"
      -o "Dir::State::lists=$lists/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Acquire::Retries=3
      -o APT::Sandbox::User=)
    apt-get "${options[@]}" update
    (cd "$lists" && apt-get "${options[@]}" source --download-only trilinos)
    mv "$lists"/trilinos_*.orig.tar.gz "$cache/downloads/"
    archive=$(find "$cache/downloads" -name 'trilinos_*.orig.tar.gz')
    rm -rf "$lists"
  fi
  rm -rf "$cache/source/trilinos" && mkdir -p "$cache/source/trilinos"
  tar -xzf "$archive" -C "$cache/source/trilinos" --strip-components=1 --wildcards '*/cmake/*' '*/packages/teuchos/*' \
    '*CMakeLists.txt' '*.cmake' '*/README' '*/LICENSE' '*/Copyright.txt'
  # C++20 took away the repetition of a template's arguments in the name of its constructor; one header still has it.
  sed -i 's/^  AbstractArrayValidator<ValidatorType, EntryType>();/  AbstractArrayValidator();/' \
    "$cache/source/trilinos/packages/teuchos/parameterlist/src/Teuchos_StandardParameterEntryValidators.hpp"
  build_and_install "$cache/source/trilinos" "$prefix" "${teuchos_options[@]}"
  rm -rf "$cache/source/trilinos"
}

# --- running them -----------------------------------------------------------------------------------------------------

# A step runs in a bash of its own: there `set -e` holds even though its caller tests the outcome.
if [[ -n ${HALOCLINE_STEP:-} ]]; then
  "do_$HALOCLINE_STEP"
  exit
fi

declare -A recipe
hints=${CMAKE_PREFIX_PATH:-}:${Kokkos_ROOT:-}:${KokkosKernels_ROOT:-}:${Teuchos_ROOT:-}
recipe[toolchain]="${toolchain_packages[*]}"
recipe[libraries]="${library_packages[*]}"
recipe[tests]="${test_packages[*]}"
recipe[gates]="${gate_packages[*]}"
recipe[kokkos_source]=$kokkos_sha256
recipe[kokkos]="$kokkos_version ${common_options[*]} ${kokkos_options[*]} $hints"
recipe[kernels]="$kokkos_version ${common_options[*]} ${kernels_options[*]} ${recipe[kokkos]}"
recipe[teuchos]="${common_options[*]} ${teuchos_options[*]} $hints"

declare -A title=(
  [toolchain]="Debian packages: compiler and CMake"
  [libraries]="Debian packages: libraries"
  [tests]="Debian packages: for the tests"
  [gates]="Debian packages: for the checks of style"
  [kokkos_source]="Kokkos $kokkos_version: source"
  [kokkos]="Kokkos $kokkos_version ($variant)"
  [kernels]="Kokkos Kernels $kokkos_version ($variant)"
  [teuchos]="Teuchos"
)

# stamp STEP: the file that says it is done; Kokkos has one for each variant
stamp() {
  case $1 in
    kokkos | kernels | libraries) REPLY=$cache/stamps/$1-$variant ;;
    *) REPLY=$cache/stamps/$1 ;;
  esac
}

done_before() {
  stamp "$1"
  [[ -f $REPLY && $(<"$REPLY") == "${recipe[$1]}" ]]
}

# why LOG: the likely cause of a failure in a few words
why() {
  if grep -qi 'no space left on device' "$1"; then
    echo "the disk is full"
  elif grep -qiE 'temporary failure (in name )?resol|could not resolve|network is unreachable|connection (refused|timed out)|Name or service not known|failed to fetch' "$1"; then
    echo "no network"
  elif grep -qiE 'hashes|computed checksum did not match|FAILED$' "$1"; then
    echo "the checksum of a download is wrong"
  elif grep -qiE 'permission denied|are you root' "$1"; then
    echo "not permitted"
  else
    echo "it did not build"
  fi
}

# step NAME: does it unless done before, and prints one line
step() {
  done_before "$1" && return
  local name=$1 log=$cache/logs/$1-$variant.log note=$cache/logs/$1-$variant.note began=${EPOCHREALTIME/[.,]/} took remark
  stamp "$name" && local mark=$REPLY
  rm -f "$mark"
  if HALOCLINE_STEP=$name bash "$self" "$preset" "$purpose" </dev/null >"$log" 2>&1 3>"$note"; then
    took=$(((${EPOCHREALTIME/[.,]/} - began) / 100000))
    remark=$(<"$note")
    printf 'halocline: %-44s %4d.%d s%s\n' "${title[$name]}" $((took / 10)) $((took % 10)) "${remark:+  $remark}" >&2
    echo "${recipe[$name]}" >"$mark"
  else
    remark=$(<"$note")
    echo "halocline: set-up stopped at \"${title[$name]}\": ${remark:-$(why "$log")}; the log is $log" >&2
    return 1
  fi
}

steps=(toolchain libraries kokkos_source kokkos kernels teuchos)
case $purpose in
  run) ;;
  tests) steps+=(tests) ;;
  gates) steps+=(tests gates) ;;
  *) echo "halocline: set-up is for \`run\`, \`tests\` or \`gates\`, not for \`$purpose\`" >&2 && exit 2 ;;
esac
for name in "${steps[@]}"; do
  done_before "$name" || pending=1
done
[[ -n ${pending:-} ]] || exit 0

mkdir -p "$cache/stamps" "$cache/logs" ||
  { echo "halocline: the cache folder $cache cannot be written (HALOCLINE_CACHE names another)" >&2 && exit 1; }
# Two launchers may start at once: the second waits here, and then finds the work done.
exec 9>"$cache/lock"
flock 9

packages() {
  step libraries
  if [[ $purpose != run ]]; then step tests; fi
  if [[ $purpose == gates ]]; then step gates; fi
}
kokkos_and_kernels() { step kokkos_source && step kokkos && step kernels; }

step toolchain
# A group of its own for each branch, so that an interrupted set-up takes its compilers with it.
set -m
branches=()
trap 'for branch in "${branches[@]}"; do kill -- "-$branch" 2>/dev/null || true; done' EXIT
for branch in packages kokkos_and_kernels "step teuchos"; do
  $branch &
  branches+=($!)
done
failed=0
for branch in "${branches[@]}"; do
  wait "$branch" || failed=1
done
branches=()
exit "$failed"
