"""`hf:` decontextualisation, with a model of a few words."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer

from pipeline.backends.transformers_decontextualizer import (
    TransformersDecontextualizer,
    read_answer,
)
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.types import Passage
from tests.support.tiny_models import WORDS, make_classifier, make_t5

ALL = [*WORDS, "done", "un", "[", "]", "it", "#", "start", "end"]
SENTENCES = ["the river runs west", "it runs", "it"]
PASSAGE = Passage(id="1", text=". ".join(SENTENCES), context="north")


def rewritten(folder: Path, name: str = "", passage: Passage = PASSAGE) -> list[str]:
    model = TransformersDecontextualizer(f"{folder}{name}", device="cpu")
    return list(model.decontextualize(passage=passage, sentences=SENTENCES))


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A model in the folder that writes `answers`, and what it was given."""
    model = make_t5(tmp_path, words=ALL)
    given: list[dict[str, Any]] = []
    tokens = AutoTokenizer.from_pretrained(tmp_path)
    answers = {
        "the river runs west": "un the river runs west",
        "it runs": "[ done ] the river runs",
        "it": "[ done ] the long river runs west east",
    }

    def generate(self: Any, **values: Any) -> torch.Tensor:
        given.append(values)
        texts = [tokens.decode(ids, skip_special_tokens=True) for ids in values["input_ids"]]
        given[-1]["texts"] = texts
        sentences = [text.split("start ] ")[1].split(" [ end")[0] for text in texts]
        rows = [tokens(answers[each], add_special_tokens=False).input_ids for each in sentences]
        width = max(map(len, rows))
        return torch.tensor([[0, *row, *[0] * (width - len(row))] for row in rows])

    monkeypatch.setattr(type(model), "generate", generate)
    return given


def test_only_a_complete_similar_text_counts(
    tmp_path: Path, generated: list[dict[str, Any]]
) -> None:
    # The first is unnecessary; the last would grow from one token to six.
    assert rewritten(tmp_path) == ["the river runs west", "the river runs", "it"]
    (call,) = generated
    assert (call["num_beams"], call["do_sample"]) == (8, False)


def test_the_model_generates_with_eight_beams(tmp_path: Path) -> None:
    model = make_t5(tmp_path, words=ALL)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    model.save_pretrained(tmp_path)
    decontextualizer = TransformersDecontextualizer(str(tmp_path), device="cpu")
    text = "[HEAD] [SEP] north the river runs west [start] the river runs west [end]"
    read = AutoTokenizer.from_pretrained(tmp_path)(text, return_tensors="pt")
    written = model.generate(read.input_ids, num_beams=8, do_sample=False, max_new_tokens=9)
    ((position, answer),) = decontextualizer._answers([text], max_tokens=9)
    tokens = AutoTokenizer.from_pretrained(tmp_path)
    assert position == 0
    assert answer == " ".join(tokens.decode(written[0]).replace("[PAD]", " ").split())


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("", "[HEAD] [SEP] north one two three [start] two [end]"),
        ("#rarr", "[HEAD] [SEP] north one two three [start] two [end]"),
        ("#sep", " [SEP]  [SEP] north one [SEP] two [SEP] three"),
    ],
)
def test_the_sentence_has_the_trained_layout(tmp_path: Path, name: str, wanted: str) -> None:
    make_t5(tmp_path)
    model = TransformersDecontextualizer(f"{tmp_path}{name}", device="cpu")
    assert model._text("north", ["one", "two", "three"], 1) == wanted


def test_a_long_text_keeps_the_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_t5(tmp_path)
    model = TransformersDecontextualizer(str(tmp_path), device="cpu")
    monkeypatch.setattr(type(model._model), "limit", 40)
    sentences = ["the " * 50 + "east", "it runs", "west " * 50]
    text = model._text("north", sentences, 1)
    assert text.endswith("east it runs [start] it runs [end]")
    assert "north" not in text
    assert "west" not in text
    assert model._model.count([text])[0] < 40


def test_an_answer_counts_only_behind_its_opcode() -> None:
    for answer in ("[DONE] A hall.", "done: A hall."):
        assert read_answer(answer) == "A hall."
    others = ("done", "unnecessary #### A hall.", "[imp]", "Donegal is a county.", "A hall.", "")
    assert {read_answer(answer) for answer in others} == {""}


def test_an_unknown_format_and_a_classifier_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="#other is not an input format"):
        TransformersDecontextualizer("model#other")
    make_classifier(tmp_path, ["a", "b"])
    with pytest.raises(BadConfig, match="is a classifier"):
        rewritten(tmp_path)


def test_no_sentences_load_no_weights(tmp_path: Path) -> None:
    make_t5(tmp_path)
    next(tmp_path.glob("*.safetensors")).unlink()
    model = TransformersDecontextualizer(str(tmp_path), device="cpu")
    assert list(model.decontextualize(passage=PASSAGE, sentences=[])) == []
