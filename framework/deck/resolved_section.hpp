#pragma once

#include <Teuchos_ParameterList.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/deck/parameters.hpp"
#include "framework/deck/section.hpp"

namespace halocline::deck {

/// A declaration with all registered sections of that time, resolved once for every place where a deck may give it.
struct ResolvedSection {
  struct Inner {
    std::shared_ptr<ResolvedSection const> declaration;
    std::string chooser;  ///< name of the choice that decides whether it is in use; empty if it always is
  };

  std::shared_ptr<Section const> section;
  std::vector<Inner> sections;
  std::vector<std::shared_ptr<ResolvedSection const>> lists;
  std::vector<std::string> names;                       ///< of options, sections and lists
  std::vector<Validator> validators;                    ///< of the options, in the same order
  Teuchos::ParameterList defaults;                      ///< with their validators
  std::map<std::string, std::string> refused_defaults;  ///< by option: why the validator refuses its default
};

/// The path below `section` of the first option called `name`: "solver.cg.iterations"; empty if there is none. Sections
/// that are in use by default come first.
[[nodiscard]] std::string find_below(ResolvedSection const& section, std::string const& name);

/// "did you mean `iterations`?" for a name that `section` does not have: a near name in `section`, the same name
/// elsewhere below `root`, or else all names of `section`.
[[nodiscard]] std::string advice_for_unknown(std::string const& name, ResolvedSection const& section,
                                             ResolvedSection const& root);

}  // namespace halocline::deck
