#include "framework/deck/registry.hpp"

#include "framework/deck/nearest_name.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

void throw_unknown_name(std::string_view kind, std::string_view name, std::vector<std::string> const& known) {
  std::string message = "`" + std::string(name) + "`: no such " + std::string(kind);
  if (!known.empty()) message += "; " + advice_for(name, known);
  throw InputError(message);
}

void throw_name_taken(std::string_view kind, std::string_view name) {
  throw InputError("`" + std::string(name) + "`: there is already a " + std::string(kind) + " of this name");
}

}  // namespace halocline
