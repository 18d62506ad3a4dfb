"""Auto-AIS of a revision, by sentence."""

import json
from dataclasses import asdict
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
    result = scored("The hall opened in 1902. The hall has 90 seats.",
                   "The hall opened in 1904. The hall has 90 seats.", SOURCE)  # fmt: skip
    assert result.attribution_before == pytest.approx((0.8 + 1.0) / 2)
    assert result.attribution_after == 1.0
    assert result.preservation == pytest.approx(1 - 1 / 47)
    assert result.f1_ap == pytest.approx(2 * (46 / 47) / (1 + 46 / 47))
    assert [sentence.is_attributed for sentence in result.before] == [True, True]


def test_each_sentence_names_the_evidence_that_carries_it() -> None:
    result = scored("It has 90 seats.", "It has 90 seats.",
                   evidence("It opened late."), evidence("It has 90 seats."))  # fmt: skip
    [sentence] = result.after
    assert (sentence.entailed, sentence.evidence) == (1.0, 1)
    assert (sentence.contradicted, sentence.contradicted_by) == (0.75, 0)
    assert "It has 90 seats."[sentence.start : sentence.end] == sentence.text


def test_restrictive_attribution_counts_no_sentence_that_is_contradicted_more() -> None:
    scores = {("A.", "s"): (0.9, 0.1), ("A.", "n"): (0.1, 0.2), ("A.", "b"): (0.6, 0.05),
            ("B.", "s"): (0.1, 0.2), ("B.", "n"): (0.0, 0.9), ("B.", "b"): (0.0, 0.8)}  # fmt: skip
    nli = Nli(
        lambda premise, hypothesis: EntailmentScore(
            entailed=scores[premise, hypothesis[0]][0],
            contradicted=scores[premise, hypothesis[0]][1],
        )
    )
    result = scored("n one.", "s one. n two. b three.", evidence("A."), evidence("B."), nli=nli)
    sound, refuted, disputed = result.after
    assert (result.restrictive_before, result.restrictive_after) == (0.0, pytest.approx(0.3))
    assert result.attribution_after == pytest.approx((0.9 + 0.1 + 0.6) / 3)
    assert [each.is_disputed for each in (sound, refuted, disputed)] == [False, False, True]
    assert (disputed.evidence, disputed.contradicted_by) == (0, 1)


def test_restrictive_attribution_is_unknown_where_contradiction_is_and_0_without_evidence() -> None:
    nli = Nli(lambda premise, hypothesis: EntailmentScore(entailed=0.4))
    result = scored("A b.", "A b.", SOURCE, nli=nli)
    assert result.restrictive_after is None
    assert (result.after[0].contradicted, result.after[0].contradicted_by) == (None, None)
    assert scored("A b.", "A b.").restrictive_after == 0.0
    assert scored("", "", SOURCE).restrictive_after is None


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
    result = scored("A b.", "A b.", nli=nli)
    assert (result.attribution_before, result.attribution_after, result.f1_ap) == (0.0, 0.0, 0.0)
    assert (result.after[0].entailed, result.after[0].evidence) == (0.0, None)
    assert nli.received == []
    result = scored("", "", SOURCE)
    assert (result.attribution_before, result.attribution_after) == (None, None)
    assert (result.preservation, result.f1_ap) == (None, None)


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
    result = scored("A b. C d.", "A b.", SOURCE)
    plain = json.loads(json.dumps(sentences_to_plain(result)))
    assert sentences_from_plain(plain, "before") == result.before
    assert sentences_from_plain(plain, "after") == result.after
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
    scores = tuple(
        SentenceScore(
            start=0, end=1, text="-", decontextualized="-", entailed=entailed, evidence=0,
            contradicted=contradicted, contradicted_by=by,
        )
        for entailed, contradicted, by, _ in MARKS
    )  # fmt: skip
    expected = "".join(mark for *_, mark in MARKS)
    assert sentence_codes(scores) == expected
    assert "".join(migration.mark_of(asdict(each)) for each in scores) == expected
