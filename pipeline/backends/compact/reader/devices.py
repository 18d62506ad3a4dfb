"""Where the network runs and how exactly it counts."""

import torch

from pipeline.rarr.types import BadConfig


def chosen_device(name: str) -> torch.device:
    """The device of a name; auto is the first GPU where there is one, else the CPU.

    Raises `BadConfig` for one that is not there.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise BadConfig(f"{name!r} is no device: write auto, cpu, cuda, cuda:N or mps.") from None
    there = {
        "cpu": True,
        "cuda": torch.cuda.is_available() and (device.index or 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if not there.get(device.type, False):
        raise BadConfig(f"This machine has no device {name!r} that torch can use: write auto.")
    return device


def chosen_precision(name: str, device: torch.device) -> torch.dtype:
    """float32, or bfloat16 where the device multiplies in it; auto takes the faster one."""
    if name != "auto":
        return {"float32": torch.float32, "bfloat16": torch.bfloat16}[name]
    if device.type == "cpu":
        fast = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    else:
        fast = device.type == "cuda" and torch.cuda.is_bf16_supported()
    return torch.bfloat16 if fast else torch.float32
