// Which kernel a handle of the driver means: the cubins that the program loaded, their modules and libraries, and the
// handles of their functions. A handle is known from the call that made it, or from the name that comes with a launch.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cubin.h"

namespace tilescope::capture {

struct Kernel {
  std::string name;  // symbol
  std::shared_ptr<const Cubin> cubin;
  std::uint32_t symbol = 0;
  KernelLayout layout;
  std::uint64_t number = 0;                    // from 1, in the order of first use
  bool is_judged = false, is_selected = true;  // by --kernels
  bool is_stored = false;                      // its code is in the bundle
  std::string code_stem;                       // "HASH-SYMBOL"

  // The driver was asked about the word at byte `at` of the arguments, and it was no address. After a few times it is
  // taken for a number, or for a part of a struct that the program leaves as it is, and the driver is asked no more:
  // the question takes longer than the rest of the record.
  void was_no_address(std::size_t at) {
    if (asked_.size() <= at / 8) asked_.resize(at / 8 + 1);
    if (asked_[at / 8] < kMostAsked) ++asked_[at / 8];
  }
  bool may_be_address(std::size_t at) const { return at / 8 >= asked_.size() || asked_[at / 8] < kMostAsked; }

 private:
  static constexpr std::uint8_t kMostAsked = 4;
  std::vector<std::uint8_t> asked_;  // in vain, by word of the arguments
};

class Kernels {
 public:
  // An image that the driver loads, as a part of the call that this thread is in.
  void loaded(std::uint32_t module_id, const void* image, std::size_t bytes);
  void unloaded(std::uint32_t module_id);

  // A module or library was made from `image`, which may be any form of code.
  void container_made(const void* container, const void* image);
  // A function of a container got a handle.
  void function_made(const void* function, const void* container, const char* name);
  // `function` is the form of `kernel` in the current context.
  void same_function(const void* function, const void* kernel);
  void set_carveout(const void* function, int percent) { carveouts_[function] = percent; }
  // Of the function's handle; below zero: the driver's choice.
  int carveout(const void* function) const;

  // `symbol` may be null. Null: the kernel is not known (yet).
  Kernel* find(const void* function, const char* symbol);
  // The name under which the handle is known; empty: none.
  std::string name(const void* function) const;
  // The call that this thread was in has ended.
  static void end_of_call();

 private:
  using CubinPointer = std::shared_ptr<const Cubin>;
  struct Named {
    std::string name;
    const void* container = nullptr;
  };
  CubinPointer add(std::vector<std::uint8_t> bytes);
  CubinPointer holder(const std::string& name, const void* container) const;
  Kernel* kernel(const CubinPointer& cubin, const std::string& name);

  std::vector<std::pair<std::uint32_t, CubinPointer>> loaded_;  // by module, in the order of loading
  std::unordered_map<Hash, CubinPointer> cubins_;
  std::unordered_map<const void*, CubinPointer> containers_;
  std::unordered_map<const void*, Named> names_;
  std::unordered_map<const void*, Kernel*> handles_;
  std::unordered_map<const void*, int> carveouts_;
  std::map<std::pair<const Cubin*, std::string>, std::unique_ptr<Kernel>> kernels_;
};

}  // namespace tilescope::capture
