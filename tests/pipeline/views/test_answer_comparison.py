"""The page that compares runs, where some of them answer."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pipeline.figures.comparison import ComparedRow
from pipeline.models import Run
from tests.support.answer_runs import make_answer_runs
from tests.support.pages import text_of

pytestmark = pytest.mark.django_db

PAGE = reverse("pipeline:compare")
HALLS = {"dataset": "halls"}


def test_five_runs_stand_in_one_table(as_researcher: Client) -> None:
    runs = make_answer_runs("vanilla", "extractive", "closed-book", "rarr", "efec")
    response = as_researcher.get(PAGE, {"run": [run.pk for run in runs]})
    html = response.text
    assert [row.run for row in rows_of(response)] == runs
    for run in runs:
        assert f'href="{run.get_absolute_url()}"' in html
    text = text_of(response.text)
    assert "A revision cites nothing: only answers have citations." in text
    assert "0.62" in text  # vanilla's citation recall, 0.625
    assert "n&nbsp;=&nbsp;3" in html  # precision of the three answers that cite
    assert "4 questions were answered differently" in text
    assert "/compare/answers.svg" in html


def test_a_reason_names_the_runs_unless_all_share_it(
    as_researcher: Client,
) -> None:
    closed_book, again, rarr = make_answer_runs("closed-book", "closed-book", "rarr")
    answering = as_researcher.get(PAGE, {"run": [closed_book.pk, again.pk]})
    assert answering.context["reasons"]
    assert all(reason.runs == () for reason in answering.context["reasons"])
    assert text_of(answering.text).count("No answer cites a source.") == 1
    mixed = as_researcher.get(PAGE, {"run": [closed_book.pk, again.pk, rarr.pk]})
    runs = {reason.why: reason.runs for reason in mixed.context["reasons"]}
    assert [row.run for row in runs["No answer cites a source."]] == [closed_book, again]
    assert f"closed-book, run {again.pk}: No answer cites" in text_of(mixed.text)


def test_the_address_chooses_reference_and_figure(as_researcher: Client) -> None:
    vanilla, extractive = make_answer_runs("vanilla", "extractive")
    response = as_researcher.get(
        PAGE,
        {
            "run": [str(vanilla.pk), str(extractive.pk)],
            "against": str(extractive.pk),
            "difference": "correctness",
        },
    )
    [(_, (first, second))] = response.context["table"].blocks
    assert second.row.is_reference
    assert first.lead.estimate.value == pytest.approx(0.25)


@pytest.mark.parametrize(("form", "kind"), [("csv", "text/csv"), ("latex", "text/x-tex")])
@pytest.mark.parametrize("systems", [("vanilla", "extractive"), ("rarr", "efec")])
def test_files_of_the_table(
    as_researcher: Client, systems: tuple[str, str], form: str, kind: str
) -> None:
    runs = make_answer_runs(*systems)
    chosen = [str(run.pk) for run in runs]
    response = as_researcher.get(PAGE, {"run": chosen, "format": form})
    assert response["Content-Type"].startswith(kind)
    assert "attachment" in response["Content-Disposition"]
    assert as_researcher.get(PAGE, {"run": chosen, "format": "html"}).status_code == 404


@pytest.mark.parametrize("form", ["svg", "png", "pdf", "csv"])
def test_files_of_the_chart(as_researcher: Client, form: str) -> None:
    runs = make_answer_runs("vanilla", "extractive")
    address = reverse("pipeline:compare-chart", args=[form])
    response = as_researcher.get(address, {"run": [run.pk for run in runs]})
    assert response.status_code == 200
    others = make_answer_runs("rarr", "efec", dataset=runs[0].dataset)
    assert as_researcher.get(address, {"run": [r.pk for r in others]}).status_code == 404


def test_imported_answers_are_compared_once_scored(
    as_researcher: Client,
) -> None:
    vanilla, other = make_answer_runs("vanilla", "extractive")
    Run.objects.filter(pk=other.pk).update(system=Run.UNREVISED, config={})
    assert rows_of(as_researcher.get(PAGE, HALLS)) == []  # one run alone is no comparison
    Run.objects.filter(pk=other.pk).update(config={"entailment": "compact"})
    received = rows_of(as_researcher.get(PAGE, HALLS))[1]
    assert received.run == other
    assert received.figures["citation_recall"] is not None
    assert received.figures["citation_recall"].value == pytest.approx(0.875)
    # Beside revisions alone it is nothing to be compared at once.
    Run.objects.filter(pk=vanilla.pk).update(system="rarr")
    make_answer_runs("efec", dataset=vanilla.dataset)
    plain = as_researcher.get(PAGE, {"dataset": "halls"})
    assert [each.run.system for each in plain.context["comparison"].rows] == ["rarr", "efec"]


def rows_of(response: Any) -> list[ComparedRow]:
    result = response.context.get("comparison")
    return list(result.rows) if result else []
