#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/deck/section.hpp"

namespace halocline {

/// An option of a deck, as `--set` names it.
struct Setting {
  std::string path;                  ///< "solver.cg.preconditioner"
  std::vector<std::string> choices;  ///< all allowed values; empty: any
  std::string sentence;
};

/// The options of a deck, including those of nested sections, but not numbered elements of lists.
[[nodiscard]] std::vector<Setting> settings_of(Section const& deck);

/// The kind of a value in the completion of a shell.
enum class ValueKind { nothing, files, folders, words, settings };

/// Possible values on a command line, in addition to those in its declaration.
struct CompletionWords {
  std::vector<Setting> settings;
  /// By the placeholder of a value: "PHYSICS" or, where two commands use one with different meanings, "bench NAME".
  std::map<std::string, std::vector<std::string>> words;
};

}  // namespace halocline
