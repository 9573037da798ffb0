#include "framework/io/table_writer.hpp"

#include <cerrno>
#include <utility>

#include "framework/io/whole_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

namespace {

/// Text with commas, quotation marks or line ends is put in quotation marks, as RFC 4180 has it.
std::string quoted(std::string const& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string safe = "\"";
  for (char const letter : text) {
    if (letter == '"') safe += '"';
    safe += letter;
  }
  return safe + '"';
}

std::string text_of(TableWriter::Value const& value) {
  if (auto const* const index = std::get_if<Index>(&value)) return std::to_string(*index);
  if (auto const* const number = std::get_if<double>(&value)) return shortest_text(*number);
  return quoted(std::get<std::string>(value));
}

}  // namespace

TableWriter::TableWriter(std::filesystem::path path, std::vector<std::string> const& columns)
    : path_(std::move(path)), columns_(columns.size()), file_(std::fopen(path_.c_str(), "we")) {
  if (!file_) throw_write_error(path_, errno);
  std::vector<Value> const names(columns.begin(), columns.end());
  add(names);
  flush();
}

void TableWriter::add(std::span<Value const> row) {
  if (row.size() != columns_) {
    throw DefectError(path_.string() + " has " + std::to_string(columns_) + " columns; a row has " +
                      std::to_string(row.size()) + " values");
  }
  std::string line;
  for (Value const& value : row) line += (line.empty() ? "" : ",") + text_of(value);
  put(line + '\n');
}

void TableWriter::put(std::string const& line) {
  FileSizeSignalIgnored const ignored;
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size()) throw_write_error(path_, errno);
}

void TableWriter::flush() {
  FileSizeSignalIgnored const ignored;
  if (std::fflush(file_.get()) != 0) throw_write_error(path_, errno);
}

}  // namespace halocline
