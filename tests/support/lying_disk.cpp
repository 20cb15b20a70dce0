// SPDX-License-Identifier: MIT
#include "support/lying_disk.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "vbo/random.hpp"

namespace vbo::testing {
namespace {

struct Write {
  std::int64_t offset = 0;
  std::optional<std::string> bytes;  // none: cut to `offset`
};

// One file as the disk has it for certain, and what is on its way.
struct Tracked {
  std::string synced;
  std::vector<Write> on_the_way;
};

struct State {
  sqlite3_vfs shim{};
  sqlite3_vfs* real = nullptr;
  std::map<std::string, Tracked> files;
  DiskFault fault = DiskFault::none;
  int at = 0, count = 0, syncs = 0;
  bool happened = false, sync_fails = false;
  std::map<std::string, Tracked> picture;
};
State state;
std::mutex mutex;  // guards the state while files are used

// Behind SQLite's file comes the real VFS's own.
struct File {
  sqlite3_file base;
  sqlite3_io_methods methods;
  const char* path;  // SQLite keeps it as long as the file is open
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
File* file_of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

bool is_helper(const std::string& path) { return path.ends_with("-shm"); }

Tracked* tracked(const File* file) {
  if (!file->path) return nullptr;
  const auto found = state.files.find(file->path);
  return found == state.files.end() ? nullptr : &found->second;
}

void apply(std::string& bytes, const Write& write) {
  const auto offset = static_cast<std::size_t>(write.offset);
  if (!write.bytes) {
    bytes.resize(std::min(bytes.size(), offset));
    return;
  }
  bytes.resize(std::max(bytes.size(), offset + write.bytes->size()));
  std::copy(write.bytes->begin(), write.bytes->end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(offset));
}

// Counts one changing operation; whether the fault is now, or lasts.
bool is_faulty() {
  ++state.count;
  if (state.fault == DiskFault::none || state.count < state.at) return false;
  const bool first = !state.happened;
  if (first) {
    state.happened = true;
    if (state.fault == DiskFault::power_fails) state.picture = state.files;
  }
  return first || state.fault == DiskFault::fails_forever || state.fault == DiskFault::is_full ||
         state.fault == DiskFault::power_fails;
}

int do_write(sqlite3_file* base, const void* data, int amount, sqlite3_int64 offset) {
  const std::scoped_lock lock(mutex);
  File* const file = file_of(base);
  int arrives = amount;
  int answer = SQLITE_OK;
  if (is_faulty()) {
    switch (state.fault) {
      case DiskFault::lies_once:
        return SQLITE_OK;
      case DiskFault::half_written:
        arrives = amount / 2;
        answer = SQLITE_IOERR_WRITE;
        break;
      case DiskFault::is_full:
        return SQLITE_FULL;
      default:
        return SQLITE_IOERR_WRITE;
    }
  }
  if (Tracked* const known = tracked(file)) {
    known->on_the_way.push_back(
        {offset, std::string(static_cast<const char*>(data), static_cast<std::size_t>(arrives))});
  }
  const int written = file->real()->pMethods->xWrite(file->real(), data, arrives, offset);
  return written != SQLITE_OK ? written : answer;
}

int do_truncate(sqlite3_file* base, sqlite3_int64 size) {
  const std::scoped_lock lock(mutex);
  File* const file = file_of(base);
  if (is_faulty()) {
    if (state.fault == DiskFault::lies_once) return SQLITE_OK;
    if (state.fault != DiskFault::is_full) return SQLITE_IOERR_TRUNCATE;
  }
  if (Tracked* const known = tracked(file)) known->on_the_way.push_back({size, std::nullopt});
  return file->real()->pMethods->xTruncate(file->real(), size);
}

int do_sync(sqlite3_file* base, int flags) {
  const std::scoped_lock lock(mutex);
  File* const file = file_of(base);
  ++state.syncs;
  if (std::exchange(state.sync_fails, false)) {
    state.happened = true;
    return SQLITE_IOERR_FSYNC;
  }
  if (is_faulty()) {
    if (state.fault == DiskFault::lies_once) return SQLITE_OK;
    if (state.fault != DiskFault::is_full) return SQLITE_IOERR_FSYNC;
  }
  if (Tracked* const known = tracked(file)) {
    for (const Write& write : known->on_the_way) apply(known->synced, write);
    known->on_the_way.clear();
  }
  return file->real()->pMethods->xSync(file->real(), flags);
}

int do_open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* base, int flags, int* out_flags) {
  const std::scoped_lock lock(mutex);
  File* const file = file_of(base);
  std::memset(static_cast<void*>(file), 0, sizeof(File));
  file->path = name;
  const bool exists = name && std::filesystem::exists(name);
  if (name && !exists && is_faulty() && state.fault != DiskFault::lies_once) {
    return SQLITE_CANTOPEN;
  }
  const int opened = state.real->xOpen(state.real, name, file->real(), flags, out_flags);
  if (!file->real()->pMethods) return opened;
  file->methods = *file->real()->pMethods;
  // Every other method passes on to the real file, whose own methods expect it.
  struct Pass {
    static sqlite3_file* on(sqlite3_file* f) { return file_of(f)->real(); }
    static const sqlite3_io_methods* to(sqlite3_file* f) { return on(f)->pMethods; }
  };
  file->methods.iVersion = std::min(file->methods.iVersion, 2);  // no memory maps of the database
  file->methods.xClose = [](sqlite3_file* f) { return Pass::to(f)->xClose(Pass::on(f)); };
  file->methods.xRead = [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
    return Pass::to(f)->xRead(Pass::on(f), to, n, at);
  };
  file->methods.xWrite = do_write;
  file->methods.xTruncate = do_truncate;
  file->methods.xSync = do_sync;
  file->methods.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
    return Pass::to(f)->xFileSize(Pass::on(f), size);
  };
  file->methods.xLock = [](sqlite3_file* f, int lock) {
    return Pass::to(f)->xLock(Pass::on(f), lock);
  };
  file->methods.xUnlock = [](sqlite3_file* f, int lock) {
    return Pass::to(f)->xUnlock(Pass::on(f), lock);
  };
  file->methods.xCheckReservedLock = [](sqlite3_file* f, int* out) {
    return Pass::to(f)->xCheckReservedLock(Pass::on(f), out);
  };
  file->methods.xFileControl = [](sqlite3_file* f, int op, void* argument) {
    return Pass::to(f)->xFileControl(Pass::on(f), op, argument);
  };
  file->methods.xSectorSize = [](sqlite3_file* f) { return Pass::to(f)->xSectorSize(Pass::on(f)); };
  file->methods.xDeviceCharacteristics = [](sqlite3_file*) { return 0; };  // promises nothing
  file->methods.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
    return Pass::to(f)->xShmMap(Pass::on(f), page, size, extend, out);
  };
  file->methods.xShmLock = [](sqlite3_file* f, int offset, int n, int how) {
    return Pass::to(f)->xShmLock(Pass::on(f), offset, n, how);
  };
  file->methods.xShmBarrier = [](sqlite3_file* f) { Pass::to(f)->xShmBarrier(Pass::on(f)); };
  file->methods.xShmUnmap = [](sqlite3_file* f, int remove) {
    return Pass::to(f)->xShmUnmap(Pass::on(f), remove);
  };
  file->base.pMethods = &file->methods;
  if (opened == SQLITE_OK && name && !is_helper(name) && !state.files.contains(name)) {
    // A file that was there is on the disk.
    std::ifstream in(name, std::ios::binary);
    state.files[name].synced = {(std::istreambuf_iterator<char>(in)), {}};
  }
  return opened;
}

int do_delete(sqlite3_vfs*, const char* name, int sync) {
  const std::scoped_lock lock(mutex);
  if (is_faulty()) {
    return state.fault == DiskFault::lies_once || state.fault == DiskFault::is_full
               ? SQLITE_OK
               : SQLITE_IOERR_DELETE;
  }
  state.files.erase(name);
  return state.real->xDelete(state.real, name, sync);
}

}  // namespace

LyingDisk::LyingDisk() {
  sqlite3_initialize();
  state = State{};
  state.real = sqlite3_vfs_find(nullptr);
  state.shim = *state.real;
  state.shim.zName = "lying";
  state.shim.pNext = nullptr;
  state.shim.szOsFile = static_cast<int>(sizeof(File)) + state.real->szOsFile;
  state.shim.xOpen = do_open;
  state.shim.xDelete = do_delete;
  sqlite3_vfs_register(&state.shim, 1);
}

LyingDisk::~LyingDisk() {
  sqlite3_vfs_unregister(&state.shim);
  sqlite3_vfs_register(state.real, 1);
}

void LyingDisk::plan(DiskFault fault, int n) {
  state.files.clear();
  state.picture.clear();
  state.fault = fault;
  state.at = n;
  state.count = 0;
  state.syncs = 0;
  state.happened = false;
}

void LyingDisk::fail_next_sync() {
  const std::scoped_lock lock(mutex);
  state.sync_fails = true;
}
void LyingDisk::plan_nothing() { state.fault = DiskFault::none; }

int LyingDisk::operations() const { return state.count; }
int LyingDisk::syncs() const { return state.syncs; }
bool LyingDisk::happened() const { return state.happened; }

void LyingDisk::write_picture(Unsynced unsynced, std::uint64_t seed,
                              const std::filesystem::path& folder) const {
  Rng rng(seed, "picture");
  for (const auto& [path, file] : state.picture) {
    // Under another name since then: a file that was made complete and then renamed.
    if (!std::filesystem::exists(path) && !path.ends_with("-wal")) continue;
    std::string bytes = file.synced;
    std::vector<Write> writes = file.on_the_way;
    if (unsynced == Unsynced::nothing) writes.clear();
    if (unsynced == Unsynced::some || unsynced == Unsynced::some_torn) {
      std::erase_if(writes, [&](const Write&) { return rng.below(2) == 0; });
      for (std::size_t i = writes.size(); i > 1; --i)
        std::swap(writes[i - 1], writes[rng.below(i)]);
      if (unsynced == Unsynced::some_torn && !writes.empty() && writes.back().bytes) {
        std::string& last = *writes.back().bytes;
        last.resize(rng.below(last.size() + 1));
      }
    }
    for (const Write& write : writes) apply(bytes, write);
    const std::filesystem::path to = folder / std::filesystem::path(path).filename();
    std::ofstream(to, std::ios::binary) << bytes;
  }
}

}  // namespace vbo::testing
