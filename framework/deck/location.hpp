#pragma once

#include <compare>
#include <string>

namespace halocline {

/// Where a value comes from: a place in a deck, a `--set` of the command line, or nowhere (a default).
struct Location {
  std::string source;  ///< name of the deck, or "--set a.b=value"; empty for a default
  int line = 0;        ///< counted from 1; for a `--set` its place on the command line, counted from 1
  int column = 0;      ///< counted from 1; 0 for a `--set`

  [[nodiscard]] bool is_default() const { return source.empty(); }
  /// "heat.yaml:14:3", "--set solver.method=cg" or "default".
  [[nodiscard]] std::string text() const;
  /// True if a reader meets this place earlier: the deck from top to bottom, then the command line.
  [[nodiscard]] bool before(Location const& other) const;
};

}  // namespace halocline
