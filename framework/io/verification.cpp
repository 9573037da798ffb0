#include "framework/io/verification.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "framework/io/checkpoint.hpp"
#include "framework/io/json_number.hpp"
#include "framework/io/json_text.hpp"
#include "framework/io/mesh_file.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/io/run_record.hpp"
#include "framework/io/snapshot_file.hpp"
#include "framework/io/snapshot_name.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Damage = std::vector<std::string>;

constexpr char const* summary_name = "summary.json";
constexpr char const* scalars_name = "scalars.csv";

/// For an unreadable file the error message is the damage.
Damage damage_by(auto const& check) {
  try {
    return check();
  } catch (std::exception const& error) {
    return {error.what()};
  }
}

/// What a summary says of the files of its folder that have checksums: tables and series.
struct FilesOnRecord {
  std::vector<StateFile> files;
  Damage damage;  ///< what it says that no run would
};

/// \param text of a summary
FilesOnRecord files_on_record_in(std::string const& text) {
  FilesOnRecord found;
  Json const summary = json_of(text);
  if (!summary.contains("files")) return found;
  for (Json const& one : summary["files"]) {
    try {
      StateFile file{
          .name = one.at("name"), .bytes = count_of(one.at("bytes")), .checksum = one.at("xxh3_128"), .blocks = {}};
      if (is_plain_name(file.name)) {
        found.files.push_back(std::move(file));
      } else {
        found.damage.push_back("lists `" + shown(file.name) + "`, which names no file of its folder");
      }
    } catch (std::exception const&) {
      found.damage.push_back("has an entry in `files` that is none of a run's: " + shown(one.dump()));
    }
  }
  return found;
}

Damage damage_of_summary(fs::path const& path) {
  std::string const text = text_of_file(path);
  Damage const damage = damage_of_summary_text(text);
  return damage.empty() ? files_on_record_in(text).damage : damage;
}

std::vector<StateFile> files_on_record(fs::path const& folder) {
  try {
    return files_on_record_in(text_of_file(folder / summary_name)).files;
  } catch (std::exception const&) {
    return {};  // a summary that cannot be read is verified for itself
  }
}

/// Damage of a killed run's table: lines must be complete and have as many values as the first.
Damage damage_of_table(fs::path const& path) {
  std::optional<Index> separators;
  Index line = 1;
  Index here = 0;
  bool quoted = false;  // RFC 4180: commas and line ends in quotation marks are text
  char last = 0;
  Damage damage;
  read_parts(path, Links::followed, [&](std::string_view part) {
    last = part.back();
    for (char const letter : part) {
      if (letter == '"') quoted = !quoted;
      if (quoted) continue;
      if (letter == ',') ++here;
      if (letter != '\n') continue;
      if (!separators) separators = here;
      if (here != *separators) {
        damage = {"line " + std::to_string(line) + " has a different number of values than the first"};
        return false;
      }
      here = 0;
      ++line;
    }
    return true;
  });
  if (damage.empty() && (quoted || last != '\n')) return {"does not end with a complete line"};
  return damage;
}

/// Damage of a killed run's series, which is written as a whole.
Damage damage_of_series(fs::path const& path) {
  std::string const text = text_of_file(path);
  bool const is_whole = text.starts_with("<?xml ") && text.ends_with("</Xdmf>\n");
  return is_whole ? Damage{} : Damage{"is not a complete series of snapshots"};
}

Damage damage_of_file(fs::path const& path) {
  std::string const name = path.filename().string();
  fs::path const folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (name == summary_name) return damage_by([&] { return damage_of_summary(path); });
  if (name == mesh_file_name) return damage_by([&] { return damage_of_mesh_file(path); });
  if (is_snapshot_name(name)) return damage_by([&] { return SnapshotFile(path).damage(); });
  for (StateFile const& file : files_on_record(folder)) {
    if (file.name != name) continue;
    std::string const damage = damage_of(folder, file);
    return damage.empty() ? Damage{} : Damage{damage};
  }
  if (name == series_name) return damage_by([&] { return damage_of_series(path); });
  return name.ends_with(".csv") ? damage_by([&] { return damage_of_table(path); }) : Damage{};
}

std::vector<VerifiedFile> verify_checkpoint(fs::path const& folder) {
  Checkpoint checkpoint;
  try {
    checkpoint = read_manifest(folder);
  } catch (std::exception const& error) {
    return {{folder / manifest_name, {error.what()}}};
  }
  std::vector<VerifiedFile> all{{folder / manifest_name, {}}};
  for (StateFile const& file : checkpoint.files) {
    std::string const damage = damage_of(folder, file);
    all.push_back({folder / file.name, damage.empty() ? Damage{} : Damage{damage}});
  }
  return all;
}

/// The snapshots listed in the series of a folder, and the files that they need.
std::vector<std::string> names_in_series(fs::path const& folder) {
  std::vector<std::string> names;
  std::string text;
  try {
    text = text_of_file(folder / series_name);
  } catch (InputOutputError const&) {
    // If there is a series, its own verification says why it cannot be read.
  }
  for (std::size_t at = text.find("snapshot_"); at != std::string::npos; at = text.find("snapshot_", at + 1)) {
    std::string name = text.substr(at, text.find(':', at) - at);
    if (is_snapshot_name(name) && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (!names.empty()) names.emplace_back(mesh_file_name);
  return names;
}

bool is_verified(std::string const& name) {
  return name == summary_name || name == mesh_file_name || is_snapshot_name(name) || name.ends_with(".csv") ||
         name == series_name;
}

/// Whether there is anything of this name, even a link that leads nowhere.
bool is_there(fs::path const& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// A damaged run may have lost its summary. A link may lead back to the sweep.
bool is_run_of_sweep(fs::path const& folder) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(folder, error)) &&
         (is_there(folder / summary_name) || is_there(folder / scalars_name));
}

std::vector<VerifiedFile> verify_folder(fs::path const& folder) {
  std::vector<VerifiedFile> all;
  std::vector<fs::path> entries;
  for (fs::directory_entry const& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  bool const is_sweep = is_there(folder / "sweep.csv");
  for (fs::path const& entry : entries) {
    std::string const name = entry.filename().string();
    if (is_checkpoint_name(name) && !is_there(entry / manifest_name)) {
      all.push_back({entry, {}, "was not finished: it has no manifest.json"});
    } else if (is_checkpoint_name(name)) {
      std::vector<VerifiedFile> const files = verify_checkpoint(entry);
      all.insert(all.end(), files.begin(), files.end());
    } else if (is_sweep && is_run_of_sweep(entry)) {
      std::vector<VerifiedFile> const files = verify_folder(entry);
      all.insert(all.end(), files.begin(), files.end());
    } else if (is_verified(name)) {
      all.push_back({entry, damage_of_file(entry)});
    }
  }
  // Files in the summary must exist.
  for (StateFile const& file : files_on_record(folder)) {
    if (!is_there(folder / file.name)) all.push_back({folder / file.name, {"is missing"}});
  }
  if (is_there(folder / scalars_name) && !is_there(folder / summary_name))
    all.push_back({folder / summary_name, {"is missing"}});
  for (std::string const& name : names_in_series(folder)) {
    if (!is_there(folder / name))
      all.push_back({folder / name, {std::string("is missing, and ") + series_name + " needs it"}});
  }
  return all;
}

/// Verifies one file of a checkpoint or of a run.
std::vector<VerifiedFile> verify_file(fs::path const& path) {
  fs::path const folder = fs::absolute(path).parent_path();
  if (!is_checkpoint_name(folder.filename().string())) return {{path, damage_of_file(path)}};
  std::vector<VerifiedFile> all = verify_checkpoint(path.has_parent_path() ? path.parent_path() : fs::path("."));
  std::erase_if(all, [&](VerifiedFile const& file) { return file.path.filename() != path.filename(); });
  return all;
}

}  // namespace

std::vector<VerifiedFile> verify(fs::path const& path) {
  std::error_code missing;
  if (!fs::exists(path, missing) && !missing)
    throw InputError(shown(path.string()) + ": there is no such file or folder");
  if (missing) throw unreadable(path, missing.message());
  std::vector<VerifiedFile> all;
  if (!fs::is_directory(path)) {
    all = verify_file(path);
    if (!is_verified(path.filename().string()) && all.size() == 1 && all[0].damage.empty() &&
        !is_checkpoint_name(fs::absolute(path).parent_path().filename().string())) {
      throw InputError(shown(path.string()) + " is not a file of a run");
    }
  } else if (is_checkpoint_name(fs::absolute(path).lexically_normal().filename().string()) ||
             is_there(path / manifest_name)) {
    all = verify_checkpoint(path);
  } else {
    all = verify_folder(path);
  }
  if (all.empty()) throw InputError(shown(path.string()) + " holds no files of a run");
  return all;
}

}  // namespace halocline
