"""Entailment by words and by the trained reader."""

from collections.abc import Sequence

import numpy as np
import pytest

from pipeline.backends.compact import entailment_scorer as scorer
from pipeline.backends.compact.entailment_scorer import CompactEntailment, is_word_for_word
from pipeline.backends.compact.reader.model import Reader
from pipeline.backends.compact.reader.results import (
    NliProbabilities,
    PointerQuery,
    Read,
    SpanLogits,
)
from pipeline.rarr.types import EntailmentScore

MILL = "Hart Mill was built by Otto Hart in 1852 and has 12 windows."
SENTENCE = "Hart Mill was built in 1852."


class Listening(Reader):
    """A reader without a network that has one verdict for every pair."""

    def __init__(self, *, entailment: float = 0.4, contradiction: float = 0.2) -> None:
        rest = 1 - entailment - contradiction
        about = {"entailment": entailment, "contradiction": contradiction}
        self.verdict = NliProbabilities(**about, neutral=rest)
        self.calls: list[list[tuple[str, str]]] = []

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Read]:
        self.calls.append(list(pairs))
        doubt = 1 - self.verdict.entailment
        return [
            Read(verdict=self.verdict, doubts=((0, len(hypothesis.split()[0]), doubt),))
            for _, hypothesis in pairs
        ]

    def point(self, asks: Sequence[PointerQuery]) -> list[SpanLogits]:
        nothing = np.empty(0, dtype=np.float32)
        spans = np.empty((0, 2), dtype=np.int64)
        return [SpanLogits(none=0.0, spans=spans, starts=nothing, ends=nothing) for _ in asks]

    def windows(self, premise: str, *, sentences: int = 5, step: int = 3) -> list[tuple[int, int]]:
        size = 100
        return [(at, min(at + size, len(premise))) for at in range(0, len(premise), size)]


def scored(premise: str, hypothesis: str, reader: Reader | None = None) -> EntailmentScore:
    return CompactEntailment(reader or Listening()).score([(premise, hypothesis)])[0]


@pytest.mark.parametrize("hypothesis", [MILL[:-1] + " [1].", MILL.upper(), MILL])
def test_what_the_premise_reports_word_for_word_is_as_good_as_certain(hypothesis: str) -> None:
    reader = Listening(entailment=0.0)
    assert scored(f"Mills.\nThey are old. {MILL} Corn grew.", hypothesis, reader).entailed > 0.95
    assert not reader.calls


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("Otto Hart never held that the mill opened in 1852.", "The mill opened in 1852."),
        ("The mill opened in 1852 is what nobody can show.", "The mill opened in 1852."),
        ("If corn is dear, the mill opens.", "The mill opens."),
        ("Few doubt it. Nobody\nbelieves that corn is dear.", "Corn is dear."),
        # A denial of something else.
        ("Though no mill was old, the mill opened in 1852.", "The mill opened in 1852."),
        ("Nobody was wrong that day.\nThe mill opened.", "That day the mill opened."),
    ],
)
def test_a_part_of_a_sentence_is_left_to_the_reader(premise: str, hypothesis: str) -> None:
    reader = Listening(entailment=0.0, contradiction=0.9)
    assert scored(premise, hypothesis, reader).entailed < 0.9
    assert reader.calls


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("It is false that the mill opened in 1852.", "The mill opened in 1852."),
        ("Otto Hart denied that the mill opened in 1852. Corn grew.", "The mill opened in 1852."),
        ("Trams ran. No passengers were hurt on the tram.", "Passengers were hurt on the tram."),
    ],
)
def test_a_sentence_that_the_premise_denies_is_contradicted(premise: str, hypothesis: str) -> None:
    reader = Listening(entailment=1.0)
    score = scored(premise, hypothesis, reader)
    assert score.entailed < 0.1
    assert score.contradicted > 0.9
    assert not reader.calls


@pytest.mark.parametrize(
    ("premise", "hypothesis", "is_same"),
    [
        (f"Mills. {MILL} {SENTENCE} Corn grew.", f"{MILL} {SENTENCE}", True),
        (f"{MILL} Corn grew. {SENTENCE}", f"{MILL} {SENTENCE}", False),
        ("Coe built Otto Hart's mill.", "Otto Hart built Coe's mill.", False),
    ],
)
def test_sentences_in_order_are_word_for_word(premise: str, hypothesis: str, is_same: bool) -> None:
    assert is_word_for_word(premise, hypothesis) is is_same


def test_the_reader_moves_both_probabilities() -> None:
    sure = scored(MILL, SENTENCE, Listening(entailment=0.9, contradiction=0.05))
    silent = scored(MILL, SENTENCE, Listening(entailment=0.05, contradiction=0.05))
    refuted = scored(MILL, SENTENCE, Listening(entailment=0.05, contradiction=0.9))
    assert sure.entailed > silent.entailed
    assert (refuted.contradicted or 0) > (silent.contradicted or 0)


@pytest.mark.parametrize(
    "hypothesis",
    ["Hart Mill was built in 1947.", "Coe Mill was built by Jane Coe.", "Salt lakes are white."],
)
def test_words_numbers_and_names_that_the_premise_lacks_lower_it(hypothesis: str) -> None:
    assert scored(MILL, hypothesis).entailed < scored(MILL, SENTENCE).entailed


def test_all_pairs_are_read_at_once_and_each_once_and_without_citations() -> None:
    reader = Listening()
    cited = scored(MILL, "Hart Mill was built in 1852 [3].", reader)
    assert reader.calls == [[(MILL, SENTENCE)]]
    assert cited == scored(MILL, SENTENCE)
    reader = Listening()
    same = (MILL, SENTENCE)
    pairs = [same, (MILL, "Otto Hart built it."), same, (SENTENCE, "It has windows.")]
    scores = CompactEntailment(reader).score(pairs)
    assert len(reader.calls) == 1
    assert sorted(reader.calls[0]) == sorted(set(pairs))
    assert scores[0] == scores[2] != scores[1]


def test_of_a_long_premise_the_windows_with_most_of_the_sentence_are_read() -> None:
    reader = Listening()
    corn = "Corn was ground there, and the miller sold it on the market of the next town. "
    premise = corn * 40 + SENTENCE[:-1] + " by a man." + corn * 40
    scored(premise, "Hart built a mill.", reader)
    (read,) = reader.calls
    assert len(read) == scorer.MOST_READ
    assert any("Hart Mill was built" in window for window, _ in read)
    prose = corn * 20
    lines = "Silver: 100 mills\n" * 60
    assert scorer.sentences_of_words(prose) in (6, 7)
    assert scorer.sentences_of_words(lines) > 20


@pytest.mark.parametrize(
    ("sound", "wrong"),
    [
        ("Hart Mill was built in 1852.", "Hart Mill was built in 1912."),
        ("The mill closed in 1947.", "The mill closed in 1912."),
        ("Hart Mill was built by Otto Hart.", "Hart Mill was built by Jane Coe."),
    ],
)
def test_a_value_of_something_else_in_the_premise_is_contradicted(sound: str, wrong: str) -> None:
    premise = (
        "Hart Mill was built by Otto Hart in 1852. "
        "It was sold to Jane Coe in 1912 and closed in 1947."
    )
    right, other = CompactEntailment().score([(premise, sound), (premise, wrong)])
    assert right.entailed >= 0.5 > other.entailed
    assert (other.contradicted or 0.0) >= 0.5 > (right.contradicted or 0.0)


def test_nothing_to_compare_is_not_entailed() -> None:
    reader = Listening()
    for pair in (("", "A claim."), (MILL, ""), ("", ""), (".", "!")):
        assert scored(*pair, reader) == EntailmentScore(entailed=0.0, contradicted=0.0)
    assert not reader.calls


def test_what_is_missing_never_speaks_for_entailment() -> None:
    against = "missing_numbers missing_names negated other_subject doubt worst_doubt value_doubt"
    weights = scorer.COEFFICIENTS["entailed"]
    assert weights.keys() == {"", *scorer.FEATURES} - {"refuted"}
    for name, weight in weights.items():
        assert not name or (weight <= 0 if name in against.split() else weight >= 0), name


@pytest.mark.parametrize("value", [-1e4, -1.0, 0.0, 1.0, 1e4])
def test_probabilities_of_any_features_are_probabilities(value: float) -> None:
    score = scorer.weighed(dict.fromkeys(scorer.FEATURES, value))
    assert score.contradicted is not None
    assert 0 <= score.entailed <= 1
    assert 0 <= score.contradicted <= 1
    assert score.entailed + score.contradicted <= 1 + 1e-9
