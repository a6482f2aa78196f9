#include "traces/file/trace_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "traces/file/base_limit.h"
#include "traces/file/frame.h"
#include "traces/file/shape_finder.h"
#include "traces/file/trace_error.h"
#include "traces/file/trace_format.h"
#include "traces/file/warp_encoder.h"

namespace tilescope {
namespace {

using namespace trace;

class Recorder {
 public:
  Recorder(const Kernel& kernel, std::ostream& out, const RecordOptions& options)
      : kernel_(kernel), out_(out), options_(options), shapes_(tables_) {}

  RecordTotals record() {
    begin();
    const std::unique_ptr<WarpStream> stream = kernel_.make_stream();
    const auto warps = static_cast<int>(kernel_.launch().warps_per_cta());
    for (std::int64_t cta = 0; cta < kernel_.launch().grid.count(); ++cta)
      for (int warp = 0; warp < warps; ++warp) {
        where_ = fmt::format("CTA {} warp {}: ", cta, warp);
        stream->start(cta, warp, Operands::all);
        record_warp(*stream);
        if (records_.size() >= std::min<std::size_t>(options_.block_bytes, kLargestRecord) ||
            block_warps_ == kMostBlockWarps)
          end_block();
      }
    if (block_warps_ > 0) end_block();
    where_.clear();
    end();
    return totals_;
  }
  const std::string& where() const { return where_; }

 private:
  void begin() {
    tables_.launch = kernel_.launch();
    check_launch(tables_.launch);
    if (kernel_.code().empty() || kernel_.code().size() > kMostCode)
      throw Malformed{fmt::format("has {} static instructions; must have 1 to {}", kernel_.code().size(), kMostCode)};
    for (const Instruction& instruction : kernel_.code()) check_instruction(instruction);
    tables_.set_code({kernel_.code().begin(), kernel_.code().end()});
    ByteWriter header;
    header.append(kMagic);
    header.fixed(kVersion, 4);
    header.fixed(0, 4);
    write(header.bytes());
  }

  void record_warp(WarpStream& stream) {
    static const Leader none;
    const bool leads = block_warps_ == 0;
    encoder_.begin(leads ? none : leader_);
    Segment segment;
    OpClass last = OpClass::nop;
    while (stream.next(segment)) {
      const std::uint32_t shape = shapes_.find(kernel_.code(), segment, encoder_.expected_shape());
      ++tables_.shapes[shape].visits;
      translate(segment, tables_.shapes[shape].operands);
      encoder_.add(tables_, shape, operands_.data());
      if (leads) leader_.observe(tables_, shape, operands_.data());
      if (encoder_.size() > kLargestRecord) throw Malformed{fmt::format("needs more than {} bytes", kLargestRecord)};
      if (encoder_.segments() > kMostSegments) throw Malformed{fmt::format("has more than {} segments", kMostSegments)};
      totals_.instructions += segment.length;
      totals_.operands += tables_.shapes[shape].operands;
      last = segment.code[segment.length - 1].op;
    }
    if (last != OpClass::exit) throw Malformed{"the last instruction is not EXIT"};
    const std::string_view record = encoder_.finish();
    warp_table_.varint(record.size());
    warp_table_.varint(encoder_.segments());
    records_.append(record);
    totals_.segments += encoder_.segments();
    if (totals_.segments > kMostTraceSegments)
      throw Malformed{fmt::format("the warps have more than {} segments", kMostTraceSegments)};
    ++totals_.warps;
    ++block_warps_;
  }

  // Operands with the trace's pattern numbers: in order of first use.
  void translate(const Segment& segment, std::uint32_t count) {
    operands_.assign(segment.operands, segment.operands + count);
    for (MemoryOperand& operand : operands_) {
      const PatternId known = operand.pattern;
      if (known >= kernel_.patterns().size()) throw Malformed{fmt::format("there is no lane pattern {}", known)};
      if (known >= renumbered_.size()) renumbered_.resize(kernel_.patterns().size(), kNew);
      if (renumbered_[known] == kNew) renumbered_[known] = known == 0 ? 0 : add(kernel_.patterns().pattern(known));
      operand.pattern = renumbered_[known];
      if (!limits_[operand.pattern].allows(operand.base)) refuse_base(operand.base, limits_[operand.pattern]);
    }
  }

  PatternId add(const LanePattern& pattern) {
    check_pattern(pattern);
    if (tables_.patterns.size() > kMostPatterns)
      throw Malformed{fmt::format("has more than {} distinct lane patterns", kMostPatterns)};
    tables_.patterns.push_back(pattern);
    limits_.push_back(base_limit(pattern));
    return static_cast<PatternId>(tables_.patterns.size() - 1);
  }

  void end_block() {
    const std::size_t bytes = write_frame(warp_table_.bytes() + records_.bytes());
    directory_.varint(block_warps_);
    directory_.varint(bytes);
    ++blocks_;
    warp_table_.clear();
    records_.clear();
    leader_.clear();
    block_warps_ = 0;
  }

  void end() {
    ByteWriter directory;
    directory.varint(blocks_);
    directory.append(directory_.bytes());
    directory.varint(write_frame(encode_tables(tables_)));
    const std::uint64_t offset = totals_.file_bytes;
    const std::size_t bytes = write_frame(directory.bytes());
    ByteWriter trailer;
    trailer.fixed(offset, 8);
    trailer.fixed(bytes, 8);
    trailer.fixed(totals_.file_bytes + kTrailerBytes, 8);
    trailer.append(kEndMagic);
    write(trailer.bytes());
    out_.flush();
    if (!out_) throw std::ios_base::failure("the trace cannot be written");
  }

  std::size_t write_frame(const std::string& content) {
    totals_.encoded_bytes += content.size();
    if (totals_.encoded_bytes > kLargestTrace)
      throw Malformed{fmt::format("needs more than {} bytes before compression", kLargestTrace)};
    const std::string frame = compress(content, options_.compression_level);
    write(frame);
    return frame.size();
  }

  void write(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out_) throw std::ios_base::failure("the trace cannot be written");
    totals_.file_bytes += bytes.size();
  }

  static constexpr PatternId kNew = ~PatternId{0};

  const Kernel& kernel_;
  std::ostream& out_;
  const RecordOptions& options_;
  Tables tables_;
  ShapeFinder shapes_;
  std::vector<BaseLimit> limits_{BaseLimit{}};
  std::vector<PatternId> renumbered_;  // by the kernel's pattern id
  std::vector<MemoryOperand> operands_;
  WarpEncoder encoder_;
  Leader leader_;
  ByteWriter warp_table_, records_;  // of the block
  std::uint64_t block_warps_ = 0;
  ByteWriter directory_;
  std::uint64_t blocks_ = 0;
  RecordTotals totals_;
  std::string where_;
};

}  // namespace

RecordTotals record_trace(const Kernel& kernel, std::ostream& out, const RecordOptions& options) {
  Recorder recorder(kernel, out, options);
  try {
    return recorder.record();
  } catch (const Malformed& malformed) {
    throw TraceError(kernel.launch().kernel, recorder.where() + malformed.what);
  }
}

}  // namespace tilescope
