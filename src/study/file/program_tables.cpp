// SPDX-License-Identifier: MIT
#include "study/file/program_tables.hpp"

#include <algorithm>
#include <filesystem>

#include "exec/program_files.hpp"

namespace vbo::study {
namespace {

namespace fs = std::filesystem;

// The tables [[name]] of the file, in order.
std::vector<const toml::table*> tables_of(const toml::table& root, const std::string& name,
                                          TomlErrors& errors) {
  std::vector<const toml::table*> tables;
  const toml::node* node = root.get(name);
  if (!node) return tables;
  const toml::array* array = node->as_array();
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    if (const toml::table* table = array->get(i)->as_table()) tables.push_back(table);
  }
  if (!array || tables.size() != array->size()) {
    errors.add_found(*node, name, "[[" + name + "]] tables");
  }
  return tables;
}

TomlField field_of(const std::string& name, std::size_t index) {
  const std::string number = std::to_string(index + 1);
  return {name + " " + number, name + "." + number};
}

InputTemplate read_template(const toml::table& table, std::size_t index, TomlErrors& errors) {
  TomlTable reader(table, field_of("template", index), {"from", "to"}, errors);
  if (!reader.find("from")) reader.missing("from", "the path of a file with {name} in it");
  InputTemplate made;
  made.from = reader.text("from").value_or("");
  made.to = reader.text("to").value_or(fs::path(made.from).filename().string());
  return made;
}

Extraction read_extraction(const toml::table& table, std::size_t index, TomlErrors& errors) {
  TomlTable reader(table, field_of("extract", index),
                   {"metric", "file", "pattern", "json", "column", "default"}, errors);
  if (!reader.find("metric")) reader.missing("metric", "the name of a metric or objective");
  Extraction made;
  made.metric = reader.text("metric").value_or("");
  made.file = reader.text("file").value_or("");
  made.pattern = reader.text("pattern").value_or("");
  made.json = reader.text("json").value_or("");
  made.column = reader.text("column").value_or("");
  made.otherwise = reader.finite("default");
  return made;
}

// The keys of [evaluate], whose spelling has been checked.
void read_folder(const toml::table& evaluate, const std::string& stem, ProgramFiles& files,
                 TomlErrors& errors) {
  TomlTable reader(evaluate, "evaluate", {}, errors);
  const bool has_folders =
      !files.templates.empty() || evaluate.contains("work_dir") ||
      std::ranges::any_of(files.extractions, [](const Extraction& e) { return !e.file.empty(); });
  files.folder = reader.text("work_dir").value_or(has_folders ? stem + ".work" : "");
  files.input = reader.text("stdin").value_or("");
  const auto keep = reader.text("keep");
  if (!keep) return;
  if (*keep != "failed" && *keep != "all" && *keep != "none") {
    return errors.add_found(*reader.find("keep"), "evaluate.keep",
                            "\"failed\", \"all\" or \"none\"");
  }
  files.keep = *keep == "all" ? Keep::all : *keep == "none" ? Keep::none : Keep::failed;
  if (!has_folders) {
    errors.add(
        reader.find("keep"), "evaluate.keep",
        "found " + toml_text(*reader.find("keep")) +
            ", but trials have no folders, expected a [[template]], a file in an [[extract]] "
            "or evaluate.work_dir");
  }
}

}  // namespace

void read_program_tables(const toml::table& root, StudyFile& file, TomlErrors& errors) {
  const auto templates = tables_of(root, "template", errors);
  const auto extractions = tables_of(root, "extract", errors);
  const toml::table* evaluate = root["evaluate"].as_table();
  if (!file.evaluate || file.evaluate->process.command.empty()) {
    for (const char* name : {"template", "extract"}) {
      if (root.contains(name)) {
        errors.add(root.get(name), name,
                   "found a table, but evaluate.command is missing, expected the program that "
                   "reads and writes the files");
      }
    }
    return;
  }
  ProcessOptions& process = file.evaluate->process;
  ProgramFiles& files = process.files;
  for (const toml::table* table : templates) {
    files.templates.push_back(read_template(*table, files.templates.size(), errors));
  }
  for (const toml::table* table : extractions) {
    files.extractions.push_back(read_extraction(*table, files.extractions.size(), errors));
  }
  read_folder(*evaluate, fs::path(file.path).stem().string(), files, errors);
  if (errors.any()) return;
  const auto flaw = exec::file_flaw_of(process);
  if (!flaw) return;
  if (flaw->table == "evaluate") {
    return errors.add(evaluate->get(flaw->key), "evaluate." + flaw->key, flaw->problem);
  }
  const auto& tables = flaw->table == "template" ? templates : extractions;
  const TomlField field = field_of(flaw->table, flaw->index);
  const toml::node* where = tables[flaw->index]->get(flaw->key);
  errors.add(where ? where : tables[flaw->index],
             {field.shown + "." + flaw->key, field.path + "." + flaw->key}, flaw->problem);
}

}  // namespace vbo::study
