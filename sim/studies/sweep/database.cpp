#include "sim/studies/sweep/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>

namespace tilescope::sweep {
namespace {

constexpr int kBusyMilliseconds = 60'000;
constexpr int kCallAfter = 1'000'000;     // instructions of SQLite's machine
constexpr int kMostCalls = 10'000;        // of one statement: minutes; a million points take a hundred million
constexpr int kLongestValue = 256 << 20;  // byte
constexpr int kDeepestExpression = 100;   // SQL that this program writes has a few levels

[[noreturn]] void fail(sqlite3* database, const std::string& path, int code) {
  const int reason = database != nullptr ? sqlite3_system_errno(database) : 0;
  std::string what = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  if ((code & 0xff) == SQLITE_FULL)
    what = "the disk is full; what was stored before is kept";
  else if ((code & 0xff) == SQLITE_BUSY)
    what = "another program keeps the file locked";
  else if ((code & 0xff) == SQLITE_INTERRUPT)
    what = "reading it takes more steps than a store can need: it is damaged";
  else if ((code & 0xff) == SQLITE_IOERR)
    what += (reason == 0 ? "" : std::string(" (") + std::strerror(reason) + ")") + "; what was stored before is kept";
  throw StoreError(path + ": " + what);
}

}  // namespace

Statement::Statement(sqlite3* database, const std::string& path, const std::string& sql)
    : database_(database), path_(path), statement_(nullptr, sqlite3_finalize) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
  check(code);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(database_, path_, code);
}

void Statement::bind(int parameter, const std::string& text) {
  check(sqlite3_bind_text(statement_.get(), parameter, text.data(), static_cast<int>(text.size()), nullptr));
}
void Statement::bind(int parameter, std::int64_t number) {
  check(sqlite3_bind_int64(statement_.get(), parameter, number));
}
void Statement::bind(int parameter, double number) { check(sqlite3_bind_double(statement_.get(), parameter, number)); }

bool Statement::step() {
  int calls = 0;
  sqlite3_progress_handler(
      database_, kCallAfter, [](void* count) { return ++*static_cast<int*>(count) > kMostCalls ? 1 : 0; }, &calls);
  const int code = sqlite3_step(statement_.get());
  sqlite3_progress_handler(database_, 0, nullptr, nullptr);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(database_, path_, code);
  return false;
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}
std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }
bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

Database::Database(const std::string& path, bool create) : path_(path), database_(nullptr, sqlite3_close) {
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) fail(opened, path, code);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, kBusyMilliseconds);
  // The file may be anybody's: nothing that its schema says is run.
  for (const int setting :
       {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_TRUSTED_SCHEMA})
    sqlite3_db_config(opened, setting, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(opened, SQLITE_LIMIT_EXPR_DEPTH, kDeepestExpression);
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(database_.get(), path_, code);
}

std::int64_t Database::number(const std::string& sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.number(0) : 0;
}

void Database::transaction(const std::function<void()>& body) {
  execute("BEGIN IMMEDIATE");
  try {
    body();
    execute("COMMIT");
  } catch (...) {
    // A full disk may have ended the transaction by itself.
    if (sqlite3_get_autocommit(database_.get()) == 0)
      sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace tilescope::sweep
