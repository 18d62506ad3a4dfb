"""Short answers by an extractive model, against a tiny one that the test itself makes."""

from pathlib import Path

import pytest
import torch
from transformers import BertForQuestionAnswering, PreTrainedTokenizerFast

from pipeline.backends.transformers_reader import LONGEST, TransformersReader
from pipeline.rarr.errors import BadConfig
from tests.support.tiny_models import bert_config, make_classifier, make_tokenizer

PAIRS = [
    ("the river", "the long river runs north ."),
    ("runs west", "east ."),
    ("the river", "the long river runs north ."),
    ("north", "the river runs west . the long river runs north . " * 6),
]


def make_reader(folder: Path) -> str:
    """A reader with chance weights."""
    make_tokenizer(folder)
    torch.manual_seed(5)
    model = BertForQuestionAnswering(bert_config())
    model.qa_outputs.weight.data.normal_(std=3.0)
    model.save_pretrained(folder)
    return str(folder)


def by_hand(name: str, question: str, text: str) -> str:
    """The best of all spans of whole tokens, by the model's own two numbers of each."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(name)
    model = BertForQuestionAnswering.from_pretrained(name).eval()
    cut = {"truncation": "only_second", "max_length": 32, "return_tensors": "pt"}
    rows = tokenizer(question, text, return_offsets_mapping=True, **cut)
    offsets = rows.pop("offset_mapping")[0].tolist()
    with torch.inference_mode():
        logits = model(**rows)
    starts, ends = logits.start_logits[0].tolist(), logits.end_logits[0].tolist()
    best, answer = starts[0] + ends[0], ""
    for first, part in enumerate(rows.sequence_ids(0)):
        for last in range(first, min(first + LONGEST, len(starts))):
            if part == rows.sequence_ids(0)[last] == 1 and starts[first] + ends[last] > best:
                best = starts[first] + ends[last]
                answer = text[offsets[first][0] : offsets[last][1]]
    return answer


def test_the_best_span_answers_or_nothing_does(tmp_path: Path) -> None:
    name = make_reader(tmp_path)
    expected = [by_hand(name, *pair) for pair in PAIRS]
    assert TransformersReader(name).answer(PAIRS) == expected
    assert any(expected)
    assert TransformersReader(name).answer([("the river", " ")]) == [""]


def test_a_model_that_was_not_trained_to_read_is_refused(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, num_labels=2)
    with pytest.raises(BadConfig, match="not trained to find answers in a text"):
        TransformersReader(name).answer(PAIRS)
