#include "drivers/halocline/continuation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "drivers/halocline/command_line.hpp"
#include "drivers/halocline/output.hpp"
#include "framework/deck/tree.hpp"
#include "framework/io/json_number.hpp"
#include "framework/io/json_text.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> absolute(std::vector<std::string> const& files) {
  std::vector<std::string> all;
  for (std::string const& file : files) all.push_back(fs::absolute(file).string());
  return all;
}

/// Without further names of the same file: none is loaded twice.
std::vector<std::string> distinct(std::vector<std::string> const& files) {
  std::vector<std::string> all;
  for (std::string const& file : files) {
    auto const is_same = [&](std::string const& other) {
      std::error_code missing;
      return fs::equivalent(file, other, missing);
    };
    if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(file);
  }
  return all;
}

ScheduleState schedule_from(Json const& json) {
  Json const& outputs = json.at("outputs");
  Json const& next = json.at("next_outputs");
  return {.start = finite_number_of(json.at("start")),
          .time = finite_number_of(json.at("time")),
          .taken = count_of(json.at("taken")),
          .size = finite_number_of(json.at("size")),
          .anchor = finite_number_of(json.at("anchor")),
          .anchor_taken = count_of(json.at("anchor_taken")),
          .outputs = {finite_number_of(outputs.at(0)), finite_number_of(outputs.at(1))},
          .next_outputs = {count_of(next.at(0)), count_of(next.at(1))}};
}

/// Files described in the list `name`; none if there is no such list, as in records of earlier versions.
std::vector<FieldFileRecord> files_from(Json const& record, char const* name) {
  std::vector<FieldFileRecord> files;
  for (Json const& file : record.value(name, Json::array())) {
    Json const& checksum = file.at("xxh3_128");
    files.push_back({.option = file.at("option"),
                     .path = file.at("path"),
                     .bytes = count_of(file.at("bytes")),
                     .checksum = checksum.is_null() ? std::string() : checksum.get<std::string>()});
  }
  return files;
}

Continuation continuation_from(fs::path folder, Checkpoint checkpoint) {
  Json const run = Json::parse(checkpoint.run);
  // Later ones are deleted, which would include this one.
  if (checkpoint.step != step_of_checkpoint(folder.filename().string()))
    throw std::runtime_error("it is of step " + std::to_string(checkpoint.step));
  require_serialized(run.at("output").dump());
  return {.folder = std::move(folder),
          .checkpoint = std::move(checkpoint),
          .physics = run.at("start").at("physics"),
          // Checkpoints of earlier versions do not have it.
          .mesh = run.at("start").contains("mesh") ? run.at("start").at("mesh").dump() : "",
          .output = run.at("output").dump(),
          .schedule = schedule_from(run.at("schedule")),
          .files = {files_from(run.at("start"), "field_files"), files_from(run.at("start"), "plugin_files")},
          .skipped = {}};
}

/// "plate.out/checkpoint_000120/manifest.json is damaged: …"
std::string damaged_manifest(fs::path const& checkpoint, std::exception const& why) {
  return shown((checkpoint / manifest_name).string()) + " is damaged: " + why.what();
}

/// Relative paths in a deck refer to the folder where the run was started, if that still exists.
void go_to(fs::path const& place, std::string& output) {
  std::error_code error;
  if (fs::equivalent(place, fs::current_path(error), error) || error) return;
  output = fs::absolute(output).string();
  fs::current_path(place, error);
}

/// Collective. The checkpoints in a folder as rank 0 lists it: hosts may see new ones at different times.
std::vector<std::string> names_on_first_rank(fs::path const& run, Communicator const& communicator) {
  std::string all;
  if (communicator.rank() == 0) {
    for (fs::path const& checkpoint : checkpoints_in(run)) all += checkpoint.filename().string() + '\n';
  }
  communicator.broadcast(all, 0);
  std::vector<std::string> names;
  std::istringstream lines(all);
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

/// Describes damage of a checkpoint in this rank's share of the files; empty: none.
std::string damage_of_share(Continuation const& found, Communicator const& communicator) {
  std::vector<StateFile> const& files = found.checkpoint.files;
  if (communicator.rank() == 0) {
    for (TableState const& table : tables_of(found.output)) {
      if (std::string damage = damage_of_start(found.folder.parent_path(), table); !damage.empty()) return damage;
    }
  }
  for (std::size_t n = static_cast<std::size_t>(communicator.rank()); n < files.size();
       n += static_cast<std::size_t>(communicator.size())) {
    if (std::string const damage = damage_of(found.folder, files[n]); !damage.empty())
      return shown(found.folder.string()) + ": " + damage;
  }
  return "";
}

/// Collective. The first damage that any rank finds.
std::string damage_of(Continuation const& found, Communicator const& communicator) {
  std::string first;
  for (std::string const& damage : communicator.gather(damage_of_share(found, communicator))) {
    if (first.empty()) first = damage;
  }
  communicator.broadcast(first, 0);
  return first;
}

}  // namespace

std::string described_mesh(Options const& mesh) {
  std::vector<std::int64_t> const cells = mesh.integers("cells");
  Json json;
  json["cells"] = cells;
  for (auto const& [name, otherwise] : {std::pair("lower", 0.0), std::pair("upper", 1.0), std::pair("growth", 1.0)})
    json[name] = mesh.has(name) ? mesh.reals(name) : std::vector<double>(cells.size(), otherwise);
  json["periodic"] = mesh.has("periodic") ? mesh.booleans("periodic") : std::vector<bool>(cells.size(), false);
  return json.dump();
}

std::string described_start(RunCommand const& command, std::string const& deck_name, std::string const& deck_text,
                            std::string const& physics, std::string const& mesh, InputFiles const& files) {
  Json json{{"physics", physics},         {"deck", {{"name", deck_name}, {"text", deck_text}}},
            {"set", command.set},         {"plugins", absolute(command.plugins)},
            {"devices", command.devices}, {"working_directory", fs::current_path().string()},
            {"ranks", command.ranks},     {"field_files", Json::parse(described_files(files.of_deck))}};
  if (!files.plugins.empty()) json["plugin_files"] = Json::parse(described_files(files.plugins));
  if (!mesh.empty()) json["mesh"] = Json::parse(mesh);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

/// The ranks of --ranks; 0: it was not given.
int ranks_from(Json const& json) {
  if (Index const ranks = count_of(json); ranks <= most_ranks) return static_cast<int>(ranks);
  throw std::runtime_error("its run had " + json.dump() + " ranks");
}

/// Plugins run code. A folder may come from anybody: what only its files name is not loaded.
void require_named(std::vector<std::string> const& plugins, RunCommand const& command) {
  if (plugins.empty() || !command.plugins.empty()) return;
  std::string words;
  for (std::string const& plugin : plugins) words += " --plugin " + shell_word(plugin);
  throw InputError(shown(command.output) +
                   " is a run of a plugin, whose code is loaded only if the command names it: `" +
                   shown(command.typed + words) + "`");
}

}  // namespace

RunCommand command_to_go_on(RunCommand command) {
  fs::path const folder = command.output;
  std::vector<fs::path> const checkpoints = checkpoints_in(folder);
  std::error_code missing;
  if (!fs::is_directory(folder, missing)) throw InputError(shown(folder.string()) + " is not a folder");
  if (checkpoints.empty()) {
    throw InputError(shown(folder.string()) +
                     " holds no checkpoint to continue from; `checkpoint: {every: {wall: 600}}` in a deck writes them");
  }
  std::string reasons;
  for (fs::path const& checkpoint : checkpoints) {
    try {
      Json const start = Json::parse(read_manifest(checkpoint).run).at("start");
      std::vector<std::string> set = start.at("set");
      std::vector<std::string> const plugins = start.at("plugins");
      set.insert(set.end(), command.set.begin(), command.set.end());
      std::string const place = start.at("working_directory");
      std::string const devices = start.at("devices");
      int const ranks = ranks_from(start.at("ranks"));
      command.deck = start.at("deck").at("name");
      command.deck_text = start.at("deck").at("text").get<std::string>();
      require_named(plugins, command);
      if (command.devices.empty()) command.devices = devices;
      if (command.ranks == 0) command.ranks = ranks;
      command.set = std::move(set);
      command.plugins = distinct(absolute(command.plugins));
      go_to(place, command.output);
      return command;
    } catch (InputError const&) {
      throw;
    } catch (InputOutputError const& error) {
      reasons += std::string("\n  ") + error.what();
    } catch (std::exception const& error) {
      reasons += "\n  " + damaged_manifest(checkpoint, error);
    }
  }
  throw InputOutputError(shown(folder.string()) + " holds no intact checkpoint to continue from:" + reasons);
}

std::optional<Continuation> find_continuation(fs::path const& run, Communicator const& communicator) {
  std::vector<std::string> skipped;
  bool has_any = false;
  for (std::string const& name : names_on_first_rank(run, communicator)) {
    fs::path const folder = run / name;
    std::string damage;
    std::optional<Continuation> found;
    try {
      found = continuation_from(folder, read_manifest(folder));
    } catch (InputOutputError const& error) {
      damage = error.what();
    } catch (std::exception const& error) {
      damage = damaged_manifest(folder, error);
    }
    // A checkpoint without a manifest was never complete.
    std::error_code missing;
    has_any = has_any || communicator.any(fs::exists(fs::symlink_status(folder / manifest_name, missing)));
    // All ranks must agree whether it is readable.
    bool const readable = communicator.all(found.has_value());
    if (readable) damage = damage_of(*found, communicator);
    if (readable && damage.empty()) {
      found->skipped = std::move(skipped);
      return found;
    }
    skipped.push_back(damage.empty() ? shown(folder.string()) + ": another rank cannot read it" : damage);
  }
  if (!has_any) return std::nullopt;
  std::string reasons;
  for (std::string const& reason : skipped) reasons += "\n  " + reason;
  throw InputOutputError(shown(run.string()) + " holds no intact checkpoint to continue from:" + reasons +
                         "\n`--overwrite` begins a new run");
}

void require_same_mesh(Continuation const& from, Options const& mesh) {
  if (from.mesh.empty()) return;
  Json const then = Json::parse(from.mesh);
  Json const now = Json::parse(described_mesh(mesh));
  for (auto const& [name, value] : now.items()) {
    if (!then.contains(name) || then[name] == value) continue;
    throw InputError(fmt::format("`{}`: {} is a checkpoint of a run with {}, which cannot continue with {}",
                                 mesh.full_name(name), shown(from.folder.string()), deck::printable(then[name].dump()),
                                 value.dump()));
  }
}

namespace {

void require_none(std::vector<std::string> const& changed) {
  if (!changed.empty()) throw InputError(changed.front() + "; restore it, or begin a new run with --overwrite");
}

/// The summary of a folder; empty if there is none. Throws InputOutputError if it is not a file.
Json summary_of(fs::path const& folder) {
  std::optional<std::string> const text = text_of_file_if_any(folder / "summary.json");
  Json summary = text ? json_of(*text) : Json();
  return summary.is_object() ? summary : Json::object();
}

}  // namespace

void require_same_files(InputFiles const& then, InputFiles const& now) {
  require_none(changed_files(then.of_deck, now.of_deck));
  for (std::string const& changed : changed_files(then.plugins, now.plugins)) log_warning(changed);
}

bool holds_a_done_run(fs::path const& folder) {
  Json const summary = summary_of(folder);
  return summary.contains("status") && summary["status"] == "done";
}

bool is_done_already(fs::path const& folder, std::string const& deck, InputFiles const& files) {
  Json const summary = summary_of(folder);
  InputFiles then;
  try {
    Json const& provenance = summary.at("provenance");
    if (provenance.at("deck").at("options") != Json::parse(deck)) return false;
    then = {files_from(provenance, "field_files"), files_from(provenance, "plugins")};
  } catch (std::exception const&) {
    // A summary without this, or with anything else in its place, is of no run of this deck.
    return false;
  }
  require_none(changed_files(then.of_deck, files.of_deck));
  require_none(changed_files(then.plugins, files.plugins));
  return true;
}

}  // namespace halocline
