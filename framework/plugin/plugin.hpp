#pragma once

#include <cstdint>

#include "framework/plugin/physics.hpp"
#include "framework/runtime/config.hpp"

namespace halocline {

/// A plugin's description, read before any of its C++ code runs. It has only C types and the layout number first, so
/// that every version of Halocline can read enough to refuse another version's plugin.
struct PluginDescription {
  std::uint32_t layout;         ///< plugin_layout of the headers it was built with
  char const* version;          ///< Halocline's version
  char const* backend;          ///< name of the execution space
  char const* compiler;         ///< compiler_abi of its compiler
  std::int32_t optimised;       ///< 0: compiled without optimisation, or with device debugging
  std::int32_t fast_math;       ///< 1: compiled with -ffast-math
  std::int32_t (*contracts)();  ///< returns 1 if its multiplications and additions are fused into one operation
  PhysicsEntry (*physics)();    ///< returns the descriptor of its physics
};

inline constexpr std::uint32_t plugin_layout = 8;

#if defined(__OPTIMIZE__) && !defined(__CUDACC_DEBUG__)
#define HALOCLINE_OPTIMISED 1
#else
#define HALOCLINE_OPTIMISED 0
#endif
#ifdef __FAST_MATH__
#define HALOCLINE_FAST_MATH 1
#else
#define HALOCLINE_FAST_MATH 0
#endif

#define HALOCLINE_TEXT_OF(x) #x
#define HALOCLINE_TEXT(x) HALOCLINE_TEXT_OF(x)

/// Objects must have the same ABI to share C++ types.
#ifdef _GLIBCXX_USE_CXX11_ABI
inline constexpr char const* compiler_abi =
    "C++ ABI " HALOCLINE_TEXT(__GXX_ABI_VERSION) " with strings " HALOCLINE_TEXT(_GLIBCXX_USE_CXX11_ABI);
#else
inline constexpr char const* compiler_abi = "C++ ABI " HALOCLINE_TEXT(__GXX_ABI_VERSION);
#endif

/// Name of the symbol that every plugin exports.
inline constexpr char const* plugin_symbol = "halocline_plugin";

/// Name of the symbol for a plugin's tuning table, exported if halocline_add_physics got TUNINGS.
inline constexpr char const* tunings_symbol = "halocline_tunings";

}  // namespace halocline

/// Makes a shared object a plugin. `function` takes no arguments and returns the PhysicsEntry of its physics. Use once
/// per plugin, at global scope.
// No macro reports contraction: (1 + e) * (1 - e) - 1 is 0 if the product is rounded, and -e^2 if it is not.
// The description is not const: clang would copy a constant to AMD GPUs, where its functions do not exist.
#define HALOCLINE_PLUGIN(function)                                                                                     \
  static std::int32_t halocline_plugin_contracts() {                                                                   \
    double volatile above = 1 + 0x1p-30;                                                                               \
    double volatile below = 1 - 0x1p-30;                                                                               \
    double const factor = above;                                                                                       \
    double const other = below;                                                                                        \
    return factor * other - 1 != 0 ? 1 : 0;                                                                            \
  }                                                                                                                    \
  extern "C" __attribute__((visibility("default"))) halocline::PluginDescription halocline_plugin;                     \
  halocline::PluginDescription halocline_plugin {                                                                      \
    halocline::plugin_layout, HALOCLINE_VERSION, HALOCLINE_BACKEND_NAME, halocline::compiler_abi, HALOCLINE_OPTIMISED, \
        HALOCLINE_FAST_MATH, &halocline_plugin_contracts, &function                                                    \
  }
