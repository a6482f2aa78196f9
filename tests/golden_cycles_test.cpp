// tests/golden/cycles.txt: what small launches take when every instruction is timed (`--sample off`), figure by figure.
// tools/update-golden writes the figures anew and lists every one that has changed.
//
//   figures... | gpu | launch (arguments of `tilescope run`) | moved by | guards
//
// "moved by" are values of the GPU's configuration that the mechanisms read: with each of them the cycles must differ,
// so that a row guards what it says it does.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli_answer.h"

namespace {

constexpr const char* kTable = "tests/golden/cycles.txt";

struct Figure {
  const char* name;
  std::vector<const char*> metrics;  // their sum
  int digits = 0;
};
const std::array<Figure, 6> kFigures{{{"cycles", {"gpc__cycles_elapsed.max"}},
                                      {"instructions", {"smsp__inst_executed.sum"}},
                                      {"HBM read, byte", {"dram__bytes_read.sum"}},
                                      {"HBM written, byte", {"dram__bytes_write.sum"}},
                                      {"L2 sectors", {"lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"}},
                                      {"L1 hit, %", {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"}, 3}}};
using Cells = std::array<std::string, kFigures.size()>;

struct Row {
  Cells written;
  std::string gpu, launch, moved_by, guards;
};

struct Table {
  std::string head;  // comments
  std::vector<Row> rows;
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

Table read_table() {
  Table table;
  std::ifstream file(kTable);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) {
      table.head += line + "\n";
      continue;
    }
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, '|');) {
      const auto first = cell.find_first_not_of(' ');
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
    CAPTURE(line);
    REQUIRE(cells.size() == kFigures.size() + 4);
    Row& row = table.rows.emplace_back();
    std::move(cells.begin(), cells.begin() + kFigures.size(), row.written.begin());
    row.gpu = cells[kFigures.size()];
    row.launch = cells[kFigures.size() + 1];
    row.moved_by = cells[kFigures.size() + 2];
    row.guards = cells[kFigures.size() + 3];
  }
  REQUIRE(!table.rows.empty());
  return table;
}

void write_table(const Table& table) {
  std::ofstream file(kTable);
  file << table.head;
  for (const Row& row : table.rows) {
    const Cells& w = row.written;
    file << fmt::format("{:>7} | {:>8} | {:>8} | {:>8} | {:>7} | {:>7} | {:<9} | {} | {} | {}\n", w[0], w[1], w[2],
                        w[3], w[4], w[5], row.gpu, row.launch, row.moved_by, row.guards);
  }
}

Cells answer(const Row& row, const std::string& change = "") {
  std::vector<std::string> arguments = words("run " + row.launch + " --sample off --threads 1 --format json");
  arguments.insert(arguments.end(), {"--gpu", row.gpu});
  if (!change.empty()) arguments.insert(arguments.end(), {"--set", change});
  const CliAnswer said = ask(arguments);
  CAPTURE(row.launch);
  CAPTURE(change);
  REQUIRE_MESSAGE(said.code == 0, said.err);
  const auto metrics = nlohmann::json::parse(said.out).at("metrics");
  Cells cells;
  for (std::size_t i = 0; i < kFigures.size(); ++i) {
    double sum = 0;
    for (const char* metric : kFigures[i].metrics) sum += metrics.at(metric).get<double>();
    cells[i] = fmt::format("{:.{}f}", sum, kFigures[i].digits);
  }
  return cells;
}

// "cycles 10,000 -> 10,100 (+1.00 %)", one line for each figure that differs.
std::string difference(const Cells& old, const Cells& now) {
  std::string lines;
  for (std::size_t i = 0; i < kFigures.size(); ++i) {
    if (old[i] == now[i]) continue;
    const double before = std::atof(old[i].c_str());
    const std::string share =
        old[i].empty() || before == 0 ? "" : fmt::format(" ({:+.2f} %)", 100 * (std::stod(now[i]) / before - 1));
    lines += fmt::format("    {:<18} {} -> {}{}\n", kFigures[i].name, old[i].empty() ? "(new)" : old[i], now[i], share);
  }
  return lines;
}

bool updating() {
  const char* asked = std::getenv("TILESCOPE_UPDATE_GOLDEN");
  return asked != nullptr && *asked == '1';
}

}  // namespace

TEST_CASE("golden cycles: every figure of every launch is what it was (else: tools/update-golden, and look at each)") {
  std::filesystem::current_path(TILESCOPE_SOURCE_DIR);
  Table table = read_table();
  std::size_t changed = 0;
  for (Row& row : table.rows) {
    const Cells now = answer(row);
    if (now == row.written) continue;
    ++changed;
    const std::string text =
        fmt::format("{} on {}, guards {}\n{}", row.launch, row.gpu, row.guards, difference(row.written, now));
    if (updating())
      fmt::print("{}", text);
    else
      FAIL_CHECK(text);
    row.written = now;
  }
  if (updating()) {
    write_table(table);
    fmt::print("{}: {} of {} launches changed\n", kTable, changed, table.rows.size());
  } else if (changed > 0) {
    MESSAGE(fmt::format("{} of {} launches differ from {}; where that is meant: tools/update-golden", changed,
                        table.rows.size(), kTable));
  }
}

TEST_CASE("golden cycles: each launch is moved by the mechanisms that it guards") {
  std::filesystem::current_path(TILESCOPE_SOURCE_DIR);
  for (const Row& row : read_table().rows) {
    const std::string cycles = answer(row)[0];
    CAPTURE(row.launch);
    REQUIRE(!row.moved_by.empty());
    for (const std::string& change : words(row.moved_by)) {
      CAPTURE(change);
      CHECK(answer(row, change)[0] != cycles);
    }
  }
}
