"""`hf:` entailment, against tiny models with random weights that the test itself makes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from transformers import AutoTokenizer, BartConfig, BartForSequenceClassification, BertModel

from pipeline.backends import load
from pipeline.backends.transformers_entailment import TransformersEntailment
from pipeline.rarr.errors import BadConfig
from tests.support.tiny_models import (
    MARKS,
    WORDS,
    ask_t5,
    bert_config,
    logits_of,
    make_classifier,
    make_deberta,
    make_t5,
    make_t5_with_gap,
    make_tokenizer,
    shares_of,
)

PAIRS = [
    ("the river runs west . the river runs north", "the river runs east"),
    ("the river", "the river runs west"),
    ("west runs the long river", "the river runs east"),
]
THREE = ["contradiction", "ENTAILMENT", "neutral"]
UNNAMED = ["LABEL_0", "LABEL_1", "LABEL_2"]
CONTRARY = "contradiction, ENTAILMENT, neutral.*delete"


@pytest.mark.parametrize(
    ("make", "labels", "behind", "entailed", "contradicted"),
    [
        (make_classifier, THREE, "", 1, 0),
        (make_classifier, THREE, "#contradiction,entailment,neutral", 1, 0),
        (make_classifier, ["entailment", "not_entailment"], "", 0, None),
        (make_classifier, ["LABEL_0", "LABEL_1"], "#not_entailment,entailment", 1, None),
        (make_classifier, ["NOT ENOUGH INFO", "REFUTES", "SUPPORTS"], "", 2, 1),
        (make_classifier, UNNAMED, "#neutral,contradiction,entailment", 2, 1),
        (make_deberta, ["entailment", "neutral", "contradiction"], "", 0, 2),
        (make_deberta, ["entailment", "not_entailment"], "", 0, None),
        (make_deberta, UNNAMED, "#contradiction,neutral,entailment", 2, 0),
    ],
)
def test_labels_are_read_from_the_models_configuration_or_behind_its_name(
    tmp_path: Path,
    make: Callable[[Path, list[str]], str],
    labels: list[str],
    behind: str,
    entailed: int,
    contradicted: int | None,
) -> None:
    name = make(tmp_path, labels)
    scores = load("entailment", f"hf:{name}{behind}").score(PAIRS)
    assert len({round(score.entailed, 3) for score in scores}) == len(PAIRS)
    for pair, score in zip(PAIRS, scores, strict=True):
        shares = shares_of(name, *pair)
        against = None if contradicted is None else pytest.approx(shares[contradicted], abs=1e-4)
        assert score.entailed == pytest.approx(shares[entailed], abs=1e-4)
        assert score.contradicted == against


REGRESSION = {"labels": ["entailment"], "problem_type": "regression"}


@pytest.mark.parametrize(
    ("config", "behind", "expected"),
    [
        ({"labels": ["good", "bad"]}, "", "unclear which means entailment"),
        ({"num_labels": 3}, "", "LABEL_0, LABEL_1, LABEL_2.*hf:.*#contradiction,neutral,.*doctor"),
        ({"num_labels": 3}, "#neutral,entailment", "labels.*: 3; named are 2: neutral, entailment"),
        ({"num_labels": 1}, "", "LABEL_0: it is unclear.*single number: #entailment.*doctor"),
        (REGRESSION, "", "regression"),
        (REGRESSION, "#entailment", "regression"),
        # The order that most models have, and the two others in the wrong order
        ({"labels": THREE}, "#contradiction,neutral,entailment", CONTRARY),
        ({"labels": THREE}, "#neutral,entailment,contradiction", CONTRARY),
    ],
)
def test_labels_that_do_not_name_entailment_are_refused_with_the_fix(
    tmp_path: Path, config: dict[str, Any], behind: str, expected: str
) -> None:
    name = make_classifier(tmp_path, **config)
    with pytest.raises(BadConfig, match=expected):
        TransformersEntailment(f"{name}{behind}").score(PAIRS)


@pytest.mark.parametrize("name", ["lytang/MiniCheck-RoBERTa-Large", "models/minicheck-flan"])
def test_a_model_of_minicheck_is_refused_with_its_format(name: str) -> None:
    with pytest.raises(BadConfig, match=f"write minicheck:{name}"):
        TransformersEntailment(name)


@pytest.mark.parametrize("behind", ["", "#entailment"])
def test_one_logit_named_entailment_is_a_sigmoid(tmp_path: Path, behind: str) -> None:
    """A softmax over one value is 1.0 for everything."""
    mine = {"num_labels": 1} if behind else {"labels": ["entailment"]}
    name = make_classifier(tmp_path, **mine)
    scores = TransformersEntailment(f"{name}{behind}").score(PAIRS)
    assert [score.entailed for score in scores] == pytest.approx(
        [float(logits_of(name, *pair)[0].sigmoid()) for pair in PAIRS], abs=1e-4
    )
    assert len({round(score.entailed, 3) for score in scores}) == 3
    assert {score.contradicted for score in scores} == {None}
    # So do labels that do not exclude each other.
    name = make_classifier(tmp_path, THREE, problem_type="multi_label_classification")
    score = TransformersEntailment(name).score(PAIRS[:1])[0]
    assert score.entailed == pytest.approx(float(logits_of(name, *PAIRS[0])[1].sigmoid()), abs=1e-4)


def test_a_bare_encoder_is_refused_although_its_labels_are_named(tmp_path: Path) -> None:
    make_tokenizer(tmp_path)
    BertModel(bert_config(THREE)).save_pretrained(tmp_path)
    with pytest.raises(BadConfig, match=r"not trained to classify.*classifier"):
        TransformersEntailment(str(tmp_path)).score(PAIRS)


def test_an_encoder_decoder_that_classifies_is_a_classifier(tmp_path: Path) -> None:
    make_tokenizer(tmp_path)
    sizes = {"vocab_size": len(WORDS), "d_model": 16, "max_position_embeddings": 66}
    for part in ("encoder", "decoder"):
        sizes |= {f"{part}_layers": 1, f"{part}_attention_heads": 2, f"{part}_ffn_dim": 16}
    marks = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "decoder_start_token_id": 3}
    config = BartConfig(**sizes, **marks, id2label=dict(enumerate(THREE)))
    config.label2id = {label: i for i, label in enumerate(THREE)}
    model = BartForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path)
    score = TransformersEntailment(str(tmp_path)).score(PAIRS[2:])[0]

    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    with torch.inference_mode():
        ids = tokenizer(*PAIRS[2], return_tensors="pt").input_ids
        shares = model(input_ids=ids).logits.softmax(-1)[0]
    assert score.entailed == pytest.approx(float(shares[1]), abs=1e-4)


def test_a_long_premise_is_read_in_windows_and_the_best_one_counts(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, THREE)
    claim = "the river runs east"
    parts = ["the river is long ." * 4, "east east east", "north north . " * 8]
    premise = " . ".join(parts)
    whole = TransformersEntailment(name).score([(premise, claim)])[0]

    tokenizer = AutoTokenizer.from_pretrained(name)
    ids = tokenizer(premise, add_special_tokens=False, verbose=False).input_ids
    words = tokenizer.convert_ids_to_tokens(ids)
    assert len(words) > 32
    cut = shares_of(name, " ".join(words[: 32 - 3 - 4]), claim)
    assert whole.entailed != pytest.approx(cut[1], abs=1e-3)

    model = TransformersEntailment(name)
    reading = model._model.read_in_windows([(premise, claim)], list, around=3)[0]
    windows = [window for window, _ in reading]
    shares = [shares_of(name, window, claim) for window in windows]
    assert len(windows) > 1
    assert whole.entailed == pytest.approx(max(row[1] for row in shares), abs=1e-4)
    assert whole.contradicted is not None
    assert whole.entailed + whole.contradicted <= 1
    cut = model.score([("the river runs", "west " * 200)])[0]
    assert 0 <= cut.entailed <= 1, "a hypothesis that is too long is cut"


def test_an_answer_does_not_depend_on_the_pairs_next_to_it(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, THREE)
    many = [(f"{'the ' * n}river runs west", "the river runs east") for n in range(20)]
    together = TransformersEntailment(name).score([*many, *many[:3]])
    alone = [TransformersEntailment(name).score([pair])[0] for pair in many[:3]]
    for a, b, c in zip(together, together[20:], alone, strict=False):
        assert a.entailed == pytest.approx(c.entailed, abs=1e-4)
        assert b == a


def test_the_same_pair_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = TransformersEntailment(make_classifier(tmp_path, THREE))
    encode = Mock(wraps=model._model.encode)
    monkeypatch.setattr(model._model, "encode", encode)
    scores = model.score(PAIRS[:2] * 10)
    assert (sum(len(call.args[0]) for call in encode.mock_calls), len(scores)) == (2, 20)


def test_a_sequence_to_sequence_model_answers_one_over_one_and_zero(tmp_path: Path) -> None:
    model = make_t5(tmp_path)
    scores = TransformersEntailment(str(tmp_path)).score(PAIRS)
    for (premise, claim), score in zip(PAIRS, scores, strict=True):
        message = ask_t5(model, tmp_path, f"premise: {premise} hypothesis: {claim}")
        one, zero = message[WORDS.index("1")], message[WORDS.index("0")]
        assert score.entailed == pytest.approx(one / (one + zero), abs=1e-4)
        assert score.contradicted is None


def test_an_answer_of_two_tokens_counts_whole_and_needs_1_and_0(tmp_path: Path) -> None:
    model, words = make_t5_with_gap(tmp_path, words=WORDS)
    score = TransformersEntailment(str(tmp_path)).score(PAIRS[1:2])[0]

    text = f"premise: {PAIRS[1][0]} hypothesis: {PAIRS[1][1]}"
    gap = words.index("▁")
    first = ask_t5(model, tmp_path, text)
    zero = first[gap] * ask_t5(model, tmp_path, text, [gap])[words.index("0")]
    one = first[words.index("1")]
    assert score.entailed == pytest.approx(one / (one + zero), abs=1e-4)
    make_t5(tmp_path, words=[*MARKS, "the", "river"])
    with pytest.raises(BadConfig, match='"1" and "0"'):
        TransformersEntailment(str(tmp_path)).score(PAIRS)


def test_a_model_that_cannot_be_loaded_is_named_at_its_first_use(tmp_path: Path) -> None:
    model = TransformersEntailment(str(tmp_path / "nowhere"))
    assert model.score([]) == []
    with pytest.raises(BadConfig, match="nowhere"):
        model.score(PAIRS)
    name = make_classifier(tmp_path, THREE)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(BadConfig, match=r"cannot be loaded.*pip install sentencepiece"):
        TransformersEntailment(name).score(PAIRS)
