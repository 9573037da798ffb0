#pragma once

#include <petscksp.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "bench/peers/peer.hpp"

// Shared by the programs that use PETSc: its handles as owners, its options, its solves and its version.

namespace peer {

// PETSc has already printed the error.
inline void check(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc met error " + std::to_string(code));
}

// PETSc's handles are pointers to its own types, each with a function that frees it.
template <class Handle, auto destroy>
struct GiveBack {
  using pointer = Handle;
  void operator()(Handle handle) const { destroy(&handle); }
};
template <class Handle, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, GiveBack<Handle, destroy>>;
using Grid = Owned<DM, DMDestroy>;
using Matrix = Owned<Mat, MatDestroy>;
using Vector = Owned<Vec, VecDestroy>;
using Solver = Owned<KSP, KSPDestroy>;

// Calls create() with the address where PETSc writes the handle as its last argument.
template <class Owner, class Create, class... Given>
Owner make(Create create, Given... given) {
  typename Owner::pointer handle = nullptr;
  check(create(given..., &handle));
  return Owner(handle);
}

// Sets an option unless the command line does.
inline void default_option(char const* name, std::string const& value) {
  PetscBool given = PETSC_FALSE;
  check(PetscOptionsHasName(nullptr, nullptr, name, &given));
  if (given == PETSC_FALSE) check(PetscOptionsSetValue(nullptr, name, value.c_str()));
}

// Conjugate gradients to the problem's tolerance, unless options of the command line say otherwise.
inline void set_conjugate_gradients(KSP solver, Problem const& problem) {
  check(KSPSetType(solver, KSPCG));
  check(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED));
  check(KSPSetTolerances(solver, problem.tolerance, 0, PETSC_DEFAULT, most_iterations));
  check(KSPSetFromOptions(solver));
}

// Solves, and fills all of `timing` but the set-up and the maximum.
inline void solve(KSP solver, Vec b, Vec x, Timing& timing) {
  Clock const solving;
  check(KSPSolve(solver, b, x));
  timing.solve = solving.seconds();
  PetscInt iterations = 0;
  check(KSPGetIterationNumber(solver, &iterations));
  timing.iterations = iterations;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(solver, &reason));
  timing.converged = reason > 0;
  Mat a = nullptr;
  check(KSPGetOperators(solver, &a, nullptr));
  auto const residual = make<Vector>(VecDuplicate, b);
  double initial = 0;
  check(VecNorm(b, NORM_2, &initial));
  check(MatMult(a, x, residual.get()));
  check(VecAXPY(residual.get(), -1, b));
  check(VecNorm(residual.get(), NORM_2, &timing.reduction));
  timing.reduction /= initial;
  check(VecNorm(x, NORM_2, &timing.norm));
}

inline std::string program_name() {
  return "PETSc " + std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) + "." +
         std::to_string(PETSC_VERSION_SUBMINOR);
}

}  // namespace peer
