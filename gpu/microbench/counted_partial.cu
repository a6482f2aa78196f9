// What does L2 do with sectors that are written in part? For dram__bytes_read, dram__bytes_write and lts__* hit rates:
// a sector of which a read wants more, or that has to leave, has to be fetched first.
//   Every thread stores `bytes` to a sector of its own, `sectors` of each of `lines` lines, in order or (order=mixed)
//   in one that looks like chance. then: what it does afterwards: nothing; wait for 50 us; read the sector's next word
//   behind a fence; fill the sector's other words.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr unsigned kMostLines = 512U << 10;

enum class Then { nothing, wait, read, rest };
const char* const kThen[] = {"nothing", "wait", "read", "rest"};

struct Stores {
  unsigned lines, sectors, bytes;
  bool mixed;
  Then then;
};

__global__ void probe_partial(char* data, Stores ask, unsigned* sink) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned count = ask.lines * ask.sectors;
  if (ask.mixed) {
    i = i * 2654435761U % count;  // counts are no multiples of the factor: every sector once
  }
  char* const sector = data + static_cast<std::size_t>(i / ask.sectors) * 128 + i % ask.sectors * 32;
  auto* const words = reinterpret_cast<volatile unsigned*>(sector);
  if (ask.bytes == 1) {
    *static_cast<volatile char*>(sector) = 1;
  } else if (ask.bytes == 16) {
    *reinterpret_cast<uint4*>(sector) = make_uint4(i, i, i, i);
  } else {
    for (unsigned word = 0; word < ask.bytes / 4; ++word) {
      words[word] = i;
    }
  }
  if (ask.then == Then::wait) {
    const long long until = globaltimer_now() + 50000;
    while (globaltimer_now() < until) {
    }
  } else if (ask.then == Then::read) {
    __threadfence();
    if (words[ask.bytes / 4] == 0x12345678U) {
      *sink = i;
    }
  } else if (ask.then == Then::rest) {
    for (unsigned word = ask.bytes / 4; word < 8; ++word) {
      words[word] = i;
    }
  }
}

}  // namespace

void counted_partial(Report& report) {
  const Recorder<char> data(static_cast<std::size_t>(kMostLines) * 128);
  const Recorder<unsigned> sink(1);
  const auto ask = [&](const Stores& stores) {
    probe_partial<<<stores.lines * stores.sectors / 256, 256>>>(data.device(), stores, sink.device());
    finish("probe_partial");
    report.launch("counted_partial",
                  "lines=" + std::to_string(stores.lines) + ";sectors=" + std::to_string(stores.sectors) +
                      ";bytes=" + std::to_string(stores.bytes) + (stores.mixed ? ";order=mixed" : "") +
                      ";then=" + kThen[static_cast<int>(stores.then)]);
  };
  for (const unsigned sectors : {1U, 2U, 4U}) {
    for (const unsigned kilo : {4U, 8U, 16U, 24U, 32U, 40U, 48U, 56U, 64U, 80U, 96U, 128U, 192U, 256U, 512U}) {
      ask({kilo << 10, sectors, 4, false, Then::nothing});
    }
  }
  for (const unsigned kilo : {16U, 32U, 48U, 64U, 128U}) {
    for (const unsigned bytes : {1U, 16U, 28U}) {
      ask({kilo << 10, 1, bytes, false, Then::nothing});
      ask({kilo << 10, 4, bytes, false, Then::nothing});
    }
    for (const unsigned sectors : {1U, 4U}) {
      ask({kilo << 10, sectors, 4, true, Then::nothing});
      for (const Then then : {Then::wait, Then::read, Then::rest}) {
        ask({kilo << 10, sectors, 4, false, then});
      }
    }
  }
}

}  // namespace tilescope::gpu
