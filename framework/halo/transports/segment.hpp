#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/descriptor.hpp"

namespace halocline {

/// Memory that several processes of a host have mapped.
class Segment {
 public:
  Segment() = default;
  /// Maps all of an open file. Throws InputOutputError.
  Segment(int descriptor, Index bytes);
  ~Segment();
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;

  [[nodiscard]] std::byte* at(Index offset) const { return address_ + offset; }

 private:
  std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What a process tells others of a segment that it has made.
struct SegmentOffer {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;  ///< of an open file of that process; -1: there is none
  std::int64_t bytes = 0;
  std::uint64_t mark = 0;  ///< stands at its beginning, and tells it from all others
};

/// A segment of this process. It has no name in any file system: nothing of it is left however a run ends. Others may
/// open it as long as this lives.
class OwnSegment {
 public:
  /// Bytes at the beginning that hold the mark.
  static constexpr Index header = 64;

  /// Throws InputOutputError when there is no memory for it.
  explicit OwnSegment(Index bytes);
  [[nodiscard]] SegmentOffer offer() const;
  [[nodiscard]] Segment& memory() { return segment_; }
  [[nodiscard]] Segment const& memory() const { return segment_; }

 private:
  Descriptor file_;
  Index bytes_;
  std::uint64_t mark_;
  Segment segment_;
};

/// A number that no other process draws.
[[nodiscard]] std::uint64_t random_mark();

/// The same memory in this process, of what another of this host offers. Throws InputOutputError: another process of
/// the same number, in another container, has no such file, or one without the mark.
[[nodiscard]] Segment open_offered(SegmentOffer const& offer);

}  // namespace halocline
