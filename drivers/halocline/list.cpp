#include <fmt/core.h>

#include <algorithm>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/deck/reference.hpp"
#include "framework/runtime/communicator.hpp"
#include "solvers/linear/factory.hpp"

namespace halocline {
namespace {

template <class Entry>
std::string names_and_sentences(Registry<Entry> const& registry) {
  std::string text;
  for (std::string const& name : registry.names())
    text += fmt::format("{:<16} {}\n", name, registry.find(name).sentence);
  return text;
}

/// Where a deck puts one of the solvers, and where to read on.
constexpr char const* solver_remark =
    "\nA deck chooses one by `solver: {method: cg}`; `halocline list solver.cg` tells its options.\n";
constexpr char const* physics_remark =
    "\nA deck chooses one by `physics: heat`; `halocline list heat` tells its options.\n";
constexpr char const* preconditioner_remark =
    "\nA deck chooses one by `solver: {cg: {preconditioner: jacobi}}`; `halocline list solver.cg.jacobi` tells its "
    "options.\n";

std::string overview(Registry<PhysicsEntry> const& physics) {
  return "What a deck can choose from.\n\nphysics\n" + names_and_sentences(physics) + "\nsolvers\n" +
         names_and_sentences(solvers()) + "\npreconditioners\n" + names_and_sentences(preconditioners()) +
         "\n`halocline list options` tells all options, `halocline list heat` or `… solver.cg` those of one section.\n";
}

/// The path of an option or a section; a mistake in its first part may also be meant as a subject.
std::string listing_of_path(Section const& deck, std::string const& path, std::vector<std::string> const& subjects) {
  std::string const first = path.substr(0, path.find_first_of(".["));
  std::vector<std::string> known = subjects;
  for (Option const& option : deck.options()) known.push_back(option.name());
  for (Section const& section : deck.sections()) known.push_back(section.name());
  if (std::find(known.begin(), known.end(), first) == known.end())
    throw InputError("`" + first + "`: nothing to list; " + advice_for(first, known));
  return listing(deck, path);
}

/// What `subjects` ask for: "solvers", "options", "options solver.cg", "solver.cg".
std::string answer(std::vector<std::string> subjects, Registry<PhysicsEntry> const& physics, Section const& deck) {
  if (subjects.empty()) return overview(physics);
  std::vector<std::string> const known{"physics", "solvers", "preconditioners", "options"};
  if (subjects.front() == "options") {
    if (subjects.size() == 1) return listing(deck, "");
    subjects.erase(subjects.begin());
  }
  std::string text;
  for (std::string const& subject : subjects) {
    if (!text.empty()) text += "\n";
    if (subject == "physics")
      text += names_and_sentences(physics) + physics_remark;
    else if (subject == "solvers")
      text += names_and_sentences(solvers()) + solver_remark;
    else if (subject == "preconditioners")
      text += names_and_sentences(preconditioners()) + preconditioner_remark;
    else
      text += listing_of_path(deck, subject, known);
  }
  return text;
}

}  // namespace

ExitCode list(ListCommand const& command, std::shared_ptr<Communicator> const& communicator) {
  Registry<PhysicsEntry> const physics = load_physics(command.plugins);
  Section const deck = declare_deck(physics);
  std::string const text = command.schema     ? json_schema(deck)
                           : command.markdown ? markdown(deck)
                                              : answer(command.subjects, physics, deck);
  if (communicator->rank() == 0) say(text);
  return ExitCode::done;
}

}  // namespace halocline
