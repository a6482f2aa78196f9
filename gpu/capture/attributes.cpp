#include "attributes.h"

#include <cstdio>
#include <cstring>

namespace tilescope::capture {

void LaunchAttributes::set(std::uint32_t id, std::uint64_t value) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (entries[i].id == id) {
      entries[i].value = value;
      return;
    }
  if (count < entries.size()) entries[count++] = {id, 0, value};
}

void LaunchAttributes::add(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
  std::uint64_t first = 0;
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
      return;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
      return;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      first = static_cast<std::uint64_t>(value.cooperative != 0);
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      first = static_cast<std::uint64_t>(value.programmaticStreamSerializationAllowed != 0);
      break;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      first = static_cast<std::uint64_t>(std::int64_t{value.priority});
      break;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      first = value.sharedMemCarveout;
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      first = 1;  // there is one; its handle says nothing
      break;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      first = reinterpret_cast<std::uint64_t>(value.accessPolicyWindow.base_ptr);
      break;
    default: {
      std::uint32_t word = 0;
      std::memcpy(&word, &value, sizeof word);
      first = word;
    }
  }
  set(id, first);
}

void LaunchAttributes::add(const CUlaunchAttribute* attributes, unsigned number) {
  for (unsigned i = 0; attributes != nullptr && i < number; ++i) add(attributes[i].id, attributes[i].value);
}

void describe(const LaunchAttributes& attributes, Shape& shape) {
  if (attributes.cluster[0] != 0) shape.cluster = attributes.cluster;
  for (std::uint32_t i = 0; i < attributes.count; ++i) {
    const auto& [id, unused, value] = attributes.entries[i];
    switch (id) {
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        if (value != 0) shape.attributes["cooperative"] = "true";
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        if (value != 0) shape.attributes["programmatic_serialization"] = "true";
        break;
      case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        shape.attributes["priority"] = std::to_string(static_cast<std::int64_t>(value));
        break;
      case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (static_cast<std::int32_t>(value) >= 0) shape.attributes["carveout"] = std::to_string(value);
        break;
      default: {
        char text[20];
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
        shape.attributes["attribute_" + std::to_string(id)] = text;
      }
    }
  }
}

}  // namespace tilescope::capture
