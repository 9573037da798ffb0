#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <exception>
#include <string>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

/// An uninitialised array in the backend's memory. Throws Error (wrong_input) with `name` if memory is short.
template <class Value>
[[nodiscard]] Kokkos::View<Value*, Memory> device_array(std::string const& name, std::size_t entries) {
  try {
    return Kokkos::View<Value*, Memory>(Kokkos::view_alloc(name, Kokkos::WithoutInitializing), entries);
  } catch (std::exception const&) {
    throw Error(ExitCode::wrong_input, name + " of a matrix need " + std::to_string(entries * sizeof(Value)) +
                                           " bytes: that much memory cannot be allocated");
  }
}

}  // namespace halocline
