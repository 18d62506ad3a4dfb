"""Auto-AIS of a revision, by sentence."""

import json
from dataclasses import asdict
from functools import partial
from importlib import import_module

import pytest

from pipeline.engine.auto_ais import (
    Scores,
    ScoringModels,
    SentenceScore,
    score,
    sentence_codes,
    sentences_from_plain,
    sentences_to_plain,
)
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import EntailmentScore, Report, Revision
from tests.support.rarr_fakes import Nli, Splitter, StandAlone, evidence, passage

SOURCE = evidence("The hall opened in 1904. The hall has 90 seats.")


def scored(
    x: str, y: str, *sources: object, nli: Nli | None = None, alone: StandAlone | None = None
) -> Scores:
    revision = Revision(passage=passage(x), text=y, report=Report(evidence=sources))  # type: ignore[arg-type]
    return score(revision, ScoringModels(nli or Nli(), Splitter(), alone or StandAlone()))


def test_attribution_is_the_mean_over_sentences_before_and_after() -> None:
    text = "The hall opened in 1902. The hall has 90 seats."
    scores = scored(text, text.replace("1902", "1904"), SOURCE)
    assert scores.attribution_before == pytest.approx((0.8 + 1.0) / 2)
    assert scores.attribution_after == 1.0
    assert scores.preservation == pytest.approx(1 - 1 / 47)
    assert scores.f1_ap == pytest.approx(2 * (46 / 47) / (1 + 46 / 47))
    assert [sentence.is_attributed for sentence in scores.before] == [True, True]


def test_each_sentence_names_the_evidence_that_carries_it() -> None:
    text = "It has 90 seats."
    [sentence] = scored(text, text, evidence("It opened late."), evidence(text)).after
    assert (sentence.entailed, sentence.evidence) == (1.0, 1)
    assert (sentence.contradicted, sentence.contradicted_by) == (0.75, 0)
    assert text[sentence.start : sentence.end] == sentence.text


def test_restrictive_attribution_counts_no_sentence_that_is_contradicted_more() -> None:
    entailed = {"A.": {"s": 0.9, "n": 0.1, "b": 0.6}, "B.": {"s": 0.1, "n": 0.0, "b": 0.0}}
    contradicted = {"A.": {"s": 0.1, "n": 0.2, "b": 0.05}, "B.": {"s": 0.2, "n": 0.9, "b": 0.8}}
    nli = Nli(
        lambda premise, hypothesis: EntailmentScore(
            entailed=entailed[premise][hypothesis[0]],
            contradicted=contradicted[premise][hypothesis[0]],
        )
    )
    scores = scored("n one.", "s one. n two. b three.", evidence("A."), evidence("B."), nli=nli)
    sound, refuted, disputed = scores.after
    assert (scores.restrictive_before, scores.restrictive_after) == (0.0, pytest.approx(0.3))
    assert scores.attribution_after == pytest.approx((0.9 + 0.1 + 0.6) / 3)
    assert [each.is_disputed for each in (sound, refuted, disputed)] == [False, False, True]
    assert (disputed.evidence, disputed.contradicted_by) == (0, 1)


def test_restrictive_attribution_is_unknown_where_contradiction_is_and_0_without_evidence() -> None:
    nli = Nli(lambda premise, hypothesis: EntailmentScore(entailed=0.4))
    scores = scored("A b.", "A b.", SOURCE, nli=nli)
    assert scores.restrictive_after is None
    assert (scores.after[0].contradicted, scores.after[0].contradicted_by) == (None, None)
    assert scored("A b.", "A b.").restrictive_after == 0.0
    assert scored("", "", SOURCE).restrictive_after is None


def test_a_sentence_has_the_reason_of_the_evidence_that_contradicts_it_most() -> None:
    contradicted = {"A.": 0.2, "B.": 0.8}
    nli = Nli(
        lambda premise, hypothesis: EntailmentScore(
            entailed=0.1, contradicted=contradicted[premise], reason=f"{premise} says 1852."
        )
    )
    [sentence] = scored("A b.", "A b.", evidence("A."), evidence("B."), nli=nli).after
    assert (sentence.contradicted_by, sentence.reason) == (1, "B. says 1852.")


def test_of_equal_evidence_the_first_carries_and_the_first_contradicts() -> None:
    nli = Nli(lambda premise, hypothesis: EntailmentScore(entailed=0.4, contradicted=0.3))
    [sentence] = scored("A b.", "A b.", SOURCE, evidence("Other."), nli=nli).after
    assert (sentence.evidence, sentence.contradicted_by) == (0, 0)


def test_sentences_are_scored_as_they_stand_alone_and_evidence_under_its_title() -> None:
    alone = StandAlone({"It opened in 1904.": "The hall opened in 1904."})
    nli, source = Nli(), evidence("It is old.", title="Town hall")
    text = "It opened in 1904."
    [sentence] = scored(text, text, source, nli=nli, alone=alone).after
    assert nli.received == [[("Town hall\nIt is old.", "The hall opened in 1904.")]]
    assert sentence.text == "It opened in 1904."
    assert sentence.decontextualized == "The hall opened in 1904."
    # The revised text is decontextualized within itself.
    alone = StandAlone()
    scored("He won.", "She won.", SOURCE, alone=alone)
    assert [requests.text for requests, _ in alone.received] == ["He won.", "She won."]


def test_all_pairs_are_asked_in_one_batch_and_each_once() -> None:
    nli = Nli()
    scored("A b. C d. A b.", "A b. E f.", SOURCE, evidence("Other."), nli=nli)
    [requests] = nli.received
    assert len(requests) == len(set(requests)) == 6


def test_an_empty_report_supports_nothing_and_an_empty_text_has_no_figure() -> None:
    nli = Nli()
    scores = scored("A b.", "A b.", nli=nli)
    assert (scores.attribution_before, scores.attribution_after, scores.f1_ap) == (0.0, 0.0, 0.0)
    assert (scores.after[0].entailed, scores.after[0].evidence) == (0.0, None)
    assert nli.received == []
    scores = scored("", "", SOURCE)
    assert (scores.attribution_before, scores.attribution_after) == (None, None)
    assert (scores.preservation, scores.f1_ap) == (None, None)


@pytest.mark.parametrize("what", ["nli", "alone"])
def test_an_answer_of_the_wrong_length_is_an_error_with_a_name(what: str) -> None:
    nli, alone = Nli(), StandAlone()
    if what == "nli":
        nli.score = lambda pairs: []  # type: ignore[method-assign]
    else:
        alone.decontextualize = lambda *, passage, sentences: ["one", "two"]  # type: ignore[method-assign]
    with pytest.raises(UnreadableReply):
        scored("A b.", "A b.", SOURCE, nli=nli, alone=alone)


def test_sentences_survive_json() -> None:
    scores = scored("A b. C d.", "A b.", SOURCE)
    plain = json.loads(json.dumps(sentences_to_plain(scores)))
    assert sentences_from_plain(plain, "before") == scores.before
    assert sentences_from_plain(plain, "after") == scores.after
    assert sentences_from_plain({}, "after") == ()


MARKS = [
    (0.9, 0.1, 0, "a"),
    (0.9, 0.8, 1, "d"),
    (0.9, 0.8, 0, "a"),  # by the same evidence
    (0.1, 0.8, 1, "c"),
    (0.1, 0.1, 1, "n"),
    (0.1, None, None, "n"),
    (None, None, None, "-"),
]


def test_marks_are_a_letter_a_sentence_and_old_rows_get_the_same() -> None:
    migration = import_module("pipeline.migrations.0007_marks_of_sentences")
    sentence = partial(SentenceScore, start=0, end=1, text="-", decontextualized="-", evidence=0)
    scores = tuple(
        sentence(entailed=entailed, contradicted=contradicted, contradicted_by=by)
        for entailed, contradicted, by, _ in MARKS
    )
    expected = "".join(mark for *_, mark in MARKS)
    assert sentence_codes(scores) == expected
    assert "".join(migration.mark_of(asdict(each)) for each in scores) == expected
