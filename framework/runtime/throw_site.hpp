#pragma once

namespace halocline {

/// Places where tests make a rank fail: HALOCLINE_THROW_AT="pack:1" throws on rank 1 the first time it passes `pack`,
/// "pack:1:7" the seventh time. Only builds with tests have them; other builds ignore the variable.
enum class ThrowSite { deck, allocation, pack, wait, reduction, solve, hdf5_write, checkpoint };

/// Reads HALOCLINE_THROW_AT for this rank and counts from zero; run_guarded calls it. An unknown word throws
/// InputError.
void arm_throw_sites(int rank);
/// If armed, throws the error that a real failure at this place would throw.
void throw_site(ThrowSite site);

}  // namespace halocline
