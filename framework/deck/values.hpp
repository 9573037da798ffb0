#pragma once

#include <Teuchos_ParameterList.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/parameters.hpp"
#include "framework/deck/resolved_section.hpp"

namespace halocline {

/// The values of one section, as the judge left them.
struct Options::Values {
  std::shared_ptr<deck::ResolvedSection const> declaration;
  std::string full_name;
  Location location;
  /// Values that the deck gives, each under its validator; null if there are none. Others are the declaration's.
  std::unique_ptr<Teuchos::ParameterList> given;
  std::set<std::string, std::less<>> mistaken;
  std::map<std::string, std::size_t, std::less<>> entries;  ///< of vectors of right length that hold a mistake
  bool wholly_mistaken = false;                             ///< something else stands where the section should
  std::map<std::string, Location, std::less<>> locations;   ///< of what the deck gives
  std::map<std::string, std::shared_ptr<Values const>, std::less<>> sections;
  std::map<std::string, std::vector<std::shared_ptr<Values const>>, std::less<>> lists;
  std::map<std::string, std::shared_ptr<Values const>, std::less<>> files;  ///< given as values of fields

  /// The list that has the option: the given values or the declaration's defaults; null if neither has.
  [[nodiscard]] Teuchos::ParameterList const* holder(std::string const& option) const {
    if (given != nullptr && given->isParameter(option)) return given.get();
    if (mistaken.contains(option) || files.contains(option) || !declaration->defaults.isParameter(option))
      return nullptr;
    return &declaration->defaults;
  }
  [[nodiscard]] OptionValue value(std::string const& option) const {
    Teuchos::ParameterList const* const list = holder(option);
    return list == nullptr ? OptionValue() : deck::held(option, *list);
  }
};

}  // namespace halocline
