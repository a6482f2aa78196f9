#include "run_memory.h"

#include <algorithm>
#include <stdexcept>

#include "../common/device.h"
#include "reference.h"

namespace tilescope::gpu {
namespace {

std::string allowed(const ParameterInfo& info) {
  if (info.words.empty()) {
    return "a whole number from " + std::to_string(info.least) + " to " + std::to_string(info.most);
  }
  std::string list = "one of";
  for (const std::string& word : info.words) {
    list += " " + word;
  }
  return list;
}

bool takes(const ParameterInfo& info, const std::string& text) {
  if (!info.words.empty()) {
    return std::find(info.words.begin(), info.words.end(), text) != info.words.end();
  }
  std::size_t used = 0;
  std::int64_t value = 0;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
    return false;
  }
  return used == text.size() && value >= info.least && value <= info.most;
}

// Gives the setting to the parameter it names. What is wrong with it, or nothing.
std::string apply(const Setting& setting, const MemoryKernel& kernel, std::vector<ParameterValues::Value>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].name == setting.name) {
      const ParameterInfo& info = kernel.parameters[i];
      values[i].text = setting.value;
      return takes(info, setting.value) ? "" : setting.name + ": got '" + setting.value + "'; must be " + allowed(info);
    }
  }
  return setting.name + ": not a parameter of " + kernel.name + "; 'tilescope-gpu list memory' prints them";
}

std::vector<char> to_host(const DeviceBuffer<char>& buffer) {
  std::vector<char> host(buffer.count());
  check(cudaMemcpy(host.data(), buffer.data(), buffer.count(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return host;
}

// Of the results at the front of the output.
double error_of(const PlainAnswer& plain, const void* input, const void* output) {
  const DeviceBuffer<double> answer(plain.count);
  plain.compute(input, answer.data());
  return plain.halves ? relative_error(static_cast<const __half*>(output), answer.data(), plain.count)
                      : relative_error(static_cast<const float*>(output), answer.data(), plain.count);
}

}  // namespace

PlannedMemoryCase plan_memory(const std::vector<MemoryKernel>& table, const Case& c) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const MemoryKernel& k) { return k.name == c.kernel; });
  if (found == table.end()) {
    throw std::invalid_argument(c.where + c.kernel +
                                ": no such memory kernel; 'tilescope-gpu list memory' prints them");
  }
  std::vector<ParameterValues::Value> values;
  for (const ParameterInfo& info : found->parameters) {
    values.push_back({info.name, info.default_value});
  }
  std::string problems;
  for (const Setting& setting : c.settings) {
    const std::string problem = apply(setting, *found, values);
    if (!problem.empty()) {
      problems += (problems.empty() ? "" : "\n") + c.where + problem;
    }
  }
  if (!problems.empty()) {
    throw std::invalid_argument(problems);
  }
  PlannedMemoryCase result;
  result.kernel = c.kernel;
  for (const ParameterValues::Value& value : values) {
    result.parameters += (result.parameters.empty() ? "" : ";") + value.name + "=" + value.text;
  }
  try {
    result.launch = found->plan(ParameterValues(values));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(c.where + c.kernel + ": " + error.what());
  }
  return result;
}

Row run_memory(const PlannedMemoryCase& c, const Options& options) {
  const MemoryLaunch& launch = c.launch;
  const DeviceBuffer<char> input(launch.input_bytes);
  const DeviceBuffer<char> output(launch.output_bytes);
  launch.prepare(input.data(), options.seed);
  Row row;
  row.kernel = c.kernel;
  row.parameters = c.parameters;
  row.grid = launch.grid;
  row.block = launch.block;
  row.timing = time_launches([&] { launch.launch(input.data(), output.data(), false); }, options);
  row.gbs = number(launch.moved_bytes / row.timing.median_ms * 1e-6, 4);
  if (options.check) {
    // Poison for what writes (NaNs where errors are measured), a zero for what adds up; an output left alone is wrong.
    check(cudaMemset(output.data(), launch.only_reads ? 0 : launch.plain ? 0xff : 0xa5, output.count()), "cudaMemset");
    launch.launch(input.data(), output.data(), true);
    check(cudaGetLastError(), c.kernel.c_str());
    bool good = false;
    if (launch.plain) {
      const double error = error_of(*launch.plain, input.data(), output.data());
      row.relative_error = number(error, 3);
      good = error <= launch.plain->bound;  // false for NaN
    } else {
      good = to_host(output) == launch.expected(to_host(input), input.data());
    }
    row.verdict = good ? Verdict::kOk : Verdict::kWrong;
  }
  return row;
}

}  // namespace tilescope::gpu
