#pragma once

#include <Kokkos_Macros.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "framework/kernel/ghost_check.hpp"
#include "framework/kernel/stencil.hpp"

namespace halocline {

/// One read of a functor: the input, counted from zero, and the offset it was asked for.
struct RecordedRead {
  int input;
  int x;
  int y;
  int z;
};

/// A test input that records each read. Every read returns a different value. Runs on the host; compiles as device code
/// because functors do.
template <class Real>
class RecordingReader {
 public:
  RecordingReader(int input, std::vector<RecordedRead>& reads) : input_(input), reads_(&reads) {}

  template <int I, int J, int K>
  KOKKOS_FUNCTION Real operator[](Offset<I, J, K>) const {
    KOKKOS_IF_ON_HOST(
        (reads_->push_back({input_, I, J, K}); return Real{1} + Real{0.25} * static_cast<Real>(reads_->size());))
    KOKKOS_IF_ON_DEVICE((return Real{0};))
  }

 private:
  int input_;
  std::vector<RecordedRead>* reads_;
};

/// What `functor` reads of its `InputCount` inputs in one evaluation. Functors choose by `select`, so one evaluation
/// shows all reads.
template <int InputCount, class Real = double, class Functor>
[[nodiscard]] std::vector<RecordedRead> recorded_reads(Functor const& functor) {
  std::vector<RecordedRead> reads;
  Geometry<Real> const geometry{};
  [&]<int... Input>(std::integer_sequence<int, Input...>) {
    static_cast<void>(functor(Point<Real>(geometry, 0, 0, 0), RecordingReader<Real>(Input, reads)...));
  }
  (std::make_integer_sequence<int, InputCount>());
  return reads;
}

/// The outcome of a check, with the reason if it is negative.
struct ReadCheck {
  bool passed = true;
  std::string message{};
  explicit operator bool() const { return passed; }
};

/// Whether `functor` reads only within the shape it declares: halos are as wide as the shape.
template <int InputCount, class Real = double, class Functor>
[[nodiscard]] ReadCheck reads_within_shape(Functor const& functor) {
  for (RecordedRead const& read : recorded_reads<InputCount, Real>(functor)) {
    Shape const shape = shape_of_input<Functor>(read.input);
    if (shape.contains(read.x, read.y, read.z) && Functor::shape.contains(read.x, read.y, read.z)) continue;
    std::ostringstream message;
    message << "input " << read.input << " is read at offset (" << read.x << ", " << read.y << ", " << read.z
            << "), outside of the declared shape " << kernel::describe(shape);
    return {false, message.str()};
  }
  return {};
}

/// Whether `functor` reads input number `input` at its own point only, so that a sweep may write it in place.
template <int InputCount, class Real = double, class Functor>
[[nodiscard]] bool reads_only_here(Functor const& functor, int input) {
  for (RecordedRead const& read : recorded_reads<InputCount, Real>(functor)) {
    if (read.input == input && (read.x != 0 || read.y != 0 || read.z != 0)) return false;
  }
  return true;
}

}  // namespace halocline
