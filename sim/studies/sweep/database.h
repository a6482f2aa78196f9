// SQLite as the store uses it: statements and transactions whose failures are exceptions with a sentence.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace tilescope::sweep {

// The work failed: a full disk, a damaged file, a lock that nobody gives back.
struct StoreError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Statement {
 public:
  Statement(sqlite3* database, const std::string& path, const std::string& sql);  // throws StoreError

  // Parameters count from 1. The text must stay as it is until the next reset().
  void bind(int parameter, const std::string& text);
  void bind(int parameter, std::int64_t number);
  void bind(int parameter, double number);
  bool step();  // true: there is a row. Throws StoreError.
  void reset();

  std::string text(int column) const;  // columns count from 0
  std::int64_t number(int column) const;
  double real(int column) const;
  bool is_null(int column) const;

 private:
  void check(int code) const;

  sqlite3* database_;
  std::string path_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

class Database {
 public:
  // Throws StoreError.
  Database(const std::string& path, bool create);

  const std::string& path() const { return path_; }
  void execute(const std::string& sql);
  Statement prepare(const std::string& sql) const { return {database_.get(), path_, sql}; }
  std::int64_t number(const std::string& sql) const;  // the first column of the first row

  // All of what `body` writes, or nothing when it throws. Waits for other processes' transactions.
  void transaction(const std::function<void()>& body);

 private:
  std::string path_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

}  // namespace tilescope::sweep
