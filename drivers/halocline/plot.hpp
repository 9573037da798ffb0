#pragma once

#include <filesystem>
#include <span>

#include "framework/deck/section.hpp"
#include "framework/field/field_base.hpp"

namespace halocline {

/// The section `plot` of a deck, which plot.py finds in the record of a run.
[[nodiscard]] Section plot_section();

/// Throws InputError where a judged section `plot` names a field that a run does not have.
void require_plotted_fields(Options const& plot, std::span<FieldBase const* const> fields);

/// Draws a finished run as pictures in its folder, by plot.py and the Python that HALOCLINE_PYTHON names, or the
/// system's. Throws InputOutputError when that fails.
void draw_plots(std::filesystem::path const& folder, bool quiet);

}  // namespace halocline
