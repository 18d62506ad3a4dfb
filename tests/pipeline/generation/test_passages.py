"""The passages of an answer: cut from documents and ranked."""

from dataclasses import replace

import pytest

from pipeline.generation.passages import cut, find_passages, recall_at
from pipeline.generation.strategies.oracle import choose_passages
from pipeline.generation.tools import Tools
from pipeline.generation.types import GenerationConfig, Question
from pipeline.rarr.types import Document, EntailmentScore
from tests.support.answer_script import HALL, MILL, QUESTION
from tests.support.rarr_fakes import Nli, Shelf
from tests.support.strategy_tools import make_tools


def tools(*documents: Document, **numbers: int) -> Tools:
    return make_tools(
        retriever=Shelf({QUESTION: documents}) if documents else None,
        config=GenerationConfig(**numbers),
    )


def test_a_document_is_cut_into_passages_of_so_many_words_that_cross_no_heading() -> None:
    document = Document(id="d", title="D", url="", text="one two\nthree four five\n# Next\nsix")
    result = list(cut(document, "q", words=2))
    cuts = [("one two", ""), ("three four", ""), ("five", ""), ("six", "Next")]
    assert [(each.text, each.heading) for each in result] == cuts
    assert all(document.text[each.start :].startswith(each.text) for each in result)


def test_the_passages_that_were_found_are_ranked_by_relevance() -> None:
    question = Question(id="1", text=QUESTION)
    result = find_passages(question, tools=tools(MILL, HALL, passage_words=8))
    assert result[0].title == "Marlow Hall"
    scores = [each.relevance for each in result]
    assert scores == sorted(scores, reverse=True)
    fewer = find_passages(question, tools=tools(MILL, HALL, passage_words=8, retrieved=1))
    assert fewer == result[:1]


def test_without_a_search_the_question_brings_its_passages_in_their_order() -> None:
    brought = tuple(each for document in (MILL, HALL) for each in cut(document, "", words=100))
    result = find_passages(Question(id="1", text=QUESTION, sources=brought), tools=tools())
    assert result == brought


@pytest.mark.parametrize(
    ("short_answers", "recall"),
    [
        ((("1904",), ("812", "eight hundred and twelve")), {1: 0.0, 2: 1.0}),
        ((("1904",), ("1750",)), {1: 0.5, 2: 1.0}),
        ((("90",),), {1: 0.0, 2: 0.0}),
        ((), {}),
    ],
)
def test_recall_is_the_share_of_the_answers_that_stand_in_the_best_passages(
    monkeypatch: pytest.MonkeyPatch, short_answers: tuple[tuple[str]], recall: dict[int, float]
) -> None:
    monkeypatch.setattr("pipeline.generation.passages.RANKS", (1, 2, 3))
    brought = tuple(each for document in (MILL, HALL) for each in cut(document, "", words=100))
    question = Question(id="1", text=QUESTION, short_answers=short_answers)
    assert recall_at(question, brought, tools=tools()) == recall
    one = Question(id="1", text=QUESTION, short_answers=(("1904",),))
    assert recall_at(one, (), tools=tools()) == {1: 0.0}
    assert recall_at(Question(id="1", text=QUESTION), (), tools=tools()) == {}


def test_recall_of_claims_is_that_of_entailed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.generation.passages.RANKS", (1, 2, 3))
    brought = tuple(each for document in (MILL, HALL) for each in cut(document, "", words=100))
    claims = (" ".join(HALL.text.split()[:3]), "Nobody built it.")
    question = Question(id="1", text=QUESTION, claims=claims)
    assert recall_at(question, brought, tools=tools()) == {}
    nli = Nli(lambda premise, claim: EntailmentScore(entailed=float(claim in premise)))
    measured = make_tools(config=GenerationConfig(claim_recall="on"), entailment=nli)
    assert recall_at(question, brought, tools=measured) == {1: 0.0, 2: 0.5}
    best = GenerationConfig(claim_recall="on", passages=1)
    assert choose_passages(
        replace(question, sources=brought), tools=replace(measured, config=best)
    ) == (brought[1],)
