#include "models/support/yaml_documents.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

namespace tilescope {
namespace {

// Remembers where the last two documents begin.
class Starts final : public YAML::EventHandler {
 public:
  bool stands_still() const { return documents_ > 1 && last_.pos == before_.pos; }
  const YAML::Mark& last() const { return last_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    before_ = last_;
    last_ = mark;
    ++documents_;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int documents_ = 0;
  YAML::Mark before_, last_;
};

}  // namespace

std::optional<Diagnostic> refuse_endless_documents(const std::string& text, const std::string& name) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Starts starts;
    while (parser.HandleNextDocument(starts))
      if (starts.stands_still())
        return Diagnostic{name, starts.last().line + 1, starts.last().column + 1,
                          "not valid YAML: nothing can begin here"};
  } catch (const YAML::Exception&) {
    // Loading it meets the same.
  }
  return std::nullopt;
}

}  // namespace tilescope
