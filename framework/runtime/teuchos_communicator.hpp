#pragma once

#include <Teuchos_Comm.hpp>

namespace halocline {

class Communicator;

/// Adapts a Communicator to Teuchos' interface, so that a failed rank ends waits inside Teuchos and Teuchos needs no
/// MPI. It supports what timer statistics use: barriers, broadcasts, gathers, reductions in rank order, and blocking
/// messages. Waits throw RemoteError as those of a Communicator do; unsupported calls, and sizes that do not match,
/// throw DefectError with their name.
class TeuchosCommunicator final : public Teuchos::Comm<int> {
 public:
  /// `communicator` must outlive this.
  explicit TeuchosCommunicator(Communicator const& communicator) : communicator_(communicator) {}

  [[nodiscard]] int getTag() const override;
  [[nodiscard]] int getRank() const override;
  [[nodiscard]] int getSize() const override;

  void barrier() const override;
  void broadcast(int root, int bytes, char* buffer) const override;
  void gather(int bytes, char const* mine, int all_bytes, char* all, int root) const override;
  void gatherAll(int bytes, char const* mine, int all_bytes, char* all) const override;
  void reduceAll(Teuchos::ValueTypeReductionOp<int, char> const& operation, int bytes, char const* mine,
                 char* result) const override;

  void send(int bytes, char const* buffer, int to) const override;
  void send(int bytes, char const* buffer, int to, int tag) const override;
  int receive(int from, int bytes, char* buffer) const override;

  void scan(Teuchos::ValueTypeReductionOp<int, char> const& operation, int bytes, char const* mine,
            char* result) const override;
  void ssend(int bytes, char const* buffer, int to) const override;
  void ssend(int bytes, char const* buffer, int to, int tag) const override;
  void readySend(Teuchos::ArrayView<char const> const& buffer, int to) const override;
  void readySend(int bytes, char const* buffer, int to, int tag) const override;
  Teuchos::RCP<Teuchos::CommRequest<int>> isend(Teuchos::ArrayView<char const> const& buffer, int to) const override;
  Teuchos::RCP<Teuchos::CommRequest<int>> isend(Teuchos::ArrayView<char const> const& buffer, int to,
                                                int tag) const override;
  Teuchos::RCP<Teuchos::CommRequest<int>> ireceive(Teuchos::ArrayView<char> const& buffer, int from) const override;
  Teuchos::RCP<Teuchos::CommRequest<int>> ireceive(Teuchos::ArrayView<char> const& buffer, int from,
                                                   int tag) const override;
  void waitAll(Teuchos::ArrayView<Teuchos::RCP<Teuchos::CommRequest<int>>> const& requests) const override;
  void waitAll(Teuchos::ArrayView<Teuchos::RCP<Teuchos::CommRequest<int>>> const& requests,
               Teuchos::ArrayView<Teuchos::RCP<Teuchos::CommStatus<int>>> const& statuses) const override;
  Teuchos::RCP<Teuchos::CommStatus<int>> wait(
      Teuchos::Ptr<Teuchos::RCP<Teuchos::CommRequest<int>>> const& request) const override;
  [[nodiscard]] Teuchos::RCP<Teuchos::Comm<int>> duplicate() const override;
  [[nodiscard]] Teuchos::RCP<Teuchos::Comm<int>> split(int colour, int key) const override;
  [[nodiscard]] Teuchos::RCP<Teuchos::Comm<int>> createSubcommunicator(
      Teuchos::ArrayView<int const> const& ranks) const override;

 private:
  Communicator const& communicator_;
};

}  // namespace halocline
