#!/usr/bin/env bash
# Installs the dependencies of Halocline, once: tools/setup.sh [PRESET [tests] [style]]
#
# Debian packages by name; Kokkos, Kokkos Kernels and Teuchos from source, unless CMake finds them already. Everything is
# built in the cache folder: HALOCLINE_CACHE, else .halocline in this checkout. A finished step leaves a stamp with its
# recipe, and is skipped as long as the recipe does not change.
set -euo pipefail

root=$(realpath "${BASH_SOURCE[0]%/*}/..")
cache=$(realpath -m "${HALOCLINE_CACHE:-$root/.halocline}")
export HALOCLINE_CACHE=$cache
preset=${1:-release}
# shellcheck source=tools/dependencies.sh
source "$root/tools/dependencies.sh"
# shellcheck source=tools/report.sh
source "$root/tools/report.sh"

steps=(toolchain libraries plots kokkos_source kokkos kernels teuchos)
for extra in "${@:2}"; do
  case $extra in
    tests | style) steps+=("$extra") ;;
    *)
      echo "halocline: the set-up knows \`tests\` and \`style\`, not \`$extra\`" >&2
      exit 2
      ;;
  esac
done

# Locations of the user's own libraries. They are part of the recipe, so a change repeats the step.
hints="${CMAKE_PREFIX_PATH:-}|${Kokkos_ROOT:-}|${KokkosKernels_ROOT:-}|${Teuchos_ROOT:-}"
declare -A title recipe stamp
step() { title[$1]=$2 stamp[$1]=$cache/stamps/$3 recipe[$1]=$4; }
step toolchain "Debian packages: compiler, CMake" "toolchain-$variant" "${toolchain_packages[*]}"
step libraries "Debian packages: libraries" libraries "${library_packages[*]}"
step plots "Debian packages: plots" plots "${plot_packages[*]}"
step tests "Debian packages: tests" tests "${test_packages[*]}"
step style "Debian packages: checks of style" style "${style_packages[*]}"
step kokkos_source "Kokkos $kokkos_version: source" kokkos-source "$kokkos_sha256"
step kokkos "Kokkos $kokkos_version ($variant)" "kokkos-$variant" \
  "$kokkos_version ${common_options[*]} ${kokkos_options[*]} $architecture $hints"
step kernels "Kokkos Kernels $kokkos_version ($variant)" "kernels-$variant" "${kernels_options[*]} ${recipe[kokkos]}"
step teuchos "Teuchos" teuchos "${common_options[*]} ${teuchos_options[*]} $hints"

is_done() { [[ -f ${stamp[$1]} && $(<"${stamp[$1]}") == "${recipe[$1]}" ]]; }

# need STEP…: runs the steps that are not done yet, in this order, and stops at the first failure
need() {
  local name log note began
  for name in "$@"; do
    is_done "$name" && continue
    log=$cache/logs/${stamp[$name]##*/}.log note=$cache/logs/$name-$BASHPID
    rm -f "${stamp[$name]}"
    now
    began=$REPLY
    if ! bash "$root/tools/install.sh" "$preset" "$name" </dev/null >"$log" 2>&1 3>"$note"; then
      stopped "${title[$name]}" "$log" "$(<"$note")"
      rm -f "$note"
      return 1
    fi
    if ! echo "${recipe[$name]}" 2>/dev/null >"${stamp[$name]}"; then
      stopped "${title[$name]}" "$log"
      rm -f "$note" "${stamp[$name]}"
      return 1
    fi
    reported "${title[$name]}" "$began" "$(<"$note")"
    rm -f "$note"
  done
}

pending=0
for name in "${steps[@]}"; do
  is_done "$name" || pending=1
done
((pending)) || exit 0
# shellcheck source=tools/nvcc.sh
if [[ $preset == cuda ]]; then source "$root/tools/nvcc.sh"; fi

if ! mkdir -p "$cache/stamps" "$cache/logs" 2>/dev/null || [[ ! -w $cache ]]; then
  echo "halocline: $cache cannot be written (HALOCLINE_CACHE names another folder)" >&2
  exit 1
fi
# A concurrent set-up waits here, and then finds the steps done.
exec 9>"$cache/lock"
flock 9

need toolchain
# The rest runs in three concurrent branches, each a process group, so that an interrupted set-up also ends its compilers.
packages=()
for name in "${steps[@]}"; do
  case $name in libraries | plots | tests | style) packages+=("$name") ;; esac
done
set -m
need "${packages[@]}" &
branches=($!)
need kokkos_source kokkos kernels &
branches+=($!)
need teuchos &
branches+=($!)
trap 'kill -- "${branches[@]/#/-}" 2>/dev/null' EXIT
trap 'exit 130' INT TERM
failed=0
for branch in "${branches[@]}"; do
  wait "$branch" || failed=1
done
trap - EXIT
exit "$failed"
