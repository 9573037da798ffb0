// Compiled once for each kind of incompatible plugin; see CMakeLists.txt.
#include "framework/plugin/plugin.hpp"

#ifndef TEST_LAYOUT
#define TEST_LAYOUT halocline::plugin_layout
#endif
#ifndef TEST_VERSION
#define TEST_VERSION HALOCLINE_VERSION
#endif
#ifndef TEST_BACKEND
#define TEST_BACKEND HALOCLINE_BACKEND_NAME
#endif
#ifndef TEST_COMPILER
#define TEST_COMPILER halocline::compiler_abi
#endif
#ifndef TEST_FUNCTION
#define TEST_FUNCTION &single_only
#endif

namespace {

[[maybe_unused]] halocline::PhysicsEntry single_only() {
  return {.name = "single_only",
          .sentence = "Nothing, in single precision.",
          .options = halocline::Section("single_only", "Nothing."),
          .precisions = {halocline::Precision::single},
          .validate = {},
          .create = [](halocline::PhysicsContext const&) { return std::unique_ptr<halocline::Physics>(); }};
}

}  // namespace

extern "C" halocline::PluginDescription const halocline_plugin;
halocline::PluginDescription const halocline_plugin{TEST_LAYOUT, TEST_VERSION, TEST_BACKEND, TEST_COMPILER, 1,
                                                    0,           nullptr,      TEST_FUNCTION};
