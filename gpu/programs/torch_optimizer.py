"""One step of an optimizer over four tensors: torch_optimizer.py adamw (lists of tensors), fused (Adam in one kernel), sgd (momentum, a
tensor at a time, after clipping the gradient's norm)."""

import program
import torch

kind = program.choice(["adamw", "fused", "sgd"])
program.settle()
shapes = [(1024, 512), (512,), (2048, 384), (999, 333)]
start = [program.normal(*shape, seed=i) for i, shape in enumerate(shapes)]
gradients = [program.normal(*shape, seed=100 + i) for i, shape in enumerate(shapes)]


def step(device):
    parameters = [torch.nn.Parameter(tensor.clone().to(device)) for tensor in start]
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient.clone().to(device)
    if kind == "adamw":
        optimizer = torch.optim.AdamW(parameters, lr=1e-2, foreach=device != "cpu")
    elif kind == "fused":
        optimizer = torch.optim.Adam(parameters, lr=1e-2, amsgrad=True, fused=device != "cpu")
    else:
        torch.nn.utils.clip_grad_norm_(parameters, 1.0, foreach=device != "cpu")
        optimizer = torch.optim.SGD(parameters, lr=1e-2, momentum=0.9, nesterov=True, foreach=False)
    optimizer.step()
    return parameters


program.take_turn()
on_gpu = step("cuda")
torch.cuda.synchronize()
for i, (got, wanted) in enumerate(zip(on_gpu, step("cpu"))):
    program.expect_close(f"parameter {i}", got, wanted, 1e-5)
program.finish()
