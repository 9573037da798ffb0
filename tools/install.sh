#!/usr/bin/env bash
# Runs one step of the set-up: tools/install.sh PRESET STEP. setup.sh starts it in a separate shell so that `set -e`
# works. Text written to descriptor 3 becomes a remark on the line that reports the step.
set -euo pipefail

root=$(realpath "${BASH_SOURCE[0]%/*}/..")
cache=$HALOCLINE_CACHE
preset=$1
# shellcheck source=tools/dependencies.sh
source "$root/tools/dependencies.sh"

# Installs missing Debian packages with apt, as root.
install_packages() {
  local missing=() name apt
  for name in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
  done
  ((${#missing[@]})) || return 0
  apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)
  if ((EUID)); then
    if ! command -v sudo >/dev/null; then
      echo "neither root nor sudo, to install ${missing[*]}" >&3
      exit 1
    fi
    apt=(sudo "${apt[@]}")
  fi
  "${apt[@]}" update
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

# look_for PACKAGE: sets $place to the folder of an existing installation, or to nothing. An unsuitable one ends the step.
look_for() {
  local build=$cache/build-dependencies/probe-$1-$variant
  rm -rf "$build"
  cmake -S "$root/cmake/probe" -B "$build" -G Ninja -DPACKAGE="$1" -DDEVICE="$device"
  place=$(<"$build/place")
  rm -rf "$build"
  if [[ -n $place ]]; then echo "found in $place" >&3; fi
}

# build_and_install NAME PREFIX OPTION…: builds the source folder NAME and installs it in PREFIX
build_and_install() {
  local build=$cache/build-dependencies/$1-$variant
  rm -rf "$build"
  cmake -S "$cache/source/$1" -B "$build" -DCMAKE_INSTALL_PREFIX="$2" "${common_options[@]}" "${@:3}"
  cmake --build "$build" --target install
  rm -rf "$build"
}

# pip verifies the checksum of a download; sha256sum also verifies an archive that was put here by hand.
install_kokkos_source() {
  local folder=$cache/downloads archive
  archive=$folder/${kokkos_archive/==/-}.tar.gz
  mkdir -p "$folder" "$cache/source"
  if [[ ! -f $archive ]]; then
    echo "$kokkos_archive --hash=sha256:$kokkos_sha256" >"$folder/requirements.txt"
    /usr/bin/python3 -m pip download --no-deps --no-binary "${kokkos_archive%==*}" --require-hashes \
      -r "$folder/requirements.txt" -d "$folder"
  fi
  if ! echo "$kokkos_sha256  $archive" | sha256sum --check; then
    echo "$archive has the wrong checksum; remove it, and it is fetched again" >&3
    exit 1
  fi
  rm -rf "$cache/source/kokkos" "$cache/source/kokkos-kernels"
  tar -xzf "$archive" -C "$cache/source" --strip-components=1 --wildcards '*/kokkos/*' '*/kokkos-kernels/*'
}

# Adds Kokkos' option for the GPU to build for. Kokkos' own list of architectures gives the name: HOPPER90 for 90,
# AMD_GFX90A for gfx90a.
add_architecture() {
  local list=$cache/source/kokkos/cmake/kokkos_arch.cmake name short known=()
  while read -r name; do
    case $variant in
      cuda) short=${name##*[!0-9]} ;;
      hip) short=${name#AMD_} short=${short,,} ;;
    esac
    known+=("$short")
    if [[ $short == "$architecture" ]]; then
      kokkos_options+=("-DKokkos_ARCH_$name=ON")
      return
    fi
  done < <(
    case $variant in
      cuda) sed -nE 's/^kokkos_arch_option\(([A-Z]+[0-9]+) GPU "NVIDIA.*/\1/p' "$list" ;;
      hip) sed -nE '/^list\(APPEND SUPPORTED_AMD_ARCHS/p' "$list" | grep -oE 'AMD_GFX[0-9A-Z_]+' | sort ;;
    esac
  )
  echo "Kokkos $kokkos_version knows no GPU \`$architecture\` (known: ${known[*]})" >&3
  exit 1
}

install_kokkos() {
  rm -rf "$kokkos_prefix/lib/cmake/Kokkos"
  look_for Kokkos
  if [[ -n $place ]]; then return; fi
  if [[ -n $architecture ]]; then add_architecture; fi
  build_and_install kokkos "$kokkos_prefix" "${kokkos_options[@]}"
}

install_kernels() {
  rm -rf "$kokkos_prefix/lib/cmake/KokkosKernels"
  look_for KokkosKernels
  [[ -n $place ]] || build_and_install kokkos-kernels "$kokkos_prefix" "${kernels_options[@]}" \
    -DCMAKE_PREFIX_PATH="$kokkos_prefix"
}

# Debian's Teuchos library depends on an old Kokkos, so its source package is built without Kokkos. It comes from the
# machine's own apt sources, in a private copy with `deb` changed to `deb-src`; apt verifies the signature.
install_teuchos() {
  look_for Teuchos
  if [[ -n $place ]]; then return; fi
  local folder=$cache/downloads sources=$cache/downloads/sources archives=() file
  archives=("$folder"/trilinos_*.orig.tar.gz)
  if [[ ! -f ${archives[0]} ]]; then
    rm -rf "$sources"
    mkdir -p "$sources/list" "$sources/lists/partial"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
      [[ -f $file ]] || continue
      sed -E 's/^(Types:).*/\1 deb-src/; s/^deb([ \t])/deb-src\1/' "$file" >"$sources/list/source-${file##*/}"
    done
    local options=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$sources/list"
      -o "Dir::State::lists=$sources/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=
      -o Acquire::Retries=3)
    apt-get "${options[@]}" update
    (cd "$sources" && apt-get "${options[@]}" source --download-only trilinos)
    mv "$sources"/trilinos_*.orig.tar.gz "$folder"
    rm -rf "$sources"
    archives=("$folder"/trilinos_*.orig.tar.gz)
  fi
  rm -rf "$cache/source/trilinos"
  mkdir -p "$cache/source/trilinos"
  tar -xzf "${archives[0]}" -C "$cache/source/trilinos" --strip-components=1 --wildcards '*/cmake/*' \
    '*/packages/teuchos/*' '*CMakeLists.txt' '*.cmake' '*/README' '*/LICENSE' '*/Copyright.txt'
  # C++20 does not allow template arguments in the declaration of a constructor; one header has them.
  sed -i 's/^  AbstractArrayValidator<ValidatorType, EntryType>();/  AbstractArrayValidator();/' \
    "$cache/source/trilinos/packages/teuchos/parameterlist/src/Teuchos_StandardParameterEntryValidators.hpp"
  # Sources that are compiled together (CMAKE_UNITY_BUILD) may not define the same class: each use of this macro gets its own.
  cat >>"$cache/source/trilinos/packages/teuchos/core/src/Teuchos_StaticSetupMacro.hpp" <<'END'

#undef TEUCHOS_STATIC_SETUP
#define TEUCHOS_STATIC_SETUP() TEUCHOS_STATIC_SETUP_OF(__COUNTER__)
#define TEUCHOS_STATIC_SETUP_OF(number) TEUCHOS_STATIC_SETUP_CLASS(StaticSetup, number)
#define TEUCHOS_STATIC_SETUP_CLASS(Name, number) \
  class Name##number { \
   public: \
    Name##number(); \
  } object##number; \
  Name##number::Name##number()
END
  # Without MPI, Teuchos' messages and sums of numbers bypass the given communicator: patch them to call it. The macro
  # marks the patch for cmake/HaloclineDependencies.cmake.
  local messages=$cache/source/trilinos/packages/teuchos/comm/src/Teuchos_CommHelpers
  sed -i -e '/^reduceAllImpl (/,/^}/s/^  std::copy (sendBuffer, sendBuffer + count, globalReducts);/\
  const std::unique_ptr<ValueTypeReductionOp<int, T> > reductOp (createOp<int, T> (reductType));\
  reduceAll (comm, *reductOp, count, sendBuffer, globalReducts);/' \
    -e '/^sendImpl (const Comm<int>& comm,/,/^}/{/^#else/,/^#endif/c\
#else\
  sendGeneral<T> (comm, count, sendBuffer, destRank);\
#endif
}' "$messages.cpp"
  sed -i 's/^#define TEUCHOS_COMM_HELPERS_HPP$/&\n#define TEUCHOS_COMM_IS_ALWAYS_ASKED/' "$messages.hpp"
  if ! grep -q '^  sendGeneral<T> (comm, count, sendBuffer, destRank);$' "$messages.cpp" ||
    ! grep -q '^  reduceAll (comm, \*reductOp' "$messages.cpp" || ! grep -q '^#define TEUCHOS_COMM_IS_ALWAYS_ASKED$' "$messages.hpp"; then
    echo "the messages of this Teuchos look other than expected" >&3
    exit 1
  fi
  build_and_install trilinos "$prefix" "${teuchos_options[@]}"
  rm -rf "$cache/source/trilinos"
}

case $2 in
  toolchain) install_packages "${toolchain_packages[@]}" ;;
  libraries) install_packages "${library_packages[@]}" ;;
  plots) install_packages "${plot_packages[@]}" ;;
  tests) install_packages "${test_packages[@]}" ;;
  style) install_packages "${style_packages[@]}" ;;
  kokkos_source) install_kokkos_source ;;
  kokkos) install_kokkos ;;
  kernels) install_kernels ;;
  teuchos) install_teuchos ;;
esac
