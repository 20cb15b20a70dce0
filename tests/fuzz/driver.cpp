// SPDX-License-Identifier: MIT
// Runs a fuzz target on the files of folders and on each of them cut short and with bytes changed,
// for builds without libFuzzer. Exits 1 when there are no files: a test that reads nothing is none.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "vbo/random.hpp"

namespace {

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int changes = 20;  // of every file
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(in)), {});
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      run(bytes);
      ++files;
      vbo::Rng rng(files);
      for (int k = 0; k < changes && !bytes.empty(); ++k) {
        std::string changed = bytes.substr(0, rng.below(bytes.size()) + 1);
        changed[rng.below(changed.size())] = static_cast<char>(rng.below(256));
        run(changed);
      }
    }
  }
  std::fprintf(stderr, "%zu files\n", files);
  return files == 0 ? 1 : 0;
}
