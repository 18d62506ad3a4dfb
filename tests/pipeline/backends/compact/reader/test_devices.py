"""Where the network runs, and how exactly it counts."""

import pytest
import torch

from pipeline.backends.compact.reader.devices import chosen_device, chosen_precision
from pipeline.backends.compact.reader.trunk import _LowLinear

CPU = torch.device("cpu")


def test_auto_is_the_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert chosen_device("auto") == CPU
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert chosen_device("auto").type == "cuda"


@pytest.mark.parametrize("has_it", [True, False])
def test_a_cpu_counts_in_bfloat16_only_where_it_has_instructions_for_it(
    monkeypatch: pytest.MonkeyPatch, has_it: bool
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: has_it)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    assert chosen_precision("auto", CPU) == (torch.bfloat16 if has_it else torch.float32)


def test_a_precision_by_name_is_taken() -> None:
    assert chosen_precision("float32", CPU) == torch.float32
    assert chosen_precision("bfloat16", CPU) == torch.bfloat16


def test_bfloat16_holds_the_shipped_weights_exactly() -> None:
    torch.manual_seed(0)
    linear = torch.nn.Linear(40, 30).requires_grad_(False)
    step = torch.rand(30, 1) + 0.01
    linear.weight = torch.nn.Parameter(
        torch.randint(-126, 127, (30, 40)).index_fill(1, torch.tensor([3]), 127) * step,
        requires_grad=False,
    )
    found = _LowLinear(linear)(torch.eye(40))
    assert torch.allclose(found, linear(torch.eye(40)), rtol=1e-5, atol=1e-5)
