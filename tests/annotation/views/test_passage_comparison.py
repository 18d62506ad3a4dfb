"""The page of one passage as several runs revised it."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from pipeline.models import Passage, Revision, Run
from tests.support.answer_rows import answer_columns, make_answer, make_answer_run
from tests.support.compared import compare_intent, make_compared_runs, make_kind, revise_alike, say
from tests.support.exports import adjudicate
from tests.support.factories import make_revision, make_run
from tests.support.pages import text_of

pytestmark = pytest.mark.django_db

LIST = reverse("compare-passages")


@pytest.fixture
def runs() -> list[Run]:
    cache.clear()
    return make_compared_runs()


def page_of(passage: Passage, runs: list[Run], more: str = "") -> str:
    query = "&".join(f"run={run.pk}" for run in runs)
    return f"{reverse('compare-passage', args=[passage.pk])}?{query}{more}"


def test_the_list_leads_to_its_first_passage_and_on(as_researcher: Client, runs: list[Run]) -> None:
    revise_alike(runs)
    differing = [revise_alike(runs, text="Another text.") for _ in range(2)]
    query = {"run": [run.pk for run in runs], "show": "differ"}
    response = as_researcher.get(LIST, query, follow=True)
    assert response.redirect_chain[0][0] == page_of(differing[0], runs, "&show=differ")
    reported = text_of(response.text)
    assert "1 of 2" in reported
    assert "systems differ 2" in reported
    assert escape(page_of(differing[1], runs, "&show=differ")) in response.content.decode()
    reported = text_of(as_researcher.get(LIST, query | {"show": "intent"}).text)
    assert "No passages match this filter" in reported
    latest = as_researcher.get(reverse("compare-passage", args=[differing[0].pk]))
    assert [column["shared"].run for column in latest.context["columns"]] == runs


def test_each_run_has_a_column_with_marks_edits_and_evidence(
    as_researcher: Client, runs: list[Run]
) -> None:
    passage = revise_alike(runs)
    response = as_researcher.get(page_of(passage, runs))
    assert [column["shared"].run for column in response.context["columns"]] == runs
    reported = text_of(response.text)
    assert reported.count("✓ attributed 0.95") == 2
    assert reported.count("✕ not attributed 0.12") == 2
    assert reported.count("0.51 → 0.73") == 2
    assert reported.count("The edit changes 72 characters; the limit is 50.") == 2
    assert reported.count("✓ supports 2, 3") == 2
    assert "removed: 1879" in reported
    assert "added: 1874" in reported


def test_raters_answers_are_shown_and_a_difference_is_named(
    as_researcher: Client, runs: list[Run]
) -> None:
    passage = revise_alike(runs)
    first, second = (Revision.objects.get(run=run, passage=passage) for run in runs)
    attribution = make_kind(runs, "attribution")
    say(attribution, first, (True, False, True, False), (True, False, True, True))
    intent = make_kind(runs, "intent")
    compare_intent(intent, second, 0, 1, 2)
    response = as_researcher.get(page_of(passage, runs))
    one, other = response.context["columns"]
    assert [row["is_disputed"] for row in one["rows"]] == [False, True, False, False]
    assert (one["attribution"], one["judged"]) == (0.625, 4)
    assert other["attribution"] is None
    reported = text_of(response.text)
    assert "✕ 0 of 2 raters ⚠ they differ" in reported
    assert "◐ 1 of 2 raters" in reported
    assert "✕ intent lost 1 of 3 raters" in reported
    assert "raters and auto-AIS disagree 1" in reported
    adjudicate(attribution.items.get(revision=first), 3, 1)
    adjudicate(intent.items.get(revision=second), 0, 0, "intent")
    reported = text_of(as_researcher.get(page_of(passage, runs)).text)
    assert "✓ 1 of 2 raters, adjudicated" in reported
    assert "✕ intent lost 1 of 3 raters, adjudicated" in reported


def test_a_run_that_failed_or_has_not_begun_reports_it(
    as_researcher: Client, runs: list[Run]
) -> None:
    passage = revise_alike(runs, state="failed", failure="UnreadableReply")
    third = make_run(dataset=runs[0].dataset, system="none", state=Run.State.FINISHED)
    reported = text_of(as_researcher.get(page_of(passage, [*runs, third])).text)
    assert "✕ Not revised" in reported
    assert "This run does not have the passage." in reported
    assert "not in this list" in reported


def test_runs_that_do_not_fit_are_refused(as_researcher: Client, runs: list[Run]) -> None:
    passage = revise_alike(runs)
    elsewhere = make_run()
    assert as_researcher.get(page_of(passage, [elsewhere])).status_code == 404
    reported = text_of(as_researcher.get(page_of(passage, [runs[0], elsewhere])).text)
    assert "choose runs over one dataset" in reported
    many = [make_run(dataset=runs[0].dataset) for _ in range(5)]
    reported = text_of(as_researcher.get(page_of(passage, many)).text)
    assert "These are 5 runs: choose at most 4." in reported
    assert "No run chosen" in text_of(as_researcher.get(LIST).text)


def test_answers_are_next_to_revisions_with_their_citations(as_researcher: Client) -> None:
    cache.clear()
    written = make_answer()
    passage, first = written.passage, written.run
    second = make_answer_run(dataset=passage.dataset)
    answer = answer_columns("Marlow Hall opened in 1904 [1].")
    make_revision(second, passage=passage, state=Revision.State.DONE, **answer)
    waiting = make_answer_run(dataset=passage.dataset)
    make_revision(waiting, passage=passage)
    response = as_researcher.get(page_of(passage, [first, second, waiting]))
    html, reported = response.content.decode(), text_of(response.text)
    for run, citations in ((first, 6), (second, 1)):
        assert html.count(f'href="#run-{run.pk}-evidence-') == citations
        assert f'id="run-{run.pk}-evidence-2"' in html
        assert f'id="run-{run.pk}-statement-1"' in html
    assert "irrelevant: source 2" in reported
    assert "Citation recall 1.00" in reported
    assert "Not answered yet." in reported
    assert "unchanged" not in reported  # there is no original to be told from
    assert "systems differ 1" in text_of(as_researcher.get(page_of(passage, [first, second])).text)


def test_a_contradicted_sentence_has_the_same_figure_on_both_pages(
    as_researcher: Client, runs: list[Run]
) -> None:
    passage = revise_alike(runs)
    revision = Revision.objects.get(run=runs[0], passage=passage)
    sentences = revision.sentences
    for each in sentences["after"]:
        each |= {"entailed": 0.41, "contradicted": 0.57, "contradicted_by": 0}
    Revision.objects.filter(pk=revision.pk).update(sentences=sentences)
    for address in (page_of(passage, runs), revision.get_absolute_url()):
        reported = text_of(as_researcher.get(address).text)
        assert "≠ contradicted 0.57" in reported
        assert "contradicted 0.41" not in reported
