"""Weights in a file: one byte each with a scale a row, or refused with a plain sentence."""

from pathlib import Path

import pytest
import torch

from pipeline.backends.compact.reader import weights
from pipeline.rarr.errors import BadConfig
from tests.pipeline.backends.compact.reader.tiny import SHAPE, checkpoint, tiny_network


def test_a_weight_is_a_byte_times_the_scale_of_its_row(tmp_path: Path) -> None:
    state = tiny_network().state_dict()
    quantised = torch.randint(-127, 128, (3, SHAPE.width), dtype=torch.int8)
    scale = torch.tensor([0.5, 0.25, 2.0])
    stored = {**state, "nli.weight": quantised, "nli.weight.scale": scale}
    path = checkpoint(tmp_path / "w", stored)
    loaded = weights.load(path)
    assert loaded.keys() == state.keys()
    assert torch.equal(loaded["nli.weight"], quantised.float() * scale[:, None])
    assert torch.equal(loaded["nli.bias"], state["nli.bias"])
    assert {weight.dtype for weight in loaded.values()} == {torch.float32}
    path = checkpoint(tmp_path / "plain")
    assert weights.shape_of(path) == SHAPE
    assert torch.equal(weights.load(path)["nli.weight"], state["nli.weight"])


@pytest.mark.parametrize("content", [b"", b"not a tensor", b"\xff" * 64, None])
def test_a_missing_cut_or_other_file_is_refused(tmp_path: Path, content: bytes | None) -> None:
    with pytest.raises(BadConfig, match=r"weights are not at .*gone.*: install rarrweb again"):
        weights.load(tmp_path / "gone.safetensors")
    path = checkpoint(tmp_path / "w")
    path.write_bytes(path.read_bytes()[:-100] if content is None else content)
    with pytest.raises(BadConfig, match="is no safetensors file"):
        weights.load(path)
