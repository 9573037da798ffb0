#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/deck/section.hpp"

namespace halocline {

/// An option of a deck, as `--set` takes it.
struct Setting {
  std::string path;                  ///< "solver.cg.preconditioner"
  std::vector<std::string> choices;  ///< all that it may be; empty: anything
  std::string sentence;
};

/// The options of a deck, those of sections inside included. Elements of lists, which have numbers, are left out.
[[nodiscard]] std::vector<Setting> settings_of(Section const& deck);

/// What stands for a value in the completion of a shell.
enum class ValueKind { nothing, files, folders, words, settings };

/// What values of a command line may be, beyond what is declared with it.
struct CompletionWords {
  std::vector<Setting> settings;
  /// By the name that a value has: "PHYSICS", or, where two commands mean something else by it, "bench NAME".
  std::map<std::string, std::vector<std::string>> words;
};

}  // namespace halocline
