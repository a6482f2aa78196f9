#include <cstdio>

#include "sim/version.h"

int main() { std::printf("tilescope %s\n", tilescope::version()); }
