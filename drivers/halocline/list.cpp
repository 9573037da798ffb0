#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/deck/reference.hpp"
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

/// What decks may be beside YAML; empty if nothing.
std::string formats_of_decks(Registry<PhysicsEntry> const& physics) {
  std::string text;
  for (DeckFormat const& format : deck_formats(physics))
    text += fmt::format("{:<16} {}\n", format.name, format.sentence);
  return text.empty() ? "" : "\nformats of decks, beside YAML\n" + text;
}

char const* needed(OperatorNeed need) {
  switch (need) {
    case OperatorNeed::symmetric:
      return "a symmetric operator";
    case OperatorNeed::positive_definite:
      return "a symmetric positive definite operator";
    case OperatorNeed::nothing:
      break;
  }
  return "any operator";
}

std::string needs_of(SolverEntry const& solver) {
  std::string const more = solver.notes.needs.empty() ? "" : "; " + solver.notes.needs;
  return needed(solver.need) + more;
}
std::string needs_of(PreconditionerEntry const& preconditioner) { return preconditioner.notes.needs; }

/// A deck of the repository where a solver is the right choice; empty if there is none.
std::string example_of(SolverEntry const& solver) {
  std::map<std::string, std::string> const decks{
      {"bicgstab", "decks/chimney.yaml"},          {"cg", "decks/heat-short-steps.yaml"},
      {"chebyshev", "decks/heat-many-ranks.yaml"}, {"gmres", "decks/recirculating-flow.yaml"},
      {"jacobi", "decks/laplace-1d.yaml"},         {"minres", "decks/helmholtz.yaml"},
      {"multigrid", "decks/full-multigrid.yaml"}};
  auto const deck = decks.find(solver.name);
  return deck == decks.end() ? "" : deck->second;
}
std::string example_of(PreconditionerEntry const&) { return ""; }

/// A line of a description, if there is anything to tell.
std::string line(char const* what, std::string const& text) {
  return text.empty() ? "" : fmt::format("  {:<10} {}\n", what, text);
}

std::string indented(std::string const& lines) {
  std::string text;
  std::istringstream stream(lines);
  for (std::string each; std::getline(stream, each);) text += "    " + each + "\n";
  return text;
}

/// All that is known of a method: what it is, needs and is good for, its own options.
template <class Entry>
std::string description(Entry const& entry) {
  std::string const options = indented(own_options(entry.declare()));
  return entry.name + "\n  " + entry.sentence + "\n" + line("needs", needs_of(entry)) + line("when", entry.notes.use) +
         line("reference", entry.notes.reference) + line("example", example_of(entry)) +
         (options.empty() ? "" : "  options\n" + options);
}

template <class Entry>
std::string descriptions(Registry<Entry> const& registry) {
  std::string text;
  for (std::string const& name : registry.names()) text += description(registry.find(name)) + "\n";
  return text;
}

/// What goes by that name among the solvers and preconditioners; empty: nothing.
std::string methods_called(std::string const& name) {
  std::string text;
  if (solvers().contains(name)) text += "solver " + description(solvers().find(name));
  if (!preconditioners().contains(name)) return text;
  return text + (text.empty() ? "" : "\n") + "preconditioner " + description(preconditioners().find(name));
}

template <class Entry>
std::string table(Registry<Entry> const& registry) {
  std::string rows = "\n| name | needs | when | reference |\n| --- | --- | --- | --- |\n";
  for (std::string const& name : registry.names()) {
    Entry const& entry = registry.find(name);
    rows += fmt::format("| `{}` | {} | {} | {} |\n", name, needs_of(entry), entry.notes.use, entry.notes.reference);
  }
  return rows;
}

/// The end of the page of options: what to choose among.
std::string methods_page() {
  return "\n# Solvers\n\nWhat methods need of the operator and what they are good for, as `halocline list solvers` "
         "tells "
         "it;\n[solvers.md](solvers.md) has what was measured.\n" +
         table(solvers()) + "\n# Preconditioners\n" + table(preconditioners());
}

/// Where a deck puts one of the solvers, and where to read on.
constexpr char const* solver_remark =
    "A deck chooses one by `solver: {method: cg}`; `halocline list solver.cg` tells all of its options, those of "
    "preconditioners too.\n";
constexpr char const* physics_remark =
    "\nA deck chooses one by `physics: heat`; `halocline list heat` tells its options.\n";
constexpr char const* preconditioner_remark =
    "A deck chooses one by `solver: {cg: {preconditioner: jacobi}}`, and gives its options in `solver.cg.jacobi`.\n";

std::string overview(Registry<PhysicsEntry> const& physics) {
  return "What a deck can choose from.\n\nphysics\n" + names_and_sentences(physics) + "\nsolvers\n" +
         names_and_sentences(solvers()) + "\npreconditioners\n" + names_and_sentences(preconditioners()) +
         formats_of_decks(physics) +
         "\n`halocline list options` tells all options, `halocline list heat` or `… solver.cg` those of one section, "
         "`halocline list cg` what a method is good for.\n";
}

/// The path of an option or a section; a mistake in its first part may also be meant as a subject.
std::string listing_of_path(Section const& deck, std::string const& path, std::vector<std::string> const& subjects) {
  std::string const first = path.substr(0, path.find_first_of(".["));
  std::vector<std::string> known = subjects;
  for (Option const& option : deck.options()) known.push_back(option.name());
  for (Section const& section : deck.sections()) known.push_back(section.name());
  bool const in_deck = std::find(known.begin(), known.end(), first) != known.end();
  if (std::string methods = methods_called(path); !in_deck && !methods.empty()) return methods;
  for (std::string const& name : solvers().names()) known.push_back(name);
  for (std::string const& name : preconditioners().names()) {
    if (!solvers().contains(name)) known.push_back(name);
  }
  bool const has_parts = first.size() < path.size();
  bool const is_subject = std::find(subjects.begin(), subjects.end(), first) != subjects.end();
  if (has_parts && is_subject) {
    throw InputError("`" + path + "`: nothing to list; `halocline list " + first + "` tells all of them");
  }
  if (has_parts && !in_deck && !methods_called(first).empty()) {
    throw InputError("`" + path + "`: nothing to list; `halocline list " + first + "` tells what it is good for, and " +
                     "options go by their place in the deck, as in `halocline list solver." + path + "`");
  }
  if (!in_deck) throw InputError("`" + first + "`: nothing to list; " + advice_for(first, known));
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
      text += names_and_sentences(physics) + formats_of_decks(physics) + physics_remark;
    else if (subject == "solvers")
      text += descriptions(solvers()) + solver_remark;
    else if (subject == "preconditioners")
      text += descriptions(preconditioners()) + preconditioner_remark;
    else
      text += listing_of_path(deck, subject, known);
  }
  return text;
}

}  // namespace

ExitCode list(ListCommand const& command) {
  Registry<PhysicsEntry> const physics = load_physics(command.plugins);
  Section const deck = declare_deck(physics);
  std::string const text = command.schema     ? json_schema(deck)
                           : command.markdown ? markdown(deck) + methods_page()
                                              : answer(command.subjects, physics, deck);
  say(text);
  return ExitCode::done;
}

}  // namespace halocline
