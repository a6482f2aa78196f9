// The recorder under driver calls that a test makes up: no GPU, no driver, no CUPTI library.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "callbacks.h"
#include "cubin_text.h"
#include "finish.h"

namespace tilescope::capture {
namespace {

// A handle out of a number, as the driver's interface has them.
template <class Handle>
Handle handle(std::uintptr_t number) {
  Handle made = nullptr;
  std::memcpy(&made, &number, sizeof number);
  return made;
}

namespace fs = std::filesystem;

std::string device_memory(1 << 20, '\0');  // what the made-up device holds, at kDevice
constexpr std::uint64_t kDevice = 0x7f0000000000;
int captures_asked = 0, ranges_asked = 0;
CUgraph captured_graph = nullptr;
CUgraphNode captured_node = nullptr;

Driver made_driver() {
  Driver driver;
  driver.version = [](int* version) { return *version = 13000, CUDA_SUCCESS; };
  driver.current_device = [](CUdevice* device) { return *device = 0, CUDA_SUCCESS; };
  driver.device_name = [](char* name, int size, CUdevice) {
    return std::snprintf(name, size, "Made Up 1"), CUDA_SUCCESS;
  };
  driver.device_attribute = [](int* value, CUdevice_attribute attribute, CUdevice) {
    return *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0, CUDA_SUCCESS;
  };
  driver.synchronize_stream = [](CUstream) { return CUDA_SUCCESS; };
  driver.copy = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    std::memcpy(handle<void*>(to), device_memory.data() + (from - kDevice), bytes);
    return CUDA_SUCCESS;
  };
  driver.address_range = [](CUdeviceptr*, std::size_t*, CUdeviceptr) {
    ++ranges_asked;
    return CUDA_ERROR_NOT_FOUND;
  };
  driver.capture_info = [](CUstream, CUstreamCaptureStatus* status, cuuint64_t*, CUgraph* graph,
                           const CUgraphNode** nodes, std::size_t* count) {
    ++captures_asked;
    *status = captured_graph != nullptr ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    *graph = captured_graph;
    *nodes = &captured_node;
    *count = 1;
    return CUDA_SUCCESS;
  };
  return driver;
}

class Program {
 public:
  explicit Program(Options options = {}) : options_(std::move(options)) {
    folder_ = fs::temp_directory_path() / ("tilescope_capture_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    options_.directory = folder_.string();
    recorder_ = std::make_unique<Recorder>(options_, made_driver());
    REQUIRE(recorder_->begin() == "");
  }
  ~Program() { fs::remove_all(folder_); }

  template <class Parameters>
  void call(CUpti_CallbackId id, const Parameters& parameters, const char* symbol = nullptr,
            CUresult result = CUDA_SUCCESS) {
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.functionReturnValue = &result;
    data.functionName = "cuSomething";
    data.symbolName = symbol;
    data.callbackSite = CUPTI_API_ENTER;
    on_driver_call(*recorder_, id, data);
    if (during_call) during_call();
    data.callbackSite = CUPTI_API_EXIT;
    on_driver_call(*recorder_, id, data);
  }

  void load(std::uint32_t module, const std::vector<std::uint8_t>& cubin) {
    CUpti_ModuleResourceData loaded{module, cubin.size(), reinterpret_cast<const char*>(cubin.data())};
    CUpti_ResourceData data{};
    data.resourceDescriptor = &loaded;
    on_resource_event(*recorder_, CUPTI_CBID_RESOURCE_MODULE_LOADED, data);
  }

  void allocate(std::uint64_t address, std::size_t bytes) {
    CUdeviceptr pointer = address;
    call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, cuMemAlloc_v2_params{&pointer, bytes});
  }

  // kernel(float* data, int n)
  void launch(std::uint64_t data, int n, std::uintptr_t function = 100, CUstream stream = nullptr,
              CUresult result = CUDA_SUCCESS) {
    void* arguments[] = {&data, &n};
    cuLaunchKernel_params parameters{handle<CUfunction>(function), 8, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters, "kernel", result);
  }

  std::string text(const std::string& file) {
    if (recorder_) {
      recorder_.reset();
      finish(folder_.string(), Ending{{"program"}, "none", "0"}, false);
    }
    std::ifstream in(folder_ / file, std::ios::binary);
    std::string all{std::istreambuf_iterator<char>(in), {}};
    return all.substr(0, all.find('\0'));
  }
  std::size_t files(const std::string& folder) const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_ / folder), fs::directory_iterator()));
  }

  const fs::path& folder() const { return folder_; }
  const Options& options() const { return options_; }

  std::function<void()> during_call;

 private:
  fs::path folder_;
  Options options_;
  std::unique_ptr<Recorder> recorder_;
};

const std::string two_parameters = parameter(1, 8, 4) + parameter(0, 0, 8);

TEST_CASE("a launch is stored once and counted each time") {
  Program program;
  program.load(1, made_cubin(two_parameters));
  program.allocate(kDevice, 4096);
  program.launch(kDevice + 256, 7);
  program.launch(kDevice + 256, 8, 100, handle<CUstream>(0x5000));
  program.launch(kDevice + 256, 7);
  program.launch(kDevice + 256, 9, 100, nullptr, CUDA_ERROR_INVALID_VALUE);  // failed: none
  CHECK(program.text("order") == "1 0\n2 1\n1 0\n");
  CHECK(program.text("launches.yaml") ==
        "- {id: 1, file: launches/0001.yaml, kernel: kernel, grid: [8, 1, 1], block: [256, 1, 1]}\n"
        "- {id: 2, file: launches/0002.yaml, kernel: kernel, grid: [8, 1, 1], block: [256, 1, 1]}\n");
  const std::string launch = program.text("launches/0001.yaml");
  CHECK(launch.find("grid: [8, 1, 1]\nblock: [256, 1, 1]\ndynamic_smem: 0\nbuffers:\n"
                    "  m1: {size: 4096, address: 0x7f0000000000}\nargs:\n  - {pointer: m1, offset: 256}\n  - 7\n") !=
        std::string::npos);
  CHECK(launch.find("kernel: {cubin: ../code/") == 0);
  CHECK(program.files("code") == 1);
  CHECK(program.text("bundle.yaml").find("gpu: \"Made Up 1\"\narchitecture: sm_90\ndriver: 13000\nmemory: none\n") !=
        std::string::npos);
}

TEST_CASE("the driver is asked a few times about a word that is no address, and a buffer is found there all the same") {
  Program program;
  program.load(1, made_cubin(two_parameters));
  program.allocate(kDevice, 4096);
  ranges_asked = 0;
  for (std::uint64_t i = 0; i < 100; ++i) program.launch(0x600000000000 + (i << 30U), 7);
  CHECK(ranges_asked == 4);
  program.launch(kDevice + 256, 7);
  CHECK(ranges_asked == 4);
  CHECK(program.text("launches/0101.yaml").find("pointer: m1, offset: 256") != std::string::npos);
}

TEST_CASE("a kernel that its first launch loads is known when the launch ends") {
  Program program;
  program.during_call = [&] { program.load(1, made_cubin(two_parameters)); };
  program.launch(kDevice, 1);
  CHECK(program.text("order") == "1 0\n");
}

TEST_CASE("kernels of one name in several modules are told apart") {
  Program program;
  for (std::uintptr_t module : {1, 2}) {
    const auto cubin = made_cubin(two_parameters, static_cast<char>('a' + module));
    auto made = handle<CUmodule>(module);
    program.call(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, cuModuleLoadData_params{&made, cubin.data()});
    auto function = handle<CUfunction>(100 + module);
    program.call(CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, cuModuleGetFunction_params{&function, made, "kernel"});
  }
  program.launch(kDevice, 1, 101);
  program.launch(kDevice, 1, 102);
  program.launch(kDevice, 1, 101);
  CHECK(program.text("order") == "1 0\n2 0\n1 0\n");
  CHECK(program.files("code") == 2);
}

TEST_CASE("what cannot be stored is refused with its reason") {
  Program program;
  program.launch(kDevice, 1);
  program.load(1, made_cubin(info(0x0a, numbers({0, 0x00100210}))));
  program.launch(kDevice, 1);
  CHECK(program.text("order") == "0 0\n0 0\n");
  CHECK(program.text("refused") ==
        "1 kernel: the code of the kernel was not seen\n"
        "2 kernel: its cubin does not say where its 16 byte of parameters lie\n");
}

TEST_CASE("--kernels, --skip and --count choose launches") {
  Options options;
  options.kernels.emplace("^ker");
  options.skip = 1;
  options.count = 1;
  Program program(options);
  program.load(1, made_cubin(two_parameters));
  for (int n = 0; n < 4; ++n) program.launch(kDevice, n);
  CHECK(program.text("order") == "1 0\n");
  CHECK(program.text("launches/0001.yaml").find("- 1\n") != std::string::npos);
  options.kernels.emplace("nothing");
  Program none(options);
  none.load(1, made_cubin(two_parameters));
  for (int n = 0; n < 4; ++n) none.launch(kDevice, n);
  CHECK(none.text("order").empty());
}

TEST_CASE("--profiler-range records between start and stop of the profiler") {
  Options options;
  options.profiler_range = true;
  Program program(options);
  program.load(1, made_cubin(two_parameters));
  program.launch(kDevice, 1);
  program.call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, cuMemAllocHost_v2_params{});
  program.launch(kDevice, 2);
  program.call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, cuMemAllocHost_v2_params{});
  program.launch(kDevice, 3);
  CHECK(program.text("order") == "1 0\n");
  CHECK(program.text("launches/0001.yaml").find("- 2\n") != std::string::npos);
}

TEST_CASE("memory makes launches differ, and is stored without zeros and once") {
  Options options;
  options.memory = Memory::inputs;
  Program program(options);
  program.load(1, made_cubin(two_parameters));
  program.allocate(kDevice, 1 << 20);
  device_memory.assign(1 << 20, '\0');
  program.launch(kDevice, 7);  // known only now: no handle had been seen before, but its name was
  device_memory[70000] = 1;
  program.launch(kDevice, 7);
  program.launch(kDevice, 7);
  CHECK(program.text("order") == "1 0\n2 0\n2 0\n");
  CHECK(program.files("memory") == 1);
  CHECK(program.text("launches/0001.yaml").find("contents") == std::string::npos);
  CHECK(program.text("launches/0002.yaml").find("contents: [{at: 65536, file: ../memory/") != std::string::npos);
}

TEST_CASE("memory is stored for the launches that need it") {
  Options options;
  options.memory = Memory::inputs;
  options.has_needs = true;
  options.needed_kernels = {"another"};
  options.needed_ids = {2};
  Program program(options);
  program.load(1, made_cubin(two_parameters));
  program.allocate(kDevice, 1 << 20);
  device_memory.assign(1 << 20, '\x05');
  program.launch(kDevice, 7);
  program.launch(kDevice, 8);
  CHECK(program.text("launches/0001.yaml").find("contents") == std::string::npos);
  CHECK(program.text("launches/0002.yaml").find("contents") != std::string::npos);
}

TEST_CASE("kernel nodes of a captured graph count when the graph is launched") {
  Program program;
  program.load(1, made_cubin(two_parameters));
  program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_params{});
  captured_graph = handle<CUgraph>(0x900);
  captured_node = handle<CUgraphNode>(0x901);
  program.launch(kDevice, 1);
  captured_node = handle<CUgraphNode>(0x902);
  program.launch(kDevice, 2);
  captured_graph = nullptr;
  auto graph = handle<CUgraph>(0x900);
  program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, cuStreamEndCapture_params{nullptr, &graph});
  auto executable = handle<CUgraphExec>(0xa00);
  program.call(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
               cuGraphInstantiateWithFlags_params{&executable, graph, 0});
  program.call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, cuGraphLaunch_params{executable, nullptr});
  program.call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, cuGraphLaunch_params{executable, nullptr});
  captures_asked = 0;
  program.launch(kDevice, 2);
  CHECK(captures_asked == 0);
  CHECK(program.text("order") == "1 0 graph\n2 0 graph\n1 0 graph\n2 0 graph\n2 0\n");
}

TEST_CASE("attributes, carve-out and cluster of an extended launch") {
  Program program;
  program.load(1, made_cubin(two_parameters));
  program.call(
      CUPTI_DRIVER_TRACE_CBID_cuFuncSetAttribute,
      cuFuncSetAttribute_params{handle<CUfunction>(100), CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50});
  CUlaunchAttribute attributes[3]{};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {2, 1, 1};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attributes[1].value.priority = -1;
  attributes[2].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
  attributes[2].value.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
  CUlaunchConfig config{4, 1, 1, 64, 1, 1, 1024, nullptr, attributes, 3};
  std::uint64_t data = 12;
  int n = -3;
  void* arguments[] = {&data, &n};
  program.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
               cuLaunchKernelEx_params{&config, handle<CUfunction>(100), arguments, nullptr}, "kernel");
  CHECK(program.text("launches/0001.yaml")
            .find("cluster: [2, 1, 1]\ndynamic_smem: 1024\nattributes: {attribute_5: 0x1, carveout: 50, priority: -1}\n"
                  "args:\n  - {u64: 0xc}\n  - -3\n") != std::string::npos);
}

TEST_CASE("a second process gets a bundle of its own inside") {
  Program program;
  Recorder second(program.options(), made_driver());
  CHECK(second.begin() == "");
  CHECK(fs::exists(program.folder() / ("child-" + std::to_string(getpid())) / "journal"));
}

}  // namespace
}  // namespace tilescope::capture
