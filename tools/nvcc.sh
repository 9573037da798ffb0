# Makes CMake find nvcc, which CUDA's installer does not add to PATH. Sourced by scripts that build for CUDA.
# shellcheck shell=bash

if [[ -z ${CUDACXX:-} ]] && ! command -v nvcc >/dev/null; then
  export CUDACXX=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
  if [[ ! -x $CUDACXX ]]; then
    echo "halocline: preset cuda needs CUDA's compiler, and there is no \`nvcc\` on PATH or in ${CUDACXX%/*}" \
      "(CUDACXX=/path/to/nvcc or CUDA_HOME says where it is)" >&2
    exit 2
  fi
fi
