#pragma once

#include <string>

#include "framework/runtime/doing.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

/// When a plugin is called, which decides what its failure leads to.
enum class PluginStage {
  loading,   ///< wrong_input: the command is wrong
  judging,   ///< the same; but the plugin may find mistakes in the deck (InputError), or a value missing (Unjudged)
  creating,  ///< the same; but the plugin may find mistakes in the deck (InputError)
  running    ///< unsolved: the run does not reach what the deck asks
};

/// A call of a plugin's code, as the message of what it throws names it.
struct PluginCall {
  std::string plugin;  ///< "plugin `transport.so`", with its physics where that is known
  std::string place;   ///< "`advance` of step 3 (from t = 0.02)"
  PluginStage stage = PluginStage::running;
};

/// The exit code that a failure of the plugin itself leads to.
[[nodiscard]] constexpr ExitCode exit_code_of(PluginCall const& call) {
  return call.stage == PluginStage::running ? ExitCode::unsolved : ExitCode::wrong_input;
}

/// Throws again, from within a handler, what a plugin threw: as an Error that names plugin and place. An error of input
/// or output and an unsolved system keep their codes. What is no mistake of the plugin stays as it is: a RemoteError, a
/// StoppedError, and what the stage allows.
[[noreturn]] void rethrow_named(PluginCall const& call);

/// Throws the Error of a plugin that breaks what it promises.
[[noreturn]] void throw_broken_promise(PluginCall const& call, std::string const& what);

/// Calls `function`, the code of a plugin: what it throws, and a crash in it, name the plugin and the place.
template <class Function>
decltype(auto) call_plugin(PluginCall const& call, Function const& function) {
  CodeOwner const owner{call.plugin, exit_code_of(call)};
  Doing const doing(owner, call.place.c_str());
  try {
    return function();
  } catch (...) {
    rethrow_named(call);
  }
}

}  // namespace halocline
