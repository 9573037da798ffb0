#include "framework/io/verification.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "framework/io/checkpoint.hpp"
#include "framework/io/mesh_file.hpp"
#include "framework/io/run_record.hpp"
#include "framework/io/snapshot_file.hpp"
#include "framework/io/snapshot_name.hpp"
#include "framework/runtime/error.hpp"

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

Damage damage_of_summary(fs::path const& path) {
  std::ifstream file(path);
  if (!file) return {"cannot be read"};
  return damage_of_summary_text({std::istreambuf_iterator<char>(file), {}});
}

/// The files with checksums in the summary of a folder: tables and series.
std::vector<StateFile> files_on_record(fs::path const& folder) {
  std::ifstream file(folder / summary_name);
  Json const summary = file ? Json::parse(file, nullptr, false) : Json();
  std::vector<StateFile> files;
  if (!summary.is_object() || !summary.contains("files")) return files;
  for (Json const& one : summary["files"]) {
    bool const is_ours = one.is_object() && one.contains("name") && one["name"].is_string() && one.contains("bytes") &&
                         one["bytes"].is_number_integer() && one.contains("xxh3_128") && one["xxh3_128"].is_string();
    if (!is_ours) continue;
    files.push_back({.name = one.value("name", ""),
                     .bytes = one.value("bytes", Index{0}),
                     .checksum = one.value("xxh3_128", ""),
                     .blocks = {}});
  }
  return files;
}

/// Damage of a killed run's table: lines must be complete and have as many values as the first.
Damage damage_of_table(fs::path const& path) {
  std::ifstream file(path);
  if (!file) return {"cannot be read"};
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty() || text.back() != '\n') return {"does not end with a complete line"};
  std::optional<Index> separators;
  Index line = 1;
  Index here = 0;
  bool quoted = false;  // RFC 4180: commas and line ends in quotation marks are text
  for (char const letter : text) {
    if (letter == '"') quoted = !quoted;
    if (quoted) continue;
    if (letter == ',') ++here;
    if (letter != '\n') continue;
    if (!separators) separators = here;
    if (here != *separators)
      return {"line " + std::to_string(line) + " has a different number of values than the first"};
    here = 0;
    ++line;
  }
  if (quoted) return {"does not end with a complete line"};
  return {};
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
  std::ifstream file(folder / series_name);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> names;
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

/// A damaged run may have lost its summary.
bool is_run_of_sweep(fs::path const& folder) {
  return fs::is_directory(folder) && (fs::exists(folder / summary_name) || fs::exists(folder / scalars_name));
}

std::vector<VerifiedFile> verify_folder(fs::path const& folder) {
  std::vector<VerifiedFile> all;
  std::vector<fs::path> entries;
  for (fs::directory_entry const& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  bool const is_sweep = fs::exists(folder / "sweep.csv");
  for (fs::path const& entry : entries) {
    std::string const name = entry.filename().string();
    if (is_checkpoint_name(name) && !fs::exists(entry / manifest_name)) {
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
    if (!fs::exists(folder / file.name)) all.push_back({folder / file.name, {"is missing"}});
  }
  if (fs::exists(folder / scalars_name) && !fs::exists(folder / summary_name))
    all.push_back({folder / summary_name, {"is missing"}});
  for (std::string const& name : names_in_series(folder)) {
    if (!fs::exists(folder / name))
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
  if (!fs::exists(path, missing)) throw InputError(path.string() + ": there is no such file or folder");
  std::vector<VerifiedFile> all;
  if (!fs::is_directory(path)) {
    all = verify_file(path);
    if (!is_verified(path.filename().string()) && all.size() == 1 && all[0].damage.empty() &&
        !is_checkpoint_name(fs::absolute(path).parent_path().filename().string())) {
      throw InputError(path.string() + " is not a file of a run");
    }
  } else if (is_checkpoint_name(fs::absolute(path).lexically_normal().filename().string()) ||
             fs::exists(path / manifest_name)) {
    all = verify_checkpoint(path);
  } else {
    all = verify_folder(path);
  }
  if (all.empty()) throw InputError(path.string() + " holds no files of a run");
  return all;
}

}  // namespace halocline
