"""Losses by PyTorch, forward and backward: cross-entropy of 1,000 classes with and without label smoothing."""

import program
import torch
from torch.nn import functional as F

program.settle(separate=True)
program.take_turn()
rows, classes = 512, 1000
logits = program.normal(rows // 16, classes, seed=1).repeat(16, 1)
labels = program.integers(classes, rows, seed=2)
losses = {
    "cross-entropy": lambda x, labels: F.cross_entropy(x, labels),
    "smoothed": lambda x, labels: F.cross_entropy(x, labels, label_smoothing=0.1),
}
labels_gpu = labels.cuda()
for name, loss in losses.items():
    x, x_gpu = logits.clone().requires_grad_(), logits.cuda().requires_grad_()
    got, wanted = loss(x_gpu, labels_gpu), loss(x, labels)
    got.backward()
    wanted.backward()
    program.expect_close(name, got, wanted, 1e-4)
    program.expect_close(name + " gradient", x_gpu.grad, x.grad, 1e-4)
program.finish()
