"""ALCE's citation recall and precision: strict equals the reference, corrected mends it."""

import copy
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics import alce_reference, citation_corrections, citation_support
from pipeline.metrics.citation_support import (
    CitedAnswer,
    Entailments,
    Pair,
    StatementSupport,
    Support,
)

PASSAGES = [f"Title: T{number}\nBody {number}." for number in range(3)]
QUIRKS = [
    ["It fell [1]."],
    ["It fell [1][2]."],
    ["It fell [0]."],
    ["It fell [0][3]."],
    ["It fell [1, 2].", "It rose [1-3].", "It stood [1 and 3]."],
    ["It fell [1][1]."],
    ["It fell [1][2][1]."],
    ["It fell [3][2][0][1]."],
    ["It fell [4].", "It rose [1]."],
    ["It fell [1][9][2]."],
    ["It fell.", "[1] It rose.", "[2]"],
    ["It fell [1] .", "."],
    ["Nobody knows."],
    ["In [1934] it fell [sic] [2] | ."],
    [],
]


def transcribed(
    sentences: Sequence[str], docs: Sequence[str], nli: Callable[[str, str], int]
) -> tuple[float, float] | None:
    """Section 2.4 of the notes on the reference, one pair at a time: its loops."""
    if not sentences:
        return None
    recall, precision, citations = 0, 0, 0
    for sentence in sentences:
        bare = re.sub(r" \[\d+", "", sentence)
        bare = re.sub(r"\[\d+", "", bare).replace(" |", "").replace("]", "").strip()
        ref = [int(mark[1:]) - 1 for mark in re.findall(r"\[\d+", sentence)]
        if len(ref) == 0 or any(number >= len(docs) for number in ref):
            joint = 0
        else:
            ref = ref[:3]
            citations += len(ref)
            joint = nli("\n".join(docs[number] for number in ref), bare)
        recall += joint
        if not (joint and len(ref) > 1):
            precision += joint
            continue
        for number in ref:
            if nli(docs[number], bare):
                precision += 1
                continue
            others = copy.copy(ref)
            others.remove(number)
            if not nli("\n".join(docs[other] for other in others), bare):
                precision += 1
    return recall / len(sentences), precision / citations if citations else 0.0


class Table:
    """A model whose probabilities depend on the pair and the seed alone."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.batches: list[list[Pair]] = []

    def one(self, premise: str, hypothesis: str) -> float:
        # Not `hash`: it is another one in every process.
        number = sum(map(ord, f"{premise}|{hypothesis}")) * 7919 + self.seed * 104_729
        return min((number % 1000) / 800, 1.0)

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        self.batches.append(list(pairs))
        return [self.one(*pair) for pair in pairs]

    def decide(self, premise: str, hypothesis: str) -> int:
        return int(self.one(premise, hypothesis) >= 0.5)


def strict(sentences: Sequence[str], docs: Sequence[str] = PASSAGES) -> CitedAnswer:
    statements = alce_reference.statements(sentences, passages=len(docs))
    return CitedAnswer(statements=statements, passages=docs)


def corrected(text: str, *sentences: str, at_most: int = 3) -> CitedAnswer:
    at, offsets = 0, []
    for each in sentences or (text,):
        at = text.index(each, at)
        offsets.append((at, at + len(each)))
        at += len(each)
    statements = [
        citation_corrections.statement(each, passages=len(PASSAGES), at_most=at_most)
        for each in citation_corrections.parts(text, offsets)
    ]
    return CitedAnswer(statements=statements, passages=PASSAGES)


def scored(answer: CitedAnswer, entails: Callable[[Sequence[Pair]], Sequence[float]]) -> Support:
    [support] = citation_support.citation_support([answer], Entailments(entails))
    return support


def recall_and_precision(support: Support) -> tuple[float, float] | None:
    return None if support.recall is None else (support.recall, support.precision or 0.0)


def by_words(pairs: Sequence[Pair]) -> list[float]:
    """1.0 where the premise has every word of the hypothesis."""
    return [
        float(all(word in premise for word in re.findall(r"\w+", hypothesis)))
        for premise, hypothesis in pairs
    ]


@pytest.mark.parametrize("sentences", QUIRKS, ids=" ".join)
def test_every_quirk_of_the_reference_is_kept(sentences: list[str]) -> None:
    for seed in range(40):
        table = Table(seed)
        expected = transcribed(sentences, PASSAGES, table.decide)
        assert recall_and_precision(scored(strict(sentences), table)) == expected


MARKS = st.sampled_from(
    ["[0]", "[1]", "[2]", "[3]", "[4]", "[1, 2]", "[2-3]", "[1 and 3]", " [2]", "[12 b]", "[sic]"]
)
SENTENCES = st.lists(
    st.builds(
        lambda front, word, marks, stop: f"{front}It {word}{''.join(marks)}{stop}",
        st.sampled_from(["", "[1] "]),
        st.sampled_from(["fell", "rose", "stood"]),
        st.lists(MARKS, max_size=5),
        st.sampled_from([".", " .", ". [1]", "", " |"]),
    ),
    max_size=5,
)


@given(SENTENCES, st.integers(0, 10_000), st.integers(0, 4), st.booleans())
def test_strict_is_reference(sentences: list[str], seed: int, passages: int, alike: bool) -> None:
    docs = (
        ["Title: T\nSame."] * passages if alike else [f"Title: {n}\n{n}" for n in range(passages)]
    )
    if not docs:
        sentences = [each.replace("[0]", "") for each in sentences]  # the reference breaks off
    table = Table(seed)
    support = scored(strict(sentences, docs), table)
    judged: set[Pair] = set()

    def decide(*pair: str) -> int:
        judged.add(pair)  # type: ignore[arg-type]  # two texts
        return table.decide(*pair)

    assert recall_and_precision(support) == transcribed(sentences, docs, decide)
    assert {pair for batch in table.batches for pair in batch} == judged


def test_a_number_of_thousands_of_figures_cites_nothing() -> None:
    [large] = alce_reference.statements([f"It fell [{'1' * 5000}]."], passages=3)
    assert large.sources == ()
    [zeros] = alce_reference.statements([f"It fell [{'0' * 5000}2]."], passages=3)
    assert zeros.sources == (1,)


@given(st.lists(SENTENCES, max_size=6), st.integers(0, 10_000))
def test_three_rounds_do_and_no_pair_is_asked_twice(answers: list[list[str]], seed: int) -> None:
    table = Table(seed)
    together = citation_support.citation_support(
        [strict(each) for each in answers], Entailments(table)
    )
    requests = [pair for batch in table.batches for pair in batch]
    assert len(table.batches) <= 3
    assert len(set(requests)) == len(requests)
    assert together == [scored(strict(each), Table(seed)) for each in answers]


@pytest.mark.parametrize(
    ("text", "sentences", "expected"),
    [
        ("0 1 [1, 2].", (), (1.0, 1.0)),
        ("0 1 2 [1-3].", (), (1.0, 1.0)),
        ("0 1 [1 and 2].", (), (1.0, 1.0)),
        ("Body [1]. [2] 1.", ("Body [1].", "[2] 1."), (0.5, 1.0)),
        ("[1] 0. [2] 1.", ("[1] 0. [2]", "1."), (1.0, 1.0)),
        ("[1] 0. [2] 2.", ("[1] 0.", "[2] 2."), (0.5, 0.5)),
        ("0. [1] 1. [2]", ("0.", "[1] 1.", "[2]"), (1.0, 1.0)),
        ("0 [1][1].", (), (1.0, 1.0)),
        ("0 [1][2].", (), (1.0, 0.5)),
        ("0 [1][9].", (), (1.0, 0.5)),
        ("0 [0].", (), (0.0, 0.0)),
        ("0 [7-9].", (), (0.0, 0.0)),
        ("0.", (), (0.0, None)),
        ("[1]", (), (None, None)),
    ],
)
def test_corrected_reads_citations_as_their_writers_meant_them(
    text: str, sentences: tuple[str, ...], expected: tuple[float | None, float | None]
) -> None:
    support = scored(corrected(text, *sentences), by_words)
    assert (support.recall, support.precision) == expected


@given(st.lists(st.integers(0, 6), max_size=7), st.integers(0, 10_000), st.integers(1, 4))
def test_what_corrected_promises(numbers: list[int], seed: int, at_most: int) -> None:
    text = f"It fell {''.join(f'[{each}]' for each in numbers)}."
    [one] = corrected(text, at_most=at_most).statements
    assert len(one.sources) <= at_most
    assert len(set(one.sources)) == len(one.sources)
    assert all(0 <= position < len(PASSAGES) for position in one.sources)
    assert one.wrong == len({each for each in numbers if not 1 <= each <= len(PASSAGES)})
    result = scored(corrected(text, at_most=at_most), Table(seed))
    assert result.recall in {0.0, 1.0}
    assert result.graded is not None
    assert (result.graded >= 0.5) == (result.recall == 1.0)
    assert (result.precision is None) == (not numbers)
    if result.precision is not None:
        assert 0 <= result.precision <= (0 if result.recall == 0 else 1)
    repeated = text.replace("].", f"][{numbers[0]}].") if numbers else text
    assert scored(corrected(repeated, at_most=at_most), Table(seed)) == result


def test_a_probability_of_a_half_is_enough_and_grades_say_how_much() -> None:
    halves = scored(strict(["It fell [1].", "It rose."]), lambda pairs: [0.5 for _ in pairs])
    assert halves == Support(
        recall=0.5,
        precision=1.0,
        graded=0.25,
        decisions=(StatementSupport(probability=0.5), StatementSupport(probability=None)),
    )
    less = scored(strict(["It fell [1].", "It rose."]), lambda pairs: [0.49 for _ in pairs])
    assert (less.recall, less.precision, less.graded) == (0.0, 0.0, 0.245)


def test_a_citation_is_irrelevant_where_the_others_do_without_it() -> None:
    def entails(pairs: Sequence[Pair]) -> list[float]:
        return [float(PASSAGES[1] in premise) for premise, _ in pairs]

    sentences = ("It fell [1][2].", "It rose [2].", "It is so [1].")
    support = scored(corrected(" ".join(sentences), *sentences), entails)
    needed, alone, unsupported = support.decisions
    assert needed == StatementSupport(probability=1.0, irrelevant=(0,))
    assert alone == StatementSupport(probability=1.0)
    assert unsupported == StatementSupport(probability=0.0)


@pytest.mark.parametrize(
    ("stored", "cut"),
    [
        (["One. [1]", "Two [2].", "Last. [3]"], ["One.", "[1] Two [2].", "Last.", "[3]"]),
        (["Statement.[1]", "Next."], ["Statement.", "[1] Next."]),
        (["A b [1] .", "Next [2]."], ["A b [1] .", "Next [2]."]),
        (["One. [1][2]", "It rose. [3] .", "C"], ["One.", "[1][2] It rose.", "[3] .", "C"]),
        (["Is it? [1]", "Yes! [2]"], ["Is it?", "[1] Yes!", "[2]"]),
        (["He said “no.” [1]", "Then."], ["He said “no.”", "[1] Then."]),
    ],
)
def test_sentences_are_cut_as_punkt_cuts_them(stored: list[str], cut: list[str]) -> None:
    assert list(alce_reference.sentences_as_punkt(stored)) == cut
