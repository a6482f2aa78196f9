"""Sorting by PyTorch: one long vector, many short rows, rows of a few thousand, integers with repeats, and unique."""

import program
import torch

program.settle(separate=True)
program.take_turn()
long = program.integers(4096, 10000, seed=1).repeat(10).float() / 16
rows = program.integers(1024, 256, 128, seed=2).float()
middle = program.integers(2048, 16, 3000, seed=3).to(torch.int32)

for what, values in (("long", long), ("rows", rows), ("middle", middle)):
    got, order = torch.sort(values.cuda(), dim=-1, stable=True)
    wanted, wanted_order = torch.sort(values, dim=-1, stable=True)
    program.expect_equal(what, got, wanted)
    program.expect_equal(what + " order", order, wanted_order)
got, counts = torch.unique(middle.cuda(), return_counts=True)
wanted, wanted_counts = torch.unique(middle, return_counts=True)
program.expect_equal("unique", got, wanted)
program.expect_equal("counts", counts, wanted_counts)
program.finish()
