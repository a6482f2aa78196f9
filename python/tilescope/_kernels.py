"""One kernel on one GPU: run, and why it takes its time."""
from __future__ import annotations

from typing import List, Mapping, Optional

from tilescope._answers import Document, Result, answer
from tilescope._words import Path, Value, assignments, option, text_of


def _options(gpu: Path, parameters: Optional[Mapping[str, Value]], set: Optional[Mapping[str, Value]],  # noqa: A002
             sample: str, threads: Optional[int], top: Optional[int]) -> List[str]:
    return [*option("gpu", gpu), *assignments("param", parameters), *assignments("set", set), *option("sample", sample),
            *option("threads", threads), *option("top", top)]


def run(kernel: Path, gpu: Path = "h200", parameters: Optional[Mapping[str, Value]] = None,
        set: Optional[Mapping[str, Value]] = None, sample: str = "auto", mode: str = "timing",  # noqa: A002
        threads: Optional[int] = None, by: Optional[str] = None, top: Optional[int] = None,
        cache_control: str = "all") -> Result:
    """Runs a kernel through a modelled GPU; equal to `tilescope run KERNEL --format json`.

    kernel: a built-in one (`kernels()`), a launch file (.yaml) for compiled code, a launch of a bundle (DIR#ID), or a .tst trace
    gpu: a built-in one (`gpus()`) or a .yaml file
    parameters: of a built-in kernel: {"M": 512}
    set: values of the GPU's configuration that replace the file's: {"l2.size_mib": 50}; units as in docs/config-schema.md
    sample: "auto" (of large launches a part, with an estimated error), "fast" (less of them) or "off" (every instruction)
    mode: "timing", or "counts": conflicts and traffic without cycles, in a blink
    threads: to work with, all of the machine's unless given; the result is the same
    by: "line" or "source": also counters of each instruction, or of each line of source code (`Result.lines`)
    top: of `by`, the hottest lines alone
    cache_control: "all": caches are flushed before the launch; "none": it finds L2 as the same launch left it that went before it

    Cycles are of the SM clock, times in ns, sizes in byte, traffic also in sectors of 32 byte.
    Raises TilescopeError for a kernel, GPU, parameter or value that does not exist or cannot be, and for a launch that breaks a
    limit of the GPU or never ends; KeyboardInterrupt on Ctrl-C.
    """
    options = (_options(gpu, parameters, set, sample, threads, top) + option("mode", mode) + option("by", by)
               + option("cache-control", cache_control))
    return Result(answer("run", options, [text_of(kernel)]))


def explain(kernel: Path, gpu: Path = "h200", parameters: Optional[Mapping[str, Value]] = None,
            set: Optional[Mapping[str, Value]] = None, sample: str = "fast", threads: Optional[int] = None,  # noqa: A002
            top: int = 5) -> Document:
    """Ranks what costs a kernel time, and runs it with what would fix it; equal to `tilescope explain KERNEL --format json`
    (docs/explain.md). Takes what `run` takes; top: how many findings are worked out. Raises what `run` raises."""
    return Document(answer("explain", _options(gpu, parameters, set, sample, threads, top), [text_of(kernel)]))
