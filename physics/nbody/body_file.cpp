#include "physics/nbody/body_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "framework/runtime/error.hpp"
#include "physics/nbody/body_row.hpp"
#include "physics/nbody/csv_bodies.hpp"

namespace halocline::nbody {
namespace {

std::ifstream open(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || !file.good()) throw InputOutputError("bodies: `" + path + "` cannot be opened");
  return file;
}

// .npy

struct Header {
  Index rows = 0;
  std::size_t bytes = 0;  ///< of a number
};

/// What stands behind the name of an entry of the header's dictionary; empty where there is none.
std::string_view value_of(std::string_view text, std::string_view name) {
  std::size_t const at = text.find("'" + std::string(name) + "':");
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + name.size() + 3);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

/// n of "(n, 7)".
std::optional<Index> rows_of(std::string_view shape) {
  if (!shape.starts_with("(")) return std::nullopt;
  Index rows = 0;
  auto const [end, error] = std::from_chars(shape.data() + 1, shape.data() + shape.size(), rows);
  if (error != std::errc() || rows < 0) return std::nullopt;
  shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
  return shape.starts_with(", 7)") ? std::optional(rows) : std::nullopt;
}

/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
Header read_header(std::ifstream& file, std::string const& path) {
  auto const refuse = [&](std::string const& why) -> InputError {
    return InputError("bodies: `" + path + "` " + why +
                      "; wanted is an .npy array of shape (n, 7), float32 or float64");
  };
  std::array<char, 8> start{};
  file.read(start.data(), start.size());
  if (!file || std::memcmp(start.data(), "\x93NUMPY", 6) != 0) throw refuse("is no .npy file");
  bool const first_version = start[6] == 1;
  std::array<unsigned char, 4> size{};
  file.read(reinterpret_cast<char*>(size.data()), first_version ? 2 : 4);
  std::size_t const length = size[0] + 256U * size[1] + 65536U * size[2] + 16777216U * size[3];
  constexpr std::size_t longest = 1U << 20U;
  if (!file || length > longest) throw refuse("has no header");
  std::string text(length, ' ');
  file.read(text.data(), static_cast<std::streamsize>(length));
  if (!file) throw refuse("ends in its header");

  bool const is_double = value_of(text, "descr").starts_with("'<f8'");
  if (!is_double && !value_of(text, "descr").starts_with("'<f4'")) throw refuse("holds other numbers");
  if (!value_of(text, "fortran_order").starts_with("False")) throw refuse("is stored column by column");
  std::optional<Index> const rows = rows_of(value_of(text, "shape"));
  if (!rows) throw refuse("has another shape");
  return {*rows, is_double ? sizeof(double) : sizeof(float)};
}

std::vector<Body> read_npy(std::string const& path) {
  static_assert(std::endian::native == std::endian::little);
  std::ifstream file = open(path);
  Header const header = read_header(file, path);
  if (header.rows < 1) throw InputError("bodies: `" + path + "` holds none");
  std::vector<Body> bodies;
  std::array<char, column_names.size() * sizeof(double)> bytes{};
  for (Index n = 0; n < header.rows; ++n) {
    std::string const place = "bodies: `" + path + "`, row " + std::to_string(n);
    file.read(bytes.data(), static_cast<std::streamsize>(column_names.size() * header.bytes));
    if (!file) throw InputError(place + ": the file ends here, and its header tells of " + std::to_string(header.rows));
    Row row;
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (header.bytes == sizeof(double)) {
        std::memcpy(&row[column], &bytes[column * sizeof(double)], sizeof(double));
      } else {
        float number = 0;
        std::memcpy(&number, &bytes[column * sizeof(float)], sizeof(float));
        row[column] = number;
      }
    }
    bodies.push_back(body_of(row, place));
  }
  if (file.peek() != std::ifstream::traits_type::eof())
    throw InputError("bodies: `" + path + "` has bytes beyond the rows that its header tells of, " +
                     std::to_string(header.rows));
  return bodies;
}

bool is_npy(std::string const& path) {
  if (path.ends_with(".npy")) return true;
  if (path.ends_with(".csv")) return false;
  throw InputError("bodies: `" + path + "`: its name ends neither with .npy nor with .csv");
}

}  // namespace

Index count_rows(std::string const& path) {
  if (!is_npy(path)) return static_cast<Index>(read_bodies(path).size());
  std::ifstream file = open(path);
  Index const rows = read_header(file, path).rows;
  if (rows < 1) throw InputError("bodies: `" + path + "` holds none");
  return rows;
}

std::vector<Body> read_bodies(std::string const& path) {
  if (is_npy(path)) return read_npy(path);
  std::ifstream file = open(path);
  return read_csv(file, path);
}

}  // namespace halocline::nbody
