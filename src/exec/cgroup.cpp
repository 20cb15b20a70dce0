// SPDX-License-Identifier: MIT
// Where control groups of version 2 may be made, by what the kernel says of this process.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "exec/keeper.hpp"

namespace vbo {
namespace {

// The path in the line "0::/path", with which version 2 is listed.
std::string own_group() {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("0::/")) return line.substr(3);
  }
  return {};
}

struct Mount {
  std::string root, folder;  // the group that is shown, and where
};

Mount cgroup_mount() {
  std::ifstream in("/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string id, parent, device;
    Mount mount;
    fields >> id >> parent >> device >> mount.root >> mount.folder;
    return mount;
  }
  return {};
}

}  // namespace

std::string usable_cgroup() {
  const char* const wanted = std::getenv("VBO_CGROUP");
  if (wanted && std::string_view(wanted) == "off") return {};
  const std::string group = own_group();
  const Mount mount = cgroup_mount();
  if (group.empty() || mount.folder.empty()) return {};
  const std::string root = mount.root == "/" ? "" : mount.root;
  if (!group.starts_with(root)) return {};  // outside of what this namespace sees
  std::string folder = mount.folder + group.substr(root.size());
  while (folder.ends_with('/')) folder.pop_back();
  const bool usable =
      access(folder.c_str(), W_OK) == 0 && access((folder + "/cgroup.procs").c_str(), W_OK) == 0;
  return usable ? folder : std::string();
}

}  // namespace vbo
