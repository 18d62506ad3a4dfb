"""A run of training writes what the product can load, and goes on where it was stopped."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from pipeline.backends.compact.reader.network import ReaderNetwork, Shape
from pipeline.backends.compact.training import train as module
from pipeline.backends.compact.training.average import averaged
from pipeline.backends.compact.training.losses import Weights
from pipeline.backends.compact.training.start import SHA256, start_network
from tests.pipeline.backends.compact.training.made_data import make_data

TINY = Shape(vocabulary=300, positions=300, width=16, layers=1, heads=2, inner=16, pointer=4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "start"
    folder.mkdir()
    words = "the mill in was built by it burnt down who a owner then its lived . ,".split()  # noqa: SIM905
    vocabulary = {"[UNK]": 100} | {word: 110 + i for i, word in enumerate(words)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def run(data: Path, folder: Path, out: Path, seconds: float) -> dict[str, torch.Tensor]:
    module.train(
        data=data, out=out, folder=folder, seconds=seconds, tokens=2000, look_every=9e9,
        seed=1, weights=Weights(),
    )  # fmt: skip
    return load_file(out / "latest.safetensors")


def test_a_run_goes_on_where_it_was(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(folder: Path, seed: int) -> ReaderNetwork:
        torch.manual_seed(seed)
        return ReaderNetwork(TINY)

    monkeypatch.setattr(module, "start_network", begin)
    data, out = make_data(tmp_path / "data", count=6), tmp_path / "out"
    out.mkdir()
    first = run(data, folder, out, 0.001)
    assert ReaderNetwork(TINY).load_state_dict(first)
    saved = torch.load(out / "state.pt", weights_only=True)
    second = run(data, folder, out, saved["spent"] + 0.01)
    again = torch.load(out / "state.pt", weights_only=True)
    assert again["step"] > saved["step"]
    assert again["spent"] > saved["spent"]
    assert any(not torch.equal(first[name], second[name]) for name in first)
    assert torch.equal(first["words.weight"], second["words.weight"])
    curve = [json.loads(line) for line in (out / "curve.jsonl").read_text().splitlines()]
    assert [row["step"] for row in curve] == [saved["step"], again["step"]]
    assert all(0.0 <= curve[-1][name] <= 1.0 for name in ("citint", "near ranked"))


def test_the_rate_rises_stays_and_falls() -> None:
    assert module.rate(0, 0.0) < 0.02
    assert module.rate(5000, 0.5) == 1.0
    assert 0.0 < module.rate(5000, 0.9) < 0.5
    assert module.rate(5000, 1.0) == 0.0


def test_other_start_weights_are_refused(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"something else")
    with pytest.raises(ValueError, match=f"not {SHA256[:8]}"):
        start_network(folder)


def test_a_run_of_steps_takes_as_many_whatever_the_time(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "start_network", lambda folder, seed: ReaderNetwork(TINY))
    data, out = make_data(tmp_path / "data", count=6), tmp_path / "out"
    out.mkdir()
    module.train(
        data=data, out=out, folder=folder, seconds=0, tokens=2000, look_every=float("inf"),
        seed=1, weights=Weights(), steps=3,
    )  # fmt: skip
    assert torch.load(out / "state.pt", weights_only=True)["step"] == 3
    assert not (out / "curve.jsonl").exists(), "nothing is looked at where nobody asked"


def test_of_two_checkpoints_the_heads_that_learn_on_are_the_late_one_s(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, early = (ReaderNetwork(TINY).state_dict() for _ in range(2))
    mean = averaged(late, early, 0.25)
    assert torch.equal(mean["asking.weight"], late["asking.weight"])
    assert torch.allclose(
        mean["nli.weight"], 0.75 * late["nli.weight"] + 0.25 * early["nli.weight"]
    )

    def begin(folder: Path, seed: int) -> ReaderNetwork:
        network = ReaderNetwork(TINY)
        network.load_state_dict(mean)
        return network

    monkeypatch.setattr(module, "start_network", begin)
    data, out = make_data(tmp_path / "data", count=6), tmp_path / "out"
    out.mkdir()
    module.train(
        data=data, out=out, folder=folder, seconds=0, tokens=2000, look_every=float("inf"),
        seed=1, weights=Weights(), steps=3, heads_alone=True,
    )  # fmt: skip
    found = load_file(out / "latest.safetensors")
    changed = {name for name in mean if not torch.equal(mean[name], found[name])}
    assert {name.partition(".")[0] for name in changed} == set(module.HEADS_ALONE)
