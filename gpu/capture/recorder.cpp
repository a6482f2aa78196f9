#include "recorder.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <tuple>

#include "function_image.h"
#include "journal.h"
#include "zstd_frame.h"

namespace tilescope::capture {
namespace {

constexpr std::size_t kMostTensorMaps = 1 << 16;

// What before_launch left for launched, of the call that this thread is in.
struct Copied {
  bool is_valid = false;
  Buffers buffers;
  Hash identity;
  std::string left_out;
};
thread_local Copied copied;

// A name for a thread's own stream.
thread_local char own_stream;

// The words of the process, as items of a YAML list.
std::string program() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text;
  for (std::string word; std::getline(file, word, '\0');) text += (text.empty() ? "" : ", ") + yaml_text(word);
  return text;
}

std::vector<PossibleAddress> addresses_in(std::string_view bytes, std::uint64_t low, std::uint64_t high) {
  std::vector<PossibleAddress> all;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if (value >= low && value < high) all.push_back({value});
  }
  return all;
}

}  // namespace

// The argument bytes as the kernel finds them; returns why not, or nothing.
std::string Recorder::pack(const LaunchCall& call, const Kernel& kernel, std::string& arguments) const {
  arguments.clear();
  if (!kernel.layout.unreadable.empty()) return kernel.layout.unreadable;
  arguments.resize(kernel.layout.parameter_bytes);
  if (arguments.empty()) return {};
  if (call.parameters != nullptr) {
    for (std::size_t i = 0; i < kernel.layout.parameters.size(); ++i) {
      const Parameter& place = kernel.layout.parameters[i];
      if (call.parameters[i] == nullptr) return "the program gave no argument " + std::to_string(i);
      std::memcpy(arguments.data() + place.offset, call.parameters[i], place.bytes);
    }
    return {};
  }
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  for (void* const* word = call.extra; word != nullptr && *word != CU_LAUNCH_PARAM_END; word += 2) {
    if (word[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = word[1];
    if (word[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(word[1]);
  }
  if (buffer == nullptr) return "the program gave no arguments";
  std::memcpy(arguments.data(), buffer, std::min(bytes, arguments.size()));
  return {};
}

Hash Recorder::identity(const LaunchCall& call, const Kernel& kernel, const std::string& arguments) const {
  struct {
    std::uint64_t kernel;
    Sizes grid, block, cluster;
    std::uint32_t shared;
    std::int32_t carveout;
    std::uint32_t count;
  } fixed{kernel.number,           call.grid,           call.block,
          call.attributes.cluster, call.dynamic_shared, kernels_.carveout(call.function),
          call.attributes.count};
  const Hash first = hash_bytes(&fixed, sizeof fixed);
  const Hash second = call.attributes.count == 0
                          ? first
                          : hash_bytes(call.attributes.entries.data(),
                                       call.attributes.count * sizeof(LaunchAttributes::Entry), first.low);
  return hash_bytes(arguments.data(), arguments.size(), first.high ^ second.low);
}

Kernel* Recorder::find_kernel(const void* function, const char* symbol) {
  Kernel* kernel = kernels_.find(function, symbol);
  if (kernel != nullptr && !kernel->is_judged) {
    kernel->is_selected = options_.selects(kernel->name);
    kernel->is_judged = true;
  }
  return kernel;
}

// A kernel that its first launch would load, so that its parameters are known before.
void Recorder::load_kernel(const LaunchCall& call) {
  {
    const std::lock_guard lock(mutex_);
    if (find_kernel(call.function, call.symbol) != nullptr) return;
  }
  if (driver_.kernel_function == nullptr || driver_.load_function == nullptr) return;
  auto function = static_cast<CUfunction>(const_cast<void*>(call.function));
  CUfunction own = nullptr;
  if (driver_.kernel_function(&own, reinterpret_cast<CUkernel>(function)) != CUDA_SUCCESS) own = function;
  driver_.load_function(own);
}

void Recorder::before_launch(const LaunchCall& call) {
  copied = Copied{};
  if (options_.memory == Memory::none || !is_active_) return;
  load_kernel(call);
  std::vector<PossibleAddress> addresses, unknown;
  {
    const std::lock_guard lock(mutex_);
    const Kernel* kernel = find_kernel(call.function, call.symbol);
    if (kernel != nullptr && !kernel->is_selected) return;
    copied.is_valid = true;
    if (kernel == nullptr) {
      copied.left_out = "no memory is stored: the kernel was loaded by this launch";
      return;
    }
    if (captures_ > 0) {
      copied.left_out = "no memory is stored: a stream was being captured into a graph";
      return;
    }
    std::string arguments;
    if (!pack(call, *kernel, arguments).empty()) return;
    const auto known = plain_ids_.find(identity(call, *kernel, arguments));
    const bool is_left_out = selected_ < options_.skip || selected_ - options_.skip >= options_.count;
    const int plain_id = known != plain_ids_.end() ? known->second : static_cast<int>(plain_ids_.size()) + 1;
    if (is_left_out || !options_.needs(plain_id, kernel->name)) {
      copied.is_valid = false;
      return;
    }
    addresses = possible_addresses(kernel->layout.parameters, arguments);
    find_buffers(addresses, copied.buffers, unknown);
  }
  const CUstream stream = call.stream == nullptr && call.per_thread_stream ? CU_STREAM_PER_THREAD : call.stream;
  if (driver_.synchronize_stream == nullptr || driver_.synchronize_stream(stream) != CUDA_SUCCESS) {
    copied.left_out = "no memory is stored: the stream could not be waited for";
    return;
  }
  const Contents::Copy copy = [this](void* to, std::uint64_t from, std::uint64_t bytes) {
    return driver_.copy != nullptr && driver_.copy(reinterpret_cast<CUdeviceptr>(to), from, bytes) == CUDA_SUCCESS;
  };
  std::uint64_t low = ~std::uint64_t{0}, high = 0, limit = options_.memory_limit;
  {
    const std::lock_guard lock(mutex_);
    std::tie(low, high) = allocations_.range();
  }
  const std::lock_guard copying(copying_);
  std::vector<PossibleAddress> seen;
  // Buffers that only memory points to follow in a second round; their memory is stored when all memory is asked for.
  for (int round = 0; round < 2; ++round) {
    std::vector<Allocation> places;
    std::vector<std::uint64_t> asked;
    for (const auto& [address, buffer] : copied.buffers) {
      if (!buffer.contents.empty() || !buffer.left_out.empty() || (round > 0 && addresses.empty())) continue;
      std::uint64_t lowest = buffer.place.bytes;
      for (const auto& [value, at] : addresses)
        if (value >= address && value - address < buffer.place.bytes) lowest = std::min(lowest, value - address);
      if (lowest == buffer.place.bytes) continue;
      places.push_back(buffer.place);
      asked.push_back(lowest);
    }
    const std::vector<Window> windows = windows_within(places, asked, limit);
    for (std::size_t i = 0; i < places.size(); ++i) {
      contents_.store(
          files_, copied.buffers[places[i].address], windows[i], copy,
          [&](std::string_view bytes) {
            if (round > 0 || seen.size() > 100000) return;
            const auto more = addresses_in(bytes, low, high);
            seen.insert(seen.end(), more.begin(), more.end());
          },
          copied.identity);
      limit -= windows[i].end - windows[i].begin;
    }
    if (round > 0) break;
    Buffers reached;
    {
      const std::lock_guard lock(mutex_);
      find_buffers(seen, reached, unknown);
    }
    for (const auto& [address, buffer] : reached)
      if (copied.buffers.count(address) == 0) {
        copied.buffers[address] = buffer;
        if (options_.memory != Memory::all)
          copied.buffers[address].left_out =
              "memory is not stored: only memory points here, no argument (--memory all)";
      }
    addresses = seen;
  }
}

void Recorder::describe_gpu() {
  if (gpu_described_ || gpu_described_.exchange(true)) return;
  CUdevice device = 0;
  char name[256] = "";
  int major = 0, minor = 0, version = 0;
  if (driver_.version != nullptr) driver_.version(&version);
  if (driver_.current_device != nullptr && driver_.current_device(&device) == CUDA_SUCCESS) {
    driver_.device_name(name, sizeof name, device);
    driver_.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    driver_.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  }
  files_.write("bundle.yaml", "schema: tilescope.bundle/1\nprogram: [" + program() + "]\ngpu: " + yaml_text(name) +
                                  "\narchitecture: sm_" + std::to_string(10 * major + minor) + "\ndriver: " +
                                  std::to_string(version) + "\nmemory: " + word_of(options_.memory) + "\n");
}

int Recorder::store(const LaunchCall& call, Kernel& kernel, const std::string& arguments, Buffers buffers) {
  if (!kernel.is_stored) {
    const auto image = function_image(*kernel.cubin, kernel.symbol);
    const std::string stem = "code/" + kernel.code_stem;
    if (!files_.write(stem + ".cubin", {reinterpret_cast<const char*>(image.data()), image.size()})) return 0;
    const auto& whole = kernel.cubin->bytes();
    const std::string cubin = "code/" + name_of(kernel.cubin->hash()) + ".cubin.zst";
    if (options_.whole_cubins && !files_.exists(cubin))
      files_.write(cubin, zstd_frame({reinterpret_cast<const char*>(whole.data()), whole.size()}, 3));
    kernel.is_stored = true;
  }
  LaunchFile file;
  file.code = "../code/" + kernel.code_stem + ".cubin";
  file.kernel = kernel.name;
  file.shape.grid = call.grid;
  file.shape.block = call.block;
  file.shape.cluster = kernel.layout.cluster;
  file.shape.dynamic_shared = call.dynamic_shared;
  if (const int percent = kernels_.carveout(call.function); percent >= 0)
    file.shape.attributes["carveout"] = std::to_string(percent);
  describe(call.attributes, file.shape);
  file.parameters = kernel.layout.parameters;
  file.arguments = arguments;
  file.buffers = std::move(buffers);
  if (!tensor_maps_.empty())
    for (const Parameter& place : file.parameters)
      for (std::uint64_t at = place.offset; at + kTensorMapBytes <= place.offset + place.bytes; at += 8)
        if (const auto map = tensor_maps_.find(hash_bytes(arguments.data() + at, kTensorMapBytes));
            map != tensor_maps_.end())
          file.tensor_maps.emplace(at, map->second);
  if (copied.is_valid) file.remark = copied.left_out;
  files_.append_journal(journal_record(file));
  return next_id_++;
}

Recorder::Outcome Recorder::record(const LaunchCall& call, bool may_count) {
  if (may_count && !is_active_) return {0, {}, {}, false};
  describe_gpu();
  std::string name = call.symbol != nullptr ? call.symbol : "";
  std::unique_lock lock(mutex_);
  Kernel* kernel = find_kernel(call.function, call.symbol);
  if (kernel == nullptr && name.empty() && driver_.function_name != nullptr) {
    name = kernels_.name(call.function);
    lock.unlock();
    const char* found = nullptr;
    if (name.empty() &&
        driver_.function_name(&found, static_cast<CUfunction>(const_cast<void*>(call.function))) == CUDA_SUCCESS &&
        found != nullptr)
      name = found;
    lock.lock();
    if (!name.empty()) kernel = find_kernel(call.function, name.c_str());
  }
  if (kernel == nullptr) {
    if (!name.empty() && !options_.selects(name)) return {0, name, {}, false};
    return {0, name.empty() ? "(unknown)" : name,
            name.empty() ? "the driver does not tell the kernel's name" : "the code of the kernel was not seen", true};
  }
  if (!kernel->is_selected) return {0, kernel->name, {}, false};
  if (may_count) {
    const std::uint64_t place = selected_++;
    if (place < options_.skip || place - options_.skip >= options_.count) return {0, kernel->name, {}, false};
  }
  static thread_local std::string arguments;
  if (const std::string reason = pack(call, *kernel, arguments); !reason.empty())
    return {0, kernel->name, reason, true};
  const Hash plain = identity(call, *kernel, arguments);
  Hash whole = plain;
  if (copied.is_valid) {
    const Hash both[] = {plain, copied.identity};
    whole = hash_bytes(both, sizeof both);
  }
  if (const auto known = ids_.find(whole); known != ids_.end()) return {known->second, kernel->name, {}, true};
  // A new launch: memory whose allocation was not seen is asked for, without the lock.
  const std::string own_arguments = arguments;
  Buffers buffers = copied.is_valid ? copied.buffers : Buffers{};
  std::vector<PossibleAddress> unknown;
  find_buffers(possible_addresses(kernel->layout.parameters, own_arguments), buffers, unknown);
  const auto is_number = [kernel](const PossibleAddress& possible) { return !kernel->may_be_address(possible.at); };
  unknown.erase(std::remove_if(unknown.begin(), unknown.end(), is_number), unknown.end());
  if (!unknown.empty()) {
    lock.unlock();
    const std::vector<PossibleAddress> strangers = ask_for_buffers(unknown, buffers);
    lock.lock();
    remember(strangers, *kernel);
  }
  if (const auto known = ids_.find(whole); known != ids_.end()) return {known->second, kernel->name, {}, true};
  const int id = store(call, *kernel, own_arguments, std::move(buffers));
  if (id == 0) return {0, kernel->name, "the bundle could not be written", true};
  ids_.emplace(whole, id);
  plain_ids_.try_emplace(plain, static_cast<int>(plain_ids_.size()) + 1);
  return {id, kernel->name, {}, true};
}

void Recorder::write_order(int id, CUstream stream, bool per_thread_stream, bool is_graph) {
  const bool is_own = stream == CU_STREAM_PER_THREAD || (stream == nullptr && per_thread_stream);
  const void* key = is_own ? static_cast<const void*>(&own_stream) : stream;
  int number = 0;
  if (is_own || (stream != nullptr && stream != CU_STREAM_LEGACY)) {
    const auto [place, fresh] = streams_.try_emplace(key, next_stream_);
    if (fresh) ++next_stream_;
    number = place->second;
  }
  files_.append_order(id, number, is_graph);
}

void Recorder::refuse_locked(const std::string& kernel, const std::string& reason) {
  files_.append("refused", std::to_string(files_.order_lines()) + " " + kernel + ": " + reason + "\n");
}

void Recorder::refuse(const std::string& kernel, const std::string& reason) {
  if (!is_active_) return;
  const std::lock_guard lock(mutex_);
  files_.append_order(0, 0, false);
  refuse_locked(kernel, reason);
}

void Recorder::launched(const LaunchCall& call) {
  const void* graph = nullptr;
  const void* node = nullptr;
  bool is_captured = false;
  if (captures_ > 0 && driver_.capture_info != nullptr) {
    const CUstream stream = call.stream == nullptr && call.per_thread_stream ? CU_STREAM_PER_THREAD : call.stream;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t number = 0;
    CUgraph into = nullptr;
    const CUgraphNode* last = nullptr;
    std::size_t count = 0;
    if (driver_.capture_info(stream, &status, &number, &into, &last, &count) == CUDA_SUCCESS &&
        status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
      is_captured = true;
      graph = into;
      node = count == 1 ? last[0] : nullptr;
    }
  }
  if (is_captured) return node_added(graph, node, call);
  const Outcome outcome = record(call, true);
  copied = Copied{};
  if (!outcome.is_wanted) return;
  const std::lock_guard lock(mutex_);
  write_order(outcome.id, call.stream, call.per_thread_stream, false);
  if (outcome.id == 0) refuse_locked(outcome.kernel, outcome.reason);
}

GraphLaunch Recorder::graph_launch(const void* node, const LaunchCall& call) {
  const Outcome outcome = record(call, false);
  copied = Copied{};
  if (!outcome.is_wanted) return {node, -1, outcome.kernel, {}};
  return {node, outcome.id, outcome.kernel, outcome.reason};
}

void Recorder::stream_destroyed(CUstream stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
}

void Recorder::tensor_map_encoded(const void* map, TensorMap words) {
  const std::lock_guard lock(mutex_);
  if (tensor_maps_.size() >= kMostTensorMaps) tensor_maps_.clear();
  tensor_maps_[hash_bytes(map, kTensorMapBytes)] = std::move(words);
}

}  // namespace tilescope::capture
