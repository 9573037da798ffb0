#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace halocline {

/// Work on the device that solvers enqueue over and over with the same vectors, as one launch from the third time on
/// (kernel::RepeatedWork, for those who do not know what a device is). On hosts it runs as it is.
class ReplayedWork {
 public:
  ReplayedWork();
  ~ReplayedWork();
  /// `work` enqueues kernels, does nothing else, and depends on nothing that may change but which `arguments` it has:
  /// the addresses of the vectors that it reads and writes, which stay alive as long as this does.
  void run(std::vector<void const*> const& arguments, std::function<void()> const& work);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace halocline
