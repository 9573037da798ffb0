#include "bench/benchmark.hpp"
#include "drivers/halocline/battery/battery.hpp"
#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/completion_script.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "solvers/linear/factory.hpp"

namespace halocline {
namespace {

void add(std::vector<std::string>& words, std::vector<std::string> const& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// Paths of sections, of which `halocline list` lists the options.
void add_sections(Section const& section, std::string const& path, std::vector<std::string>& words) {
  for (Section const& inner : section.sections()) {
    std::string const name = path.empty() ? inner.name() : path + "." + inner.name();
    words.push_back(name);
    add_sections(inner, name, words);
  }
}

CompletionWords words_of(Registry<PhysicsEntry> const& physics) {
  Section const deck = declare_deck(physics);
  CompletionWords known{settings_of(deck), {}};
  known.words["PHYSICS"] = physics.names();
  std::vector<std::string>& subjects = known.words["SUBJECT"];
  subjects = {"physics", "solvers", "preconditioners", "integrators", "options"};
  add_sections(deck, "", subjects);
  add(subjects, solvers().names());
  add(subjects, integrators().names());
  for (battery::Check const& check : battery::checks()) known.words["CHECK"].emplace_back(check.name);
  std::vector<std::string>& benchmarks = known.words["bench NAME"];
  benchmarks = {"list"};
  for (benchmarking::Benchmark const& one : benchmarking::benchmarks()) {
    if (one.run != nullptr) benchmarks.push_back(one.name);
  }
  return known;
}

}  // namespace

ExitCode completion(CompletionCommand const& command) {
  say(completion_script(command.shell, command.program, words_of(load_physics(command.plugins))));
  return ExitCode::done;
}

}  // namespace halocline
