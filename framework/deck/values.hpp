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

/// The validated values of one section.
struct Options::Values {
  std::shared_ptr<deck::ResolvedSection const> declaration;
  std::string full_name;
  Location location;
  /// Values given by the deck, each with its validator; null if there are none. Others are the declaration's defaults.
  std::unique_ptr<Teuchos::ParameterList> given;
  std::set<std::string, std::less<>> mistaken;
  std::map<std::string, std::size_t, std::less<>> entries;  ///< of vectors that have an allowed length but a mistake
  bool wholly_mistaken = false;                             ///< the deck has something else in place of the section
  std::map<std::string, Location, std::less<>> locations;   ///< of what the deck gives
  std::map<std::string, std::shared_ptr<Values const>, std::less<>> sections;
  std::map<std::string, std::vector<std::shared_ptr<Values const>>, std::less<>> lists;
  std::map<std::string, std::shared_ptr<Values const>, std::less<>> files;  ///< of fields that are given by files

  /// The list that contains the option: the given values or the declaration's defaults; null if neither has it.
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
