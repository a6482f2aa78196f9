// What stores and reads take of L2's slices and of an SM's way out, alone and beside each other. SMs store to places of
// their own, or read others, all of which L2 has, from a common moment on and for a fixed time; what they do in the
// later part of it is counted.
//   who: store and read, all SMs; store_half and read_half, one SM of each TPC, the other does nothing; halves, one
//   stores and the other reads; all, half of each SM's warps store and the others read.
//   home: of the places, as in home_rates.
//   store: what one instruction of a warp writes (store_shapes.cuh).
//   read, past L1: line, four, 16 bytes a lane; sector, 32 bytes of each of four; bulk, copies of 4 KiB by TMA, eight
//   under way, from one thread.
//   stored and read: sectors a cycle of the SM, all SMs.
#include <string>

#include "benchmarks.h"
#include "homes.h"
#include "hopper.cuh"
#include "store_shapes.cuh"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 256U << 20U;
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kPlacesOfSm = 2 * kWarps;
[[maybe_unused]] constexpr unsigned kCopies = 8;  // under way
constexpr unsigned kCountFrom = 20'000;           // cycles
constexpr unsigned kCountTo = 80'000;
[[maybe_unused]] constexpr int kReadGroup = 8;

enum class Role { idle, stores, reads, both };
enum class Read { line, sector, bulk };

template <Read kRead>
__device__ unsigned read_some(const char* data, const unsigned* own, unsigned step) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  uint4 v[kReadGroup] = {};
#pragma unroll
  for (int i = 0; i < kReadGroup; ++i) {
    const unsigned at = (step * kReadGroup + i) * 4 * kLine % kOfWarp;
    const char* const from = data + std::size_t{own[warp * 2 + at / kPlace]} * kPlace + at % kPlace;
    if (kRead == Read::line) {
      v[i] = load_past_l1(reinterpret_cast<const uint4*>(from) + lane);
    } else {
      v[i].x = load_word_past_l1(from + lane / 8 * kLine + lane % 8 * 4);
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kReadGroup; ++i) {
    sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  }
  return sum;
}

// Copies places of 4 KiB until the time is over; returns how many began in the counted part.
[[maybe_unused]] __device__ unsigned copy_places(const char* data, const unsigned* own, unsigned long long* barriers,
                                                 unsigned start) {
  unsigned counted = 0;
#ifdef TILESCOPE_SM90A
  // The places stand in registers: a load would wait behind the stores.
  unsigned place[kPlacesOfSm];
#pragma unroll
  for (int i = 0; i < kPlacesOfSm; ++i) {
    place[i] = own[i];
  }
  const unsigned shared = aligned_shared();
  const auto wait_for = [&](unsigned copy) {
    while (!mbarrier_try_wait(shared_address(barriers + copy % kCopies), copy / kCopies % 2)) {
    }
  };
  unsigned copies = 0;
  for (unsigned now = 0; now < kCountTo;) {
#pragma unroll
    for (int i = 0; i < kPlacesOfSm; ++i) {
      if (copies >= kCopies) {
        wait_for(copies - kCopies);
      }
      counted += now >= kCountFrom && now < kCountTo ? 1 : 0;
      const unsigned barrier = shared_address(barriers + copies % kCopies);
      mbarrier_arrive_expect(barrier, kPlace);
      bulk_load(shared + copies % kCopies * kPlace, data + std::size_t{place[i]} * kPlace, kPlace, barrier);
      ++copies;
      now = clock_now(threadIdx.x) - start;
    }
  }
  for (unsigned copy = copies < kCopies ? 0 : copies - kCopies; copy < copies; ++copy) {
    wait_for(copy);
  }
#endif
  return counted;
}

// The sectors that an SM stored and read within the counted time.
struct Moved {
  unsigned long long stored, read;
};

template <Store kStore, Read kRead>
__global__ void __launch_bounds__(kThreads)
    store_and_read(char* data, const unsigned* stores_to, const unsigned* reads_from, const Role* roles, Moved* moved,
                   unsigned* sink) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long barriers[kCopies];
  const int sm = sm_id();
  const unsigned* const to = stores_to + sm * kPlacesOfSm;
  const unsigned* const from = reads_from + sm * kPlacesOfSm;
  const Role role = roles[sm];
  if (role == Role::idle) {
    return;
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const bool stores = role == Role::stores || (role == Role::both && warp < kWarps / 2);
  const bool reads = !stores && (kRead != Read::bulk || threadIdx.x == kThreads - 32);
  // L2 has them all, and each copy of what is far.
  for (unsigned step = 0; step < kOfWarp / kLine / kStoreGroup; ++step) {
    store_some<Store::line>(data, to, step);
  }
  unsigned sum = 0;
  for (unsigned step = 0; step < kOfWarp / kLine / 4 / kReadGroup; ++step) {
    sum ^= read_some<Read::line>(data, from, step);
  }
  if (threadIdx.x == 0) {
    for (unsigned long long& one : barriers) {
      mbarrier_init(shared_address(&one), 1);
    }
    mbarrier_publish();
  }
  __threadfence();
  __syncthreads();  // all warps wait for the same value
  const long long begin = ((globaltimer_now() >> 16) + 2) << 16;
  while (globaltimer_now() < begin) {
  }
  __syncthreads();
  const unsigned start = clock_now(threadIdx.x);
  if (kRead == Read::bulk && reads) {
    atomicAdd(&moved[sm].read, 1ULL * copy_places(data, from, barriers, start) * (kPlace / 32));
    return;
  }
  if (!stores && !reads) {
    return;
  }
  unsigned counted = 0;
  unsigned now = 0;
  for (unsigned step = 0; now < kCountTo; ++step) {
    if (stores) {
      store_some<kStore>(data, to, step);
    } else {
      sum ^= read_some<kRead>(data, from, step);
    }
    now = clock_now(threadIdx.x) - start;
    counted += now >= kCountFrom && now < kCountTo ? 1 : 0;
  }
  if (threadIdx.x % 32 == 0) {
    constexpr unsigned kReadSectors = kRead == Read::line ? 16 : 4;
    atomicAdd(stores ? &moved[sm].stored : &moved[sm].read,
              1ULL * counted * (stores ? kStoreGroup * sectors_of(kStore) : kReadGroup * kReadSectors));
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
#endif
}

const char* name_of(Read read) { return read == Read::line ? "line" : read == Read::sector ? "sector" : "bulk"; }

struct Who {
  const char* name;
  Role even, odd;  // of a TPC
};
constexpr Who kStoring[] = {{"store", Role::stores, Role::stores}, {"store_half", Role::stores, Role::idle}};
constexpr Who kReading[] = {{"read", Role::reads, Role::reads}, {"read_half", Role::idle, Role::reads}};
constexpr Who kMixed[] = {{"halves", Role::stores, Role::reads}, {"all", Role::both, Role::both}};

struct Places {
  const Recorder<char>& data;
  Whose whose;
  Recorder<unsigned> stores_to, reads_from;
};

template <Store kStore, Read kRead>
void measure(Report& report, const Places& places, const Who& who) {
  const auto kernel = &store_and_read<kStore, kRead>;
  allow_shared_memory(kernel, kOneCtaPerSm);
  const int sms = sm_count();
  std::vector<Role> roles;
  for (int sm = 0; sm < sms; ++sm) {
    roles.push_back(sm % 2 == 0 ? who.even : who.odd);
  }
  const Recorder<Role> role_of(roles);
  Recorder<Moved> moved(sms);
  static const Recorder<unsigned> sink(1);
  for (int pass = 0; pass < 2; ++pass) {  // the first brings the code
    moved.clear();
    kernel<<<sms, kThreads, kOneCtaPerSm>>>(places.data.device(), places.stores_to.device(), places.reads_from.device(),
                                            role_of.device(), moved.device(), sink.device());
    finish("slice_shares");
  }
  double stored = 0;
  double read = 0;
  for (const Moved& one : moved.host()) {
    stored += static_cast<double>(one.stored) / (kCountTo - kCountFrom);
    read += static_cast<double>(one.read) / (kCountTo - kCountFrom);
  }
  std::string the_case = std::string("who=") + who.name + ";home=" + name_of(places.whose);
  if (stored != 0) {
    the_case += std::string(";store=") + name_of(kStore);
  }
  if (read != 0) {
    the_case += std::string(";read=") + name_of(kRead);
  }
  if (stored != 0) {
    report.scalar("slice_shares", the_case, "stored", stored, "sector/cycle");
  }
  if (read != 0) {
    report.scalar("slice_shares", the_case, "read", read, "sector/cycle");
  }
}

template <Store kStore>
void measure_store(Report& report, const Places& places) {
  for (const Who& who : kStoring) {
    measure<kStore, Read::line>(report, places, who);
  }
  for (const Who& who : kMixed) {
    measure<kStore, Read::line>(report, places, who);
    measure<kStore, Read::sector>(report, places, who);
    measure<kStore, Read::bulk>(report, places, who);
  }
}

}  // namespace

void slice_shares(Report& report) {
  if (!has_hopper("slice_shares")) {
    return;
  }
  const Recorder<char> data(kBytes);
  const Homes homes = find_homes(reinterpret_cast<unsigned*>(data.device()), kBytes);
  for (const Whose whose : {Whose::own, Whose::other, Whose::both}) {
    const Places places{data, whose, Recorder<unsigned>(lists_of_places(homes, whose, kPlacesOfSm, 0)),
                        Recorder<unsigned>(lists_of_places(homes, whose, kPlacesOfSm, kBytes / kPlace / 4))};
    for (const Who& who : kReading) {
      measure<Store::line, Read::line>(report, places, who);
      measure<Store::line, Read::sector>(report, places, who);
      measure<Store::line, Read::bulk>(report, places, who);
    }
    measure_store<Store::line>(report, places);
    measure_store<Store::half>(report, places);
    measure_store<Store::sector>(report, places);
    measure_store<Store::word>(report, places);
    measure_store<Store::row>(report, places);
  }
}

}  // namespace tilescope::gpu
