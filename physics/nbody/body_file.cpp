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

namespace halocline::nbody {
namespace {

constexpr std::size_t columns = 7;
using Row = std::array<double, columns>;

std::ifstream open(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || !file.good()) throw InputOutputError("bodies: `" + path + "` cannot be opened");
  return file;
}

Body body_of(Row const& row, std::string const& place) {
  for (double const number : row) {
    if (!std::isfinite(number)) throw InputError(place + ": a number is not finite");
  }
  if (row[6] < 0) throw InputError(place + ": a mass is below 0");
  return {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}, row[6]};
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
  std::vector<Body> bodies;
  std::array<char, columns * sizeof(double)> bytes{};
  for (Index n = 0; n < header.rows; ++n) {
    std::string const place = "bodies: `" + path + "`, row " + std::to_string(n);
    file.read(bytes.data(), static_cast<std::streamsize>(columns * header.bytes));
    if (!file) throw InputError(place + ": the file ends here, and its header tells of " + std::to_string(header.rows));
    Row row;
    for (std::size_t column = 0; column < columns; ++column) {
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
  return bodies;
}

// .csv

/// The numbers of a line; empty where it holds something else.
std::optional<Row> numbers_of(std::string_view line) {
  Row row{};
  for (std::size_t column = 0; column < columns; ++column) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    auto const [end, error] = std::from_chars(line.data(), line.data() + line.size(), row[column]);
    if (error != std::errc()) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    bool const is_last = column + 1 == columns;
    if (is_last) return line.empty() ? std::optional(row) : std::nullopt;
    if (line.empty() || line.front() != ',') return std::nullopt;
    line.remove_prefix(1);
  }
  return row;
}

std::vector<Body> read_csv(std::string const& path) {
  std::ifstream file = open(path);
  std::vector<Body> bodies;
  std::string line;
  bool may_be_names = true;
  for (Index number = 1; std::getline(file, line); ++number) {
    std::size_t const first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    std::string const place = "bodies: `" + path + "`:" + std::to_string(number);
    std::optional<Row> const row = numbers_of(line);
    bool const is_names = may_be_names && !row && std::isalpha(static_cast<unsigned char>(line[first])) != 0;
    may_be_names = false;
    if (is_names) continue;
    if (!row)
      throw InputError(place + ": expected seven numbers with commas between them: x, y, z, velocity in x, y, z, mass");
    bodies.push_back(body_of(*row, place));
  }
  if (file.bad()) throw InputOutputError("bodies: `" + path + "` cannot be read");
  if (bodies.empty()) throw InputError("bodies: `" + path + "` holds none");
  return bodies;
}

bool is_npy(std::string const& path) {
  if (path.ends_with(".npy")) return true;
  if (path.ends_with(".csv")) return false;
  throw InputError("bodies: `" + path + "`: its name ends neither with .npy nor with .csv");
}

}  // namespace

Index count_rows(std::string const& path) {
  if (!is_npy(path)) return static_cast<Index>(read_csv(path).size());
  std::ifstream file = open(path);
  Index const rows = read_header(file, path).rows;
  if (rows < 1) throw InputError("bodies: `" + path + "` holds none");
  return rows;
}

std::vector<Body> read_bodies(std::string const& path) { return is_npy(path) ? read_npy(path) : read_csv(path); }

}  // namespace halocline::nbody
