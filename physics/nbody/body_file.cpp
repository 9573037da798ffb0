#include "physics/nbody/body_file.hpp"

#include <algorithm>
#include <fstream>
#include <memory>

#include "framework/io/array_file.hpp"
#include "framework/runtime/error.hpp"
#include "physics/nbody/body_row.hpp"
#include "physics/nbody/csv_bodies.hpp"

namespace halocline::nbody {
namespace {

constexpr Index columns = column_names.size();

/// An .npy file of bodies. Throws InputError where it is none, or holds none.
std::unique_ptr<ArrayFile> open_rows(std::string const& path) {
  std::unique_ptr<ArrayFile> file;
  std::string why;
  try {
    file = open_npy(path, 2);
    if (file->components() > 0 || file->extents()[0] != columns) why = "`" + path + "` has another shape";
  } catch (InputError const& error) {
    why = error.what();
  }
  if (!why.empty()) throw InputError("bodies: " + why + "; wanted is an .npy array of shape (n, 7) of real numbers");
  if (file->extents()[1] < 1) throw InputError("bodies: `" + path + "` holds none");
  return file;
}

std::vector<Body> read_npy(std::string const& path) {
  constexpr Index rows_at_a_time = 65536;
  std::unique_ptr<ArrayFile> const file = open_rows(path);
  std::vector<Body> bodies;
  Index const rows = file->extents()[1];
  std::vector<double> numbers(static_cast<std::size_t>(columns * std::min(rows, rows_at_a_time)));
  for (Index first = 0; first < rows; first += rows_at_a_time) {
    Index const end = std::min(rows, first + rows_at_a_time);
    file->read({{0, first, 0}, {columns, end, 1}}, 0, numbers.data());
    for (Index n = first; n < end; ++n) {
      Row row;
      std::copy_n(numbers.begin() + columns * (n - first), columns, row.begin());
      bodies.push_back(body_of(row, "bodies: `" + path + "`, row " + std::to_string(n)));
    }
  }
  return bodies;
}

bool is_npy(std::string const& path) {
  if (path.ends_with(".npy")) return true;
  if (path.ends_with(".csv")) return false;
  throw InputError("bodies: `" + path + "`: its name ends neither with .npy nor with .csv");
}

}  // namespace

Index count_rows(std::string const& path) {
  return is_npy(path) ? open_rows(path)->extents()[1] : static_cast<Index>(read_bodies(path).size());
}

std::vector<Body> read_bodies(std::string const& path) {
  if (is_npy(path)) return read_npy(path);
  std::ifstream file(path, std::ios::binary);
  if (!file || !file.good()) throw InputOutputError("bodies: `" + path + "` cannot be opened");
  return read_csv(file, path);
}

}  // namespace halocline::nbody
