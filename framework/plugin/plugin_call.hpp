#pragma once

#include <string>

#include "framework/runtime/doing.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

/// The stage at which a plugin is called, which decides how its failure is reported.
enum class PluginStage {
  loading,     ///< wrong_input: the command is wrong
  validating,  ///< as loading; but the plugin may report mistakes in the deck (InputError) or a missing value
               ///< (Unvalidated)
  creating,    ///< as loading; but the plugin may report mistakes in the deck (InputError)
  running      ///< unsolved: the run does not reach what the deck asks
};

/// A call of a plugin's code, for messages about its exceptions.
struct PluginCall {
  std::string plugin;  ///< "plugin `transport.so`", with its physics if known
  std::string place;   ///< "`advance` of step 3 (from t = 0.02)"
  PluginStage stage = PluginStage::running;
};

/// The exit code for a failure of the plugin itself.
[[nodiscard]] constexpr ExitCode exit_code_of(PluginCall const& call) {
  return call.stage == PluginStage::running ? ExitCode::unsolved : ExitCode::wrong_input;
}

/// Rethrows the current exception of a plugin as an Error that names the plugin and the place. Input/output errors and
/// failed solves keep their codes. RemoteError, StoppedError, and exceptions that the stage permits are not plugin
/// failures and stay unchanged.
[[noreturn]] void rethrow_named(PluginCall const& call);

/// Throws the Error for a plugin that breaks a promise.
[[noreturn]] void throw_broken_promise(PluginCall const& call, std::string const& what);

/// Calls `function`, a plugin's code, so that messages about exceptions and crashes name the plugin and the place.
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
