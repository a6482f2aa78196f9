"""A training step of a small perceptron (forward, loss, backward, SGD), then the same as a CUDA graph."""

import copy

import program
import torch
from torch import nn

program.settle()
model = nn.Sequential(nn.Linear(256, 512), nn.SiLU(), nn.Linear(512, 64))
x, y = program.normal(1024, 256, seed=1), program.normal(1024, 64, seed=2)


def step(model, x, y):
    loss = nn.functional.mse_loss(model(x), y)
    for parameter, gradient in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
        parameter.data.sub_(gradient, alpha=0.1)


program.take_turn()
on_gpu, x_gpu, y_gpu = copy.deepcopy(model).cuda(), x.cuda(), y.cuda()
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    step(on_gpu, x_gpu, y_gpu)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    step(on_gpu, x_gpu, y_gpu)
graph.replay()
torch.cuda.synchronize()

for _ in range(2):
    step(model, x, y)
for i, (got, wanted) in enumerate(zip(on_gpu.parameters(), model.parameters())):
    program.expect_close(f"parameter {i}", got, wanted, 1e-3)
program.finish()
