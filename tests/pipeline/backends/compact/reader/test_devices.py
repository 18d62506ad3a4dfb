"""Where the network runs, and how exactly it counts."""

import platform

import pytest
import torch

from pipeline.backends.compact.reader.allocation import keep_freed_memory
from pipeline.backends.compact.reader.devices import chosen_device, chosen_precision

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


def test_memory_is_kept_or_the_c_library_is_another() -> None:
    assert keep_freed_memory() == (platform.libc_ver()[0] == "glibc")
