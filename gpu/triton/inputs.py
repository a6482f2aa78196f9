"""Inputs from fixed seeds, made on the CPU and copied, and what configuration names mean."""

import torch

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f8": torch.float8_e4m3fn, "tf32": torch.float32, "f32": torch.float32}


def uniform(dtype, *shape, seed):
    """Evenly spread in -1 to 1, on the GPU."""
    return (torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) * 2 - 1).to(dtype).cuda()


def normal(dtype, *shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype).cuda()


def sms():
    return torch.cuda.get_device_properties(0).multi_processor_count


def parts(configuration):
    """f16_128x64x32_s3_w4 -> f16, (128, 64, 32), {s: 3, w: 4}: type, tile, and the numbers behind letters."""
    first, *others = configuration.split("_")
    tile, numbers = (), {}
    for word in others:
        if word[0].isalpha():
            numbers[word[0]] = int(word[1:])
        else:
            tile = tuple(int(side) for side in word.split("x"))
    return first, tile, numbers
