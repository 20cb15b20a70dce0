// SPDX-License-Identifier: MIT
#include "exec/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/spelling.hpp"
#include "vbo/program_files.hpp"

namespace vbo::exec {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostListed = 20;

// "a.log b.log", or the one that is meant.
std::string what_is_there(const std::string& folder, const std::string& file) {
  std::vector<std::string> names;
  std::error_code ended;
  for (auto entry = fs::recursive_directory_iterator(folder, ended);
       !ended && entry != fs::recursive_directory_iterator() && names.size() < kMostListed;
       entry.increment(ended)) {
    std::error_code unknown;
    if (entry->is_regular_file(unknown)) {
      names.push_back(entry->path().lexically_relative(folder).string());
    }
  }
  std::ranges::sort(names);
  return names.empty() ? ", or any other file" : suggestion(file, names);
}

// Both are resolved: a link may lead anywhere.
bool leads_out(const fs::path& folder, const fs::path& file) {
  std::error_code unknown;
  const fs::path inside = fs::canonical(folder, unknown), real = fs::canonical(file, unknown);
  if (unknown) return true;
  const auto [rest, ignored] = std::ranges::mismatch(inside, real);
  return rest != inside.end();
}

}  // namespace

Result<OutputText> read_output(const std::string& folder, const std::string& file) {
  const fs::path path = fs::path(folder) / file;
  const auto error = [](ErrorKind kind, const std::string& message) {
    return Error{kind, message};
  };
  // Without waiting for somebody to write into a pipe.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    return errno == ENOENT
               ? error(ErrorKind::not_found,
                       "the program wrote no " + file + what_is_there(folder, file))
               : error(ErrorKind::io, "cannot read " + file + ": " + std::strerror(errno));
  }
  struct Closer {
    int fd;
    ~Closer() { close(fd); }
  } const closer{fd};
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    return error(ErrorKind::io, file + " is not a plain file");
  }
  if (leads_out(folder, path)) {
    return error(ErrorKind::io, file + " is a link that leads out of the trial's folder");
  }
  OutputText output{.name = file, .text = {}, .cut = false};
  const auto size = static_cast<std::size_t>(status.st_size);
  output.cut = size > kLargestOutput;
  if (output.cut) lseek(fd, static_cast<off_t>(size - kLargestOutput), SEEK_SET);
  std::vector<char> buffer(std::size_t{1} << 16U);
  while (output.text.size() < kLargestOutput) {
    const ssize_t got =
        read(fd, buffer.data(), std::min(buffer.size(), kLargestOutput - output.text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error(ErrorKind::io, "cannot read " + file + ": " + std::strerror(errno));
    if (got == 0) break;
    output.text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return output;
}

}  // namespace vbo::exec
