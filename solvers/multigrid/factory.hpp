#pragma once

#include <string>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "solvers/linear/factory.hpp"
#include "solvers/multigrid/multigrid.hpp"

namespace halocline {

/// Adds the options of a cycle (smoother, sweeps, levels, bottom) to a section, and reads them from its values.
void declare_multigrid(Section& section);
[[nodiscard]] MultigridSettings multigrid_settings(Options const& section);

/// Adds a mistake if the preconditioner in a section given to declare_preconditioner is a cycle that is not symmetric,
/// although the method of the section needs symmetry.
void check_symmetric_cycle(Options const& method, Mistakes& mistakes, std::string const& advice);

/// The same if the cycle is configured to begin solves in a way that the method does not support.
void check_start(Options const& method, Mistakes& mistakes);

/// `multigrid` among the solvers and among the preconditioners.
[[nodiscard]] SolverEntry multigrid_solver_entry();
[[nodiscard]] PreconditionerEntry multigrid_preconditioner_entry();

}  // namespace halocline
