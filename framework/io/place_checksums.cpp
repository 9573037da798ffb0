#include "framework/io/place_checksums.hpp"

#include <algorithm>
#include <cstring>

namespace halocline {

namespace {

/// A bijection for each index; each bit of the number changes half of all bits (splitmix64).
std::uint64_t hash(std::uint64_t bits, std::uint64_t place) {
  std::uint64_t mixed = bits + (place + 1) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

template <class Bits>
std::uint64_t sum_of(Index first, std::byte const* values, Index count) {
  std::uint64_t sum = 0;
  for (Index n = 0; n < count; ++n) {
    Bits bits = 0;
    std::memcpy(&bits, values + n * static_cast<Index>(sizeof(Bits)), sizeof(Bits));
    sum += hash(bits, static_cast<std::uint64_t>(first + n));
  }
  return sum;
}

}  // namespace

PlaceChecksums::PlaceChecksums(Index numbers)
    : sums_(static_cast<std::size_t>((numbers + numbers_of_checksum - 1) / numbers_of_checksum), 0) {}

void PlaceChecksums::add(Index first, std::span<std::byte const> values, std::size_t bytes_per_number) {
  Index const end = first + static_cast<Index>(values.size() / bytes_per_number);
  std::byte const* from = values.data();
  while (first < end) {
    Index const block = first / numbers_of_checksum;
    Index const count = std::min(end, (block + 1) * numbers_of_checksum) - first;
    sums_[static_cast<std::size_t>(block)] += bytes_per_number == sizeof(float)
                                                  ? sum_of<std::uint32_t>(first, from, count)
                                                  : sum_of<std::uint64_t>(first, from, count);
    from += count * static_cast<Index>(bytes_per_number);
    first += count;
  }
}

std::vector<std::uint64_t> PlaceChecksums::of_all(Communicator const& communicator) const {
  // In 32-bit halves, so that sums over ranks cannot overflow.
  std::vector<Index> halves;
  for (std::uint64_t const sum : sums_) {
    halves.push_back(static_cast<Index>(sum & 0xFFFFFFFFU));
    halves.push_back(static_cast<Index>(sum >> 32U));
  }
  communicator.sum(std::span(halves));
  std::vector<std::uint64_t> all;
  for (std::size_t n = 0; n < sums_.size(); ++n) {
    all.push_back(static_cast<std::uint64_t>(halves[2 * n]) + (static_cast<std::uint64_t>(halves[2 * n + 1]) << 32U));
  }
  return all;
}

}  // namespace halocline
