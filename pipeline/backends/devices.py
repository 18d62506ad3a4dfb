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
        device = torch.device(name)
    except RuntimeError:
        raise BadConfig(
            f"{name!r} is not a device: write auto, cpu, cuda, cuda:N or mps."
        ) from None
    there = {
        "cpu": True,
        "cuda": torch.cuda.is_available() and (device.index or 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if not there.get(device.type, False):
        raise BadConfig(f"torch has no device {name!r} on this machine: write auto.")
    return device
