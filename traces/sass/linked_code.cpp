#include "traces/sass/linked_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "traces/kernels/device_buffers.h"
#include "traces/sass/operand.h"
#include "traces/sass/relocated_text.h"
#include "traces/sass/symbol_text.h"

namespace tilescope::sass {
namespace {

// Each variable lies at a multiple of so many bytes, whatever its offset in the file says: sectors of loads and stores
// of variables, tests/data/sass/calls/calls_h100.csv, show 32 or more.
constexpr std::uint64_t kVariableAlignment = 256;

// ".nv.constant3", ".nv.constant2.kernel"
int bank_of(std::string_view section) { return section[std::string_view(".nv.constant").size()] - '0'; }
bool is_of(std::string_view section, std::string_view kernel) {
  const std::size_t at = std::string_view(".nv.constant0").size();
  return section.size() == at || section.substr(at + 1) == kernel;
}

// Does the instruction go to an address in registers that may lie in any function?
bool goes_anywhere(std::string_view text) {
  for (const std::string_view opcode : {"CALL.ABS.NOINC R", "JMP R", "JMX R"})
    if (text.find(opcode) != std::string_view::npos) return true;
  return false;
}

class Linker {
 public:
  Linker(Listing& listing, ListedFunction& kernel, const Module& module, KernelFacts& facts, DeviceMemory& memory)
      : listing_(listing), kernel_(kernel), module_(module), facts_(facts), memory_(memory) {
    linked_.file = listing.file;
  }

  tl::expected<LinkedCode, Diagnostics> link() {
    take_constants();
    add(kernel_, false);
    for (std::size_t next = 0; next < order_.size(); ++next) {
      follow(*order_[next]);
      if (next + 1 == order_.size() && anywhere_) add_all_taken();
    }
    if (!errors_.empty()) return tl::unexpected(errors_);
    place_functions();
    place_variables();
    fill_in();
    keep_table();
    return std::move(linked_);
  }

 private:
  // The module's constant banks; an ELF text of several images may have mixed them up.
  void take_constants() {
    for (const auto& [name, section] : module_.sections) {
      if (!holds_constants(name) || !is_of(name, kernel_.name) || section.size > kConstantBankBytes) continue;
      if (section.size == 0) continue;
      std::vector<std::uint8_t>& bank = facts_.constants[bank_of(name)];
      bank.assign(section.bytes.begin(), section.bytes.end());
      bank.resize(section.size);
    }
  }

  ListedFunction* find(std::string_view name) {
    if (by_name_.empty())
      for (ListedFunction& function : listing_.functions)
        if (function.module == kernel_.module && function.architecture == kernel_.architecture)
          by_name_.try_emplace(function.name, &function);
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  void add(ListedFunction& function, bool by_address) {
    const auto [known, fresh] = included_.try_emplace(function.name, by_address);
    known->second = known->second && by_address;
    if (fresh) order_.push_back(&function);
  }

  // What the code of a function names.
  void follow(ListedFunction& function) {
    if (const ModuleSection* section = module_.section(".text." + function.name))
      write_relocations(function, *section, listing_.file, errors_);
    for (const ListedInstruction& instruction : function.code) {
      const std::string_view text = instruction.text;
      anywhere_ = anywhere_ || goes_anywhere(text);
      if (const std::size_t at = text.find("`("); at != std::string_view::npos) {
        const std::string_view name = text.substr(at + 2, text.find(')', at) - at - 2);
        if (!function.labels.contains(std::string(name))) call(name);
      } else if (const std::size_t half = text.find("32@"); half != std::string_view::npos) {
        const auto named = parse_symbol_half(text.substr(half, text.find(',', half) - half));
        // Its own name is the return address of a call.
        if (named && named->sum.symbol != function.name) take_address(named->sum.symbol);
      }
    }
  }

  void call(std::string_view name) {
    if (ListedFunction* const called = find(name))
      add(*called, false);
    else if (is_function_outside(name))
      add_outside(name);
  }

  bool is_function_outside(std::string_view name) const {
    const auto symbol = module_.symbols.find(name);
    return !name.starts_with(".L") && (symbol == module_.symbols.end() || symbol->second.section.empty());
  }

  void add_outside(std::string_view name) {
    if (std::find(linked_.outside.begin(), linked_.outside.end(), name) == linked_.outside.end())
      linked_.outside.emplace_back(name);
  }

  void take_address(std::string_view name) { taken_.emplace(name); }

  // Code that goes to addresses in registers can reach every function whose address is held anywhere.
  void add_all_taken() {
    if (!data_read_) {
      data_read_ = true;
      for (const auto& [name, section] : module_.sections)
        if (!holds_code(name))
          for (const NamedAddress& address : section.addresses) take_address(address.symbol);
    }
    for (const std::string& name : taken_)
      if (ListedFunction* const function = find(name)) add(*function, true);
  }

  void place_functions() {
    std::uint32_t place = 0;
    for (const ListedFunction* function : order_) {
      linked_.functions.push_back({function, place, included_.at(function->name)});
      linked_.addresses[function->name] = kCodeAddress + std::uint64_t{place} * kInstructionBytes;
      place += static_cast<std::uint32_t>(std::min<std::size_t>(function->code.size(), kOutsidePlace / 64));
    }
  }

  // A section of variables: where each begins in the file and in memory.
  struct Variables {
    std::uint64_t base = 0, size = 0;
    std::map<std::uint64_t, std::uint64_t> moved;  // offset in the section to offset in memory

    std::uint64_t at(std::uint64_t offset) const {
      const auto after = moved.upper_bound(offset);
      const auto& [from, to] = *std::prev(after);
      return base + to + (offset - from);
    }
  };

  Variables lay_out(const std::string& name, const ModuleSection& section) const {
    Variables variables;
    variables.moved[0] = 0;
    for (const auto& [symbol, place] : module_.symbols)
      if (place.section == name && place.offset < section.size) variables.moved[place.offset] = 0;
    for (auto one = variables.moved.begin(); one != variables.moved.end(); ++one) {
      one->second = variables.size;
      const auto after = std::next(one);
      const std::uint64_t bytes = (after == variables.moved.end() ? section.size : after->first) - one->first;
      variables.size += (bytes + kVariableAlignment - 1) / kVariableAlignment * kVariableAlignment;
    }
    return variables;
  }

  // The variables lie behind the launch's buffers.
  void place_variables() {
    std::uint64_t next = DeviceBuffers::kFirst;
    constexpr std::uint64_t unit = DeviceBuffers::kAlignment;
    if (!memory_.buffers.empty())
      next = (memory_.buffers.back().base + memory_.buffers.back().size + unit - 1) / unit * unit + unit;
    for (const auto& [name, section] : module_.sections) {
      if (!holds_variables(name) || section.size == 0) continue;
      Variables variables = lay_out(name, section);
      variables.base = next;
      next = (next + variables.size + unit - 1) / unit * unit + unit;
      DeviceBuffer buffer{.base = variables.base, .size = variables.size, .bytes = {}};
      for (std::size_t at = 0; at < section.bytes.size(); ++at)
        if (section.bytes[at] != 0) byte_at(buffer, variables.at(at)) = section.bytes[at];
      memory_.buffers.push_back(std::move(buffer));
      variables_[name] = std::move(variables);
    }
    if (module_.section(".nv.constant3") != nullptr && facts_.constants.contains(3)) linked_.constants_address = next;
    for (const auto& [name, symbol] : module_.symbols)
      if (const auto known = variables_.find(symbol.section); known != variables_.end())
        linked_.addresses.try_emplace(name, known->second.at(symbol.offset));
    for (const auto& [name, variables] : variables_) linked_.addresses.try_emplace(name, variables.base);
  }

  static std::uint8_t& byte_at(DeviceBuffer& buffer, std::uint64_t address) {
    const std::uint64_t offset = address - buffer.base;
    if (buffer.bytes.size() <= offset) buffer.bytes.resize(offset + 1);
    return buffer.bytes[offset];
  }

  std::uint64_t address_of(const std::string& name) {
    if (const auto known = linked_.addresses.find(name); known != linked_.addresses.end()) return known->second;
    add_outside(name);
    const auto place = std::find(linked_.outside.begin(), linked_.outside.end(), name) - linked_.outside.begin();
    return linked_.addresses[name] =
               kCodeAddress + (kOutsidePlace + static_cast<std::uint64_t>(place)) * kInstructionBytes;
  }

  // Of a section's own name the distance is a place in the section.
  std::uint64_t value_of(const NamedAddress& address) {
    if (const auto section = variables_.find(address.symbol); section != variables_.end())
      return section->second.at(static_cast<std::uint64_t>(address.addend));
    return address_of(address.symbol) + static_cast<std::uint64_t>(address.addend);
  }

  DeviceBuffer& buffer_of(std::uint64_t address) {
    auto after = std::find_if(memory_.buffers.begin(), memory_.buffers.end(),
                              [address](const DeviceBuffer& buffer) { return buffer.base > address; });
    return *std::prev(after);
  }

  // Addresses that variables and constants hold.
  void fill_in() {
    for (const std::string& name : std::vector<std::string>(linked_.outside)) address_of(name);
    for (const auto& [name, section] : module_.sections) {
      const bool constants = holds_constants(name) && is_of(name, kernel_.name);
      const auto variables = variables_.find(name);
      if (!constants && variables == variables_.end()) continue;
      for (const NamedAddress& address : section.addresses) {
        const std::uint64_t end = constants ? facts_.constants[bank_of(name)].size() : section.size;
        if (address.offset > end || end - address.offset < 8 || address.offset > kMostVariableContents) continue;
        const std::uint64_t value = value_of(address);
        const std::uint64_t at = constants ? address.offset : variables->second.at(address.offset);
        for (unsigned b = 0; b < 8; ++b) {
          const auto byte = static_cast<std::uint8_t>(value >> (8 * b));
          if (constants)
            facts_.constants[bank_of(name)][at + b] = byte;
          else
            byte_at(buffer_of(at), at + b) = byte;
        }
      }
    }
    if (linked_.constants_address != 0) {
      const std::vector<std::uint8_t>& bank = facts_.constants.at(3);
      memory_.buffers.push_back({.base = linked_.constants_address, .size = bank.size(), .bytes = bank});
    }
    // Code may name a variable that the module does not show.
    for (const std::string& name : taken_) address_of(name);
  }

  // Jump tables and tables of functions: distances from the kernel's start.
  void keep_table() {
    const auto bank = facts_.constants.find(2);
    if (bank == facts_.constants.end()) return;
    for (std::size_t at = 0; at + 4 <= bank->second.size(); at += 4) {
      std::uint32_t value = 0;
      for (unsigned b = 0; b < 4; ++b) value |= std::uint32_t{bank->second[at + b]} << (8 * b);
      if (value != 0 && value % kInstructionBytes == 0 && value / kInstructionBytes < kernel_.code.size())
        linked_.table.push_back(value);
    }
  }

  Listing& listing_;
  ListedFunction& kernel_;
  const Module& module_;
  KernelFacts& facts_;
  DeviceMemory& memory_;
  LinkedCode linked_;
  Diagnostics errors_;
  std::map<std::string_view, ListedFunction*> by_name_;  // of the kernel's module
  std::vector<ListedFunction*> order_;
  std::map<std::string, bool> included_;  // by address only?
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, Variables> variables_;  // by section
  bool anywhere_ = false, data_read_ = false;
};

}  // namespace

std::uint64_t LinkedCode::instructions() const {
  std::uint64_t sum = 0;
  for (const LinkedFunction& function : functions) sum += function.listed->code.size();
  return sum;
}

LinkedCode link_alone(const ListedFunction& function, const std::string& file) {
  LinkedCode linked;
  linked.file = file;
  linked.functions.push_back({.listed = &function});
  linked.addresses[function.name] = kCodeAddress;
  return linked;
}

tl::expected<LinkedCode, Diagnostics> link_kernel(Listing& listing, ListedFunction& kernel, const Module& module,
                                                  KernelFacts& facts, DeviceMemory& memory) {
  return Linker(listing, kernel, module, facts, memory).link();
}

}  // namespace tilescope::sass
