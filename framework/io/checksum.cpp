#include "framework/io/checksum.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace halocline {

struct Checksum::State {
  XXH3_state_t* hash = XXH3_createState();
  State() { XXH3_128bits_reset(hash); }
  ~State() { XXH3_freeState(hash); }
  State(State const&) = delete;
  State& operator=(State const&) = delete;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {}
Checksum::~Checksum() = default;

void Checksum::add(std::string_view bytes) { XXH3_128bits_update(state_->hash, bytes.data(), bytes.size()); }

std::string Checksum::text() const {
  XXH128_hash_t const sum = XXH3_128bits_digest(state_->hash);
  return fmt::format("{:016x}{:016x}", sum.high64, sum.low64);
}

}  // namespace halocline
