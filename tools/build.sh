#!/usr/bin/env bash
# Sets up and builds one preset: tools/build.sh program [COMMAND…] | tests | nothing
#
# `program` is the driver and the physics, for `run` or `check` of a deck only that of the deck; `tests` adds all tests;
# `nothing` ends when the program is configured. The environment is that of the launcher; HALOCLINE_CMAKE_OPTIONS adds CMake
# options, separated by blanks.
set -euo pipefail

root=$(realpath "${BASH_SOURCE[0]%/*}/..")
cache=$(realpath -m "${HALOCLINE_CACHE:-$root/.halocline}")
preset=${HALOCLINE_PRESET:-release}
build=$cache/build-$preset
log=$cache/logs/build-$preset.log
mkdir -p "${log%/*}"
# shellcheck source=tools/report.sh
source "$root/tools/report.sh"

# quietly TITLE COMMAND…: runs the command, and reports it in one line if it took more than half a second
quietly() {
  local began
  now
  began=$REPLY
  if ! "${@:2}" >"$log" 2>&1; then
    stopped "$1" "$log"
    exit 1
  fi
  now
  if ((REPLY - began > 500000)); then reported "$1" "$began"; fi
}

architectures=${HALOCLINE_CUDA_ARCHITECTURES:-90}

# File with the CMake options that the build folder was configured with.
options_of_build=$build/halocline-options

# configured [NAME=VALUE]: whether the build folder is configured for these GPUs, this setting and the present options
configured() {
  local setting
  [[ -f $build/build.ninja ]] || return 1
  [[ -z ${HALOCLINE_CMAKE_OPTIONS:-} || $HALOCLINE_CMAKE_OPTIONS == "$(cat "$options_of_build" 2>/dev/null)" ]] || return 1
  for setting in "HALOCLINE_CUDA_ARCHITECTURES=$architectures" "$@"; do
    grep -q "^${setting%=*}:[A-Z]*=${setting#*=}$" "$build/CMakeCache.txt" || return 1
  done
}

configure() {
  local prefixes=$cache/prefix
  case $preset in threads | cuda | hip) prefixes="$cache/prefix-$preset;$prefixes" ;; esac
  # shellcheck source=tools/nvcc.sh
  if [[ $preset == cuda ]]; then source "$root/tools/nvcc.sh"; fi
  local options
  read -ra options <<<"${HALOCLINE_CMAKE_OPTIONS:-}"
  quietly "Configuring $preset" cmake --preset "$preset" -S "$root" -B "$build" -DHALOCLINE_PREFIX="$prefixes" \
    -DHALOCLINE_CUDA_ARCHITECTURES="$architectures" "$@" "${options[@]}"
  echo "${HALOCLINE_CMAKE_OPTIONS:-}" >"$options_of_build"
}

# targets_of COMMAND…: what this command of the program needs. For a deck whose physics stands in a line of its own that is this
# physics alone, unless others were built before: they would be loaded, though older than the program.
targets_of() {
  targets=(program)
  [[ ${1:-} == run || ${1:-} == check ]] && [[ -f ${2:-} && " ${*:3}" != *[\ =]physics=* ]] || return 0
  local physics built
  case $2 in
    *.in) physics=heat ;; # TeaLeaf's
    *) physics=$(sed -nE 's/^physics:[ \t]*([a-z][a-z0-9_-]*)[ \t]*(#.*)?$/\1/p' "$2") ;;
  esac
  grep -q "^build halocline_physics_$physics: " "$build/build.ninja" || return 0
  for built in "$build"/lib/halocline/physics/*.so; do
    [[ $built == */"$physics.so" || ! -e $built ]] || return 0
  done
  targets=(program_without_physics "halocline_physics_$physics")
}

case $1 in
  program | nothing) "$root/tools/setup.sh" "$preset" ;;
  tests)
    "$root/tools/setup.sh" "$preset" tests
    targets=(all)
    ;;
  *)
    echo "halocline: what can be built is \`program\`, \`tests\` or \`nothing\`, not \`$1\`" >&2
    exit 2
    ;;
esac

# Only one build at a time may use the folder.
exec 9>"$cache/lock-$preset"
flock 9
if [[ $1 == tests ]]; then
  configured HALOCLINE_TESTS=ON || configure -DHALOCLINE_TESTS=ON
elif ! configured; then
  configure -DHALOCLINE_TESTS=OFF
fi
[[ $1 != program ]] || targets_of "${@:2}"
[[ $1 == nothing ]] || quietly "Building $preset" cmake --build "$build" --target "${targets[@]}"
