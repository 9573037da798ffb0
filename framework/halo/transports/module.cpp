#include "framework/halo/transports/module.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <mutex>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

struct Loaded {
  TransportModule const* module = nullptr;
  std::string why;
};

fs::path folder_of_modules() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&transport_module), &info) == 0) {
    throw DefectError("dladdr does not find the halo library");
  }
  return fs::canonical(info.dli_fname).parent_path() / "halocline" / "transports";
}

Loaded load(std::string const& name) {
  fs::path const file = folder_of_modules() / (name + ".so");
  if (!fs::exists(file)) return {nullptr, "this build has none: CMake did not find the library"};
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {nullptr, std::string("it cannot be loaded: ") + dlerror()};
  void* const symbol = dlsym(handle, transport_module_symbol);
  if (symbol == nullptr) return {nullptr, "`" + file.string() + "` is not a transport of Halocline"};
  return {reinterpret_cast<TransportModule const* (*)()>(symbol)(), ""};
}

}  // namespace

TransportModule const* transport_module(std::string const& name, std::string& why) {
  static std::mutex mutex;
  static std::map<std::string, Loaded> loaded;
  std::scoped_lock const lock(mutex);
  auto found = loaded.find(name);
  if (found == loaded.end()) found = loaded.emplace(name, load(name)).first;
  why = found->second.why;
  return found->second.module;
}

}  // namespace halocline
