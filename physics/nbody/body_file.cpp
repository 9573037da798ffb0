#include "physics/nbody/body_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>

#include "framework/deck/tree.hpp"
#include "framework/io/array_file.hpp"
#include "framework/io/input_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline::nbody {
namespace {

using deck::printable;
using Cells = std::vector<std::string_view>;

/// "x, y, z, vx, vy, vz, mass"
std::string all_names() {
  std::string all;
  for (char const* const name : column_names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

std::string_view trimmed(std::string_view text) {
  constexpr char const* blanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view without_quotes(std::string_view cell) {
  bool const is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return is_quoted ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

Cells cells_of(std::string_view line) {
  Cells cells;
  for (;;) {
    std::size_t const comma = std::min(line.find(','), line.size());
    cells.push_back(without_quotes(trimmed(line.substr(0, comma))));
    if (comma == line.size()) return cells;
    line.remove_prefix(comma + 1);
  }
}

struct Parsed {
  double value = 0;
  std::errc error{};
  bool whole = false;  ///< whether the whole cell is a number
};

/// The standard library's parser rejects a leading plus sign, which other readers accept.
Parsed parse(std::string_view cell) {
  bool const is_signed = cell.size() > 1 && cell.front() == '+' && cell[1] != '-';
  if (is_signed) cell.remove_prefix(1);
  Parsed parsed;
  auto const [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), parsed.value);
  parsed.error = error;
  parsed.whole = error != std::errc::invalid_argument && end == cell.data() + cell.size();
  return parsed;
}

/// Whether a cell is a number, possibly with a typo.
bool begins_like_number(std::string_view cell) {
  if (parse(cell).whole) return true;
  std::size_t const first = cell.find_first_not_of("+-.");
  return first != std::string_view::npos && std::isdigit(static_cast<unsigned char>(cell[first])) != 0;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// The column with this name; the number of columns if there is none.
std::size_t column_of(std::string_view name) {
  std::string const lower = in_lower_case(name);
  if (lower == "m") return column_names.size() - 1;
  return static_cast<std::size_t>(std::find(column_names.begin(), column_names.end(), lower) - column_names.begin());
}

/// The first line contains names if none of its cells looks like a number.
bool are_names(Cells const& cells) {
  bool const has_letter =
      std::any_of(cells.front().begin(), cells.front().end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return has_letter && std::none_of(cells.begin(), cells.end(), begins_like_number);
}

void validate_names(Cells const& names, std::string const& place) {
  std::string const meant = "; the columns of a file of bodies are " + all_names() + ", in this order";
  if (names.size() != column_names.size())
    throw InputError(place + ": has " + std::to_string(names.size()) + " names" + meant);
  std::size_t n = 0;
  auto const is_elsewhere = [&n](std::string_view name) {
    std::size_t const column = column_of(name);
    return column != n++ && column != column_names.size();
  };
  auto const wrong = std::find_if(names.begin(), names.end(), is_elsewhere);
  if (wrong == names.end()) return;
  throw InputError(place + ": column " + std::to_string(n) + " is named `" + printable(*wrong) + "`" + meant);
}

/// Throws InputError for a cell that is not a number or is out of double precision's range.
double number_in(std::string_view cell, std::size_t column, std::string const& place) {
  Parsed const parsed = parse(cell);
  if (parsed.whole && parsed.error == std::errc()) return parsed.value;
  std::string const subject = place + ": " + column_names[column] + " is `" + printable(cell) + "`, ";
  if (!parsed.whole)
    throw InputError(subject + "which is not a number; expected seven numbers separated by commas: " + all_names());
  // strtod distinguishes overflow from underflow.
  bool const is_small = std::abs(std::strtod(std::string(cell).c_str(), nullptr)) < 1;
  throw InputError(subject + (is_small ? "below the smallest number" : "above the largest number") +
                   " of double precision; scale the problem" + (is_small ? ", or write 0" : ""));
}

Body body_in(Cells const& cells, std::string const& place) {
  Row row{};
  for (std::size_t column = 0; column < std::min(cells.size(), row.size()); ++column)
    row[column] = number_in(cells[column], column, place);
  if (cells.size() == row.size()) return body_of(row, place);
  throw InputError(place + ": expected seven numbers separated by commas, " + all_names() + ", and found " +
                   std::to_string(cells.size()));
}

constexpr Index columns = column_names.size();

/// Opens an .npy file of bodies. Throws InputError if it is not one, or is empty.
std::unique_ptr<ArrayFile> open_rows(std::string const& path) {
  std::unique_ptr<ArrayFile> file;
  std::string why;
  try {
    file = open_npy(path, 2);
    if (file->components() > 0 || file->extents()[0] != columns) why = "`" + path + "` has another shape";
  } catch (InputError const& error) {
    why = error.what();
  }
  if (!why.empty()) throw InputError("bodies: " + why + "; expected an .npy array of shape (n, 7) of real numbers");
  if (file->extents()[1] < 1) throw InputError("bodies: `" + path + "` holds no bodies");
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
  throw InputError("bodies: `" + path + "`: its name must end with .npy or .csv");
}

}  // namespace

Body body_of(Row const& row, std::string const& place) {
  for (std::size_t column = 0; column < row.size(); ++column) {
    if (std::isfinite(row[column])) continue;
    throw InputError(place + ": " + column_names[column] + " is " + shortest_text(row[column]) +
                     ", but must be finite");
  }
  if (row[6] < 0) throw InputError(place + ": mass is " + shortest_text(row[6]) + ", but must be at least 0");
  return {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}, row[6]};
}

std::vector<Body> read_csv(std::istream& text, std::string const& path) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::vector<Body> bodies;
  std::string line;
  bool is_first = true;
  for (Index number = 1; std::getline(text, line); ++number) {
    std::string_view rest = line;
    if (number == 1 && rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
    rest = trimmed(rest);
    if (rest.empty() || rest.front() == '#') continue;
    std::string const place = "bodies: `" + path + "`:" + std::to_string(number);
    Cells const cells = cells_of(rest);
    if (is_first && are_names(cells)) {
      validate_names(cells, place);
    } else {
      bodies.push_back(body_in(cells, place));
    }
    is_first = false;
  }
  if (text.bad()) throw InputOutputError("bodies: `" + path + "` cannot be read");
  if (bodies.empty()) throw InputError("bodies: `" + path + "` holds no bodies");
  return bodies;
}

Index count_rows(std::string const& path) {
  return is_npy(path) ? open_rows(path)->extents()[1] : static_cast<Index>(read_bodies(path).size());
}

std::vector<Body> read_bodies(std::string const& path) {
  if (is_npy(path)) return read_npy(path);
  // Opening a pipe that has no writer would block.
  static_cast<void>(InputFile(path));
  std::ifstream file(path, std::ios::binary);
  if (!file || !file.good()) throw InputOutputError("bodies: `" + path + "` cannot be opened");
  return read_csv(file, path);
}

}  // namespace halocline::nbody
