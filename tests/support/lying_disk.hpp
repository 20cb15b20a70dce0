// SPDX-License-Identifier: MIT
// A disk that lies, as SQLite sees it: a VFS over the real one that counts every operation that
// changes something, and at the n-th fails, writes only half, or takes a picture of what the disk
// would hold had the power failed then: what was synced, and of what was not, nothing, all, or some
// of it in any order. One at a time; several threads may use its files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace vbo::testing {

enum class DiskFault {
  none,
  fails_once,     // SQLITE_IOERR
  fails_forever,  // from then on
  is_full,        // SQLITE_FULL, from then on, for what makes a file larger
  half_written,   // half of the bytes arrive, then SQLITE_IOERR once
  lies_once,      // says it was done and does nothing (a sync: later ones work)
  power_fails,    // see pictures()
};

class LyingDisk {
 public:
  // What of the unsynced writes arrives when the power fails.
  enum class Unsynced { nothing, everything, some, some_torn };

  LyingDisk();   // the default VFS from now on
  ~LyingDisk();  // the former one is again; files of it must be closed
  LyingDisk(const LyingDisk&) = delete;
  LyingDisk& operator=(const LyingDisk&) = delete;

  // The n-th changing operation from now on, counted from 1.
  void plan(DiskFault fault, int n);
  void fail_next_sync();   // whatever was planned
  void plan_nothing();     // no more faults; the picture stays
  int operations() const;  // since plan()
  int syncs() const;       // of them
  bool happened() const;   // the fault
  // The files as they are after the power failed, into this folder. REQUIRES: happened(), and the
  // fault was power_fails.
  void write_picture(Unsynced unsynced, std::uint64_t seed,
                     const std::filesystem::path& folder) const;
};

}  // namespace vbo::testing
