#include "sim/cli/man_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "models/support/atomic_file.h"
#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "sim/cli/man_page.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/usage_error.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

void write_page(const std::filesystem::path& file, const std::string& text) {
  AtomicFile page(file.string());
  page.stream() << text;
  page.commit();
}

void write_all_pages(const std::filesystem::path& directory) {
  try {
    std::filesystem::create_directories(directory);
    write_page(directory / "tilescope.1", man_page());
    for (const CommandTable& table : command_tables())
      write_page(directory / (man_page_name(*table.command) + ".1"), man_page(table));
  } catch (const std::system_error& error) {
    throw UsageError(std::string("--all: ") + error.what());
  }
}

std::string page_of(const std::string& name) {
  std::vector<std::string> names;
  for (const CommandTable& table : command_tables()) {
    if (table.command->name == name) return man_page(table);
    names.push_back(table.command->name);
  }
  throw UsageError("unknown command " + in_quotes(name) + did_you_mean(name, names), "see: tilescope --help");
}

int print_man_page(const Values& values, std::ostream& out) {
  std::string name;
  for (const std::string& word : words_of(values, "COMMAND")) name += (name.empty() ? "" : " ") + word;
  if (values.count("all") != 0) {
    if (!name.empty() || values.count("output") != 0)
      throw UsageError("--all DIR takes neither a COMMAND nor --output");
    write_all_pages(values["all"].as<std::string>());
    return ok;
  }
  const std::string page = name.empty() ? man_page() : page_of(name);
  with_output(values, out, [&](std::ostream& stream) { stream << page; });
  return ok;
}

}  // namespace

Command man_command() {
  Command command;
  command.name = "man";
  command.summary = "Print a manual page";
  command.usage = "man [COMMAND [ACTION]] [options]";
  command.details =
      "In the man macros of roff, for man -l. An installed tilescope brings all pages along: man tilescope-run.";
  command.examples =
      "tilescope man run | man -l -\n"
      "tilescope man sweep merge | man -l -\n"
      "tilescope man --all man1";
  command.declare = [](CommandLine& line) {
    line.words = {"COMMAND"};
    line.many = true;
    line.options.add_options()("all", po::value<std::string>()->value_name("DIR"),
                               "write every page into a directory instead");
    add_output_option(line.options);
  };
  command.run = print_man_page;
  return command;
}

}  // namespace tilescope::cli
