"""Where the network runs."""

import platform

import pytest
import torch

from pipeline.backends.compact.reader.allocation import keep_freed_memory
from pipeline.backends.compact.reader.devices import chosen_device

CPU = torch.device("cpu")


def test_auto_is_the_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert chosen_device("auto") == CPU
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert chosen_device("auto").type == "cuda"


def test_memory_is_kept_or_the_c_library_is_another() -> None:
    assert keep_freed_memory() == (platform.libc_ver()[0] == "glibc")
