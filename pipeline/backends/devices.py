"""The device of local models."""

import torch

from pipeline.rarr.errors import BadConfig


def chosen_device(name: str) -> torch.device:
    """Return a device by name; auto is the first GPU, else the CPU.

    Raises `BadConfig` for a missing device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError):  # AssertionError: torch was built without CUDA
        raise BadConfig(
            f"torch has no device {name!r} on this machine: write auto, cpu, cuda, cuda:N or mps."
        ) from None
