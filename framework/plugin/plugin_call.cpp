#include "framework/plugin/plugin_call.hpp"

#include <cxxabi.h>

#include <exception>
#include <new>
#include <typeinfo>

#include "framework/deck/options.hpp"
#include "framework/kernel/functor_name.hpp"

namespace halocline {
namespace {

std::string named(PluginCall const& call, std::string const& text) {
  return call.plugin + ", in " + call.place + ": " + text;
}

constexpr char const* blame = "; this is a defect of the plugin: please report it to its author";

}  // namespace

void throw_broken_promise(PluginCall const& call, std::string const& what) {
  throw Error(exit_code_of(call), named(call, what) + blame);
}

void rethrow_named(PluginCall const& call) {
  try {
    throw;
  } catch (RemoteError const&) {
    throw;
  } catch (StoppedError const&) {
    throw;
  } catch (deck::Unvalidated const& error) {
    if (call.stage == PluginStage::validating) throw;
    throw_broken_promise(call, error.what());
  } catch (InputError const& error) {
    if (call.stage == PluginStage::validating || call.stage == PluginStage::creating) throw;
    throw Error(exit_code_of(call), named(call, error.what()));
  } catch (PhysicsError const& error) {
    throw_broken_promise(call, error.what());
  } catch (DefectError const& error) {
    throw_broken_promise(call, error.what());
  } catch (Error const& error) {
    throw Error(error.exit_code(), named(call, error.what()));
  } catch (std::bad_alloc const&) {
    throw StoppedError(named(call, "out of memory"));
  } catch (std::exception const& error) {
    throw_broken_promise(call, kernel::type_name(typeid(error)) + ": " + error.what());
  } catch (...) {
    throw_broken_promise(call, "threw " + kernel::type_name(*abi::__cxa_current_exception_type()) +
                                   ", which is not a std::exception and has no message");
  }
}

}  // namespace halocline
