"""Passages that were not revised because of the model's answers."""

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from pipeline.backends.budgets import Budget
from pipeline.engine.configuration import RunConfig
from pipeline.models import Revision, Run
from pipeline.rarr import types
from pipeline.rarr.serialization import to_plain
from pipeline.rarr.types import Passage, StepError
from pipeline.runs import lifecycle
from tests.support.factories import make_passage, make_revision, make_run
from tests.support.pages import html_of, text_of
from tests.support.revision_rows import make_viaduct, viaduct

pytestmark = pytest.mark.django_db

BANANA = StepError(kind="UnreadableReply", message="This is no question.", reply="banana <b>")
REASON = "None of the first 5 passages could be revised."


def page(client: Client, name: str, *args: object, query: str = "") -> str:
    """The words of a page."""
    return text_of(html_of(client, reverse(f"pipeline:{name}", args=args) + query))


def unread(run: Run, tried: types.Revision | None = None) -> Revision:
    passage = make_passage(run.dataset)
    tried = tried or types.Revision(
        passage=Passage(id="p", text=passage.text), text=passage.text, errors=(BANANA,)
    )
    return make_revision(
        run,
        passage=passage,
        state=Revision.State.FAILED,
        failure="UnreadableReply",
        failure_message="In the research: This is no question.",
        result=to_plain(tried),
    )


def test_the_run_reports_how_many_are_excluded_of_its_figures(as_researcher: Client) -> None:
    run = make_run(state=Run.State.FINISHED, passage_count=3)
    make_viaduct(run)
    for _ in range(2):
        unread(run)
    reported = page(as_researcher, "run", run.pk)
    assert "2 failed passages are excluded from these figures." in reported
    assert "2 Unreadable reply The model answered in another form" in reported
    assert "In the research: This is no question." in reported


def test_its_page_shows_what_the_model_replied_and_no_figure(as_researcher: Client) -> None:
    reported = page(as_researcher, "revision", unread(make_run()).pk)
    assert "✕ Not revised: unreadable reply." in reported
    assert "UnreadableReply This is no question. Model reply banana &lt;b&gt;" in reported
    assert "has nothing to search for" not in reported
    assert "Attribution" not in reported
    assert "Preservation" not in reported


def test_its_page_shows_the_whole_trace_and_points_at_no_report(as_researcher: Client) -> None:
    row = unread(make_run(), replace(viaduct(), errors=()))
    html = as_researcher.get(reverse("pipeline:revision", args=[row.pk])).content.decode()
    assert "Both say the coast railway." in html
    assert "The reply names no verdict." in html
    assert "#evidence-" not in html


def test_a_try_that_cannot_be_read_does_not_cost_the_page(as_researcher: Client) -> None:
    row = make_revision(make_run(), state=Revision.State.FAILED, result={"colour": "red"})
    assert "Not revised: unknown error." in page(as_researcher, "revision", row.pk)


@pytest.mark.parametrize("limits", [{}, {"budget_calls": "10"}])
def test_a_run_that_paused_for_it_goes_on_by_one_button(
    as_researcher: Client, limits: dict[str, str]
) -> None:
    config = RunConfig().with_budget(Budget(calls=int(limits.get("budget_calls", 0)))).to_plain()
    run = make_run(config=config, passage_count=1)
    make_revision(run)
    lifecycle.pause(run, reason=REASON)
    reported = page(as_researcher, "run", run.pk)
    assert f"The run was paused automatically. {REASON}" in reported
    assert ("Resume anyway" in reported) == (not limits)
    assert ("Resume with this budget" in reported) == bool(limits)
    as_researcher.post(reverse("pipeline:resume-run", args=[run.pk]), limits)
    run.refresh_from_db()
    assert (run.state, run.pause_reason, run.config) == (Run.State.RUNNING, "", config)


def test_a_comparison_without_a_shared_passage_gives_the_reason(as_researcher: Client) -> None:
    run = make_run(state=Run.State.FINISHED, passage_count=1)
    make_viaduct(run)
    other = make_run(dataset=run.dataset, state=Run.State.FINISHED, passage_count=1)
    unread(other)
    reported = page(as_researcher, "compare", query=f"?run={run.pk}&run={other.pk}")
    assert f"In run {other.pk} 1 passage failed." in reported
