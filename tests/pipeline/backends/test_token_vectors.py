"""Vectors of tokens by tiny models and by the shipped reader."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from pipeline.backends import load
from pipeline.metrics.bertscore import bertscore
from pipeline.rarr.errors import BadConfig
from tests.support.tiny_models import bert_config, make_classifier, make_t5

TEXTS = ["the river runs west", "west", "the river runs west . the river runs north"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder")
    make_classifier(folder, bert_config(["a", "b"]))
    return folder


def by_library(folder: Path, text: str, *, layer: int) -> np.ndarray:
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    with torch.inference_mode():
        output = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
    states: np.ndarray = output.hidden_states[layer][0, 1:-1].numpy()
    return states  # without [CLS] and [SEP]


@pytest.mark.parametrize(("suffix", "layer"), [("", 1), ("#1", 1), ("#0", 0)])
def test_they_are_the_layers_states_without_marks(encoder: Path, suffix: str, layer: int) -> None:
    vectors = load("token_vectors", f"hf:{encoder}{suffix}").vectors(TEXTS)
    assert [each.shape for each in vectors] == [(4, 16), (1, 16), (9, 16)]
    for text, each in zip(TEXTS, vectors, strict=True):
        assert each == pytest.approx(by_library(encoder, text, layer=layer), abs=1e-5)


def test_an_absent_layer_or_model_is_named(encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="has layers 0 to 1"):
        load("token_vectors", f"hf:{encoder}#2").vectors(TEXTS)
    with pytest.raises(BadConfig, match="write the number of a layer"):
        load("token_vectors", f"hf:{encoder}#last")
    with pytest.raises(BadConfig, match="cannot be loaded"):
        load("token_vectors", f"hf:{tmp_path}").vectors(TEXTS)
    make_t5(tmp_path)
    (of_t5,) = load("token_vectors", f"hf:{tmp_path}").vectors(TEXTS[:1])
    assert len(of_t5) >= 4


def test_the_shipped_reader_finds_a_text_more_like_itself_than_another() -> None:
    same, other, empty = load("token_vectors", "compact").vectors(
        ["The Ribble runs west to the Irish Sea.", "Bananas are yellow.", ""]
    )
    (again,) = load("token_vectors", "compact").vectors(["The Ribble runs to the Irish Sea."])
    close, far = bertscore(again, same), bertscore(again, other)
    assert close is not None
    assert far is not None
    assert 1 > close.f1 > far.f1 > 0
    assert bertscore(empty, same) is None
