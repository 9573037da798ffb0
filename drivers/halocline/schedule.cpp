#include "drivers/halocline/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {

Schedule Schedule::evolving(Options const& time) {
  Schedule schedule;
  schedule.start_ = time.real("start");
  schedule.size_ = schedule.last_size_ = time.real("step");
  if (time.has("steps")) {
    schedule.steps_ = time.integer("steps");
    return schedule;
  }
  double const span = time.real("end") - schedule.start_;
  // A last step that only rounding asks for is left out.
  schedule.steps_ = static_cast<Index>(std::ceil(span / schedule.size_ * (1 - 1e-12)));
  double const before = static_cast<double>(std::max<Index>(0, schedule.steps_ - 1)) * schedule.size_;
  schedule.last_size_ = span - before;
  return schedule;
}

Step Schedule::step(Index number) const {
  return {number, start_ + static_cast<double>(number - 1) * size_, number == steps_ ? last_size_ : size_};
}

}  // namespace halocline
