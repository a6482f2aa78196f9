"""Prefix sums and reductions by PyTorch: cumsum along rows, columns and one long vector, cumprod, logsumexp, variance, norm, argmax."""

import program
import torch

program.settle()
program.take_turn()
plane = program.uniform(64, 1024, seed=1, low=0.0).repeat(16, 1)
vector = program.integers(32, 1 << 18, seed=2)
plane_gpu, vector_gpu = plane.cuda(), vector.cuda()
program.expect_close("rows", torch.cumsum(plane_gpu, 1), torch.cumsum(plane, 1), 1e-5)
program.expect_close("columns", torch.cumsum(plane_gpu, 0), torch.cumsum(plane, 0), 1e-5)
program.expect_equal("vector", torch.cumsum(vector_gpu, 0), torch.cumsum(vector, 0))
program.expect_close("products", torch.cumprod(plane_gpu, 1), torch.cumprod(plane, 1), 1e-4)
program.expect_close("logsumexp", torch.logsumexp(plane_gpu, 1), torch.logsumexp(plane, 1), 1e-5)
program.expect_close("variance", torch.var(plane_gpu, 0), torch.var(plane, 0), 1e-4)
program.expect_close("norm", torch.linalg.vector_norm(plane_gpu), torch.linalg.vector_norm(plane), 1e-4)
program.expect_equal("argmax", torch.argmax(plane_gpu, 1), torch.argmax(plane, 1))
program.finish()
