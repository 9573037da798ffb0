#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/registry.hpp"
#include "framework/deck/section.hpp"
#include "solvers/linear/solver.hpp"
#include "solvers/method_notes.hpp"

namespace halocline {

/// A linear solver that decks choose by name. `declare` makes its section (with the same name as the entry), `create`
/// makes the solver from the values of that section.
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

using MakeKrylov = std::function<std::unique_ptr<LinearSolver>(Criteria const&, std::unique_ptr<Preconditioner>)>;
/// The entry of a method that takes criteria, a preconditioner and no other options.
[[nodiscard]] SolverEntry preconditioned_entry(std::string name, std::string sentence, OperatorNeed need,
                                               MethodNotes notes, MakeKrylov make);
/// The same for a class that is constructed from both.
template <class Solver>
[[nodiscard]] SolverEntry preconditioned_entry(std::string name, std::string sentence, OperatorNeed need,
                                               MethodNotes notes) {
  return preconditioned_entry(std::move(name), std::move(sentence), need, std::move(notes),
                              [](Criteria const& criteria, std::unique_ptr<Preconditioner> preconditioner) {
                                return std::make_unique<Solver>(criteria, std::move(preconditioner));
                              });
}

/// All registered solvers. To add one from a separate file of any shared library:
///
///     bool const registered = (solvers().add(preconditioned_entry<ConjugateResiduals>("cr", …)), true);
[[nodiscard]] Registry<SolverEntry>& solvers();
[[nodiscard]] Registry<PreconditionerEntry>& preconditioners();
/// What the solver of that name asks of the operator. Throws InputError, with the nearest known name, if there is none.
[[nodiscard]] OperatorNeed need_of_solver(std::string const& name);

/// The section `solver` of a deck: the choice `method` and one section for each registered solver.
[[nodiscard]] Section solver_section(std::string const& default_method = "cg");
/// Adds the choice `preconditioner` (also "none") and one section for each registered one to a solver's section.
void declare_preconditioner(Section& section);
/// Adds relative_tolerance, absolute_tolerance and iterations to a solver's section.
void declare_criteria(Section& section, Criteria const& defaults = {});

/// Makes a solver from the values of a section made by solver_section.
[[nodiscard]] std::unique_ptr<LinearSolver> make_solver(Options const& solver);
/// Makes a preconditioner from the values of a section given to declare_preconditioner; null for "none".
[[nodiscard]] std::unique_ptr<Preconditioner> make_preconditioner(Options const& section);
/// Reads the criteria from the values of a section given to declare_criteria.
[[nodiscard]] Criteria criteria(Options const& section);

}  // namespace halocline
