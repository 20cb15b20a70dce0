// SPDX-License-Identifier: MIT
// Keeps no evaluator running after vbo itself is gone. A guardian is a tiny process of its own,
// made when a pool is, that starts a keeper (keeper.hpp) for each evaluation at the same time: fork
// copies the small process vbo was then and not the large one it has become. It adopts what a
// killed keeper leaves and kills that. When vbo ends in any way, kill -9 included, every keeper
// sees it and kills its own. A guardian that was killed is replaced; evaluations go on under their
// keepers. With containment = "group" there are no keepers: evaluators are vbo's own children, and
// the guardian only kills their groups when vbo is gone. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "exec/keeper.hpp"
#include "exec/process_group.hpp"
#include "vbo/executor.hpp"

namespace vbo {

struct KeeperLink {
  int socket = -1;
  int generation = 0;  // of the guardian that started it
};

class Guardian {
 public:
  // A guardian that cannot be made is tried again by start().
  explicit Guardian(Containment containment = Containment::tree);
  ~Guardian();  // ends the guardian, and with it every evaluator that still runs
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  // Has a keeper start an evaluator; its news says the rest. 0, or errno.
  int start(const KeeperFiles& files, KeeperLink& keeper);
  // A keeper whose evaluator has ended and that stays.
  void put_back(KeeperLink keeper);

  // Readable when it was killed; call replace_if_dead() then. -1 when there is none.
  int socket() const { return socket_; }
  void replace_if_dead();

  // Where evaluators are process groups of vbo; nullptr where keepers start them.
  GroupTable* groups() { return groups_ ? &*groups_ : nullptr; }

  pid_t pid() const { return pid_; }
  const std::string& cgroup() const { return cgroup_; }

 private:
  int make();
  void bury();
  std::optional<int> take_keeper();
  int start_keeper(int& socket);

  std::string cgroup_;
  std::optional<GroupTable> groups_;
  pid_t pid_ = -1;
  int socket_ = -1;
  int generation_ = 0;
  std::vector<int> idle_;  // sockets to keepers of this generation that wait
};

}  // namespace vbo
