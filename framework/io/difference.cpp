#include "framework/io/difference.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

/// Numbers of each file that are in memory at a time.
constexpr Index most_numbers = Index{1} << 20;

bool same_number(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// |a - b| of two different numbers.
double distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  double const apart = std::abs(a - b);
  return std::isfinite(apart) ? apart : std::numeric_limits<double>::infinity();
}

/// Adds a pair of numbers to a difference, whose norm is the sum of squares so far. Returns whether this is the largest
/// difference so far.
bool add(double a, double b, Difference& to) {
  ++to.numbers;
  if (std::isfinite(a)) to.magnitude = std::max(to.magnitude, std::abs(a));
  if (std::isfinite(b)) to.magnitude = std::max(to.magnitude, std::abs(b));
  if (same_number(a, b)) return false;
  double const apart = distance(a, b);
  bool const is_largest = to.differing == 0 || apart > to.largest;
  ++to.differing;
  to.largest = std::max(to.largest, apart);
  to.norm += apart * apart;
  return is_largest;
}

std::string size_text(SnapshotEntry const& field) {
  std::string text;
  for (Index const extent : field.extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text + " " + field.kind + "s" +
         (field.components > 1 ? " of " + std::to_string(field.components) + " components" : "");
}

FieldDifference difference_of(SnapshotFile const& first, SnapshotEntry const& mine, SnapshotFile const& second,
                              SnapshotEntry const& theirs) {
  if (mine.kind != theirs.kind || mine.extents != theirs.extents || mine.components != theirs.components) {
    throw InputError("`" + mine.name + "` has " + size_text(mine) + " in " + first.path().string() + " and " +
                     size_text(theirs) + " in " + second.path().string() + ": only fields of one size can be compared");
  }
  FieldDifference found{mine, {}, mine.is_single != theirs.is_single, {}, 0};
  Index numbers = mine.components;
  for (Index const extent : mine.extents) numbers *= extent;
  Index worst = 0;
  std::vector<double> a;
  std::vector<double> b;
  for (Index begin = 0; begin < numbers; begin += most_numbers) {
    Index const count = std::min(most_numbers, numbers - begin);
    first.read(mine, begin, count, a);
    second.read(theirs, begin, count, b);
    for (std::size_t n = 0; n < a.size(); ++n) {
      if (add(a[n], b[n], found.difference)) worst = begin + static_cast<Index>(n);
    }
  }
  found.difference.norm = std::sqrt(found.difference.norm);
  found.component = worst % mine.components;
  worst /= mine.components;
  for (Index const extent : mine.extents) {
    found.place.push_back(worst % extent);
    worst /= extent;
  }
  return found;
}

SnapshotEntry const* find(std::vector<SnapshotEntry> const& fields, SnapshotEntry const& like) {
  auto const found =
      std::ranges::find_if(fields, [&](SnapshotEntry const& field) { return field.dataset == like.dataset; });
  return found == fields.end() ? nullptr : &*found;
}

/// A table as read from its file.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

std::vector<std::string> words_of(std::string const& line) {
  std::vector<std::string> words;
  std::istringstream from(line);
  for (std::string word; std::getline(from, word, ',');) words.push_back(word);
  if (line.ends_with(',')) words.emplace_back();
  return words;
}

Table read_table(std::filesystem::path const& path) {
  std::ifstream file(path);
  Table table;
  std::string line;
  if (!std::getline(file, line)) throw InputOutputError("cannot read " + path.string() + ": it is not a table");
  table.names = words_of(line);
  while (std::getline(file, line)) {
    table.rows.push_back(words_of(line));
    if (table.rows.back().size() == table.names.size()) continue;
    throw InputOutputError("cannot read " + path.string() + ": line " + std::to_string(table.rows.size() + 1) +
                           " has a different number of entries than the first");
  }
  return table;
}

/// Words that are not numbers read as NaN.
double number(std::string const& word) {
  char* end = nullptr;
  double const value = std::strtod(word.c_str(), &end);
  return !word.empty() && *end == 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

ColumnDifference column_difference(std::string const& name, Table const& first, std::size_t mine, Table const& second,
                                   std::size_t theirs) {
  ColumnDifference found{name, {}, -1, {}, {}};
  std::size_t const rows = std::min(first.rows.size(), second.rows.size());
  for (std::size_t row = 0; row < rows; ++row) {
    std::string const& a = first.rows[row][mine];
    std::string const& b = second.rows[row][theirs];
    Index const before = found.difference.differing;
    add(number(a), number(b), found.difference);
    if (found.difference.differing == before || found.row >= 0) continue;
    found.row = static_cast<Index>(row);
    found.first_value = a;
    found.second_value = b;
  }
  found.difference.norm = std::sqrt(found.difference.norm);
  return found;
}

std::vector<std::string> missing_from(std::vector<std::string> const& known, std::vector<std::string> const& names) {
  std::vector<std::string> missing;
  std::ranges::copy_if(names, std::back_inserter(missing),
                       [&](std::string const& name) { return std::ranges::find(known, name) == known.end(); });
  return missing;
}

}  // namespace

bool SnapshotDifference::same_bits() const {
  return offset == 0 && only_first.empty() && only_second.empty() && std::ranges::all_of(fields, [](auto const& field) {
           return field.difference.same_bits() && !field.other_precision;
         });
}

bool SnapshotDifference::within(double tolerance) const {
  return same_bits() ||
         (tolerance > 0 && std::abs(offset) <= tolerance * std::abs(time) && only_first.empty() &&
          only_second.empty() &&
          std::ranges::all_of(fields, [&](auto const& field) { return field.difference.within(tolerance); }));
}

SnapshotDifference difference(SnapshotFile const& first, SnapshotFile const& second) {
  SnapshotDifference found{first.step(), first.time(), second.time() - first.time(), {}, {}, {}};
  for (SnapshotEntry const& field : second.fields()) {
    if (find(first.fields(), field) == nullptr) found.only_second.push_back(field.name);
  }
  for (SnapshotEntry const& field : first.fields()) {
    SnapshotEntry const* const other = find(second.fields(), field);
    if (other == nullptr) {
      found.only_first.push_back(field.name);
    } else {
      found.fields.push_back(difference_of(first, field, second, *other));
    }
  }
  return found;
}

Index TableDifference::row() const {
  Index first = first_rows == second_rows ? std::numeric_limits<Index>::max() : std::min(first_rows, second_rows);
  for (ColumnDifference const& column : columns) {
    if (column.row >= 0) first = std::min(first, column.row);
  }
  return first == std::numeric_limits<Index>::max() ? -1 : first;
}

bool TableDifference::same_bits() const { return row() < 0 && only_first.empty() && only_second.empty(); }

bool TableDifference::within(double tolerance) const {
  return first_rows == second_rows && only_first.empty() && only_second.empty() &&
         std::ranges::all_of(columns, [&](auto const& column) { return column.difference.within(tolerance); });
}

TableDifference table_difference(std::filesystem::path const& first, std::filesystem::path const& second) {
  Table const a = read_table(first);
  Table const b = read_table(second);
  TableDifference found;
  found.first_rows = static_cast<Index>(a.rows.size());
  found.second_rows = static_cast<Index>(b.rows.size());
  found.only_first = missing_from(b.names, a.names);
  found.only_second = missing_from(a.names, b.names);
  for (std::size_t column = 0; column < a.names.size(); ++column) {
    auto const other = std::ranges::find(b.names, a.names[column]);
    if (other == b.names.end()) continue;
    found.columns.push_back(
        column_difference(a.names[column], a, column, b, static_cast<std::size_t>(other - b.names.begin())));
  }
  Index const row = found.row();
  Table const& longer = a.rows.size() >= b.rows.size() ? a : b;
  for (std::size_t column = 0; row >= 0 && column < longer.names.size(); ++column) {
    if (longer.names[column] != "step" && longer.names[column] != "time") continue;
    found.place[longer.names[column]] = longer.rows[static_cast<std::size_t>(row)][column];
  }
  return found;
}

}  // namespace halocline
