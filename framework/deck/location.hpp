#pragma once

#include <memory>
#include <string>
#include <utility>

namespace halocline {

/// Name of a deck or of a `--set`. Copies share the text: a large deck has a million locations.
class SourceName {
 public:
  SourceName() = default;
  SourceName(std::string name) : name_(std::make_shared<std::string const>(std::move(name))) {}
  SourceName(char const* name) : SourceName(std::string(name)) {}

  [[nodiscard]] bool empty() const { return name_ == nullptr || name_->empty(); }
  [[nodiscard]] std::string text() const { return name_ == nullptr ? std::string() : *name_; }

 private:
  std::shared_ptr<std::string const> name_;
};

/// Origin of a value: a position in a deck, a `--set` of the command line, or none (a default).
struct Location {
  SourceName source;  ///< name of the deck, or "--set a.b=value"; empty for a default
  int line = 0;       ///< from 1; for a `--set` its position on the command line, from 1
  int column = 0;     ///< from 1; 0 for a `--set`

  [[nodiscard]] bool is_default() const { return source.empty(); }
  /// "plate.yaml:14:3", "--set solver.method=cg" or "default".
  [[nodiscard]] std::string text() const;
  /// True if this location precedes `other`: the deck from top to bottom, then the command line.
  [[nodiscard]] bool before(Location const& other) const;
};

}  // namespace halocline
