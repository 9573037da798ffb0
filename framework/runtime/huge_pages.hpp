#pragma once

#include <cstddef>

namespace halocline {

/// Asks for large pages for arrays on the host that have one: with small ones a sweep over several planes waits for the
/// translation of addresses. What the system does not grant costs nothing. An array begins and ends somewhere on a
/// large page, as chance has it: asked for beyond both ends, those two come as well, and runs do not differ by that.
void prefer_huge_pages(void* memory, std::size_t bytes);

}  // namespace halocline
