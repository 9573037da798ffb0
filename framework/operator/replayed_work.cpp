#include "framework/operator/replayed_work.hpp"

#include "framework/kernel/repeated_work.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

struct ReplayedWork::Implementation {
  kernel::RepeatedWork<Execution, std::vector<void const*>> work;
};

ReplayedWork::ReplayedWork() : implementation_(std::make_unique<Implementation>()) {}
ReplayedWork::~ReplayedWork() = default;

void ReplayedWork::run(std::vector<void const*> const& arguments, std::function<void()> const& work) {
  [[maybe_unused]] bool const called = implementation_->work.run(Execution(), arguments, work);
}

}  // namespace halocline
