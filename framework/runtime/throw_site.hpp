#pragma once

namespace halocline {

/// Places where tests make a rank fail: HALOCLINE_THROW_AT="pack:1" throws on rank 1 the first time it passes `pack`,
/// "pack:1:7" the seventh time. Only builds with tests have them: in any other nothing is ever armed.
enum class ThrowSite { deck, allocation, pack, wait, reduction, solve, hdf5_write, checkpoint };

/// Reads HALOCLINE_THROW_AT for this rank and counts from zero; run_guarded calls it. A word it does not know throws
/// InputError.
void arm_throw_sites(int rank);
/// Throws when armed: the error that a real failure of this place would be.
void throw_site(ThrowSite site);

}  // namespace halocline
