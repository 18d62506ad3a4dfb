"""The page that compares runs."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pipeline.figures import comparison
from pipeline.figures.comparison import ComparedRow
from pipeline.models import Dataset, Revision, Run
from pipeline.rarr.systems import SYSTEMS
from tests.support.answer_runs import make_answer_runs
from tests.support.factories import make_dataset, make_passage, make_revision, make_run
from tests.support.pages import text_of

pytestmark = pytest.mark.django_db
HALLS = {"dataset": "halls"}

PAGE = reverse("pipeline:compare")


def make_pair(dataset: Dataset, *, count: int = 3) -> list[Run]:
    passages = [make_passage(dataset, text="<i>It</i> opened in 1902.") for _ in range(count)]
    runs = [
        make_run(dataset=dataset, system=system, passage_count=count, config={"system": system})
        for system in ("rarr", "rarr-no-agreement")
    ]
    for run, after, new in zip(runs, (0.6, 0.4), ("1904", "<b>1905</b>"), strict=True):
        for position, passage in enumerate(passages):
            make_revision(
                run,
                passage=passage,
                state=Revision.State.DONE,
                text=passage.text.replace("1902", new),
                attribution_before=0.2 + position / 10,
                attribution_after=after + position / 10,
                preservation=0.9,
                usage={"seconds": 0.5, "model_calls": 4},
            )
    return runs


def test_a_dataset_is_chosen_and_then_its_runs(as_researcher: Client) -> None:
    dataset = make_dataset(slug="halls", name="Halls")
    first, second = make_pair(dataset)
    other = make_run(dataset=make_dataset())
    assert 'href="?dataset=halls"' in as_researcher.get(PAGE).text
    html = as_researcher.get(PAGE, {"dataset": "halls"}).text
    for run in (first, second):
        assert f'name="run" value="{run.pk}"' in html
    assert f'name="run" value="{other.pk}"' not in html
    html = as_researcher.get(PAGE, {"run": first.pk}).text
    assert f'value="{first.pk}" checked' in html
    assert f'value="{second.pk}"' in html
    assert "Figures over" not in html
    assert as_researcher.get(PAGE, {"dataset": "nowhere"}).status_code == 404


def test_the_latest_run_of_each_system_is_compared(as_researcher: Client) -> None:
    dataset = make_dataset(slug="halls", name="Halls")
    old, rival = make_pair(dataset)
    new, _ = make_pair(dataset)
    empty = make_run(dataset=dataset, system="efec")
    for given in ({}, {"dataset": "halls"}):
        response = as_researcher.get(PAGE, given)
        compared = [row.run for row in rows_of(response)]
        assert new in compared
        assert {old, rival, empty}.isdisjoint(compared)
        assert len(compared) == 2
        assert "Latest run of each system" in text_of(response.text)


def test_none_and_one_run_are_compared_with_nothing(as_researcher: Client) -> None:
    assert "No run yet" in text_of(as_researcher.get(PAGE).text)
    dataset = make_dataset(slug="halls", name="Halls")
    run = make_run(dataset=dataset)
    make_revision(run, passage=make_passage(dataset), state=Revision.State.DONE)
    response = as_researcher.get(PAGE)
    assert "comparison" not in response.context
    assert "Choose two or more runs" in text_of(response.text)


def test_two_runs_stand_side_by_side_with_n_and_intervals(as_researcher: Client) -> None:
    runs = make_pair(make_dataset(name="Halls"))
    response = as_researcher.get(PAGE, {"run": [run.pk for run in runs]})
    reported = text_of(response.text)
    assert "Compare runs on Halls" in reported
    assert "Means over n&nbsp;=&nbsp;3" in response.text
    assert "0.30 → 0.70 no interval: fewer than 5 passages" in reported
    assert "+0.40" in reported
    assert "−0.14" in reported  # F1_AP of the second against the first
    assert "0.5 s" in reported
    assert "3 differing passages" in reported


def test_a_wrong_choice_of_runs_is_explained(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(SYSTEMS) <= comparison.MOST_RUNS
    monkeypatch.setattr(comparison, "MOST_RUNS", 2)
    one, two, three = (make_run(dataset=each) for each in [make_dataset()] * 3)
    other = make_run(dataset=make_dataset(name="Mills"))
    for runs, words in (
        ([one.pk, two.pk, three.pk], "These are 3 runs: choose at most 2."),
        ([one.pk, two.pk], "No passage has been revised by all of these runs"),
        ([one.pk, other.pk], f"Run {other.pk} is over Mills"),
        ([one.pk, other.pk], "choose runs over one dataset"),
        ([one.pk, one.pk + 99], "Some of these runs do not exist"),
    ):
        assert words in text_of(as_researcher.get(PAGE, {"run": runs}).text)
    for run in ("x", "-1", "²", "9" * 30, "0"):
        assert as_researcher.get(PAGE, {"run": run}).status_code == 200


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
    assert "4 differing questions" in text
    assert "/compare/answers.svg" in html


def test_a_reason_names_the_runs_unless_all_share_it(as_researcher: Client) -> None:
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
    runs = [vanilla.pk, extractive.pk]
    choice = {"run": runs, "against": extractive.pk, "difference": "correctness"}
    response = as_researcher.get(PAGE, choice)
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


def test_imported_answers_are_compared_once_scored(as_researcher: Client) -> None:
    vanilla, other = make_answer_runs("vanilla", "extractive")
    Run.objects.filter(pk=other.pk).update(system=Run.UNREVISED, config={})
    assert rows_of(as_researcher.get(PAGE, HALLS)) == []  # one run alone is no comparison
    Run.objects.filter(pk=other.pk).update(config={"entailment": "compact"})
    received = rows_of(as_researcher.get(PAGE, HALLS))[1]
    assert received.run == other
    assert received.figures["citation_recall"] is not None
    assert received.figures["citation_recall"].value == pytest.approx(0.875)
    # It is not chosen by default where all other runs revise.
    Run.objects.filter(pk=vanilla.pk).update(system="rarr")
    make_answer_runs("efec", dataset=vanilla.dataset)
    rows = rows_of(as_researcher.get(PAGE, HALLS))
    assert [row.run.system for row in rows] == ["rarr", "efec"]


def rows_of(response: Any) -> list[ComparedRow]:
    compared = response.context.get("comparison")
    return list(compared.rows) if compared else []
