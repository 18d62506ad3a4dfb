"""`hf:` relevance, against tiny cross-encoders that the test itself makes."""

import math
from pathlib import Path

import pytest
import torch
from transformers import BertForSequenceClassification, PreTrainedTokenizerFast

from pipeline.backends import load
from pipeline.backends.transformers_relevance import TransformersRelevance
from pipeline.rarr.errors import BadConfig
from tests.support.tiny_models import make_classifier, make_t5, shares_of

PAIRS = [
    ("the river runs west", "the long river runs north"),
    ("the river", "east . west ."),
    ("the river", "the river"),
]


def test_the_one_logit_of_a_ranker_becomes_a_probability(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, num_labels=1)
    scores = load("relevance", f"hf:{name}").score(PAIRS)
    model = BertForSequenceClassification.from_pretrained(name).eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(name)
    for pair, score in zip(PAIRS, scores, strict=True):
        with torch.inference_mode():
            logit = float(model(**tokenizer(*pair, return_tensors="pt")).logits)
        assert score == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-5)
    assert len(set(scores)) == 3


def test_of_two_labels_the_second_is_relevant(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, num_labels=2)
    scores = TransformersRelevance(name).score(PAIRS)
    expected = [shares_of(name, *pair)[1] for pair in PAIRS]
    assert scores == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "labels", [["relevant", "not_relevant"], ["Relevant", "Other"], ["positive", "negative"]]
)
def test_of_two_labels_their_names_may_say_that_it_is_the_first(
    tmp_path: Path, labels: list[str]
) -> None:
    name = make_classifier(tmp_path, labels)
    scores = TransformersRelevance(name).score(PAIRS)
    expected = [shares_of(name, *pair)[0] for pair in PAIRS]
    assert scores == pytest.approx(expected, abs=1e-5)


def test_a_long_snippet_counts_by_its_best_window(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, num_labels=2)
    model = TransformersRelevance(name)
    query, snippet = "the river runs", "long long north . " * 12 + "west west west ."
    reading = model._model.read_in_windows([(snippet, query)], list, around=3)[0]
    windows = [window for window, _ in reading]
    assert len(windows) > 1
    best = max(shares_of(name, query, window)[1] for window in windows)
    assert model.score([(query, snippet)]) == pytest.approx([best], abs=1e-5)


@pytest.mark.parametrize("labels", [["entailment", "neutral", "contradiction"]])
def test_a_model_that_is_no_ranker_is_refused(tmp_path: Path, labels: list[str]) -> None:
    name = make_classifier(tmp_path, labels)
    with pytest.raises(BadConfig, match="is no ranker"):
        TransformersRelevance(name).score(PAIRS)


def test_a_model_that_answers_in_words_is_refused(tmp_path: Path) -> None:
    make_t5(tmp_path)
    with pytest.raises(BadConfig, match="is no ranker"):
        TransformersRelevance(str(tmp_path)).score(PAIRS)


def test_nothing_to_score_loads_nothing(tmp_path: Path) -> None:
    assert TransformersRelevance(str(tmp_path / "nowhere")).score([]) == []
