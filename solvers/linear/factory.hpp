#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/plugin/registry.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// What there is to say of a method beside its options.
struct MethodNotes {
  std::string needs = {};  ///< of the operator, symmetry aside; empty: no more
  std::string use = {};    ///< when to take it, a sentence
  std::string reference = {};
};

/// A linear solver that decks choose by name. `declare` makes its section (of the same name as the entry), `create`
/// the solver from the values of that section.
struct SolverEntry {
  std::string name;
  std::string sentence;
  std::function<Section()> declare;
  std::function<std::unique_ptr<LinearSolver>(Options const&)> create;
  OperatorNeed need = OperatorNeed::nothing;
  MethodNotes notes = {};
};

/// A preconditioner that decks choose by name.
struct PreconditionerEntry {
  std::string name;
  std::string sentence;
  std::function<Section()> declare;
  std::function<std::unique_ptr<Preconditioner>(Options const&)> create;
  MethodNotes notes = {};
};

/// Everything registered. To add one from another file of a shared library:
///
///     bool const registered = (solvers().add({"multigrid", …}), true);
[[nodiscard]] Registry<SolverEntry>& solvers();
[[nodiscard]] Registry<PreconditionerEntry>& preconditioners();

/// The section `solver` of a deck: the choice `method` and one section for each registered solver.
[[nodiscard]] Section solver_section(std::string const& default_method = "cg");
/// Adds the choice `preconditioner` (also "none") and one section for each registered one to a solver's section.
void declare_preconditioner(Section& section);
/// Adds relative_tolerance, absolute_tolerance and iterations to a solver's section.
void declare_criteria(Section& section, Criteria const& defaults = {});

/// From the values of a section made by solver_section.
[[nodiscard]] std::unique_ptr<LinearSolver> make_solver(Options const& solver);
/// From the values of a section given to declare_preconditioner; null for "none".
[[nodiscard]] std::unique_ptr<Preconditioner> make_preconditioner(Options const& section);
/// From the values of a section given to declare_criteria.
[[nodiscard]] Criteria criteria(Options const& section);

}  // namespace halocline
