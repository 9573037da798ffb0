#include "framework/io/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "framework/field/field_base.hpp"
#include "framework/io/json_number.hpp"
#include "framework/io/json_text.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char const* name_start = "checkpoint_";
constexpr char const* format_key = "halocline checkpoint format";
constexpr char const* checksum_key = "xxh3_128";

Json described(StateFile const& file) {
  Json blocks = Json::array();
  for (IndexRange const& block : file.blocks) blocks.push_back({block.begin, block.end});
  return {{"name", file.name}, {"bytes", file.bytes}, {"xxh3_128", file.checksum}, {"blocks", std::move(blocks)}};
}

Extents extents_of(Json const& json) {
  Extents extents{};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) extents[axis] = count_of(json.at(axis));
  return extents;
}

StateFile state_file_from(Json const& json) {
  StateFile file{
      .name = json.at("name"), .bytes = count_of(json.at("bytes")), .checksum = json.at("xxh3_128"), .blocks = {}};
  for (Json const& block : json.at("blocks")) file.blocks.push_back({extents_of(block.at(0)), extents_of(block.at(1))});
  // A name with a folder would refer to a file outside of this one.
  if (!is_plain_name(file.name))
    throw std::runtime_error("`" + shown(file.name) + "` is not a name of a file in this folder");
  return file;
}

Json described(Checkpoint const& checkpoint) {
  Json json{{format_key, Checkpoint::format},
            {"version", checkpoint.version},
            {"written", checkpoint.written},
            {"step", checkpoint.step},
            {"time", json_number(checkpoint.time)}};
  json["fields"] = Json::array();
  for (Checkpoint::Field const& field : checkpoint.fields) {
    json["fields"].push_back({{"name", field.name},
                              {"precision", field.precision == Precision::single ? "single" : "double"},
                              {"centring", field.centring},
                              {"components", field.components},
                              {"extents", field.extents}});
  }
  json["numbers"] = Json::object();
  for (auto const& [name, value] : checkpoint.numbers) json["numbers"][name] = json_number(value);
  json["counts"] = Json::object();
  for (auto const& [name, value] : checkpoint.counts) json["counts"][name] = value;
  json["files"] = Json::array();
  for (StateFile const& file : checkpoint.files) json["files"].push_back(described(file));
  json["run"] = Json::parse(checkpoint.run);
  return json;
}

Checkpoint checkpoint_from(Json const& json) {
  Checkpoint checkpoint{.step = count_of(json.at("step")),
                        .time = number_of(json.at("time")),
                        .written = json.at("written"),
                        .version = json.at("version"),
                        .fields = {},
                        .numbers = {},
                        .counts = {},
                        .files = {},
                        .run = json.at("run").dump()};
  for (Json const& field : json.at("fields")) {
    checkpoint.fields.push_back(
        {.name = field.at("name"),
         .precision = field.at("precision").get<std::string>() == "single" ? Precision::single : Precision::double_,
         .centring = field.at("centring"),
         .components = field.at("components"),
         .extents = extents_of(field.at("extents"))});
  }
  for (auto const& [name, value] : json.at("numbers").items()) checkpoint.numbers[name] = number_of(value);
  for (auto const& [name, value] : json.at("counts").items()) checkpoint.counts[name] = value.get<std::int64_t>();
  for (Json const& file : json.at("files")) checkpoint.files.push_back(state_file_from(file));
  return checkpoint;
}

bool is_another_format(Json const& json) {
  return json.is_object() && json.contains(format_key) && json[format_key].is_number_integer() &&
         json[format_key] != Checkpoint::format;
}

/// The text of a manifest, which has its checksum as last entry.
std::string text_of(Json json) {
  json.erase(checksum_key);
  json[checksum_key] = checksum(json.dump(1));
  return json.dump(1) + '\n';
}

/// Copies the values of a box to the same positions in the values of a larger box, both x fastest.
void copy_rows(std::span<std::byte const> from, IndexRange const& box, IndexRange const& whole, std::size_t bytes,
               std::span<std::byte> to) {
  std::size_t const row = static_cast<std::size_t>(box.extent(0)) * bytes;
  for (Index k = box.begin[2]; k < box.end[2]; ++k) {
    for (Index j = box.begin[1]; j < box.end[1]; ++j) {
      Index const at = (box.begin[0] - whole.begin[0]) +
                       whole.extent(0) * ((j - whole.begin[1]) + whole.extent(1) * (k - whole.begin[2]));
      std::memcpy(to.data() + static_cast<std::size_t>(at) * bytes, from.data(), row);
      from = from.subspan(row);
    }
  }
}

/// Nodes and faces of a block also belong to cells of its neighbours.
bool may_share_entries(IndexRange a, IndexRange b) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ++a.end[axis];
    ++b.end[axis];
  }
  return !intersection(a, b).empty();
}

std::optional<Index> step_of(std::string const& name) {
  if (!name.starts_with(name_start)) return std::nullopt;
  std::string const digits = name.substr(std::strlen(name_start));
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoll(digits);
}

}  // namespace

std::string packed(StateFile const& file) { return described(file).dump(); }
StateFile unpacked(std::string const& text) { return state_file_from(Json::parse(text)); }

std::string checkpoint_name(Index step) { return fmt::format("{}{:06}", name_start, step); }

Index step_of_checkpoint(std::string const& name) { return step_of(name).value_or(-1); }

bool is_checkpoint_name(std::string const& name) { return step_of(name).has_value(); }

std::vector<fs::path> checkpoints_in(fs::path const& run) {
  std::vector<std::pair<Index, fs::path>> found;
  std::error_code missing;
  for (fs::directory_iterator entry(run, missing); !missing && entry != fs::directory_iterator();
       entry.increment(missing)) {
    if (auto const step = step_of(entry->path().filename().string())) found.emplace_back(*step, entry->path());
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  std::vector<fs::path> paths;
  for (auto& [step, path] : found) paths.push_back(std::move(path));
  return paths;
}

Checkpoint read_manifest(fs::path const& checkpoint) {
  fs::path const path = checkpoint / manifest_name;
  std::error_code missing;
  // A link could lead to a folder of another run, whose files would be read and later deleted.
  if (fs::is_symlink(fs::symlink_status(checkpoint, missing)))
    throw unreadable(checkpoint, "it is a link, not a folder");
  if (!fs::exists(fs::symlink_status(path, missing)))
    throw InputOutputError(shown(checkpoint.string()) + " has no " + manifest_name + ": it was not finished");
  std::string const text = text_of_file(path, Links::refused);
  Json const json = json_of(text);
  if (is_another_format(json)) {
    throw InputOutputError(fmt::format("{} is of format {}, and this program ({}) reads format {}",
                                       shown(path.string()), json[format_key].get<std::int64_t>(), halocline::version,
                                       Checkpoint::format));
  }
  if (!json.is_object() || text != text_of(json))
    throw InputOutputError(shown(path.string()) + " is damaged: its checksum does not match its contents");
  try {
    return checkpoint_from(json);
  } catch (std::exception const& error) {
    throw InputOutputError(shown(path.string()) + " is damaged: " + error.what());
  }
}

void write_manifest(fs::path const& checkpoint, Checkpoint const& manifest) {
  write_whole_file(checkpoint / manifest_name, text_of(described(manifest)));
}

void remove_checkpoint(fs::path const& checkpoint) {
  std::error_code error;
  // Of a link, only the link is deleted.
  bool const is_folder = fs::is_directory(fs::symlink_status(checkpoint, error));
  if (!error && is_folder) fs::remove(checkpoint / manifest_name, error);
  if (!error) fs::remove_all(checkpoint, error);
  if (error) throw InputOutputError("cannot remove " + shown(checkpoint.string()) + ": " + error.message());
}

CheckpointReader::CheckpointReader(fs::path folder, Checkpoint const& checkpoint)
    : folder_(std::move(folder)), checkpoint_(checkpoint) {}

CheckpointReader::~CheckpointReader() = default;

void CheckpointReader::refuse(std::string const& why) const {
  throw InputError("the run cannot continue from " + shown(folder_.string()) + ": " + why);
}

StateFileReader const& CheckpointReader::file(std::size_t n) {
  auto& opened = files_[n];
  if (!opened) opened = std::make_unique<StateFileReader>(folder_ / checkpoint_.files[n].name);
  return *opened;
}

void CheckpointReader::field(std::string const& name, FieldBase& values) {
  auto const stored = std::find_if(checkpoint_.fields.begin(), checkpoint_.fields.end(),
                                   [&](Checkpoint::Field const& one) { return one.name == name; });
  if (stored == checkpoint_.fields.end()) refuse("it has no field `" + name + "`");
  Extents const extents = values.mesh().extents(values.centring());
  if (stored->extents != extents) {
    auto const text = [](Extents const& n) { return fmt::format("{} x {} x {}", n[0], n[1], n[2]); };
    refuse("its field `" + name + "` has " + text(stored->extents) + " entries, but that of the run has " +
           text(extents));
  }
  if (stored->precision != values.precision())
    refuse("its field `" + name + "` is of another precision than that of the run");
  if (stored->centring != to_string(values.centring()) || stored->components != values.components())
    refuse("its field `" + name + "` has another centring or other components than that of the run");
  for (Block const& block : values.mesh().blocks()) read_block(name, values, block);
}

/// Reads the intersections of this block with those of the files.
void CheckpointReader::read_block(std::string const& name, FieldBase& values, Block const& block) {
  IndexRange const wanted = values.mesh().global_owned(block.id, values.centring());
  if (wanted.empty()) return;
  IndexRange const cells = values.mesh().global_owned(block.id, Centring::cell);
  std::size_t const bytes = values.bytes_per_entry();
  auto const components = static_cast<std::size_t>(values.components());
  std::vector<std::vector<std::byte>> all(components,
                                          std::vector<std::byte>(static_cast<std::size_t>(wanted.size()) * bytes));
  Index found = 0;
  std::vector<std::byte> part;
  for (std::size_t n = 0; n < checkpoint_.files.size(); ++n) {
    std::vector<IndexRange> const& blocks = checkpoint_.files[n].blocks;
    auto const may_have = [&](IndexRange const& other) { return may_share_entries(other, cells); };
    if (std::none_of(blocks.begin(), blocks.end(), may_have)) continue;
    for (auto const& [number, place] : file(n).blocks_of(name, blocks.size())) {
      IndexRange const box = intersection(place, wanted);
      if (box.empty()) continue;
      found += box.size();
      part.resize(static_cast<std::size_t>(box.size()) * bytes);
      for (std::size_t c = 0; c < components; ++c) {
        file(n).read(name, number, box, static_cast<int>(c), values.precision(), part);
        copy_rows(part, box, wanted, bytes, all[c]);
      }
    }
  }
  if (found != wanted.size())
    throw InputOutputError(shown(folder_.string()) + " does not hold all of field `" + name + "`");
  for (std::size_t c = 0; c < components; ++c) values.set_owned(block, static_cast<int>(c), all[c]);
}

void CheckpointReader::number(std::string const& name, double& value) {
  auto const found = checkpoint_.numbers.find(name);
  if (found == checkpoint_.numbers.end()) refuse("it has no value `" + name + "`");
  value = found->second;
}

void CheckpointReader::count(std::string const& name, std::int64_t& value) {
  auto const found = checkpoint_.counts.find(name);
  if (found == checkpoint_.counts.end()) refuse("it has no value `" + name + "`");
  value = found->second;
}

bool CheckpointReader::has(std::string const& name) const {
  auto const& [fields, numbers, counts] = std::tie(checkpoint_.fields, checkpoint_.numbers, checkpoint_.counts);
  return std::any_of(fields.begin(), fields.end(), [&](auto const& one) { return is_of(one.name, name); }) ||
         std::any_of(numbers.begin(), numbers.end(), [&](auto const& one) { return is_of(one.first, name); }) ||
         std::any_of(counts.begin(), counts.end(), [&](auto const& one) { return is_of(one.first, name); });
}

}  // namespace halocline
