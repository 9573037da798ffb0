#include "framework/halo/cuda/shared_blocks.hpp"

#include <algorithm>

#include "framework/runtime/cuda_check.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline::cuda {

void SideStream::copy(void* to, void const* from, Index bytes) const {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream_.get()),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
}

void SideStream::clear(void* memory, Index bytes) const {
  check(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), stream_.get()), "cudaMemsetAsync");
  check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
}

SharedBlock& SharedBlocks::take(Index bytes, Index cleared, std::size_t senders) {
  std::scoped_lock const lock(mutex_);
  SharedBlock* block = nullptr;
  for (auto const& known : blocks_) {
    bool const fits = bytes <= known->bytes && known->bytes <= std::max(smallest, 2 * bytes);
    if (fits && !known->in_use && all_closed(*known)) {
      block = known.get();
      break;
    }
  }
  if (block == nullptr) {
    auto added = std::make_unique<SharedBlock>();
    added->bytes = round_up(bytes, smallest);
    added->memory = kind_->allocate(added->bytes, added->offer);
    added->offer.mark = random_mark();
    block = blocks_.emplace_back(std::move(added)).get();
  }
  block->in_use = true;
  block->senders = senders;
  side_.clear(block->memory, cleared);
  return *block;
}

void SharedBlocks::give_back(SharedBlock& block) {
  std::scoped_lock const lock(mutex_);
  block.in_use = false;
}

std::byte* SharedBlocks::opened(BlockOffer const& offer) {
  std::scoped_lock const lock(mutex_);
  std::byte*& memory = opened_[offer.mark];
  if (memory == nullptr) memory = kind_->open(offer);
  return memory;
}

bool SharedBlocks::all_closed(SharedBlock const& block) const {
  std::vector<std::uint32_t> words(block.senders, closed);
  if (!words.empty()) {
    side_.copy(words.data(), block.memory, static_cast<Index>(words.size() * sizeof(std::uint32_t)));
  }
  return std::all_of(words.begin(), words.end(), [](std::uint32_t end) { return end == closed; });
}

void refuse(std::string const& kind, std::string const& call, cudaError_t error) {
  (void)cudaGetLastError();  // clears the error, or the next kernel would report it
  throw InputOutputError("cannot share " + kind + ": " + call + ": " + cudaGetErrorString(error));
}

}  // namespace halocline::cuda
