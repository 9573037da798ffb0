#include "framework/io/state_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "framework/io/checksum.hpp"
#include "framework/io/direct_driver.hpp"
#include "framework/io/hdf5.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {
namespace {

using Shape = std::array<hsize_t, 4>;  // component, z, y, x

/// Bytes of a chunk: limits the loss if one is damaged, and how long other threads wait for HDF5.
constexpr std::size_t chunk_bytes = std::size_t{1} << 22;

hid_t type_on_disk(Precision precision) { return precision == Precision::single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE; }
hid_t type_in_memory(Precision precision) {
  return precision == Precision::single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

Shape shape_of(StateCopy::Item const& item, IndexRange const& place) {
  return {static_cast<hsize_t>(item.stored.description.components), static_cast<hsize_t>(place.extent(2)),
          static_cast<hsize_t>(place.extent(1)), static_cast<hsize_t>(place.extent(0))};
}

/// Whole planes of one component, or rows, or a part of one.
Shape chunk_of(Shape const& shape, std::size_t bytes_per_number) {
  Shape chunk{1, 1, 1, 1};
  std::size_t room = chunk_bytes / bytes_per_number;
  for (std::size_t axis = 3; axis > 0; --axis) {
    chunk[axis] = std::clamp<hsize_t>(room, 1, shape[axis]);
    room /= chunk[axis];
  }
  return chunk;
}

std::string dataset_name(std::string const& field, std::size_t block) {
  return field + "/block_" + std::to_string(block);
}

hdf5::Object create_dataset(hdf5::File const& file, std::string const& name, hid_t type, Shape const& shape,
                            Shape const& chunk) {
  hdf5::Object const space(H5Screate_simple(4, shape.data(), nullptr), H5Sclose, file.path);
  hdf5::Object const properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, file.path);
  hdf5::check(H5Pset_chunk(properties, 4, chunk.data()), file.path);
  hdf5::check(H5Pset_fletcher32(properties), file.path);
  hdf5::check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), file.path);
  hdf5::check(H5Pset_obj_track_times(properties, 0), file.path);
  hdf5::Object const links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, file.path);
  hdf5::check(H5Pset_create_intermediate_group(links, 1), file.path);
  return {H5Dcreate2(file.object, name.c_str(), type, space, links, properties, H5P_DEFAULT), H5Dclose, file.path};
}

/// Writes chunk by chunk, so that other threads do not wait long for HDF5.
void write_block(hdf5::File const& file, StateCopy::Item const& item, std::size_t n, hdf5::Silence& silence) {
  StateCopy::BlockValues const& block = item.blocks[n];
  Shape const shape = shape_of(item, block.place);
  std::size_t const bytes = item.stored.bytes_per_number();
  Shape const chunk = chunk_of(shape, bytes);
  hdf5::Object const dataset =
      create_dataset(file, dataset_name(item.name, n), type_on_disk(item.stored.precision), shape, chunk);
  std::array<Index, 3> const first = block.place.begin;
  hdf5::set_attribute(file, dataset, "first", first);
  hdf5::Object const memory(H5Screate_simple(4, shape.data(), nullptr), H5Sclose, file.path);
  hdf5::Object const space(H5Screate_simple(4, shape.data(), nullptr), H5Sclose, file.path);
  Shape at{};
  for (at[0] = 0; at[0] < shape[0]; at[0] += chunk[0]) {
    for (at[1] = 0; at[1] < shape[1]; at[1] += chunk[1]) {
      for (at[2] = 0; at[2] < shape[2]; at[2] += chunk[2]) {
        for (at[3] = 0; at[3] < shape[3]; at[3] += chunk[3]) {
          silence.give_way();
          Shape part{};
          for (std::size_t axis = 0; axis < 4; ++axis) part[axis] = std::min(chunk[axis], shape[axis] - at[axis]);
          for (hid_t const one : {memory.id(), space.id()})
            hdf5::check(H5Sselect_hyperslab(one, H5S_SELECT_SET, at.data(), nullptr, part.data(), nullptr), file.path);
          hdf5::check(H5Dwrite(dataset, type_in_memory(item.stored.precision), memory, space, H5P_DEFAULT,
                               block.values().data()),
                      file.path);
        }
      }
    }
  }
}

void write_partial(std::filesystem::path const& path, StateCopy const& state) {
  std::filesystem::path const partial = partial_name(path);
  unlink(partial.c_str());
  int error = 0;
  {
    hdf5::Silence silence;
    hdf5::Object const access = hdf5::direct_access(error, path);
    // The newest file format has checksums on all metadata.
    hdf5::check(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), path);
    hid_t const id = H5Fcreate(partial.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access);
    if (id < 0 && error != 0) throw_write_error(path, error);
    hdf5::File file{{id, H5Fclose, path}, path};
    hdf5::set_attribute(file, file.object, "halocline checkpoint format", std::array{Index{1}});
    throw_site(ThrowSite::checkpoint);
    for (StateCopy::Item const& item : state.fields()) {
      for (std::size_t n = 0; n < item.blocks.size(); ++n) {
        if (!item.blocks[n].place.empty()) write_block(file, item, n, silence);
        if (error != 0) throw_write_error(path, error);
      }
    }
    if (!file.object.close() && error == 0) throw_write_error(path, hdf5::reason());
  }
  if (error != 0) throw_write_error(path, error);
}

}  // namespace

StateFile measured_file(std::filesystem::path const& path) {
  Checksum checksum;
  StateFile measured{.name = path.filename().string(), .bytes = 0, .checksum = {}, .blocks = {}};
  read_parts(path, Links::refused, [&](std::string_view part) {
    checksum.add(part);
    measured.bytes += static_cast<Index>(part.size());
    return true;
  });
  measured.checksum = checksum.text();
  return measured;
}

StateFile write_state_file(std::filesystem::path const& path, StateCopy const& state) {
  FileSizeSignalIgnored const ignored;
  try {
    write_partial(path, state);
    sync_file(partial_name(path));
    StateFile measured = measured_file(partial_name(path));
    measured.name = path.filename().string();
    give_name(path);
    return measured;
  } catch (...) {
    unlink(partial_name(path).c_str());
    throw;
  }
}

std::string damage_of(std::filesystem::path const& folder, StateFile const& file) {
  try {
    StateFile const found = measured_file(folder / file.name);
    if (found.bytes != file.bytes)
      return fmt::format("{} has {} bytes instead of the {} that were written", file.name, found.bytes, file.bytes);
    if (found.checksum != file.checksum) return file.name + " is not what was written: its checksum differs";
    return "";
  } catch (InputOutputError const& error) {
    return error.what();
  }
}

struct StateFileReader::Opened {
  hdf5::File file;
};

StateFileReader::StateFileReader(std::filesystem::path const& path) {
  hdf5::Silence const silence;
  require_regular_file(path);
  hid_t const id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) throw unreadable(path, hdf5::reason());
  opened_ = std::make_unique<Opened>(Opened{{{id, H5Fclose, path}, path}});
}

StateFileReader::~StateFileReader() {
  hdf5::Silence const silence;
  opened_.reset();
}

std::vector<std::pair<std::size_t, IndexRange>> StateFileReader::blocks_of(std::string const& field,
                                                                           std::size_t most) const {
  hdf5::Silence const silence;
  hdf5::File const& file = opened_->file;
  std::vector<std::pair<std::size_t, IndexRange>> blocks;
  for (std::size_t n = 0; n < most; ++n) {
    std::optional<hdf5::Object> const dataset = hdf5::find_dataset(file, dataset_name(field, n));
    if (!dataset) continue;  // a block without entries
    hdf5::Object const space(H5Dget_space(*dataset), H5Sclose, file.path);
    Shape shape{};
    std::vector<Index> const first = hdf5::integers(file, *dataset, "first");
    bool const is_ours = first.size() == 3 && H5Sget_simple_extent_ndims(space) == 4 &&
                         H5Sget_simple_extent_dims(space, shape.data(), nullptr) == 4;
    IndexRange block;
    // Beyond, sums would overflow.
    constexpr Index farthest = Index{1} << 53U;
    for (std::size_t axis = 0; axis < 3 && is_ours; ++axis) {
      bool const is_place =
          first[axis] >= 0 && first[axis] <= farthest && shape[3 - axis] <= static_cast<hsize_t>(farthest);
      if (!is_place) throw unreadable(file.path, "`" + field + "` has a block at an impossible place");
      block.begin[axis] = first[axis];
      block.end[axis] = first[axis] + static_cast<Index>(shape[3 - axis]);
    }
    if (!is_ours) throw unreadable(file.path, "`" + field + "` has an unknown form");
    blocks.emplace_back(n, block);
  }
  return blocks;
}

void StateFileReader::read(std::string const& field, std::size_t block, IndexRange const& box, int component,
                           Precision precision, std::span<std::byte> to) const {
  hdf5::Silence const silence;
  hdf5::File const& file = opened_->file;
  auto const refuse = [&] { throw unreadable(file.path, "`" + field + "`: " + hdf5::reason()); };
  std::optional<hdf5::Object> const opened = hdf5::find_dataset(file, dataset_name(field, block));
  if (!opened) refuse();
  hdf5::Object const& dataset = *opened;
  std::vector<Index> const begin = hdf5::integers(file, dataset, "first");
  if (begin.size() != 3) refuse();
  Shape at{static_cast<hsize_t>(component), 0, 0, 0};
  Shape count{1, 0, 0, 0};
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    at[3 - a] = static_cast<hsize_t>(box.begin[a] - begin[a]);
    count[3 - a] = static_cast<hsize_t>(box.extent(axis));
  }
  hdf5::Object const space(H5Dget_space(dataset), H5Sclose, file.path);
  hdf5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, at.data(), nullptr, count.data(), nullptr), file.path);
  hdf5::Object const memory(H5Screate_simple(4, count.data(), nullptr), H5Sclose, file.path);
  if (H5Dread(dataset, type_in_memory(precision), memory, space, H5P_DEFAULT, to.data()) < 0) refuse();
}

}  // namespace halocline
