#include "framework/halo/nvshmem/put_launcher.hpp"

#include <nvshmem.h>
#include <nvshmemx.h>

#include "framework/halo/cuda/part_kernel.hpp"

namespace halocline::nvshmem {
namespace {

struct PutTask : cuda::FlagTask {
  __device__ __forceinline__ void await(PartFlags const& flags, int part) const {
    if (!flags.of_launcher) return cuda::FlagTask::await(flags, part);
    Signal* const signal = reinterpret_cast<Signal*>(flags.parts) + part;
    cuda::wait_until(flags.closed, timeout, [&] { return nvshmem_signal_fetch(signal) != 0; });
    *signal = 0;  // the sender sets it again only after it has received a part that is sent after this
  }
  __device__ __forceinline__ void signal(BoxBuffer const& target, int part, Index begin, Index bytes) const {
    if (!target.flags.of_launcher) return cuda::FlagTask::signal(target, part, begin, bytes);
    Put const put = *reinterpret_cast<Put const*>(target.flags.parts);
    nvshmemx_putmem_signal_nbi_block(put.memory + begin, reinterpret_cast<std::byte const*>(target.memory) + begin,
                                     static_cast<std::size_t>(bytes), put.signals + part, 1, NVSHMEM_SIGNAL_SET,
                                     put.peer);
  }
};

}  // namespace

void PutLauncher::launch(cuda::PartLaunch const& launch) const { cuda::launch_parts(launch, PutTask{}); }

}  // namespace halocline::nvshmem
