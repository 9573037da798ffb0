#pragma once

#include <filesystem>
#include <span>

#include "framework/deck/section.hpp"
#include "framework/field/field_base.hpp"

namespace halocline {

/// The section `plot` of a deck, which plot.py reads from the record of a run.
[[nodiscard]] Section plot_section();

/// Throws InputError if a validated section `plot` names a field that the run does not have.
void require_plotted_fields(Options const& plot, std::span<FieldBase const* const> fields);

/// Plots a finished run into its folder, by plot.py and the Python in HALOCLINE_PYTHON, or the system's. Throws
/// InputOutputError if that fails.
void draw_plots(std::filesystem::path const& folder, bool quiet);

}  // namespace halocline
