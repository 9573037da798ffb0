#include "drivers/halocline/sweep_validator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <variant>

#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/device_validation.hpp"
#include "drivers/halocline/io_validation.hpp"
#include "drivers/halocline/memory_need.hpp"
#include "drivers/halocline/rehearsal.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/memory.hpp"

namespace halocline {
namespace {

/// Names of options, sections and lists.
std::vector<std::string> names_in(Section const& section) {
  std::vector<std::string> names;
  for (Option const& option : section.options()) names.push_back(option.name());
  for (Section const& nested : section.sections()) names.push_back(nested.name());
  for (Section const& element : section.lists()) names.push_back(element.name());
  return names;
}

bool is_among(std::string const& name, std::vector<std::string> const& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// First name of a path: "mesh" of "mesh.cells[0]".
std::string first_name(std::string const& path) { return path.substr(0, path.find_first_of(".[")); }

/// The lines of messages of several runs, without duplicates.
class Lines {
 public:
  void add(std::string const& text, std::string const& run) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      auto const [found, is_new] = places_.try_emplace(line, lines_.size());
      if (is_new) lines_.push_back({line, run, 0});
      ++lines_[found->second].runs;
    }
  }

  /// \param runs number of runs of the sweep
  [[nodiscard]] std::string text(std::size_t runs) const {
    std::string all;
    std::size_t const shown = std::min(lines_.size(), Mistakes::most_shown);
    for (Line const& line : std::span(lines_).first(shown)) {
      all += all.empty() ? "" : "\n";
      if (line.runs == 1 && runs > 1) all += line.first + ": ";
      if (line.runs > 1 && line.runs < runs)
        all += fmt::format("{} and {} more run{}: ", line.first, line.runs - 1, line.runs == 2 ? "" : "s");
      all += line.text;
    }
    if (std::size_t const more = lines_.size() - shown; more > 0)
      all += fmt::format("\n... and {} more mistake{}", more, more == 1 ? "" : "s");
    return all;
  }
  [[nodiscard]] bool empty() const { return lines_.empty(); }

 private:
  struct Line {
    std::string text;
    std::string first;  ///< the first run with this line
    std::size_t runs;
  };
  std::vector<Line> lines_;
  std::map<std::string, std::size_t> places_;
};

/// Validates the decks of a sweep, which differ in a few options.
class SweepValidator {
 public:
  SweepValidator(RunCommand const& command, int ranks, std::vector<SweptOption> const& options)
      : physics_(load_physics(command.plugins)),
        declaration_(declare_deck(physics_)),
        names_(names_in(declaration_)),
        deck_(Deck::load(command.deck, overrides_of(command.set, command.devices), Communicator::alone(),
                         deck_formats(physics_))),
        ranks_(std::max(1, ranks)),
        options_(options),
        set_(command.set) {}

  /// The changes of the deck for a run: "gray-scott.F=0.02", … Throws InputError for an unknown name, and for two names
  /// of one option.
  std::vector<std::string> changes(SweptRun const& run) {
    std::vector<std::string> const& paths = full_paths(physics_of(run));
    std::vector<std::string> changes;
    for (std::size_t n = 0; n < paths.size(); ++n) changes.push_back(paths[n] + "=" + run.values[n]);
    return changes;
  }

  /// Throws InputError with all mistakes.
  void validate(SweptRun const& run, std::vector<std::string> const& changes) {
    std::vector<Override> overrides;
    bool const has_physics = !physics_of(run).empty();
    for (std::size_t n = 0; n < changes.size(); ++n) {
      // If the physics is unknown, so are its options: not a further mistake.
      if (!has_physics && !is_among(first_name(changes[n]), names_)) continue;
      overrides.push_back(
          {changes[n], "--sweep " + deck::printable(options_[n].name) + "=" + deck::printable(run.values[n])});
    }
    Deck const deck = deck_.with(overrides);
    int const serving = io_ranks(deck, ranks_);
    MemoryBudget const budget = foretold_memory_budget(ranks_, serving);
    auto& declaration = resolved_[serving];
    if (!declaration) declaration = deck::resolve(declare_deck(physics_, budget));
    Options const options = deck.read(declaration);
    PhysicsEntry const& entry = physics_.find(options.choice("physics"));
    if (entry.points) return;
    auto const forecast = uses_device_memory()
                              ? std::nullopt
                              : rehearse(deck, physics_, static_cast<double>(free_host_memory())).forecast;
    Mistakes mistakes;
    validate_memory(options, entry, forecast, budget, mistakes);
    mistakes.report();
  }

 private:
  /// The name of the physics of a run; empty if the deck has none.
  std::string physics_of(SweptRun const& run) {
    std::string const option_name = "physics";
    std::string swept;
    for (std::size_t n = 0; n < options_.size(); ++n) {
      if (options_[n].name == option_name) swept = option_name + "=" + run.values[n];
    }
    auto const [found, is_new] = physics_of_change_.try_emplace(swept);
    if (is_new) {
      Deck const deck = swept.empty() ? deck_ : deck_.with(overrides_by_set({swept}));
      auto const option = std::find_if(declaration_.options().begin(), declaration_.options().end(),
                                       [&](Option const& each) { return each.name() == option_name; });
      OptionValue const value = deck.unvalidated(*option);
      auto const* const name = std::get_if<std::string>(&value);
      if (name != nullptr && physics_.contains(*name)) found->second = *name;
    }
    return found->second;
  }

  /// The swept options' full paths in a deck of `physics`.
  std::vector<std::string> const& full_paths(std::string const& physics) {
    if (auto const found = paths_.find(physics); found != paths_.end()) return found->second;
    std::vector<std::string> paths;
    std::vector<std::string> const own =
        physics.empty() ? std::vector<std::string>() : names_in(physics_.find(physics).options);
    std::string unknown;
    for (SweptOption const& option : options_) {
      std::string const first = first_name(option.name);
      bool const is_of_physics = !is_among(first, names_) && is_among(first, own);
      paths.push_back((is_of_physics ? physics + "." : "") + option.name);
      // For a deck without a physics that is reported first.
      if (is_of_physics || is_among(first, names_) || physics.empty()) continue;
      std::vector<std::string> known = own;
      known.insert(known.end(), names_.begin(), names_.end());
      unknown += fmt::format("{}`--sweep {}`: `{}` is unknown in the deck and in {}; {}", unknown.empty() ? "" : "\n",
                             deck::printable(option.name), deck::printable(first), physics, advice_for(first, known));
    }
    if (!unknown.empty()) throw InputError(unknown);
    require_each_once(paths);
    require_not_set(paths);
    return paths_[physics] = paths;
  }

  void require_each_once(std::vector<std::string> const& paths) const {
    for (std::size_t n = 0; n < paths.size(); ++n) {
      auto const first = static_cast<std::size_t>(std::find(paths.begin(), paths.end(), paths[n]) - paths.begin());
      if (first == n) continue;
      throw InputError(fmt::format("`--sweep {}`, `--sweep {}`: the same option", deck::printable(options_[first].name),
                                   deck::printable(options_[n].name)));
    }
  }

  void require_not_set(std::vector<std::string> const& paths) const {
    for (std::string const& assignment : set_) {
      std::string const path = assignment.substr(0, assignment.find('='));
      auto const swept = std::find(paths.begin(), paths.end(), path);
      if (swept == paths.end()) continue;
      auto const n = static_cast<std::size_t>(swept - paths.begin());
      throw InputError(fmt::format("`--set {}`, `--sweep {}`: the same option", deck::printable(assignment),
                                   deck::printable(options_[n].name)));
    }
  }

  Registry<PhysicsEntry> physics_;
  Section declaration_;
  std::vector<std::string> names_;  ///< at the root of a deck
  Deck deck_;
  int ranks_;
  std::vector<SweptOption> const& options_;
  std::vector<std::string> const& set_;                                   ///< `--set` of the command
  std::map<int, std::shared_ptr<deck::ResolvedSection const>> resolved_;  ///< by the number of I/O ranks
  std::map<std::string, std::string> physics_of_change_;
  std::map<std::string, std::vector<std::string>> paths_;  ///< by physics
};

}  // namespace

std::vector<std::vector<std::string>> changes_of_sweep(RunCommand const& command, int ranks,
                                                       std::vector<SweptOption> const& options,
                                                       std::vector<SweptRun> const& runs) {
  SweepValidator validator(command, ranks, options);
  Lines mistakes;
  std::vector<std::vector<std::string>> changes;
  for (SweptRun const& run : runs) {
    try {
      changes.push_back(validator.changes(run));
      validator.validate(run, changes.back());
    } catch (InputError const& error) {
      mistakes.add(error.what(), run.folder);
    }
  }
  if (!mistakes.empty()) throw InputError(mistakes.text(runs.size()));
  return changes;
}

}  // namespace halocline
