"""Weights in a file: small, true to within half a step, and refused with a plain sentence."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from pipeline.backends.compact.reader import weights
from pipeline.backends.compact.reader.network import ReaderNetwork, Shape
from pipeline.rarr.errors import BadConfig
from tests.pipeline.backends.compact.reader.tiny import SHAPE, tiny_network


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "reader.safetensors"
    origin = weights.Origin(source="ab" * 32, commit="c" * 40)
    weights.save(tiny_network().state_dict(), path, shape=SHAPE, origin=origin)
    return path


def test_what_was_saved_comes_back_within_half_a_step(saved: Path) -> None:
    state = tiny_network().state_dict()
    found = weights.load(saved)
    assert found.keys() == state.keys()
    for name, weight in state.items():
        assert found[name].dtype == torch.float32
        if weight.dim() == 2:
            # A power of two: at most twice what would just do.
            step = 2 * weight.abs().amax(1, keepdim=True) / 127
            assert ((found[name] - weight).abs() <= step * 0.5001).all(), name
        else:
            assert torch.allclose(found[name], weight, rtol=2**-8), name


def test_matrices_are_kept_in_one_byte_a_weight(saved: Path) -> None:
    kept = load_file(saved)
    assert kept["words.weight"].dtype == torch.int8
    assert kept["words.weight.scale"].shape == (SHAPE.vocabulary,)
    assert kept["norm.weight"].dtype == torch.float32


def test_bfloat16_holds_what_was_saved_exactly(saved: Path) -> None:
    kept = weights.load(saved)
    assert all(torch.equal(weight.bfloat16().float(), weight) for weight in kept.values())


def test_saving_what_was_loaded_changes_nothing(saved: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.safetensors"
    once = weights.load(saved)
    weights.save(once, again, shape=SHAPE)
    twice = weights.load(again)
    assert all(torch.allclose(once[name], twice[name], atol=1e-6) for name in once)


def test_a_row_of_zeros_stays_zero(tmp_path: Path) -> None:
    state = tiny_network().state_dict()
    state["matched.weight"].zero_()
    weights.save(state, tmp_path / "w", shape=SHAPE)
    assert weights.load(tmp_path / "w")["matched.weight"].abs().max() == 0


def test_the_header_says_what_it_is_and_of_what(saved: Path) -> None:
    assert weights.shape_of(saved) == SHAPE
    with safe_open(saved, framework="pt") as file:
        about = file.metadata()
    assert (about["source"], about["commit"]) == ("ab" * 32, "c" * 40)


def test_a_plain_checkpoint_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    state = tiny_network().state_dict()
    save_file(state, path, metadata={"shape": weights.shape_text(SHAPE)})
    assert torch.equal(weights.load(path)["nli.weight"], state["nli.weight"])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"weights are not at .*gone.*: install rarrweb again"):
        weights.load(tmp_path / "gone.safetensors")


@pytest.mark.parametrize("content", [b"", b"not a tensor", b"\xff" * 64])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "reader.safetensors"
    path.write_bytes(content)
    with pytest.raises(BadConfig, match="is no safetensors file"):
        weights.load(path)


def test_a_cut_file_is_refused(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:-100])
    with pytest.raises(BadConfig, match="is no safetensors file"):
        weights.load(saved)


def test_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w"
    save_file({"a": torch.zeros(1)}, path, metadata={"format": "rarrweb-reader-9"})
    with pytest.raises(BadConfig, match="has the format rarrweb-reader-9, and this version reads"):
        weights.load(path)


def test_an_unreadable_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w"
    save_file({"a": torch.zeros(1)}, path, metadata={"shape": '{"depth": 3}'})
    with pytest.raises(BadConfig, match="does not say what network"):
        weights.load(path)


def test_weights_of_another_network_are_refused_by_name_and_size(tmp_path: Path) -> None:
    path = tmp_path / "w"
    state = ReaderNetwork(replace(SHAPE, inner=40)).state_dict()
    weights.save(state, path, shape=SHAPE)
    with pytest.raises(BadConfig, match=r"inner.bias is 40 in the file and 48 in the network"):
        weights.load(path)


def test_a_missing_weight_is_named(tmp_path: Path) -> None:
    state = tiny_network().state_dict()
    del state["nli.bias"]
    weights.save(state, tmp_path / "w", shape=SHAPE)
    with pytest.raises(BadConfig, match=r"nli.bias is absent in the file and 3 in the network"):
        weights.load(tmp_path / "w")


def test_the_full_size_is_within_what_the_repository_takes() -> None:
    with torch.device("meta"):
        state = ReaderNetwork(Shape()).state_dict()
    rows = sum(weight.shape[0] for weight in state.values() if weight.dim() == 2)
    size = sum(weight.numel() * (1 if weight.dim() == 2 else 4) for weight in state.values())
    assert size + 4 * rows < 30_000_000
