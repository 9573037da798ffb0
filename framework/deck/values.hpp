#pragma once

#include <Teuchos_ParameterList.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"

namespace halocline {

/// The values of one section, as the judge left them.
struct Options::Values {
  std::shared_ptr<Section const> declaration;
  std::string full_name;
  Location location;
  Teuchos::ParameterList parameters;  ///< the options that have a value, each with its validator
  std::set<std::string, std::less<>> mistaken;
  bool wholly_mistaken = false;                            ///< something else stands where the section should
  std::map<std::string, Location, std::less<>> locations;  ///< of what the deck gives
  std::map<std::string, std::shared_ptr<Values const>, std::less<>> sections;
  std::map<std::string, std::vector<std::shared_ptr<Values const>>, std::less<>> lists;
};

}  // namespace halocline
