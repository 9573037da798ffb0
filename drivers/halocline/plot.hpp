#pragma once

#include <filesystem>

namespace halocline {

/// Draws a finished run as PNGs in its folder, by plot.py and the system's Python. Throws InputOutputError when that
/// fails.
void draw_plots(std::filesystem::path const& folder, bool quiet);

}  // namespace halocline
