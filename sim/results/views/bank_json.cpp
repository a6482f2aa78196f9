#include "sim/results/views/bank_view.h"

namespace tilescope {
namespace {

using Json = nlohmann::ordered_json;

Json phase_json(const PhaseReport& phase) {
  Json json;
  json["lanes"] = Json::array();
  for (int lane = 0; lane < kLanes; ++lane)
    if ((phase.lanes >> lane & 1U) != 0) json["lanes"].push_back(lane);
  json["wavefronts"] = phase.wavefronts;
  json["collisions"] = Json::array();
  for (std::size_t bank = 0; bank < phase.banks.size(); ++bank) {
    if (phase.banks[bank].size() < 2) continue;
    Json words = Json::array();
    for (const BankWord& word : phase.banks[bank]) words.push_back({{"word", word.word}, {"lanes", word.lanes}});
    json["collisions"].push_back({{"bank", bank}, {"words", words}});
  }
  return json;
}

Json fix_json(const BankFix& fix) {
  const bool padding = fix.kind == BankFix::Kind::padding;
  Json json{{"kind", padding ? "padding" : "xor_swizzle"}, {"pitch", fix.pitch}};
  if (padding)
    json["padding"] = fix.padding;
  else
    json["shift"] = fix.shift;
  json["wavefronts"] = fix.wavefronts;
  json["sentence"] = fix.sentence();
  return json;
}

}  // namespace

Json bank_json(const BankReport& report) {
  Json json;
  json["schema"] = "tilescope.banks/1";
  json["width"] = report.bytes * 8;
  json["op"] = report.op == SharedOp::load ? "ld" : "st";
  json["wavefronts"] = report.cost.wavefronts;
  json["ideal"] = report.cost.ideal;
  json["conflicts"] = report.cost.wavefronts - report.cost.ideal;
  json["lane_index"] = report.map;
  json["phases"] = Json::array();
  for (const PhaseReport& phase : report.phases) json["phases"].push_back(phase_json(phase));
  json["hints"] = Json::array();
  for (const BankFix& fix : report.fixes) json["hints"].push_back(fix_json(fix));
  return json;
}

}  // namespace tilescope
