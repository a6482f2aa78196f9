// A configuration that says only what differs from its base: whose value counts, and whose place an error names.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config_sample_spec.h"
#include "models/gpu_spec.h"
#include "models/support/spec_hash.h"
#include "models/support/spec_origins.h"
#include "models/support/spec_reader.h"
#include "models/support/text_file.h"
#include "sim/studies/calibrate/gpu_file.h"

using namespace tilescope;

namespace {

struct Folder {
  Folder() {
    path = std::filesystem::temp_directory_path() / ("tilescope_base_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path / "more");
    write("root", sample_yaml);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / (name + ".yaml")).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  tl::expected<SampleSpec, Diagnostics> read(const std::string& name) const {
    return read_spec<SampleSpec>(file(name));
  }
  // Without the folder's name.
  std::string errors(const std::string& name) const {
    const auto spec = read(name);
    std::string text = spec ? "none" : to_string(spec.error());
    for (std::size_t at = 0; (at = text.find(path.string() + "/")) != std::string::npos;)
      text.erase(at, path.string().size() + 1);
    return text;
  }
  std::filesystem::path path;
};

}  // namespace

TEST_CASE("what a file says counts, and its base says the rest, over any number of bases and by name or path") {
  const Folder folder;
  const SampleSpec root = folder.read("root").value();
  folder.write("near", "base: root\nl2:\n  size_mib: 100\n");
  folder.write("more/far", "base: ../near.yaml\nname: far\nl2: {slices: 4}\n");
  const SampleSpec far = folder.read("more/far").value();
  CHECK(far.name == "far");
  CHECK(far.l2.size_mib == 100);
  CHECK(far.l2.slices == 4);
  CHECK(far.l2.line_bytes == root.l2.line_bytes);
  CHECK(far.carve_out_kib == root.carve_out_kib);
}

TEST_CASE("a base that is not there, leads back or is no word is refused where it is named") {
  const Folder folder;
  folder.write("a", "base: b\n");
  folder.write("b", "# of two\nbase: more/../a.yaml\n");
  CHECK(folder.errors("a") ==
        "b.yaml:2:7: error: base: got 'more/../a.yaml'; 'a.yaml' is based on this file; must not lead back to it\n");
  folder.write("self", "base: ./self.yaml\n");
  CHECK(folder.errors("self").starts_with("self.yaml:1:7: error: base: got './self.yaml'; "));
  folder.write("typo", "name: x\nbase: rooot\n");
  CHECK(folder.errors("typo") ==
        "typo.yaml:2:7: error: base: got 'rooot'; 'rooot.yaml' cannot be read: No such file or directory (did you mean "
        "root?)\n");
  folder.write("list", "base: [root]\n");
  CHECK(folder.errors("list") ==
        "list.yaml:1:7: error: base: got a list; must be the name of a GPU beside this file, or a path\n");
  for (int i = 0; i < 10; ++i)
    folder.write("n" + std::to_string(i), i == 9 ? "base: root\n" : "base: n" + std::to_string(i + 1) + "\n");
  CHECK(folder.errors("n0") == "n7.yaml:1:7: error: base: got 'n8'; must be the last of at most 8 files\n");
}

TEST_CASE("an error names the file and the line in which the wrong value stands, the file's own first") {
  const Folder folder;
  std::string wrong = sample_yaml;
  const auto at = wrong.find("size_mib: 50");
  REQUIRE(at != std::string::npos);
  const auto line =
      std::to_string(1 + std::count(wrong.begin(), wrong.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  folder.write("wrong", wrong.replace(at, 12, "size_mib: xx"));
  folder.write("own", "base: wrong\nl2:\n  slics: 4\n");
  CHECK(folder.errors("own") ==
        "own.yaml:3:3: error: l2.slics: unknown key (did you mean l2.slices?)\nwrong.yaml:" + line +
            ":13: error: l2.size_mib: got 'xx'; must be a whole number from 1 to 4096 "
            "MiB\n");
  folder.write("right", "base: wrong\nl2:\n  size_mib: 50\n");  // the wrong value does not count
  CHECK(folder.errors("right") == "none");
}

TEST_CASE("where each value stands is known for a configuration with a base") {
  const Folder folder;
  folder.write("near", "base: root\nl2:\n  size_mib: 100\n");
  const auto origins = value_origins(read_text_file(folder.file("near")).value(), folder.file("near"));
  CHECK(origins.at("l2.size_mib") == folder.file("near") + ":3");
  CHECK(origins.at("l2.slices").starts_with(folder.file("root") + ":"));
  CHECK(value_origins(sample_yaml, "x.yaml").empty());
}

TEST_CASE("a fit begins from a GPU's whole text: the base's lines with the file's own, and no word of the base") {
  const std::string path = TILESCOPE_SOURCE_DIR "/configs/gpus/h100_pcie.yaml";
  const auto file = calibrate::read_gpu_file(path).value();
  CHECK(file.text.find("\nbase:") == std::string::npos);
  CHECK(file.text.find("request_cycles: 84  ") != std::string::npos);
  CHECK(file.text.find("# A: measured on NVIDIA H100 SXM5: dram__bytes_read instances") != std::string::npos);
  CHECK(file.text.find("# M: ") == std::string::npos);
  CHECK(config_hash(spec_tree(read_spec_text<GpuSpec>(file.text, "flat.yaml").value())) ==
        config_hash(spec_tree(read_spec<GpuSpec>(path).value())));
}
