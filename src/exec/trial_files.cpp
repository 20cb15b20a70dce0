// SPDX-License-Identifier: MIT
#include "exec/trial_files.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "core/quietly.hpp"

namespace vbo::exec {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestOfAll = 4 * kLargestTemplate;
constexpr std::string_view kRunning = ".running-";

// Beside what is numbered, this is the same for all processes that see one another.
std::string machine_mark() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  std::error_code absent;
  boot += fs::read_symlink("/proc/self/ns/pid", absent).string();
  constexpr std::size_t digits = 100'000'000;
  return std::to_string(std::hash<std::string>{}(boot) % digits) + "-";
}

Error cannot(const std::string& what, const fs::path& path, int reason) {
  return {ErrorKind::io, "cannot " + what + " " + path.string() + ": " + std::strerror(reason)};
}

// A new file; an error when there is one already.
Result<void> write_new(const fs::path& path, std::string_view text, mode_t mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return cannot("write", path, errno);
  int reason = 0;
  while (!text.empty() && reason == 0) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      reason = errno;
    }
  }
  if (close(fd) != 0 && reason == 0) reason = errno;
  if (reason != 0) return cannot("write", path, reason);
  return {};
}

Result<std::string> read_template(const fs::path& path) {
  std::error_code unknown;
  if (!fs::exists(path, unknown)) return cannot("read", path, ENOENT);
  if (!fs::is_regular_file(path, unknown)) {
    return Error{ErrorKind::invalid_input, "cannot read " + path.string() + ": it is not a file"};
  }
  std::ifstream in(path, std::ios::binary);
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16U);
  while (in && text.size() <= kLargestTemplate) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof() && text.size() <= kLargestTemplate) return cannot("read", path, errno);
  if (text.size() > kLargestTemplate) {
    return Error{ErrorKind::invalid_input,
                 path.string() +
                     " is larger than 16 MiB; files without placeholders can stay where "
                     "they are: {study_dir} is their folder"};
  }
  return text;
}

// Of processes that were killed before they could.
void remove_left_overs(const fs::path& folder) {
  const std::string mark = std::string(kRunning) + machine_mark();
  std::error_code ended;
  for (auto entry = fs::directory_iterator(folder, ended);
       !ended && entry != fs::directory_iterator(); entry.increment(ended)) {
    const std::string name = entry->path().filename().string();
    const std::size_t at = name.find(mark);
    if (!name.starts_with("trial-") || at == std::string::npos) continue;
    const pid_t pid = static_cast<pid_t>(std::atol(name.c_str() + at + mark.size()));
    if (pid <= 0 || pid == getpid() || kill(pid, 0) == 0 || errno != ESRCH) continue;
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace

TrialFolder::TrialFolder(std::string path, std::string kept, Keep keep)
    : path_(std::move(path)), kept_(std::move(kept)), keep_(keep) {}

TrialFolder::TrialFolder(TrialFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      kept_(std::exchange(other.kept_, {})),
      keep_(other.keep_) {}

TrialFolder& TrialFolder::operator=(TrialFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(kept_, other.kept_);
  std::swap(keep_, other.keep_);
  return *this;
}

TrialFolder::~TrialFolder() { remove(); }

void TrialFolder::remove() noexcept {
  if (path_.empty()) return;
  quietly([&] {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  });
  path_.clear();
}

std::string TrialFolder::end(bool failed, std::string_view output, std::string_view errors) {
  if (path_.empty()) return {};
  const bool stays = keep_ == Keep::all || (failed && keep_ == Keep::failed);
  std::error_code ignored;
  if (stays || !failed) fs::remove_all(kept_, ignored);  // of an earlier evaluation
  if (!stays) {
    remove();
    return {};
  }
  for (const auto& [name, text] :
       {std::pair{"stdout.txt", output}, std::pair{"stderr.txt", errors}}) {
    if (!text.empty()) (void)write_new(fs::path(path_) / name, text, 0644);  // never the program's
  }
  const std::string running = std::exchange(path_, {});
  return rename(running.c_str(), kept_.c_str()) == 0 ? kept_ : running;
}

std::string study_dir_of(const ProcessOptions& options) {
  std::error_code unknown;
  const fs::path folder =
      fs::absolute(options.directory.empty() ? "." : options.directory, unknown).lexically_normal();
  return (folder.has_filename() ? folder : folder.parent_path()).string();
}

Result<TrialFiles> TrialFiles::make(const ProcessOptions& options, const Space& space) {
  TrialFiles made;
  made.extractor_ = Extractor(options);
  made.study_dir_ = study_dir_of(options);
  const fs::path directory = made.study_dir_;
  const ProgramFiles& files = options.files;
  if (files.folder.empty()) return made;
  made.keep_ = files.keep;
  std::size_t total = 0;
  for (std::size_t i = 0; i < files.templates.size(); ++i) {
    const InputTemplate& file = files.templates[i];
    const std::string field = "template." + std::to_string(i + 1);
    const fs::path path = directory / file.from;
    Result<std::string> text = read_template(path);
    if (!text) return Error{ErrorKind::invalid_input, text.error().message, field};
    total += text->size();
    if (total > kLargestOfAll) {
      return Error{ErrorKind::invalid_input, "the templates are together larger than 64 MiB",
                   field};
    }
    Result<TextTemplate> made_text = TextTemplate::make(*text, space);
    if (!made_text) {
      return Error{ErrorKind::invalid_input,
                   path.lexically_normal().string() + ":" + std::to_string(made_text.error().line) +
                       ": " + made_text.error().message,
                   field};
    }
    struct stat status {};
    const mode_t mode = stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0644U;
    made.inputs_.push_back({std::move(*made_text), file.to, mode | 0600U});
  }
  made.folder_ = (directory / files.folder).lexically_normal().string();
  remove_left_overs(made.folder_);
  return made;
}

TrialFiles::~TrialFiles() {
  if (!folder_.empty()) rmdir(folder_.c_str());
}

void TrialFiles::swap(TrialFiles& other) noexcept {
  std::swap(inputs_, other.inputs_);
  std::swap(extractor_, other.extractor_);
  std::swap(study_dir_, other.study_dir_);
  std::swap(folder_, other.folder_);
  std::swap(keep_, other.keep_);
}

std::vector<std::size_t> TrialFiles::parameters() const {
  std::vector<std::size_t> indices;
  for (const Input& input : inputs_) {
    for (const std::size_t index : input.text.parameters()) indices.push_back(index);
  }
  return indices;
}

Result<TrialFolder> TrialFiles::begin(const Job& job) const {
  static const std::string mark = machine_mark();
  const fs::path kept = fs::path(folder_) / ("trial-" + std::to_string(job.id));
  const fs::path path = kept.string() + std::string(kRunning) + mark + std::to_string(getpid());
  std::error_code failed;
  fs::remove_all(path, failed);  // it could not be removed before
  for (int tries = 0; tries < 3; ++tries) {
    fs::create_directories(folder_, failed);
    if (failed) break;
    // Others who find the folder of all empty may remove it at any time.
    if (mkdir(path.c_str(), 0777) == 0) break;
    failed = {errno, std::generic_category()};
    if (failed.value() != ENOENT) break;
  }
  if (failed) return cannot("make", path, failed.value());
  TrialFolder folder(path.string(), kept.string(), keep_);
  const Surroundings surroundings{.seed = job.seed, .study_dir = study_dir_};
  for (const Input& input : inputs_) {
    const fs::path to = path / input.to;
    fs::create_directories(to.parent_path(), failed);
    if (failed) return cannot("make", to.parent_path(), failed.value());
    if (const auto written = write_new(to, input.text.expand(job.point, surroundings), input.mode);
        !written) {
      return written.error();
    }
  }
  return folder;
}

}  // namespace vbo::exec
