#include "framework/kernel/functor_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace halocline::kernel {
namespace {

void remove_all(std::string& text, std::string const& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

}  // namespace

std::string type_name(std::type_info const& type) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const demangled(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         &std::free);
  std::string name = status == 0 ? demangled.get() : type.name();
  remove_all(name, "halocline::");
  remove_all(name, "(anonymous namespace)::");
  return name;
}

}  // namespace halocline::kernel
