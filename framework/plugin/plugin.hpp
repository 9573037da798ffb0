#pragma once

#include <cstdint>

#include "framework/plugin/physics.hpp"
#include "framework/runtime/config.hpp"

namespace halocline {

/// What a plugin says of itself before any of its C++ is run. Only C types, and the layout number first, so that a
/// Halocline of any version can read enough to refuse one of another.
struct PluginDescription {
  std::uint32_t layout;       ///< plugin_layout of the headers it was built with
  char const* version;        ///< Halocline's version
  char const* backend;        ///< name of the execution space
  char const* compiler;       ///< compiler_abi of its compiler
  PhysicsEntry (*physics)();  ///< returns the descriptor of its physics
};

inline constexpr std::uint32_t plugin_layout = 2;

#define HALOCLINE_TEXT_OF(x) #x
#define HALOCLINE_TEXT(x) HALOCLINE_TEXT_OF(x)

/// What two objects must agree on to share C++ types.
#ifdef _GLIBCXX_USE_CXX11_ABI
inline constexpr char const* compiler_abi =
    "C++ ABI " HALOCLINE_TEXT(__GXX_ABI_VERSION) " with strings " HALOCLINE_TEXT(_GLIBCXX_USE_CXX11_ABI);
#else
inline constexpr char const* compiler_abi = "C++ ABI " HALOCLINE_TEXT(__GXX_ABI_VERSION);
#endif

/// Name of the symbol that every plugin exports.
inline constexpr char const* plugin_symbol = "halocline_plugin";

}  // namespace halocline

/// Makes a shared object a plugin. `function` takes nothing and returns the PhysicsEntry of its physics. Once a plugin,
/// outside of every namespace.
// Not const: clang takes a constant along to an AMD GPU, where the function that it points to is not.
#define HALOCLINE_PLUGIN(function)                                                                          \
  extern "C" __attribute__((visibility("default"))) halocline::PluginDescription halocline_plugin;          \
  halocline::PluginDescription halocline_plugin {                                                           \
    halocline::plugin_layout, HALOCLINE_VERSION, HALOCLINE_BACKEND_NAME, halocline::compiler_abi, &function \
  }
