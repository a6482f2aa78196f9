#include "kernels.h"

#include <algorithm>

namespace tilescope::capture {
namespace {

// The images that the driver loaded during the call that this thread is in.
thread_local std::vector<std::shared_ptr<const Cubin>> loaded_in_call;

std::vector<std::uint8_t> copy_of(const void* image, std::size_t bytes) {
  const auto* from = static_cast<const std::uint8_t*>(image);
  return {from, from + bytes};
}

}  // namespace

void Kernels::end_of_call() { loaded_in_call.clear(); }

Kernels::CubinPointer Kernels::add(std::vector<std::uint8_t> bytes) {
  auto cubin = std::make_shared<const Cubin>(std::move(bytes));
  return cubins_.try_emplace(cubin->hash(), cubin).first->second;
}

void Kernels::loaded(std::uint32_t module_id, const void* image, std::size_t bytes) {
  if (image == nullptr || !Cubin::is_elf(image, bytes)) return;
  const CubinPointer cubin = add(copy_of(image, bytes));
  loaded_.emplace_back(module_id, cubin);
  loaded_in_call.push_back(cubin);
}

void Kernels::unloaded(std::uint32_t module_id) {
  for (const auto& [id, cubin] : loaded_)
    if (id == module_id)
      for (auto at = handles_.begin(); at != handles_.end();)
        at = at->second->cubin == cubin ? handles_.erase(at) : std::next(at);
  loaded_.erase(
      std::remove_if(loaded_.begin(), loaded_.end(), [=](const auto& entry) { return entry.first == module_id; }),
      loaded_.end());
}

void Kernels::container_made(const void* container, const void* image) {
  containers_.erase(container);
  if (const std::size_t bytes = Cubin::image_bytes(image))
    containers_[container] = add(copy_of(image, bytes));
  else if (loaded_in_call.size() == 1)
    containers_[container] = loaded_in_call.front();
}

void Kernels::function_made(const void* function, const void* container, const char* name) {
  handles_.erase(function);
  names_[function] = {name, container};
  carveouts_.erase(function);
  // An image that is loaded on demand shows when its first function is asked for.
  for (const CubinPointer& cubin : loaded_in_call)
    if (cubin->function(name)) containers_[container] = cubin;
}

void Kernels::same_function(const void* function, const void* kernel) {
  const auto found = names_.find(kernel);
  if (found == names_.end() || function == kernel) return;
  const Named named = found->second;
  if (const auto known = names_.find(function);
      known == names_.end() || known->second.name != named.name || known->second.container != named.container)
    handles_.erase(function);
  names_[function] = named;
  for (const CubinPointer& cubin : loaded_in_call)
    if (cubin->function(named.name)) containers_[named.container] = cubin;
}

int Kernels::carveout(const void* function) const {
  const auto found = carveouts_.find(function);
  return found == carveouts_.end() ? -1 : found->second;
}

std::string Kernels::name(const void* function) const {
  if (const auto found = names_.find(function); found != names_.end()) return found->second.name;
  if (const auto found = handles_.find(function); found != handles_.end()) return found->second->name;
  return {};
}

// Of several images that hold the name: the container's, else one that this call loaded, else the last that was loaded.
Kernels::CubinPointer Kernels::holder(const std::string& name, const void* container) const {
  for (auto cubin = loaded_in_call.rbegin(); cubin != loaded_in_call.rend(); ++cubin)
    if ((*cubin)->function(name)) return *cubin;
  if (const auto found = containers_.find(container); found != containers_.end() && found->second->function(name))
    return found->second;
  for (auto entry = loaded_.rbegin(); entry != loaded_.rend(); ++entry)
    if (entry->second->function(name)) return entry->second;
  return nullptr;
}

Kernel* Kernels::kernel(const CubinPointer& cubin, const std::string& name) {
  auto& place = kernels_[{cubin.get(), name}];
  if (!place) {
    place = std::make_unique<Kernel>();
    place->name = name;
    place->cubin = cubin;
    place->symbol = *cubin->function(name);
    place->layout = cubin->layout(name);
    place->number = kernels_.size();
    place->code_stem = name_of(cubin->hash()) + "-" + std::to_string(place->symbol);
  }
  return place.get();
}

Kernel* Kernels::find(const void* function, const char* symbol) {
  if (const auto found = handles_.find(function); found != handles_.end() && loaded_in_call.empty())
    if (symbol == nullptr || found->second->name == symbol) return found->second;
  const auto named = names_.find(function);
  const std::string name = symbol != nullptr ? symbol : named != names_.end() ? named->second.name : std::string();
  if (name.empty()) return nullptr;
  const CubinPointer cubin = holder(name, named != names_.end() ? named->second.container : nullptr);
  if (!cubin) return nullptr;
  return handles_[function] = kernel(cubin, name);
}

}  // namespace tilescope::capture
