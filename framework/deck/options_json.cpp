#include <nlohmann/json.hpp>

#include "framework/deck/option_json.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/values.hpp"

namespace halocline {
namespace {

using deck::Json;
using deck::json_of;

Json json_of(Options::Values const& values) {
  Json all = Json::object();
  for (Option const& option : values.declaration->section->options()) {
    OptionValue const value = values.value(option.name());
    if (!std::holds_alternative<std::monostate>(value)) all[option.name()] = json_of(value);
  }
  for (auto const& [name, file] : values.files) all[name] = json_of(*file);
  for (auto const& [name, section] : values.sections) all[name] = json_of(*section);
  for (auto const& [name, elements] : values.lists) {
    Json list = Json::array();
    for (auto const& element : elements) list.push_back(json_of(*element));
    all[name] = std::move(list);
  }
  return all;
}

}  // namespace

std::string Options::json() const { return json_of(*values_).dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace halocline
