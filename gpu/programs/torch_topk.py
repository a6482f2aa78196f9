"""The largest of each row by PyTorch: top-k of rows short and long, the k-th value, arg-max, the median."""

import program
import torch

program.settle(separate=True)
program.take_turn()
rows = program.integers(1 << 14, 8, 2000, seed=1).repeat(8, 1).float() / 64
wide = program.integers(1 << 12, 4, 30000, seed=2).float() / 64

for what, values, k in (("rows", rows, 10), ("rows, many", rows, 100), ("wide", wide, 50)):
    got, _ = torch.topk(values.cuda(), k)
    program.expect_equal(what, got, torch.topk(values, k).values)
program.expect_equal("kthvalue", torch.kthvalue(rows.cuda(), 500).values, torch.kthvalue(rows, 500).values)
program.expect_equal("max", torch.max(wide.cuda(), dim=1).values, torch.max(wide, dim=1).values)
program.expect_equal("median", torch.median(rows.cuda(), dim=1).values, torch.median(rows, dim=1).values)
program.finish()
