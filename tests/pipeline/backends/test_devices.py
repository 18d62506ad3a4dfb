"""Where the network runs."""

import pytest
import torch

from pipeline.backends.devices import chosen_device

CPU = torch.device("cpu")


def test_auto_is_the_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert chosen_device("auto") == CPU
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert chosen_device("auto").type == "cuda"
