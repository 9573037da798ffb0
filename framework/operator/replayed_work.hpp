#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace halocline {

/// Work on the device that solvers enqueue repeatedly with the same vectors, captured and replayed as one launch
/// (kernel::RepeatedWork, without its device headers). On hosts it runs directly.
class ReplayedWork {
 public:
  ReplayedWork();
  ~ReplayedWork();
  /// `work` must only enqueue kernels, and depend on nothing that may change except `arguments`: the addresses of the
  /// vectors that it reads and writes, and of their memory (Vector::memory). They must outlive this object.
  void run(std::vector<void const*> const& arguments, std::function<void()> const& work);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace halocline
