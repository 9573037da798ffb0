#include "framework/runtime/cache_folder.hpp"

#include <cstdlib>

namespace halocline {
namespace {

std::filesystem::path path_in(char const* variable) {
  char const* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

}  // namespace

std::filesystem::path cache_folder() {
  if (auto cache = path_in("XDG_CACHE_HOME"); !cache.empty()) return cache / "halocline";
  if (auto home = path_in("HOME"); !home.empty()) return home / ".cache" / "halocline";
  return {};
}

}  // namespace halocline
