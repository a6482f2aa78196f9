#include "sim/studies/sweep/submit_scripts.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/studies/sweep/submit_shell.h"

namespace tilescope::sweep {
namespace {

constexpr const char* kShard = R"sh(
shard=${1:-${SLURM_ARRAY_TASK_ID:?give the number of a shard}}
exec >>"$directory/shard-$shard.log" 2>&1
echo "shard $shard of $shards on $(hostname), $(date -u +%Y-%m-%dT%H:%M:%SZ)"

"$tilescope" sweep run "$study" --shard "$shard/$shards" "${options[@]}" -o "$directory/shard-$shard.db" &
worker=$!
trap 'kill "$worker" 2>/dev/null' INT TERM HUP
until wait "$worker"; status=$?; ! kill -0 "$worker" 2>/dev/null; do :; done

# 1 and nothing left to compute: some points failed. The store has them with their reasons and merge.sh lists them; that
# holds nothing back.
if [ "$status" -eq 1 ] && "$tilescope" sweep run "$study" --shard "$shard/$shards" -o "$directory/shard-$shard.db" \
  --dry-run | grep -q ' 0 to compute$'; then
  status=0
fi
exit "$status"
)sh";

constexpr const char* kMerge = R"sh(
stores=()
for store in "$directory"/shard-*.db; do
  [ ! -s "$store" ] || stores+=("$store")
done
exec "$tilescope" sweep merge -o "$results" "${stores[@]}" --study "$study"
)sh";

constexpr const char* kLocal = R"sh(
workers=()
trap 'kill "${workers[@]}" 2>/dev/null; wait; exit 130' INT TERM HUP
for shard in "${to_start[@]}"; do
  "$directory/shard.sh" "$shard" &
  workers+=("$!")
done
for worker in "${workers[@]}"; do
  wait "$worker" || echo "start.sh: a shard ended with exit code $?; see $directory/shard-*.log" >&2
done
"$directory/merge.sh"
)sh";

constexpr const char* kParallel = R"sh(
if ! parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
  echo "start.sh: no GNU parallel here; apt-get install parallel" >&2
  exit 1
fi
[ ${#to_start[@]} -eq 0 ] || printf '%s\n' "${to_start[@]}" |
  parallel --will-cite --quote --retries 3 --joblog "$directory/parallel.log" "${options[@]}" "$directory/shard.sh" {} ||
  echo "start.sh: some shards failed; see $directory/shard-*.log" >&2
"$directory/merge.sh"
)sh";

constexpr const char* kSlurm = R"sh(
if ! command -v sbatch >/dev/null; then
  echo "start.sh: no sbatch here; submit from a machine of the cluster, or apt-get install slurm-client" >&2
  exit 1
fi
last=$(cat "$directory/slurm-jobs" 2>/dev/null || true)
if [ -n "$last" ] && [ -n "$(squeue --noheader --jobs="$last" 2>/dev/null)" ]; then
  echo "start.sh: jobs $last of the last submission are not done; wait for them, or: scancel ${last//,/ }" >&2
  exit 1
fi

# Slurm takes % in the name of a log for a pattern.
logs=${directory//%/%%}
after=()
jobs=()
if [ -n "$to_start" ]; then
  array=$(sbatch --parsable "${options[@]}" --job-name="$name" --array="$to_start" --cpus-per-task="$jobs_of_a_shard" \
    --requeue --open-mode=append --output="$logs/shard-%a.log" "$directory/shard.sh") || exit 1
  jobs+=("${array%%;*}")
  after=(--dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes)
  echo "${jobs[0]}" >"$directory/slurm-jobs"
fi
merge=$(sbatch --parsable "${options[@]}" --job-name="$name-merge" "${after[@]}" --open-mode=truncate \
  --output="$logs/merge.log" "$directory/merge.sh") || exit 1
jobs+=("${merge%%;*}")
(IFS=, && echo "${jobs[*]}") >"$directory/slurm-jobs"
echo "Slurm jobs $(cat "$directory/slurm-jobs"); the last merges into $results and writes $directory/merge.log"
)sh";

std::string assignment(const char* name, const std::string& value) {
  return fmt::format("{}={}\n", name, shell_word(value));
}

std::string list_assignment(const char* name, const std::vector<std::string>& values) {
  std::string words;
  for (const std::string& value : values) words += (words.empty() ? "" : " ") + shell_word(value);
  return fmt::format("{}=({})\n", name, words);
}

// `what` ends the comment on the first lines; set -u: a misspelt name is an error, not an empty path.
std::string head(const std::string& what) {
  return "#!/usr/bin/env bash\n# " + what +
         "\n# Made by `tilescope sweep submit`; may be started again at any time.\nset -u\n";
}

std::string program_lines(const Submission& submission) {
  std::string lines = "tilescope=${TILESCOPE:-" + shell_word(submission.program) + "}\n";
  if (!submission.configs.empty()) lines += "export TILESCOPE_CONFIGS=" + shell_word(submission.configs) + "\n";
  return lines + assignment("study", submission.study) + assignment("directory", submission.directory);
}

std::string shard_script(const Submission& submission) {
  std::vector<std::string> options = {"--jobs", std::to_string(submission.jobs)};
  if (submission.retry_failed) options.emplace_back("--retry-failed");
  return head("shard.sh I: computes what the store of shard I lacks. As a Slurm array task it knows its own number.") +
         program_lines(submission) + fmt::format("shards={}\n", submission.shards) +
         list_assignment("options", options) + kShard;
}

std::string merge_script(const Submission& submission) {
  return head("merge.sh: brings the shards' stores together and lists what is missing or failed.") +
         program_lines(submission) + assignment("results", submission.results) + kMerge;
}

std::vector<std::string> numbers(const std::vector<int>& shards) {
  std::vector<std::string> words;
  words.reserve(shards.size());
  for (const int shard : shards) words.push_back(std::to_string(shard));
  return words;
}

std::string local_start(const Submission& submission) {
  return head("start.sh: the shards as background processes of this machine; waits for them, then merges.") +
         assignment("directory", submission.directory) + list_assignment("to_start", numbers(submission.to_start)) +
         kLocal;
}

// As many shards at a time, on each machine, as it has cores for their workers.
std::string parallel_start(const Submission& submission) {
  std::vector<std::string> options = {"--jobs", fmt::format("{}%", std::max(1, 100 / submission.jobs))};
  if (!submission.hosts.empty()) options.insert(options.end(), {"--sshlogin", submission.hosts});
  return head("start.sh: the shards by GNU parallel, over ssh where hosts are named; waits for them, then merges.") +
         assignment("directory", submission.directory) + list_assignment("to_start", numbers(submission.to_start)) +
         list_assignment("options", options) + kParallel;
}

std::string slurm_start(const Submission& submission) {
  return head("start.sh: the shards as a Slurm job array, and a job that merges once all of them are done.") +
         assignment("name", "tilescope-" + submission.name) + assignment("directory", submission.directory) +
         assignment("results", submission.results) + assignment("to_start", index_ranges(submission.to_start)) +
         fmt::format("jobs_of_a_shard={}\n", submission.jobs) + list_assignment("options", submission.slurm_options) +
         kSlurm;
}

}  // namespace

std::string shard_store_name(int shard) { return fmt::format("shard-{}.db", shard); }

std::vector<Script> submission_scripts(const Submission& submission) {
  const auto start = submission.engine == Engine::local      ? local_start
                     : submission.engine == Engine::parallel ? parallel_start
                                                             : slurm_start;
  return {
      {"shard.sh", shard_script(submission)}, {"merge.sh", merge_script(submission)}, {"start.sh", start(submission)}};
}

}  // namespace tilescope::sweep
