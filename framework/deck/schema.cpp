#include <nlohmann/json.hpp>

#include "framework/deck/field_source.hpp"
#include "framework/deck/option_json.hpp"
#include "framework/deck/reference.hpp"

namespace halocline {
namespace {

using deck::Json;
using deck::json_of;

Json type_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::integer:
      return "integer";
    case OptionKind::real:
      return "number";
    case OptionKind::boolean:
      return "boolean";
    case OptionKind::choice:
      return "string";
    case OptionKind::expression:
    case OptionKind::field:
      return {"number", "string"};
    default:
      return {"string", "number", "boolean"};
  }
}

Json entry_schema(Option const& option) {
  Json schema{{"type", type_of(option.kind())}};
  if (option.takes_list()) schema["type"].push_back("array");
  if (option.kind() == OptionKind::choice) schema["enum"] = option.names();
  if (option.lower()) schema[option.lower()->inclusive ? "minimum" : "exclusiveMinimum"] = option.lower()->value;
  if (option.upper()) schema[option.upper()->inclusive ? "maximum" : "exclusiveMaximum"] = option.upper()->value;
  return schema;
}

Json field_file_schema();

Json option_schema(Option const& option) {
  Json schema = entry_schema(option);
  if (option.kind() == OptionKind::field) schema = {{"anyOf", {schema, field_file_schema()}}};
  if (option.is_vector()) {
    Json const entry = schema;
    Json const vector{{"type", "array"},
                      {"items", entry},
                      {"minItems", option.minimum_entries()},
                      {"maxItems", option.maximum_entries()}};
    schema = option.minimum_entries() <= 1 ? Json{{"anyOf", {entry, vector}}} : vector;
  }
  schema["description"] = option.sentence() + (option.unit().empty() ? "" : " [" + option.unit() + "]");
  if (!std::holds_alternative<std::monostate>(option.default_value()))
    schema["default"] = json_of(option.default_value());
  return schema;
}

Json requirements(Section const& section);

/// The permitted contents of a section, without its requirements.
Json shape(Section const& section) {
  Json properties = Json::object();
  for (Option const& option : section.options()) properties[option.name()] = option_schema(option);
  for (Section const& nested : section.sections()) {
    properties[nested.name()] =
        nested.switched_by().empty() ? shape(nested) : Json{{"anyOf", {Json{{"type", "boolean"}}, shape(nested)}}};
  }
  for (Section const& element : section.lists()) {
    Json item = shape(element);
    item["allOf"] = Json::array({requirements(element)});
    properties[element.name()] = {{"type", {"array", "null"}}, {"items", item}};
  }
  return {{"type", {"object", "null"}},
          {"description", section.sentence()},
          {"properties", properties},
          {"additionalProperties", false}};
}

/// True if `name` is the default of the choice `chooser`.
bool is_default_choice(Section const& section, std::string const& chooser, std::string const& name) {
  for (Option const& option : section.options()) {
    if (option.name() == chooser) return json_of(option.default_value()) == name;
  }
  return false;
}

/// True if a deck without the section violates these requirements.
bool forbids_absence(Json const& requirements) {
  if (requirements.contains("required")) return true;
  for (Json const& choice : requirements.value("allOf", Json::array())) {
    if (!choice["if"].contains("required")) return true;
  }
  return false;
}

/// The required contents of a section: its required options, inner sections that have some, and those of chosen
/// sections.
Json requirements(Section const& section) {
  Json required = Json::array();
  Json properties = Json::object();
  Json choices = Json::array();
  for (Option const& option : section.options()) {
    if (option.is_required()) required.push_back(option.name());
  }
  for (auto const& [nested, chooser] : section.inner()) {
    Json const inner = requirements(nested);
    if (inner.empty()) continue;
    if (chooser.empty()) {
      properties[nested.name()] = inner;
      if (nested.is_optional() || !forbids_absence(inner)) continue;
      if (nested.optional_names().empty()) {
        required.push_back(nested.name());
      } else {
        choices.push_back({{"if", {{"properties", {{nested.optional_chooser(), {{"enum", nested.optional_names()}}}}}}},
                           {"else", {{"required", {nested.name()}}}}});
      }
      continue;
    }
    Json condition{{"properties", {{chooser, {{"const", nested.name()}}}}}};
    if (!is_default_choice(section, chooser, nested.name())) condition["required"] = {chooser};
    choices.push_back(
        {{"if", condition}, {"then", {{"required", {nested.name()}}, {"properties", {{nested.name(), inner}}}}}});
  }
  Json all = Json::object();
  if (!required.empty()) all["required"] = required;
  if (!properties.empty()) all["properties"] = properties;
  if (!choices.empty()) all["allOf"] = choices;
  if (!all.empty() && !required.empty()) all["type"] = "object";
  return all;
}

/// The schema of a file that replaces the expression of a field.
Json field_file_schema() {
  Section const section = field_file_section();
  Json schema = shape(section);
  schema.update(requirements(section));
  return schema;
}

}  // namespace

std::string json_schema(Section const& root) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Halocline deck"}};
  schema.update(shape(root));
  schema["allOf"] = Json::array({requirements(root)});
  return schema.dump(2) + "\n";
}

}  // namespace halocline
