#pragma once

#include <filesystem>
#include <string>

namespace halocline {

/// Why a file is no whole shared object, as far as its own tables tell: it does not exist, is no regular file, cannot
/// be read, is not ELF, or ends before what its tables announce. Empty if nothing is wrong. The dynamic loader maps a
/// file that is cut short without a word, and dies of it.
[[nodiscard]] std::string shared_object_damage(std::filesystem::path const& file);

/// Who may replace the code of `file`, beside its owner and group: "everybody may write to it", "everybody may write to
/// its folder `/tmp/x`"; empty if nobody. A folder in which users can replace only what is theirs (as /tmp) is none.
[[nodiscard]] std::string writable_by_everybody(std::filesystem::path const& file);

}  // namespace halocline
