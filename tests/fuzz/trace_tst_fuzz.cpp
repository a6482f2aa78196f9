// The input is a .tst file. Its frames are compressed and checksummed, so the mutator opens one, changes its content
// and closes the file again around it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/spec_reader.h"
#include "sim/simulate.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/source_dir.h"
#include "traces/file/bytes.h"
#include "traces/file/frame.h"
#include "traces/file/trace_file.h"
#include "traces/file/trace_format.h"
#include "traces/file/trace_info.h"
#include "traces/file/trace_reader.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace tilescope;
using namespace tilescope::trace;

struct Part {
  std::uint64_t warps = 0;  // of a block
  std::string frame;
};

struct Parts {
  std::vector<Part> blocks;
  std::string tables;
};

Parts parts_of(std::string_view file) {
  if (file.size() < kHeaderBytes + kTrailerBytes) throw Malformed{"too short"};
  ByteReader trailer(file.substr(file.size() - kTrailerBytes));
  const std::uint64_t at = trailer.fixed(8);
  const std::uint64_t bytes = trailer.fixed(8);
  if (at > file.size() || bytes > file.size() - at) throw Malformed{"no directory"};
  const std::string content = decompress(file.substr(at, bytes));
  ByteReader directory(content);
  ByteReader body(file.substr(kHeaderBytes));
  Parts parts;
  for (std::uint64_t left = directory.varint("blocks", 1, 64); left > 0; --left) {
    const std::uint64_t warps = directory.varint();
    parts.blocks.push_back({warps, std::string(body.take(directory.varint()))});
  }
  parts.tables = body.take(directory.varint());
  return parts;
}

std::string file_of(const Parts& parts) {
  ByteWriter file;
  ByteWriter directory;
  file.append(kMagic);
  file.fixed(kVersion, 4);
  file.fixed(0, 4);
  directory.varint(parts.blocks.size());
  for (const Part& block : parts.blocks) {
    file.append(block.frame);
    directory.varint(block.warps);
    directory.varint(block.frame.size());
  }
  file.append(parts.tables);
  directory.varint(parts.tables.size());
  const std::string packed = compress(directory.bytes(), 1);
  const std::size_t at = file.size();
  file.append(packed);
  file.fixed(at, 8);
  file.fixed(packed.size(), 8);
  file.fixed(at + packed.size() + kTrailerBytes, 8);
  file.append(kEndMagic);
  return file.bytes();
}

}  // namespace

namespace {

void run(const Kernel& kernel) {
  static const GpuSpec gpu =
      *read_spec<GpuSpec>(fuzz::source_file("configs/gpus/h200.yaml"), {{"sm.gpcs", "[2]"}, {"l2.size_mib", "1"}});
  for (const Mode mode : {Mode::counts, Mode::timing}) {
    RunOptions options;
    options.mode = mode;
    options.sample = Sample::off;
    (void)simulate(gpu, kernel, options);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  try {
    Parts parts = parts_of({reinterpret_cast<const char*>(data), size});
    std::string& frame = seed % 2 == 0 ? parts.tables : parts.blocks[seed / 2 % parts.blocks.size()].frame;
    std::string content = decompress(frame);
    const std::size_t room = content.size() + 256;
    const std::size_t before = content.size();
    content.resize(room);
    content.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(content.data()), before, room));
    frame = compress(content, 1);
    const std::string file = file_of(parts);
    if (file.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, file.data(), file.size());
    return file.size();
  } catch (const Malformed&) {
    return LLVMFuzzerMutate(data, size, most);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file({data, size});
  try {
    const TraceInfo info = read_trace_info(file.path());
    if (TraceFile(file.path()).segments() > 1'000'000) return 0;  // allowed, and long
    validate_trace(file.path());
    if (info.instructions <= 20'000 && info.warps <= 64) run(*open_trace(file.path()));
  } catch (const std::runtime_error&) {     // TraceError, DeadlockError
  } catch (const std::invalid_argument&) {  // a launch that no GPU takes
  }
  return 0;
}
