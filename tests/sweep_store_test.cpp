#include <doctest/doctest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <stdexcept>

#include "sim/studies/sweep/merge.h"
#include "sim/studies/sweep/store.h"
#include "sweep_files.h"

using namespace tilescope::sweep;

namespace {

StoredPoint point(int position, const std::string& key) {
  return {"tiles", position, key, "copy", "h200", R"({"bytes":"64"})", "counts", "auto"};
}

StoredResult result(const std::string& key, const std::string& reason = "") {
  return {key, reason.empty(), reason, reason.empty() ? "{}" : "", 0.5, "0.1.0"};
}

std::string refusal(const std::string& path, Store::Access access = Store::Access::existing) {
  try {
    const Store store(path, access);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

int user_version(const std::string& path) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  int version = -1;
  const auto take = [](void* into, int, char** fields, char**) {
    *static_cast<int*>(into) = std::stoi(fields[0]);
    return 0;
  };
  CHECK(sqlite3_exec(database, "PRAGMA user_version", take, &version, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  return version;
}

// Files of this process may not grow beyond `bytes` while it lives: what a full disk looks like.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = signal(SIGXFSZ, SIG_IGN);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace

TEST_CASE("a store gives back what it was given, also to a second program") {
  const SweepFolder folder;
  Store store(folder / "a.db", Store::Access::create);
  Store second(folder / "a.db", Store::Access::create);
  store.set_points({point(1, "k1"), point(2, "k2"), point(3, "k1")});
  second.add_results({result("k1"), result("other")});
  store.add_results({result("k2", "does not fit")});
  CHECK(second.known() == std::map<std::string, bool>{{"k1", true}, {"k2", false}, {"other", true}});
  CHECK(second.studies() == std::vector<std::string>{"tiles"});
  std::string seen;
  second.each_point([&](const StoredPoint& p, const StoredResult* r) {
    seen += std::to_string(p.position) + (r == nullptr ? "-" : r->ok ? "+" : "!" + r->reason);
  });
  CHECK(seen == "1+2!does not fit3+");
  second.set_points({point(1, "k9")});
  CHECK(store.points() == std::vector<StoredPoint>{point(1, "k9")});
  CHECK(store.known().size() == 3);
}

TEST_CASE("what is no store is refused, and left as it was") {
  const SweepFolder folder;
  CHECK(refusal(folder / "none.db").find("no such file; must be a store that tilescope sweep wrote") !=
        std::string::npos);
  CHECK(refusal(folder / "no/such.db", Store::Access::create).find("there is no folder") != std::string::npos);
  CHECK(refusal(folder / "", Store::Access::create).find("is a directory") != std::string::npos);
  const std::string text = folder.write("text.db", "M,N\n" + std::string(5000, 'x'));
  for (const auto access : {Store::Access::create, Store::Access::existing})
    CHECK(refusal(text, access).find("is no store that tilescope sweep wrote") != std::string::npos);
  CHECK(folder.read("text.db").starts_with("M,N\nxxx"));
  execute(folder / "other.db", "CREATE TABLE notes(text)");
  CHECK(refusal(folder / "other.db", Store::Access::create).find("is a database of another program") !=
        std::string::npos);
  CHECK(refusal(folder.write("empty.db", "")).find("is empty: nothing was stored in it yet") != std::string::npos);
  { const Store made(folder / "empty.db", Store::Access::create); }
  CHECK(refusal(folder / "empty.db") == "");
  execute(folder / "empty.db", "PRAGMA user_version=3");
  CHECK(refusal(folder / "empty.db")
            .find("was written by a newer tilescope (store version 3); this one reads "
                  "versions up to 2") != std::string::npos);
}

TEST_CASE("a store of version 1 is read as it is, and becomes one of version 2 when something may be added") {
  const SweepFolder folder;
  const std::string path = folder / "a.db";
  Store(path, Store::Access::create).add_results({result("k1")});
  execute(path, "PRAGMA user_version=1");
  CHECK(Store(path, Store::Access::existing).known().size() == 1);
  CHECK(user_version(path) == 1);
  CHECK(Store(path, Store::Access::create).known().size() == 1);
  CHECK(user_version(path) == 2);
}

TEST_CASE("on a full disk the store says so and keeps what it had") {
  const SweepFolder folder;
  Store store(folder / "a.db", Store::Access::create);
  store.set_points({point(1, "k0")});
  std::size_t kept = 0;
  std::string error;
  {
    const SmallDisk disk(256 << 10);
    try {
      for (; kept < 100; ++kept) {
        StoredResult large = result("k" + std::to_string(kept));
        large.result = std::string(20'000, ' ');
        store.add_results({large});
      }
    } catch (const StoreError& full) {
      error = full.what();
    }
  }
  CAPTURE(error);
  CHECK(error.starts_with(folder / "a.db: "));
  CHECK(error.ends_with("; what was stored before is kept"));
  CHECK(kept > 3);
  CHECK(kept < 20);
  CHECK(store.known().size() == kept);
  CHECK(Store(folder / "a.db", Store::Access::existing).known().size() == kept);
  store.add_results({result("more")});
  CHECK(store.known().size() == kept + 1);
}

TEST_CASE("merging twice is merging once; a success replaces a failure") {
  const SweepFolder folder;
  Store a(folder / "a.db", Store::Access::create), b(folder / "b.db", Store::Access::create),
      all(folder / "all.db", Store::Access::create);
  const std::vector<StoredPoint> points = {point(1, "k1"), point(2, "k2"), point(3, "k3"), point(4, "k4")};
  a.set_points(points);
  b.set_points(points);
  a.add_results({result("k1"), result("k2", "out of memory"), result("k4", "too large")});
  b.add_results({result("k2"), result("k4", "too large")});
  for (int time = 0; time < 2; ++time) {
    merge_store(all, a, "");
    merge_store(all, b, "");
    CHECK(all.points() == points);
    CHECK(all.known() == std::map<std::string, bool>{{"k1", true}, {"k2", true}, {"k4", false}});
  }
  const auto lacking = missing_or_failed(all);
  REQUIRE(lacking.size() == 2);
  CHECK(lacking[0].point.position == 3);
  CHECK(lacking[0].reason == "");
  CHECK(lacking[1].reason == "too large");

  b.set_points({point(1, "k5")});
  CHECK_THROWS_AS(merge_store(all, b, ""), std::invalid_argument);
  CHECK_NOTHROW(merge_store(all, b, "tiles"));
  CHECK(all.points() == points);
}
