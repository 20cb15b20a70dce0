// SPDX-License-Identifier: MIT
#include "storage/process.hpp"

#include <unistd.h>

#include <array>
#include <cctype>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <set>
#include <sstream>

#include "vbo/storage.hpp"

namespace vbo {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Field 22 of /proc/PID/stat, clock ticks since the machine started; "" when there is no such
// process. The name in parentheses may hold anything, so we count from the last one. A zombie has
// ended.
std::string start_of(const std::string& pid) {
  const std::string line = first_line("/proc/" + pid + "/stat");
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream rest(line.substr(name_end + 1));
  std::string field;
  for (int number = 3; rest >> field; ++number) {
    if (number == 3 && (field == "Z" || field == "X")) return "";
    if (number == 22) return field;
  }
  return "";
}

// This start of this machine, and this view of its processes.
std::string find_place() {
  std::error_code absent;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", absent).string();
  std::string digits;
  for (const char c : space) {
    if (std::isdigit(static_cast<unsigned char>(c))) digits += c;
  }
  return first_line("/proc/sys/kernel/random/boot_id") + "/" + digits;
}

const std::string& place() {
  static const std::string here = find_place();
  return here;
}

// Those of this process that have not ended.
struct Living {
  std::mutex mutex;
  std::int64_t last = 0;
  std::set<std::string> names;
  static Living& here() {
    static Living living;
    return living;
  }
};

}  // namespace

std::string this_host() {
  std::array<char, 256> host{};
  return gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "localhost";
}

ProcessName::ProcessName() {
  const std::string pid = std::to_string(getpid());
  Living& living = Living::here();
  const std::scoped_lock lock(living.mutex);
  const std::string number = std::to_string(++living.last);
  text_ = place() + "/" + pid + "/" + start_of(pid) + "+" + number;
  living.names.insert(text_);
}

ProcessName::~ProcessName() {
  Living& living = Living::here();
  const std::scoped_lock lock(living.mutex);
  living.names.erase(text_);
}

bool process_is_gone(const std::string& name) {
  const std::string process = name.substr(0, name.rfind('+'));
  const auto start_at = process.rfind('/');
  if (start_at == std::string::npos || start_at == 0) return false;
  const auto pid_at = process.rfind('/', start_at - 1);
  if (pid_at == std::string::npos) return false;
  const std::string& where = place();
  if (where.size() < 3 || where.front() == '/' || process.substr(0, pid_at) != where) return false;
  const std::string pid = process.substr(pid_at + 1, start_at - pid_at - 1);
  if (start_of(pid) != process.substr(start_at + 1)) return true;
  if (pid != std::to_string(getpid())) return false;
  Living& living = Living::here();
  const std::scoped_lock lock(living.mutex);
  return !living.names.contains(name);
}

std::int64_t new_token() {
  std::random_device source;  // the system's
  std::uint64_t bits = 0;
  while ((bits >> 1) == 0) {
    bits = static_cast<std::uint64_t>(source()) << 32U | source();
  }
  return static_cast<std::int64_t>(bits >> 1);
}

double machine_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool lease_is_over(double until, const std::string& process) {
  constexpr double longest = 1e8;        // seconds; no worker asks for as much
  constexpr std::size_t name_size = 36;  // of a machine's start, as the kernel writes it
  const double now = machine_seconds();
  if (!(until >= now && until <= now + longest)) return true;
  const std::string& here = place();
  const bool named = process.find('/') == name_size && here.find('/') == name_size;
  return named && process.compare(0, name_size, here, 0, name_size) != 0;
}

double system_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace vbo
