#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "framework/runtime/index.hpp"

namespace halocline {

/// A table of a run as CSV, for one rank to write: a line of names, then a line for each row. Numbers have as many
/// digits as it takes to read the same number back.
class TableWriter {
 public:
  using Value = std::variant<Index, double, std::string>;

  /// Creates the file, or empties it. Throws InputOutputError naming the file and the reason.
  TableWriter(std::filesystem::path path, std::vector<std::string> const& columns);

  /// Adds a row; what `flush` has not yet handed over may be lost when the program dies. Throws DefectError if the
  /// number of values is not that of the columns.
  void add(std::span<Value const> row);
  void add(std::initializer_list<Value> row) { add(std::span(row.begin(), row.size())); }
  /// Hands all rows to the operating system. Throws InputOutputError.
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void put(std::string const& line);

  std::filesystem::path path_;
  std::size_t columns_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace halocline
