#!/usr/bin/env bash
# Profiles one launch of a kernel on the first rank of an MPI program, after twenty launches of it that warm up; the other
# ranks run unprofiled:
#
#   mpirun -n 2 tools/profile_first_rank.sh TABLE KERNEL PROGRAM [ARGUMENT…]
#
# TABLE is the file for Nsight Compute's counters, as tools/ncu_counters.py reads it, and KERNEL the base name of the kernel,
# or regex:EXPRESSION.
set -euo pipefail

if (($# < 3)); then
  echo "profile_first_rank.sh: needs a file for the counters, a kernel and a program" >&2
  exit 2
fi
table=$1 kernel=$2
shift 2
rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}}
if ((rank > 0)); then exec "$@"; fi
exec ncu --csv --page raw --print-units base --print-kernel-base demangled --clock-control none \
  --kernel-name-base function --kernel-name "$kernel" --launch-skip 20 --launch-count 1 \
  --section SpeedOfLight --section LaunchStats --section Occupancy --log-file "$table" "$@"
