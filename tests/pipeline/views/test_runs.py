"""The pages of runs: the list, the form, one run with its buttons, and who may see them."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.asserts import assertContains, assertNotContains

from pipeline.engine.configuration import RunConfig
from pipeline.forms.runs import HYPER_PARAMETERS, NewRunForm
from pipeline.models import Corpus, Revision, Run, Worker
from pipeline.rarr.types import RarrConfig
from pipeline.runs import lifecycle
from pipeline.views import runs as views
from pipeline.workers import registry
from rarrweb.accounts.models import User
from tests.support.factories import make_corpus, make_dataset, make_passage, make_revision, make_run

pytestmark = pytest.mark.django_db

BUTTONS = ["pause-run", "resume-run", "cancel-run", "retry-run"]


def page(name: str, *args: object) -> str:
    return reverse(f"pipeline:{name}", args=args)


# --- Who may see them --------------------------------------------------------------------


def test_a_person_without_a_role_finds_no_run_pages(client: Client, stranger: User) -> None:
    run = make_run()
    client.force_login(stranger)
    addresses = [page("runs"), page("new-run"), page("run", run.pk), page("run-status", run.pk)]
    assert [client.get(address).status_code for address in addresses] == [404] * 4
    assert client.post(page("new-run")).status_code == 404


@pytest.mark.parametrize("button", BUTTONS)
def test_a_person_without_a_role_cannot_press_a_button(
    client: Client, stranger: User, button: str
) -> None:
    run = make_run()
    client.force_login(stranger)
    assert client.post(page(button, run.pk)).status_code == 404
    assert Run.objects.get().state == Run.State.RUNNING


@pytest.mark.parametrize("button", BUTTONS)
def test_a_button_is_pressed_by_post_alone(as_researcher: Client, button: str) -> None:
    run = make_run()
    assert as_researcher.get(page(button, run.pk)).status_code == 405


# --- The list ----------------------------------------------------------------------------


def test_an_empty_list_says_what_a_run_is(as_researcher: Client) -> None:
    assertContains(as_researcher.get(page("runs")), "No run yet")


def test_the_list_shows_how_far_a_run_is_and_what_it_gained(as_researcher: Client) -> None:
    run = make_run(state=Run.State.FINISHED, passage_count=2)
    done = {"attribution_before": 0.4, "attribution_after": 0.9}
    make_revision(run, state=Revision.State.DONE, **done)
    make_revision(run, state=Revision.State.FAILED)
    response = as_researcher.get(page("runs"))
    for text in ("finished", "2 of 2", "1 failed", "0.40 → <strong>0.90", "+0.50, n&nbsp;=&nbsp;1"):
        assertContains(response, text)


def test_the_list_is_paged_and_shows_every_run_once(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "RUNS_A_PAGE", 2)
    dataset, corpus = make_dataset(), make_corpus()
    made = [make_run(dataset=dataset, corpus=corpus).pk for _ in range(5)]
    seen: list[int] = []
    address = page("runs")
    for _ in range(3):
        response = as_researcher.get(address)
        seen += [run.pk for run, *_ in response.context["rows"]]
        address = f"{page('runs')}?before={response.context['older']}"
    assert seen == made[::-1]
    assert response.context["older"] is None


@pytest.mark.parametrize("before", ["x", "-1", "²", "9" * 30, "0"])
def test_a_nonsense_page_key_is_no_error(as_researcher: Client, before: str) -> None:
    make_run()
    assert as_researcher.get(page("runs"), {"before": before}).status_code == 200


def test_the_list_asks_few_questions_however_many_runs(
    as_researcher: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(5):
        make_revision(make_run(passage_count=1))
    with django_assert_max_num_queries(8):
        as_researcher.get(page("runs"))


# --- A new run ---------------------------------------------------------------------------


@pytest.fixture
def wanted() -> dict[str, object]:
    """What a person sends who takes the paper's values."""
    dataset = make_dataset(slug="harbours")
    make_passage(dataset)
    make_corpus(slug="guide", state=Corpus.State.READY)
    defaults = {name: getattr(RarrConfig(), name) for name in HYPER_PARAMETERS}
    return {"dataset": "harbours", "corpus": "guide", "system": "rarr", **defaults}


def test_every_hyper_parameter_has_a_label_and_the_papers_value(researcher: User) -> None:
    form = NewRunForm(user=researcher)
    config = RarrConfig()
    assert {f.name: f.initial for f in form.groups["hyper_parameters"]} == {
        name: getattr(config, name) for name in RarrConfig.__dataclass_fields__
    }


def test_the_form_starts_a_run_and_shows_it(
    as_researcher: Client, researcher: User, wanted: dict[str, object]
) -> None:
    response = as_researcher.post(page("new-run"), wanted | {"evidence_per_query": "2"})
    run = Run.objects.get()
    assert response.headers["Location"] == page("run", run.pk)
    assert (run.created_by, run.passage_count) == (researcher, 1)
    assert RunConfig.from_plain(run.config).rarr.evidence_per_query == 2


def test_the_form_takes_dataset_and_corpus_from_the_address(
    as_researcher: Client, wanted: dict[str, object]
) -> None:
    response = as_researcher.get(page("new-run"), {"dataset": "harbours", "corpus": "guide"})
    assertContains(response, '<option value="harbours" selected>')
    assertContains(response, '<option value="guide" selected>')


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("query_samples", "0", "query_samples is 0: write 1 or more."),
        ("max_edit_ratio", "-1", "max_edit_ratio is -1.0: write 0 or more."),
        ("window_sentences", "four", "Enter a whole number."),
        ("system", "efec-9000", "Select a valid choice."),
        ("corpus", "atlantis", "Select a valid choice."),
    ],
)
def test_a_wrong_value_is_named_beside_its_field(
    as_researcher: Client, wanted: dict[str, object], name: str, value: str, says: str
) -> None:
    response = as_researcher.post(page("new-run"), wanted | {name: value})
    assert response.status_code == 200
    assert any(says in error for error in response.context["form"].errors[name])
    assert not Run.objects.exists()


def test_a_wrong_hyper_parameter_opens_its_section(
    as_researcher: Client, wanted: dict[str, object]
) -> None:
    response = as_researcher.post(page("new-run"), wanted | {"report_size": "0"})
    assertContains(response, '<details class="card" open>')


def test_a_refused_run_says_why(as_researcher: Client, wanted: dict[str, object]) -> None:
    Corpus.objects.update(state=Corpus.State.INDEXING)
    response = as_researcher.post(page("new-run"), wanted)
    assertContains(response, "Wait until it is ready")
    assert not Run.objects.exists()


# --- One run -----------------------------------------------------------------------------


def test_a_running_run_asks_again_and_one_that_stands_does_not(as_researcher: Client) -> None:
    run = make_run(passage_count=1)
    make_revision(run)
    asks = f'hx-get="{page("run-status", run.pk)}"'
    assertContains(as_researcher.get(page("run", run.pk)), asks)
    assertContains(as_researcher.get(page("run-status", run.pk)), asks)
    lifecycle.pause(run)
    assertNotContains(as_researcher.get(page("run-status", run.pk)), asks)


@pytest.mark.parametrize("end", [lifecycle.pause, lifecycle.cancel])
def test_a_stopped_run_asks_until_its_last_passage_has_ended(
    as_researcher: Client, end: Callable[[Run], bool]
) -> None:
    run = make_run(passage_count=1)
    revision = make_revision(run, state=Revision.State.RUNNING)
    Worker.objects.create(name="w", started_at=timezone.now(), last_seen=timezone.now())
    end(run)
    asks = f'hx-get="{page("run-status", run.pk)}"'
    status = as_researcher.get(page("run-status", run.pk))
    assertContains(status, asks)
    assert "HX-Refresh" not in status.headers
    Revision.objects.filter(pk=revision.pk).update(state=Revision.State.DONE)
    assertNotContains(as_researcher.get(page("run-status", run.pk)), asks)


def test_a_stopped_run_does_not_ask_for_ever_where_no_worker_lives(as_researcher: Client) -> None:
    run = make_run(passage_count=1)
    make_revision(run, state=Revision.State.RUNNING)
    lifecycle.cancel(run)
    asks = f'hx-get="{page("run-status", run.pk)}"'
    assertNotContains(as_researcher.get(page("run-status", run.pk)), asks)


def test_the_last_answer_brings_the_whole_page_with_its_results(as_researcher: Client) -> None:
    run = make_run(passage_count=1)
    assert "HX-Refresh" not in as_researcher.get(page("run-status", run.pk)).headers
    Run.objects.update(state=Run.State.FINISHED)
    assert as_researcher.get(page("run-status", run.pk)).headers["HX-Refresh"] == "true"


def test_the_buttons_do_what_they_say(as_researcher: Client) -> None:
    run = make_run(passage_count=2)
    make_revision(run)
    make_revision(run, state=Revision.State.FAILED)
    states = []
    for button in ("pause-run", "resume-run", "retry-run", "cancel-run"):
        response = as_researcher.post(page(button, run.pk), follow=True)
        assert response.redirect_chain == [(page("run", run.pk), 302)]
        states.append(Run.objects.get().state)
    assert states == ["paused", "running", "running", "cancelled"]
    assert not Revision.objects.filter(state=Revision.State.FAILED).exists()


def test_a_page_without_a_living_worker_says_how_to_start_one(as_researcher: Client) -> None:
    run = make_run(passage_count=1)
    assertContains(as_researcher.get(page("run", run.pk)), registry.START_COMMAND)
    registry.beat("tested")
    assertNotContains(as_researcher.get(page("run", run.pk)), registry.START_COMMAND)


def test_a_run_says_that_models_load_until_its_passages_begin(as_researcher: Client) -> None:
    run = make_run(passage_count=2)
    waiting, begun = (make_revision(run, state=Revision.State.RUNNING) for _ in range(2))
    registry.beat("tested")
    status = page("run-status", run.pk)
    assertContains(as_researcher.get(status), "Loading models</span> 2 passages begin as soon")
    Revision.objects.filter(pk=begun.pk).update(started_at=timezone.now())
    assertContains(as_researcher.get(status), "Loading models</span> 1 passage begins as soon")
    assertContains(as_researcher.get(page("revision", waiting.pk)), "worker is loading models")
    assertNotContains(as_researcher.get(page("revision", begun.pk)), "loading models")
    Revision.objects.update(started_at=timezone.now())
    assertNotContains(as_researcher.get(status), "Loading models")


def test_a_run_says_why_passages_wait_for_another_try(as_researcher: Client) -> None:
    run = make_run(passage_count=1)
    make_revision(
        run,
        not_before=timezone.now() + timedelta(minutes=1),
        started_at=timezone.now(),
        failure="TransientError",
        failure_message="The model server does not answer.",
    )
    response = as_researcher.get(page("run-status", run.pk))
    assertContains(response, "1 waiting to retry")
    assertContains(response, "The model server does not answer.")


def test_a_run_shows_why_passages_failed_as_text(as_researcher: Client) -> None:
    run = make_run(passage_count=1)
    hostile = "<script>alert(1)</script>"
    make_revision(run, state=Revision.State.FAILED, failure="BadConfig", failure_message=hostile)
    response = as_researcher.get(page("run", run.pk))
    assertContains(response, "Bad config.")
    assertContains(response, "&lt;script&gt;alert(1)")
    assertNotContains(response, hostile)


def test_a_run_shows_its_figures_with_n_and_interval(as_researcher: Client) -> None:
    run = make_run(state=Run.State.FINISHED, passage_count=2)
    for before in (0.2, 0.4):
        make_revision(
            run,
            state=Revision.State.DONE,
            attribution_before=before,
            attribution_after=0.8,
            preservation=0.9,
            f1_ap=0.85,
        )
    response = as_researcher.get(page("run", run.pk))
    for text in ("0.30 → 0.80", "n&nbsp;=&nbsp;2", "95 %", "+0.50"):
        assertContains(response, text)


def test_a_run_shows_its_frozen_configuration(as_researcher: Client) -> None:
    run = make_run(config=RunConfig.from_settings().to_plain(), versions={"tantivy": "0.27.0"})
    response = as_researcher.get(page("run", run.pk))
    for text in ("rarr.query_temperature", "0.7", "tantivy", "0.27.0"):
        assertContains(response, text)


def test_a_finished_run_says_how_long_it_took(as_researcher: Client) -> None:
    now = timezone.now()
    run = make_run(
        state=Run.State.FINISHED, started_at=now - timedelta(minutes=2, seconds=5), finished_at=now
    )
    assertContains(as_researcher.get(page("run", run.pk)), "2 min 5 s")
