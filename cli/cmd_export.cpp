// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "cli/commands.hpp"
#include "cli/export.hpp"
#include "cli/target.hpp"
#include "cli/trials_csv.hpp"
#include "exec/command_template.hpp"
#ifdef VBO_HAVE_SQLITE
#include "storage/optuna/export.hpp"
#endif

namespace vbo::cli {

std::string plain_name(const std::string& name, bool slashes) {
  std::string plain = name;
  for (char& c : plain) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view("_-. ").find(c) != std::string_view::npos ||
                      (slashes && c == '/');
    if (!kept) c = '_';
  }
  return plain.empty() || plain.front() == '.' ? "_" + plain : plain;
}

Result<void> write_new_file(const std::filesystem::path& path, const std::string& bytes) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (!error && std::filesystem::exists(path)) {
    return Error{ErrorKind::conflict,
                 path.string() + " exists already; remove it or name another file"};
  }
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (file) return {};
  return Error{ErrorKind::io, "cannot write " + path.string()};
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAllowFileStore = "MLFLOW_ALLOW_FILE_STORE=true";
constexpr std::int64_t kTrialsAtOnce = 5000;  // trials in memory with their standard error

struct ExportArguments {
  std::string study, mlflow, tensorboard, optuna, csv, parquet;
};

// The history lacks standard error: rows are loaded whole, some at a time. No row for a trial that
// came after the history, which may need further columns.
Result<std::string> table_of(const OpenedStudy& study, const std::vector<Trial>& history) {
  const ExtraColumns extra = extra_columns(history);
  std::string text = csv_header(study.record, extra);
  const TrialId last = history.empty() ? 0 : history.back().id;
  for (TrialId next = 1; next <= last;) {
    const Result<std::vector<Trial>> rows = study.storage->load_trials(next, kTrialsAtOnce);
    if (!rows) return rows.error();
    if (rows->empty()) break;
    for (const Trial& trial : *rows) {
      if (trial.id <= last) text += csv_row(study.record, trial, extra);
    }
    next = rows->back().id + 1;
  }
  return text;
}

// By pyarrow of the Python on PATH: no other program has to read or write Parquet.
Result<void> export_parquet(const std::string& table, const std::string& path) {
  if (fs::exists(path)) {
    return Error{ErrorKind::conflict, path + " exists already; remove it or name another file"};
  }
  constexpr const char* script =
      "import sys\n"
      "try:\n"
      "    from pyarrow import csv, parquet\n"
      "except ImportError:\n"
      "    sys.exit(3)\n"
      "parquet.write_table(csv.read_csv(sys.argv[1]), sys.argv[2])\n";
  const std::string source = path + ".csv.new";
  std::ofstream(source, std::ios::binary) << table;
  const pid_t child = fork();
  if (child == 0) {
    execlp("python3", "python3", "-c", script, source.c_str(), path.c_str(), nullptr);
    _exit(3);
  }
  int status = 0;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child;
  fs::remove(source);
  if (!ended) return Error{ErrorKind::io, "cannot run python3"};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 3) {
    return Error{ErrorKind::unsupported,
                 "--parquet needs python3 with pyarrow (pip install pyarrow); --csv needs nothing"};
  }
  return Error{ErrorKind::io, "pyarrow could not write " + path};
}

Result<void> export_optuna(const StudyRecord& record, const std::vector<Trial>& trials,
                           const std::string& path) {
#ifdef VBO_HAVE_SQLITE
  return write_optuna(record, trials, path);
#else
  return Error{ErrorKind::unsupported,
               "this build has no SQLite, which --optuna needs: " + path + " was not written"};
#endif
}

int export_study(const ExportArguments& options, const Console& console) {
  const Result<OpenedStudy> study = open_to_read(options.study);
  if (!study) return fail(study.error());
  const StudyRecord& record = study->record;
  const Result<std::vector<Trial>> found = study->storage->load_history();
  if (!found) return fail(found.error());
  const std::vector<Trial>& trials = *found;
  std::vector<std::string> written;
  const auto write = [&](const std::string& path, const auto& into) -> Result<void> {
    if (path.empty()) return {};
    written.push_back(path);
    return into(path);
  };
  Result<std::string> table = std::string();
  if (!options.csv.empty() || !options.parquet.empty()) table = table_of(*study, trials);
  if (!table) return fail(table.error());
  Result<void> done = write(options.csv, [&](const auto& p) { return write_new_file(p, *table); });
  if (done) done = write(options.parquet, [&](const auto& p) { return export_parquet(*table, p); });
  if (done)
    done = write(options.optuna, [&](const auto& p) { return export_optuna(record, trials, p); });
  if (done)
    done = write(options.mlflow, [&](const auto& p) { return export_mlflow(record, trials, p); });
  if (done) {
    done = write(options.tensorboard,
                 [&](const auto& p) { return export_tensorboard(record, trials, p); });
  }
  if (!done) return fail(done.error());
  if (written.empty()) {
    return fail(kWrongUsage,
                "nothing to write: expected one or more of --csv, --parquet, --optuna, --mlflow "
                "and --tensorboard");
  }
  for (const std::string& path : written) {
    print_out(fmt::format("{} trials written to {}\n", trials.size(), path));
  }
  if (!options.mlflow.empty() && !console.quiet) {
    std::fflush(stdout);
    print_err("note: recent versions of MLflow read a file store only when " +
              std::string(kAllowFileStore) + " is set:\n  " + std::string(kAllowFileStore) +
              " mlflow ui --backend-store-uri " + shell_quoted(options.mlflow) + "\n");
  }
  return kDone;
}

}  // namespace

Action define_export(CLI::App& app, const Console& console) {
  auto options = std::make_shared<ExportArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.option("--csv", options->csv, "FILE", "A CSV table, as vbo trials prints it");
  arguments.option("--parquet", options->parquet, "FILE",
                   "The same table for pandas, Polars, DuckDB; needs python3 with pyarrow");
  arguments.option("--optuna", options->optuna, "FILE",
                   "An SQLite file for Optuna and optuna-dashboard");
  arguments.option("--mlflow", options->mlflow, "DIR",
                   "An experiment of MLflow's file store; recent versions of MLflow read it only "
                   "when " +
                       std::string(kAllowFileStore) + " is set");
  arguments.option("--tensorboard", options->tensorboard, "DIR",
                   "Event files for tensorboard --logdir DIR, HParams included");
  return [options, &console] { return export_study(*options, console); };
}

}  // namespace vbo::cli
