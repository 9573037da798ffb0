// Compiled once for each way in which a plugin can be foreign; see CMakeLists.txt.
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

static halocline::PhysicsEntry single_only() {
  return {.name = "single_only",
          .sentence = "Nothing, in single precision.",
          .options = halocline::Section("single_only", "Nothing."),
          .precisions = {halocline::Precision::single},
          .judge = {},
          .create = {}};
}

extern "C" halocline::PluginDescription const halocline_plugin;
halocline::PluginDescription const halocline_plugin{TEST_LAYOUT, TEST_VERSION, TEST_BACKEND, TEST_COMPILER,
                                                    &single_only};
