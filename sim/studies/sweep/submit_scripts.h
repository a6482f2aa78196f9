// The scripts with which a study runs on an existing engine: background processes, GNU parallel, Slurm.
//
//   shard.sh I   computes what shard I's store lacks, by `tilescope sweep run --shard I/N`
//   merge.sh     brings the shards' stores together, by `tilescope sweep merge`
//   start.sh     starts both, in the engine's way
//
// They hold absolute paths, stand for themselves and may be started again at any time: a store that is complete costs
// nothing. Machines that work for one study share the directory, the study and the program through a file system.
#pragma once

#include <string>
#include <vector>

namespace tilescope::sweep {

enum class Engine { local, parallel, slurm };

struct Submission {
  Engine engine = Engine::local;
  std::string name;     // of the study; Slurm shows it
  std::string program;  // absolute paths, as the machines that work see them
  std::string study;
  std::string results;    // the merged store
  std::string directory;  // of scripts, the shards' stores and logs
  std::string configs;    // TILESCOPE_CONFIGS, empty: as the program finds them
  int shards = 1;
  std::vector<int> to_start;  // of 1..shards, ascending: those that lack something
  int jobs = 1;               // worker threads of a shard
  bool retry_failed = false;
  std::string hosts;                       // parallel: as its --sshlogin takes them; empty: this machine
  std::vector<std::string> slurm_options;  // of both jobs, such as --partition=short
};

struct Script {
  std::string name;
  std::string text;
};

// REQUIRES: 1 <= jobs, to_start within 1..shards.
std::vector<Script> submission_scripts(const Submission& submission);

// The store of a shard within the submission's directory: "shard-3.db".
std::string shard_store_name(int shard);

}  // namespace tilescope::sweep
