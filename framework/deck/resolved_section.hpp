#pragma once

#include <Teuchos_ParameterList.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/deck/parameters.hpp"
#include "framework/deck/section.hpp"

namespace halocline::deck {

/// A declaration with all that is registered at the time, worked out once for every place where a deck may give it.
struct ResolvedSection {
  struct Inner {
    std::shared_ptr<ResolvedSection const> declaration;
    std::string chooser;  ///< name of the choice that says whether it is in use; empty where it always is
  };

  std::shared_ptr<Section const> section;
  std::vector<Inner> sections;
  std::vector<std::shared_ptr<ResolvedSection const>> lists;
  std::vector<std::string> names;                       ///< of options, sections and lists
  std::vector<Validator> validators;                    ///< of the options, in their order
  Teuchos::ParameterList defaults;                      ///< under their validators
  std::map<std::string, std::string> refused_defaults;  ///< why the validator refuses the default of an option
};

/// The first place below `section`, in those in use by default if there is one, where an option is called `name`:
/// "solver.cg.iterations"; empty if there is none.
[[nodiscard]] std::string find_below(ResolvedSection const& section, std::string const& name);

/// "did you mean `iterations`?" for a name that `section` does not have: one that it has and that is near, the same
/// name elsewhere below `root`, or all that it has.
[[nodiscard]] std::string advice_for_unknown(std::string const& name, ResolvedSection const& section,
                                             ResolvedSection const& root);

}  // namespace halocline::deck
