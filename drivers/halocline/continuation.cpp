#include "drivers/halocline/continuation.hpp"

#include <exception>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> absolute(std::vector<std::string> const& files) {
  std::vector<std::string> all;
  for (std::string const& file : files) all.push_back(fs::absolute(file).string());
  return all;
}

ScheduleState schedule_from(Json const& json) {
  return {.start = json.at("start"),
          .time = json.at("time"),
          .taken = json.at("taken"),
          .size = json.at("size"),
          .anchor = json.at("anchor"),
          .anchor_taken = json.at("anchor_taken"),
          .outputs = {json.at("outputs").at(0), json.at("outputs").at(1)},
          .next_outputs = json.at("next_outputs").get<std::array<Index, 2>>()};
}

Continuation continuation_from(fs::path folder, Checkpoint checkpoint) {
  Json const run = Json::parse(checkpoint.run);
  return {.folder = std::move(folder),
          .checkpoint = std::move(checkpoint),
          .physics = run.at("start").at("physics"),
          .output = run.at("output").dump(),
          .schedule = schedule_from(run.at("schedule")),
          .skipped = {}};
}

/// What is wrong with a checkpoint, as far as this rank's share of the files tells; empty: nothing.
std::string damage_of_share(Continuation const& found, Communicator const& communicator) {
  std::vector<StateFile> const& files = found.checkpoint.files;
  for (std::size_t n = static_cast<std::size_t>(communicator.rank()); n < files.size();
       n += static_cast<std::size_t>(communicator.size())) {
    if (std::string damage = damage_of(found.folder, files[n]); !damage.empty()) return damage;
  }
  return "";
}

/// Collective. The first thing that any rank finds wrong.
std::string damage_of(Continuation const& found, Communicator const& communicator) {
  std::string first;
  for (std::string const& damage : communicator.gather(damage_of_share(found, communicator))) {
    if (first.empty()) first = damage;
  }
  communicator.broadcast(first, 0);
  return first;
}

}  // namespace

std::string described_start(RunCommand const& command, std::string const& deck_name, std::string const& deck_text,
                            std::string const& physics) {
  Json const json{{"physics", physics},         {"deck", {{"name", deck_name}, {"text", deck_text}}},
                  {"set", command.set},         {"plugins", absolute(command.plugins)},
                  {"devices", command.devices}, {"ranks", command.ranks}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunCommand command_to_go_on(RunCommand command) {
  fs::path const folder = command.output;
  std::vector<fs::path> const checkpoints = checkpoints_in(folder);
  if (!fs::is_directory(folder)) throw InputError(folder.string() + " is not a folder");
  if (checkpoints.empty()) {
    throw InputError(folder.string() +
                     " holds no checkpoint to go on from; `checkpoint: {every: {wall: 600}}` in a deck writes some");
  }
  std::string reasons;
  for (fs::path const& checkpoint : checkpoints) {
    try {
      Json const start = Json::parse(read_manifest(checkpoint).run).at("start");
      std::vector<std::string> set = start.at("set");
      set.insert(set.end(), command.set.begin(), command.set.end());
      command.set = std::move(set);
      std::vector<std::string> const plugins = start.at("plugins");
      command.plugins.insert(command.plugins.begin(), plugins.begin(), plugins.end());
      command.deck = start.at("deck").at("name");
      command.deck_text = start.at("deck").at("text").get<std::string>();
      if (command.devices.empty()) command.devices = start.at("devices");
      if (command.ranks == 0) command.ranks = start.at("ranks");
      return command;
    } catch (InputOutputError const& error) {
      reasons += std::string("\n  ") + error.what();
    } catch (Json::exception const& error) {
      reasons += "\n  " + (checkpoint / manifest_name).string() + ": " + error.what();
    }
  }
  throw InputOutputError(folder.string() + " holds no whole checkpoint to go on from:" + reasons);
}

std::optional<Continuation> find_continuation(fs::path const& run, Communicator const& communicator) {
  std::vector<std::string> skipped;
  // What is there is the same for all ranks: none of them takes anything away.
  communicator.barrier();
  std::vector<fs::path> const checkpoints = checkpoints_in(run);
  for (fs::path const& folder : checkpoints) {
    std::string damage;
    std::optional<Continuation> found;
    try {
      found = continuation_from(folder, read_manifest(folder));
    } catch (std::exception const& error) {
      damage = error.what();
    }
    // A rank that cannot read what another one can must not go its own way.
    bool const readable = communicator.all(found.has_value());
    if (readable) damage = damage_of(*found, communicator);
    if (readable && damage.empty()) {
      found->skipped = std::move(skipped);
      return found;
    }
    skipped.push_back(folder.string() + ": " + (damage.empty() ? "another rank cannot read it" : damage));
  }
  if (skipped.empty()) return std::nullopt;
  std::string reasons;
  for (std::string const& reason : skipped) reasons += "\n  " + reason;
  throw InputOutputError(run.string() + " holds no whole checkpoint to go on from:" + reasons +
                         "\n`--overwrite` begins the run anew");
}

bool is_done_already(fs::path const& folder, std::string const& deck) {
  std::ifstream file(folder / "summary.json");
  Json const summary = Json::parse(file, nullptr, false);
  if (!summary.is_object() || summary.value("status", "") != "done") return false;
  try {
    return summary.at("provenance").at("deck").at("options") == Json::parse(deck);
  } catch (Json::exception const&) {
    return false;
  }
}

}  // namespace halocline
