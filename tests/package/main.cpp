#include <cstdio>

#include "sim/results/version.h"

int main() { std::printf("tilescope %s\n", tilescope::version()); }
