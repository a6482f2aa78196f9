"""A bottleneck block of a ResNet (three convolutions, batch norms, a shortcut with stride 2) forward and backward, in training mode:
torch_resnet.py fp32|tf32|bf16. BF16 keeps channels last."""

import copy

import program
import torch
from torch import nn

images, channels, inner, size = 8, 128, 64, 28


class Bottleneck(nn.Module):
    def __init__(self):
        super().__init__()
        self.reduce = nn.Sequential(nn.Conv2d(channels, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU())
        self.middle = nn.Sequential(nn.Conv2d(inner, inner, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(inner), nn.ReLU())
        self.expand = nn.Sequential(nn.Conv2d(inner, 2 * channels, 1, bias=False), nn.BatchNorm2d(2 * channels))
        self.shortcut = nn.Sequential(nn.Conv2d(channels, 2 * channels, 1, stride=2, bias=False), nn.BatchNorm2d(2 * channels))

    def forward(self, x):
        return torch.relu(self.expand(self.middle(self.reduce(x))) + self.shortcut(x))


kind = program.choice(["fp32", "tf32", "bf16"])
program.settle(tf32=kind == "tf32")
model = Bottleneck()
x = program.normal(images, channels, size, size, seed=2).requires_grad_()
upstream = program.normal(images, 2 * channels, size // 2, size // 2, seed=3)

program.take_turn()
dtype = torch.bfloat16 if kind == "bf16" else torch.float32
layout = torch.channels_last if kind == "bf16" else torch.contiguous_format
on_gpu = copy.deepcopy(model).to(dtype).to(memory_format=layout).cuda()
x_gpu = x.detach().to(dtype).to(memory_format=layout).cuda().requires_grad_()
upstream_gpu = upstream.to(dtype).to(memory_format=layout).cuda()
y_gpu = on_gpu(x_gpu)
y_gpu.backward(upstream_gpu)
torch.cuda.synchronize()

y = model(x)
y.backward(upstream)
tolerance = {"fp32": 1e-4, "tf32": 1e-2, "bf16": 5e-2}[kind]
program.expect_close("output", y_gpu, y, tolerance)
program.expect_close("gradient of the input", x_gpu.grad, x.grad, 4 * tolerance)
program.finish()
