"""`hf:` relevance, against tiny cross-encoders that the test itself makes."""

from pathlib import Path

import pytest

from pipeline.backends import load
from pipeline.backends.transformers_relevance import TransformersRelevance
from pipeline.rarr.errors import BadConfig
from tests.support.tiny_models import logits_of, make_classifier, make_t5, shares_of

PAIRS = [
    ("the river runs west", "the long river runs north"),
    ("the river", "east . west ."),
    ("the river", "the river"),
]


def test_the_one_logit_of_a_ranker_becomes_a_probability(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, num_labels=1)
    scores = load("relevance", f"hf:{name}").score(PAIRS)
    for pair, score in zip(PAIRS, scores, strict=True):
        assert score == pytest.approx(float(logits_of(name, *pair).sigmoid()), abs=1e-5)
    assert len(set(scores)) == 3


NAMED = [["relevant", "not_relevant"], ["Relevant", "Other"], ["positive", "negative"]]


@pytest.mark.parametrize("labels", [["LABEL_0", "LABEL_1"], *NAMED])
def test_the_label_of_relevance(tmp_path: Path, labels: list[str]) -> None:
    name = make_classifier(tmp_path, labels)
    relevant = 0 if labels in NAMED else 1
    expected = [shares_of(name, *pair)[relevant] for pair in PAIRS]
    assert TransformersRelevance(name).score(PAIRS) == pytest.approx(expected, abs=1e-5)


def test_a_long_snippet_counts_by_its_best_window(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, num_labels=2)
    model = TransformersRelevance(name)
    query, snippet = "the river runs", "long long north . " * 12 + "west west west ."
    reading = model._model.read_in_windows([(snippet, query)], list, around=3)[0]
    windows = [window for window, _ in reading]
    assert len(windows) > 1
    best = max(shares_of(name, query, window)[1] for window in windows)
    assert model.score([(query, snippet)]) == pytest.approx([best], abs=1e-5)


def test_a_model_that_is_no_ranker_is_refused(tmp_path: Path) -> None:
    make_classifier(tmp_path / "nli", ["entailment", "neutral", "contradiction"])
    make_t5(tmp_path / "t5")
    for name in ("nli", "t5"):
        with pytest.raises(BadConfig, match="is not a ranker"):
            TransformersRelevance(str(tmp_path / name)).score(PAIRS)
    assert TransformersRelevance(str(tmp_path / "nowhere")).score([]) == []
