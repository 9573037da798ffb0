#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/manual.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/deck/reference.hpp"
#include "solvers/linear/factory.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {
namespace {

template <class Entry>
std::string names_and_sentences(Registry<Entry> const& registry) {
  std::string text;
  for (std::string const& name : registry.names())
    text += fmt::format("{:<16} {}\n", name, registry.find(name).sentence);
  return text;
}

/// Deck formats other than YAML; empty if there are none.
std::string formats_of_decks(Registry<PhysicsEntry> const& physics) {
  std::string text;
  for (DeckFormat const& format : deck_formats(physics))
    text += fmt::format("{:<16} {}\n", format.name, format.sentence);
  return text.empty() ? "" : "\nformats of decks, in addition to YAML\n" + text;
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

char const* needed(Treatment treatment) {
  switch (treatment) {
    case Treatment::implicit:
      return "a rate of change that can be treated implicitly";
    case Treatment::imex:
      return "a part of the rate of change that can be treated implicitly";
    case Treatment::explicit_:
      break;
  }
  return "any rate of change";
}
std::string needs_of(IntegratorEntry const& integrator) {
  std::string const more = integrator.notes.needs.empty() ? "" : "; " + integrator.notes.needs;
  return needed(integrator.treatment) + more;
}

char const* name_of(Treatment treatment) {
  switch (treatment) {
    case Treatment::implicit:
      return "implicit";
    case Treatment::imex:
      return "implicit-explicit";
    case Treatment::explicit_:
      break;
  }
  return "explicit";
}
/// The longest stable step, if a method has a specific one.
std::string step_of(IntegratorEntry const& integrator) {
  if (integrator.treatment == Treatment::implicit) return "of any length";
  std::string const limit =
      integrator.stable_factor == 1 ? "up to" : fmt::format("up to {:.3g} times", integrator.stable_factor);
  std::string const part = integrator.treatment == Treatment::imex ? " for the explicit part" : "";
  return limit + " the longest stable step of explicit Euler" + part +
         (integrator.controls_error ? ", chosen by error control" : "");
}
/// The cost of an integrator: states in memory, and values transferred.
std::string cost_of(IntegratorEntry const& integrator) {
  return fmt::format("{} {} in addition to the evolving one; {:.3g} numbers read and written per unknown and step{}",
                     integrator.states, integrator.states == 1 ? "state" : "states", integrator.numbers_moved,
                     integrator.treatment == Treatment::explicit_ ? "" : ", without solves");
}

/// A deck of the repository that uses this solver with good reason; empty if there is none.
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
std::string example_of(IntegratorEntry const& integrator) {
  std::map<std::string, std::string> const decks{{"bdf2", "decks/heat-daily.yaml"},
                                                 {"bogacki_shampine", "decks/gray-scott-outbreak.yaml"},
                                                 {"crank_nicolson", "decks/heat-plate.yaml"},
                                                 {"dormand_prince", "decks/gray-scott-reference.yaml"},
                                                 {"explicit_euler", "decks/carried-plug.yaml"},
                                                 {"imex_ark3", "decks/gray-scott-stiff.yaml"},
                                                 {"imex_ars222", "decks/gray-scott-fine.yaml"},
                                                 {"implicit_euler", "decks/heat-to-rest.yaml"},
                                                 {"rk4", "decks/rotating-cone.yaml"},
                                                 {"rkl2", "decks/heat-explicit.yaml"},
                                                 {"sdirk2", "decks/heat-quench.yaml"},
                                                 {"ssp_rk2", "decks/blast-in-a-box.yaml"},
                                                 {"ssp_rk3", "decks/shock-tube.yaml"},
                                                 {"theta", "decks/heat-strip.yaml"}};
  auto const deck = decks.find(integrator.name);
  return deck == decks.end() ? "" : deck->second;
}

/// A line of a description; empty if there is no text.
std::string line(char const* what, std::string const& text) {
  return text.empty() ? "" : fmt::format("  {:<10} {}\n", what, text);
}

std::string indented(std::string const& lines) {
  std::string text;
  std::istringstream stream(lines);
  for (std::string each; std::getline(stream, each);) text += "    " + each + "\n";
  return text;
}

template <class Entry>
std::string figures_of(Entry const&) {
  return "";
}
std::string figures_of(IntegratorEntry const& integrator) {
  return line("kind", fmt::format("{}, of order {}", name_of(integrator.treatment), integrator.order)) +
         line("steps", step_of(integrator)) + line("takes", cost_of(integrator));
}

/// The method's own options, and those of nested sections that are always in use.
std::string options_of(Section const& section) {
  std::string text = own_options(section);
  for (auto const& [inner, chooser] : section.inner()) {
    if (!chooser.empty()) continue;
    std::istringstream lines(own_options(inner));
    for (std::string each; std::getline(lines, each);) text += inner.name() + "." + each + "\n";
  }
  return text;
}

/// Everything about a method: what it is, needs and is good for, and its options.
template <class Entry>
std::string description(Entry const& entry) {
  std::string const options = indented(options_of(entry.declare()));
  return entry.name + "\n  " + entry.sentence + "\n" + figures_of(entry) + line("needs", needs_of(entry)) +
         line("when", entry.notes.use) + line("reference", entry.notes.reference) + line("example", example_of(entry)) +
         (options.empty() ? "" : "  options\n" + options);
}

template <class Entry>
std::string descriptions(Registry<Entry> const& registry) {
  std::string text;
  for (std::string const& name : registry.names()) text += description(registry.find(name)) + "\n";
  return text;
}

/// All methods with that name; empty: none.
std::string methods_called(std::string const& name) {
  std::string text;
  auto const add = [&](auto const& registry) {
    if (!registry.contains(name)) return;
    text += (text.empty() ? "" : "\n") + registry.kind() + " " + description(registry.find(name));
  };
  add(solvers());
  add(preconditioners());
  add(integrators());
  return text;
}

/// All names of methods, without duplicates.
std::vector<std::string> method_names() {
  std::set<std::string> names;
  auto const add = [&](std::vector<std::string> const& more) { names.insert(more.begin(), more.end()); };
  add(solvers().names());
  add(preconditioners().names());
  add(integrators().names());
  return {names.begin(), names.end()};
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

std::string table_of_integrators() {
  std::string rows =
      "\n| name | kind | order | states | numbers | steps | needs | when | deck | reference |\n| --- | --- | --- | --- "
      "| --- | --- | --- | --- | --- | --- |\n";
  for (std::string const& name : integrators().names()) {
    IntegratorEntry const& entry = integrators().find(name);
    std::string const deck = example_of(entry);
    rows += fmt::format("| `{}` | {} | {} | {} | {:.3g} | {} | {} | {} | {} | {} |\n", name, name_of(entry.treatment),
                        entry.order, entry.states, entry.numbers_moved, step_of(entry), needs_of(entry),
                        entry.notes.use, deck.empty() ? "" : "`" + deck + "`", entry.notes.reference);
  }
  return rows;
}

/// The end of the page of options: the methods to choose from.
std::string methods_page() {
  return "\n# Solvers\n\n"
         "Requirements of the methods on the operator, and their uses, as listed by `halocline list solvers`;\n"
         "[solvers.md](solvers.md) has measurements.\n" +
         table(solvers()) + "\n# Preconditioners\n" + table(preconditioners()) +
         "\n# Integrators\n\n"
         "Column `states`: states stored in addition to the evolving one; `numbers`: numbers read and written per "
         "unknown and step,\n"
         "without solves; `deck`: a deck for which the method is the right choice. `halocline list integrators` prints "
         "the same.\n" +
         table_of_integrators();
}

/// Where a solver goes in a deck, and where to read on.
constexpr char const* solver_remark =
    "A deck chooses one by `solver: {method: cg}`; `halocline list solver.cg` lists all of its options, including "
    "those of preconditioners.\n";
constexpr char const* integrator_remark =
    "A deck chooses one by `time: {method: ssp_rk3}`, and sets its options, if it has any, in the section of its name, "
    "for instance `time: {rkl2: {stages: 9}}`.\n";
constexpr char const* physics_remark =
    "\nA deck chooses one by `physics: heat`; `halocline list heat` lists its options.\n";
constexpr char const* preconditioner_remark =
    "A deck chooses one by `solver: {cg: {preconditioner: jacobi}}`, and sets its options in `solver.cg.jacobi`.\n";

std::string overview(Registry<PhysicsEntry> const& physics) {
  return "What a deck can choose from.\n\nphysics\n" + names_and_sentences(physics) + "\nsolvers\n" +
         names_and_sentences(solvers()) + "\npreconditioners\n" + names_and_sentences(preconditioners()) +
         "\nintegrators\n" + names_and_sentences(integrators()) + formats_of_decks(physics) +
         "\n`halocline list options` lists all options, `halocline list heat` or `… solver.cg` those of one section; "
         "`halocline list cg` describes a method.\n";
}

/// The path of an option or a section; a typo in its first part may also be one in a subject.
std::string listing_of_path(Section const& deck, std::string const& path, std::vector<std::string> const& subjects) {
  std::string const first = path.substr(0, path.find_first_of(".["));
  std::vector<std::string> known = subjects;
  // `physics` is a subject and an option.
  auto const add = [&](std::string const& name) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  };
  for (Option const& option : deck.options()) add(option.name());
  for (Section const& section : deck.sections()) add(section.name());
  bool const in_deck = std::find(known.begin(), known.end(), first) != known.end();
  if (std::string methods = methods_called(path); !in_deck && !methods.empty()) return methods;
  for (std::string const& name : method_names()) add(name);
  bool const has_parts = first.size() < path.size();
  bool const is_subject = std::find(subjects.begin(), subjects.end(), first) != subjects.end();
  if (has_parts && is_subject) {
    throw InputError("`" + path + "`: nothing to list; `halocline list " + first + "` tells all of them");
  }
  if (has_parts && !in_deck && !methods_called(first).empty()) {
    throw InputError("`" + path + "`: nothing to list; `halocline list " + first + "` tells what it is good for, and " +
                     "options go by their place in the deck, as in `halocline list " +
                     (integrators().contains(first) ? "time." : "solver.") + path + "`");
  }
  if (first.empty()) throw InputError("`" + path + "` does not begin with a name; " + advice_for(first, known));
  if (!in_deck) throw InputError("`" + first + "`: nothing to list; " + advice_for(first, known));
  return listing(deck, path);
}

/// The answer to `subjects`: "solvers", "options", "options solver.cg", "solver.cg".
std::string answer(std::vector<std::string> subjects, Registry<PhysicsEntry> const& physics, Section const& deck) {
  if (subjects.empty()) return overview(physics);
  std::vector<std::string> const known{"physics", "solvers", "preconditioners", "integrators", "options"};
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
    else if (subject == "integrators")
      text += descriptions(integrators()) + integrator_remark;
    else
      text += listing_of_path(deck, subject, known);
  }
  return text;
}

/// The page for `--man`.
std::string manual(ListCommand const& command, Section const& deck) {
  if (command.subjects.empty()) return manual_of_program(command.program);
  if (command.subjects == std::vector<std::string>{"options"}) return manual_of_decks(deck);
  throw InputError(
      "--man: there are two manual pages, of the program and, by `halocline list options --man`, of decks");
}

}  // namespace

ExitCode list(ListCommand const& command) {
  Registry<PhysicsEntry> const physics = load_physics(command.plugins);
  Section const deck = declare_deck(physics);
  std::string const text = command.schema     ? json_schema(deck)
                           : command.markdown ? markdown(deck) + methods_page()
                           : command.man      ? manual(command, deck)
                                              : answer(command.subjects, physics, deck);
  say(text);
  return ExitCode::done;
}

}  // namespace halocline
