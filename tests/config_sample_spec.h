// A small Spec with one field of every kind, for the tests of the configuration reader and writers.
#pragma once

#include <string>
#include <vector>

#include "models/support/spec_fields.h"

struct SampleL2 {
  std::int64_t size_mib = 0;
  std::int64_t line_bytes = 0;
  std::int64_t slices = 0;
  std::int64_t policy = 0;  // lru, plru, random

  void fields(tilescope::SpecFields& f) {
    f.integer("size_mib", size_mib, {1, 4096}, "MiB", "capacity of all slices");
    f.integer("line_bytes", line_bytes, {32, 128}, "byte", "bytes of a line");
    f.integer("slices", slices, {1, 256}, "1", "slices of the chip");
    f.choice("policy", policy, {"lru", "plru", "random"}, "which line of a full set goes");
    f.require(line_bytes == 32 || line_bytes == 128, "line_bytes", "must be 32 or 128");
    f.require(size_mib % slices == 0, "slices", "got a number that does not divide l2.size_mib");
  }
};

struct SampleSpec {
  std::string name;
  double clock_ghz = 0;
  bool ecc = false;
  std::vector<std::int64_t> carve_out_kib;
  SampleL2 l2;

  void fields(tilescope::SpecFields& f) {
    f.text("name", name, "the product's name");
    f.real("clock_ghz", clock_ghz, {0.1, 10.0}, "GHz", "SM clock");
    f.boolean("ecc", ecc, "error correction");
    f.integers("carve_out_kib", carve_out_kib, {0, 256}, "KiB", "shared-memory sizes an SM can take");
    f.section("l2", "the level-2 cache", [this](tilescope::SpecFields& inner) { l2.fields(inner); });
  }
};

inline const std::string sample_yaml = R"(# a GPU
name: sample 100
clock_ghz: 1.755
ecc: true
carve_out_kib: [0, 8, 100]
l2:
  size_mib: 50
  line_bytes: 128
  slices: 10
  policy: plru
)";
