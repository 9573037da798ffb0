#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/io/snapshot_file.hpp"

namespace halocline {

/// Difference between two lists of numbers. Two numbers are equal if all of their bits are.
struct Difference {
  Index numbers = 0;     ///< number of pairs compared
  Index differing = 0;   ///< pairs that are not equal
  double largest = 0;    ///< largest |a - b|; infinite if one of them is NaN, or only one is infinite
  double magnitude = 0;  ///< largest finite |a| or |b|
  double norm = 0;       ///< sqrt(sum (a - b)^2)

  [[nodiscard]] bool same_bits() const { return differing == 0; }
  /// `largest` relative to `magnitude`.
  [[nodiscard]] double relative() const { return largest == 0 ? 0 : largest / magnitude; }
  /// Whether all are equal, or differ by at most `tolerance` * `magnitude`; tolerance 0 requires equal bits.
  [[nodiscard]] bool within(double tolerance) const {
    return same_bits() || (tolerance > 0 && relative() <= tolerance);
  }
};

/// Difference of a field in two snapshots.
struct FieldDifference {
  SnapshotEntry field;
  Difference difference;
  bool other_precision = false;  ///< single in one of them and double in the other
  std::vector<Index> place;      ///< of the largest difference: indices along x, y and z, or of the point
  Index component = 0;           ///< of the largest difference
};

/// Difference between two snapshots.
struct SnapshotDifference {
  Index step = 0;                       ///< of the first
  double time = 0;                      ///< of the first
  double offset = 0;                    ///< time of the second minus that of the first
  std::vector<std::string> only_first;  ///< names of fields
  std::vector<std::string> only_second;
  std::vector<FieldDifference> fields;

  [[nodiscard]] bool same_bits() const;
  [[nodiscard]] bool within(double tolerance) const;
};

/// Reads both in parts. Throws InputError for fields of different sizes, InputOutputError if a file cannot be read.
[[nodiscard]] SnapshotDifference difference(SnapshotFile const& first, SnapshotFile const& second);

/// Difference of a column in two tables.
struct ColumnDifference {
  std::string name;
  Difference difference;
  Index row = 0;  ///< the first row that differs, from 0
  std::string first_value;
  std::string second_value;  ///< in the same row
};

/// Difference between two tables of runs.
struct TableDifference {
  Index first_rows = 0;
  Index second_rows = 0;
  std::vector<std::string> only_first;  ///< names of columns
  std::vector<std::string> only_second;
  std::vector<ColumnDifference> columns;
  std::map<std::string, std::string> place;  ///< step and time, if the tables have them, of the first row that differs

  /// The first row that differs or exists in one table only; -1 if there is none.
  [[nodiscard]] Index row() const;
  [[nodiscard]] bool same_bits() const;
  [[nodiscard]] bool within(double tolerance) const;
};

/// Throws InputOutputError if a file cannot be read or is not a table of numbers.
[[nodiscard]] TableDifference table_difference(std::filesystem::path const& first, std::filesystem::path const& second);

}  // namespace halocline
