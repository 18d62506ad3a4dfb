"""`minicheck:` entailment, with tiny random models."""

from pathlib import Path

import pytest
from transformers import T5ForConditionalGeneration

from pipeline.backends import load
from pipeline.backends.minicheck import MiniCheckEntailment, chunks, count_words
from pipeline.rarr.errors import BadConfig
from tests.support.tiny_models import (
    MARKS,
    WORDS,
    ask_t5,
    make_classifier,
    make_deberta,
    make_t5,
    make_t5_with_gap,
    make_tokenizer,
    shares_of,
)

CLAIM = "the river runs east"
PAIRS = [
    ("the river runs west . the river runs north", CLAIM),
    ("the river", "the river runs west"),
    ("west runs the long river", CLAIM),
]
TWO = ["LABEL_0", "LABEL_1"]
T5_WORDS = [*WORDS, "predict"]


def by_t5(
    model: T5ForConditionalGeneration, folder: Path, text: str, *, words: list[str], zero: str = "0"
) -> float:
    """p("1") against p("0") as the first token that T5 answers to a text."""
    message = ask_t5(model, folder, text)
    one, other = (message[words.index(word)] for word in ("1", zero))
    return one / (one + other)


@pytest.mark.parametrize("kind", ["bert", "deberta"])
def test_a_classifier_reads_one_text_and_its_second_label_counts(tmp_path: Path, kind: str) -> None:
    name = (make_classifier if kind == "bert" else make_deberta)(tmp_path, TWO)
    scores = load("entailment", f"minicheck:{name}").score(PAIRS)
    expected = [shares_of(name, f"{premise}[SEP]{claim}")[1] for premise, claim in PAIRS]
    assert [score.entailed for score in scores] == pytest.approx(expected, abs=1e-4)
    assert len({score.entailed for score in scores}) == len(PAIRS)
    assert {score.contradicted for score in scores} == {None}


def test_the_end_mark_of_the_tokenizer_is_between(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, TWO)
    make_tokenizer(tmp_path, end="long")
    [score] = MiniCheckEntailment(name).score([("the river", "runs west")])
    assert score.entailed == pytest.approx(shares_of(name, "the river long runs west")[1], abs=1e-4)
    assert score.entailed != pytest.approx(shares_of(name, "the river[SEP]runs west")[1], abs=3e-4)


def test_flan_t5_is_instructed_to_predict_and_its_first_token_counts(tmp_path: Path) -> None:
    model = make_t5(tmp_path, words=T5_WORDS)
    scores = MiniCheckEntailment(str(tmp_path)).score(PAIRS)
    texts = [f"predict: {premise}[SEP]{claim}" for premise, claim in PAIRS]
    expected = [by_t5(model, tmp_path, text, words=T5_WORDS) for text in texts]
    assert [score.entailed for score in scores] == pytest.approx(expected, abs=1e-4)
    assert len({score.entailed for score in scores}) == len(PAIRS)


def test_of_an_answer_of_two_tokens_the_first_counts(tmp_path: Path) -> None:
    model, words = make_t5_with_gap(tmp_path, words=T5_WORDS)
    [score] = MiniCheckEntailment(str(tmp_path)).score(PAIRS[:1])
    text = f"predict: {PAIRS[0][0]}[SEP]{PAIRS[0][1]}"
    expected = by_t5(model, tmp_path, text, words=words, zero="▁")
    assert score.entailed == pytest.approx(expected, abs=1e-4)


def test_chunks_are_whole_sentences_up_to_the_size_and_line_breaks_stay() -> None:
    text = "A title\nOne two three. Four five.\n\nSix seven eight nine ten. Eleven."
    parts = ["A title\nOne two three. Four five.", "Six seven eight nine ten. Eleven."]
    assert chunks(text, size=7, count=count_words) == parts
    long = f"{'Word ' * 9}end."
    assert chunks(f"First. {long} Last.", size=4, count=count_words) == ["First.", long, "Last."]


def test_a_blank_text_is_one_blank_chunk(tmp_path: Path) -> None:
    model = MiniCheckEntailment(make_classifier(tmp_path, TWO))
    for text in ("", " \n\n "):
        assert chunks(text, size=4, count=count_words) == [""]
        [score] = model.score([(text, CLAIM)])
        assert 0 < score.entailed < 1


def test_the_best_chunk_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = make_classifier(tmp_path, TWO)
    monkeypatch.setattr("pipeline.backends.minicheck.CHUNK_TOKENS", 6)
    sentences = ["The river runs west.", "North north north.", "East runs the long river."]
    [score] = MiniCheckEntailment(name).score([(" ".join(sentences), CLAIM)])
    shares = [shares_of(name, f"{each}[SEP]{CLAIM}")[1] for each in sentences]
    assert len({round(share, 3) for share in shares}) == 3
    assert score.entailed == pytest.approx(max(shares), abs=1e-4)


def test_a_chunk_that_leaves_no_room_for_the_sentence_is_read_in_windows(tmp_path: Path) -> None:
    """The row ends after 32 tokens: a sentence at its end would be cut off."""
    name = make_classifier(tmp_path, TWO)
    premise = " ".join(["west ."] * 15)
    first, second = MiniCheckEntailment(name).score([(premise, CLAIM), (premise, "the north")])
    assert first.entailed != pytest.approx(second.entailed, abs=1e-3)
    # DeBERTa reads on where its tokenizer would stop.
    name = make_deberta(tmp_path / "deberta", TWO)
    premise = " ".join(["the long river"] * 40)
    [score] = MiniCheckEntailment(name).score([(premise, CLAIM)])
    assert score.entailed == pytest.approx(shares_of(name, f"{premise}[SEP]{CLAIM}")[1], abs=1e-4)


def test_three_labels_or_a_t5_without_1_and_0_are_refused(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, ["contradiction", "neutral", "entailment"])
    with pytest.raises(BadConfig, match=f"has 3 labels.*write hf:{name}"):
        MiniCheckEntailment(name).score(PAIRS)
    make_t5(tmp_path / "t5", words=[*MARKS, "the", "river"])
    with pytest.raises(BadConfig, match='"1" and "0"'):
        MiniCheckEntailment(str(tmp_path / "t5")).score(PAIRS)
