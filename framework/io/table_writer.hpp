#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// A table of a run as CSV, for one rank to write: a line of names, then a line for each row. Numbers have as many
/// digits as it takes to read the same number back.
class TableWriter {
 public:
  using Value = std::variant<Index, double, std::string>;

  /// A row as the line of a table, its end included: for tables that are written whole.
  [[nodiscard]] static std::string line_of(std::span<Value const> row);

  /// Creates the file. Throws InputOutputError naming it and the reason, one of which is that it is there.
  TableWriter(std::filesystem::path path, std::vector<std::string> const& columns);

  /// Adds a row; what `flush` has not yet handed over is lost when the program dies. Throws DefectError if the number
  /// of values is not that of the columns.
  void add(std::span<Value const> row);
  void add(std::initializer_list<Value> row) { add(std::span(row.begin(), row.size())); }
  /// Hands all rows to the operating system. Throws InputOutputError; the file then ends with the rows of the last
  /// flush that went well.
  void flush();

 private:
  std::filesystem::path path_;
  std::size_t columns_;
  Descriptor file_;
  std::string rows_;  ///< that flush has to hand over
  off_t size_ = 0;    ///< of the file, in bytes
};

}  // namespace halocline
