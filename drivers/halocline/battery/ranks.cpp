#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "drivers/halocline/battery/apart.hpp"
#include "drivers/halocline/battery/check.hpp"
#include "drivers/halocline/battery/short_run.hpp"
#include "framework/field/field_base.hpp"
#include "framework/io/array_file.hpp"
#include "framework/io/snapshot_name.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

/// The last snapshot of a run; empty if there is none.
std::filesystem::path last_snapshot(std::filesystem::path const& folder) {
  std::filesystem::path last;
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(folder, none)) {
    bool const is_later = is_snapshot_name(entry.path().filename().string()) && entry.path() > last;
    if (is_later) last = entry.path();
  }
  return last;
}

/// The name of the field with the points' positions; empty: there is none.
std::string place_of(Physics const& physics) {
  for (FieldBase const* const field : physics.fields()) {
    if (field->description().position) return field->name();
  }
  return "";
}

/// The state of a run in its last snapshot. The field `place` is stored there as the points of the mesh.
std::vector<Values> state_of(std::filesystem::path const& folder, std::vector<Values> like, std::string const& place) {
  for (Values& field : like) {
    std::string const name = field.name.substr(0, field.name.find('['));
    bool const is_component = name != field.name;
    FieldFile file{.path = last_snapshot(folder).string(),
                   .format = name == place ? FieldFile::Format::hdf5 : FieldFile::Format::snapshot,
                   .type = {},
                   .dims = {},
                   .offset = {},
                   .dataset = name == place ? "/VTKHDF/Points" : "",
                   .field = name,
                   .component = {},
                   .location = {}};
    int dimensions = 0;
    for (Index const along : field.extents) dimensions += along > 1 ? 1 : 0;
    auto const array = open_array(file, std::max(1, dimensions));
    Index const component = is_component ? std::stol(field.name.substr(name.size() + 1)) : 0;
    array->read({{0, 0, 0}, field.extents}, component, field.values.data());
  }
  return like;
}

/// Options of sweeps and halo exchange that must not change results: a different choice for each number of ranks.
std::vector<std::string> way_of(Subject const& subject, int count) {
  if (count == 2) return {"tune=off"};
  if (subject.entry.points) return {};
  if (count == 3) return {"halo.transport=mpi-host"};
  if (count == 4) return {"halo.overlap=false"};
  return {};
}

std::vector<std::string> with_changes(std::vector<std::string> words, Subject const& subject,
                                      std::vector<std::string> const& changes) {
  for (std::string const& change : changes) words.insert(words.end(), {"--set", change});
  for (std::string const& plugin : subject.plugins) words.insert(words.end(), {"--plugin", plugin});
  return words;
}

/// Whether the deck is invalid for this many ranks because its mesh cannot be partitioned so.
bool is_refused(Subject const& subject, std::vector<std::string> const& changes, int count) {
  std::vector<std::string> const words{"check", (subject.scratch / "deck").string(), "--ranks", std::to_string(count)};
  return run_program_with(with_changes(words, subject, changes)).code == 2;
}

nlohmann::json quantities_of(std::filesystem::path const& folder) {
  std::ifstream file(folder / "summary.json");
  return nlohmann::json::parse(file).at("quantities");
}

constexpr int few_steps = 6;

/// Runs of a deck by the whole program, with few steps and cells.
struct WholeRun {
  std::vector<std::string> changes;  ///< of the deck
  std::vector<Values> like;          ///< the fields of the state
  std::string place;                 ///< the field with the points' positions
};
WholeRun short_whole_run(Subject const& subject) {
  WholeRun run;
  run.changes = exact_solves(subject);
  if (!subject.entry.points) run.changes.push_back(odd_cells(subject));
  Trial const trial(subject, run.changes, false);
  run.like = trial.state();
  run.place = place_of(trial.physics());
  if (evolves(subject)) {
    std::optional<double> const stable = trial.stable_step();
    double const given = given_step(trial.deck());
    double const step = stable ? std::min(given, 0.9 * *stable) : given;
    Options const time = trial.deck().section("time");
    if (time.has("step")) run.changes.push_back(fmt::format("time.step={:.17g}", step));
    run.changes.push_back(time.has("end") ? fmt::format("time.end={:.17g}", time.real("start") + few_steps * step)
                                          : fmt::format("time.steps={}", few_steps));
  }
  return run;
}

}  // namespace

Finding ranks(Subject const& subject) {
  auto const [changes, like, place] = short_whole_run(subject);
  std::vector<Values> alone;
  nlohmann::json quantities;
  std::string done;
  // The order in which interactions of points are summed depends on the ranks.
  bool const has_same_bits = is_explicit(subject) && !subject.entry.points;
  for (int const count : {1, 2, 3, 4, 8}) {
    auto const folder = subject.scratch / fmt::format("ranks{}", count);
    std::vector<std::string> const words{"run",
                                         (subject.scratch / "deck").string(),
                                         "--output",
                                         folder.string(),
                                         "--quiet",
                                         "--ranks",
                                         std::to_string(count)};
    std::vector<std::string> const own = joined(changes, way_of(subject, count));
    ProgramEnd const end = run_program_with(with_changes(words, subject, own));
    if (end.code == 2 && count > 1 && is_refused(subject, own, count)) continue;
    if (end.code != 0)
      return failed(fmt::format("on {} ranks the run exits with code {}: {}", count, end.code, end.said));
    auto const state = state_of(folder, like, place);
    nlohmann::json const told = quantities_of(folder);
    if (count == 1) {
      alone = state;
      quantities = told;
      continue;
    }
    if (has_same_bits) {
      std::string const difference = first_difference(alone, state);
      if (!difference.empty()) return failed(fmt::format("on 1 rank and on {}: {}", count, difference));
    } else if (double const difference = largest_difference(state, alone); !(difference < 1e-8)) {
      return failed(fmt::format("on {} ranks the solution differs by {:.1e}", count, difference));
    }
    for (auto const& [name, value] : quantities.items()) {
      double const one = value.get<double>();
      double const other = told.at(name).get<double>();
      if (!(std::abs(one - other) <= 1e-7 * std::max(1.0, std::abs(one))))
        return failed(fmt::format("`{}` is {:.17g} on 1 rank and {:.17g} on {}", name, one, other, count));
    }
    done += fmt::format("{}{}", done.empty() ? "" : ", ", count);
  }
  if (done.empty()) return not_applicable("the mesh cannot be cut");
  return held(fmt::format("on 1 rank and on {}: {}", done, has_same_bits ? "the same bits" : "within 1e-8"));
}

Finding builds(Subject const& subject) {
  if (subject.beside.empty()) return not_applicable("it needs the program of another build (--beside)");
  if (!subject.plugins.empty()) return not_applicable("a plugin works with one build only");
  auto const [changes, like, place] = short_whole_run(subject);
  std::vector<std::vector<Values>> states;
  std::vector<std::string> const programs{"/proc/self/exe", subject.beside};
  for (std::string const& program : programs) {
    auto const folder = subject.scratch / fmt::format("build{}", states.size());
    std::vector<std::string> const words{"run", (subject.scratch / "deck").string(), "--output", folder.string(),
                                         "--quiet"};
    ProgramEnd const end = run_other_program(program, with_changes(words, subject, changes));
    if (end.code != 0) {
      return failed(fmt::format("with {} the run exits with code {}: {}", states.empty() ? "this build" : program,
                                end.code, end.said));
    }
    if (last_snapshot(folder).empty()) {
      return failed(fmt::format("{} wrote no snapshot, though it exits with code 0{}",
                                states.empty() ? "this build" : "`" + program + "`",
                                states.empty() ? "" : "; give the driver of another build to --beside"));
    }
    states.push_back(state_of(folder, like, place));
  }
  double const difference = largest_difference(states[1], states[0]);
  bool const is_single = subject.read(changes).choice("precision") == "single";
  double const epsilon =
      is_single ? double{std::numeric_limits<float>::epsilon()} : std::numeric_limits<double>::epsilon();
  // Functions in expressions differ by a few roundings between processors; solves end where tolerances are met.
  bool const is_solved = !is_explicit(subject) && !subject.entry.points;
  double const explained = is_solved ? 1e-8 : 30.0 * few_steps * epsilon;
  std::string const text = fmt::format("the other build differs by {:.1e}; {} {:.1e}", difference,
                                       is_solved ? "tolerances allow" : "rounding explains", explained);
  return difference < explained ? held(text) : failed(text);
}

}  // namespace halocline::battery
