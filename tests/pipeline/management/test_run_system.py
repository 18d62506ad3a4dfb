"""`manage.py run_system`: starts a run, watches it, and its exit status tells how it went."""

import pytest

from pipeline.engine.configuration import RunConfig
from pipeline.management.commands import run_system
from pipeline.models import Corpus, Revision, Run
from pipeline.workers import registry
from tests.support.commands import run_command
from tests.support.factories import make_corpus, make_dataset, make_passage

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _dataset_and_corpus() -> None:
    dataset = make_dataset(slug="harbours", name="Harbours of the north")
    make_passage(dataset)
    make_passage(dataset)
    make_corpus(slug="guide", state=Corpus.State.READY)


def run_it(
    *arguments: str, dataset: str = "harbours", corpus: str = "guide"
) -> tuple[int, str, str]:
    return run_command("run_system", "--dataset", dataset, "--corpus", corpus, *arguments)


@pytest.mark.parametrize("dataset", ["harbours", "Harbours of the north"])
def test_it_starts_a_run_and_prints_its_number_and_address(dataset: str) -> None:
    given = ("--set", "evidence_per_query=2", "--set", "max_edit_ratio=0.25")
    _, out, message = run_it(*given, dataset=dataset)
    run = Run.objects.get()
    assert f"Run {run.pk}: http://" in out
    assert run.get_absolute_url() in out
    assert run.dataset.slug == "harbours"
    config = RunConfig.from_plain(run.config).rarr
    assert (config.evidence_per_query, config.max_edit_ratio) == (2, 0.25)
    assert registry.START_COMMAND in message
    registry.beat("tested")
    assert run_it()[2] == ""


def test_a_corpus_is_excluded_where_the_web_is_searched() -> None:
    run_it("--set", "search=searxng:https://searx.example.org", corpus="")
    assert Run.objects.get().corpus is None
    status, _, message = run_it(corpus="")
    assert (status, "searches a corpus" in message) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "names", "expected"),
    [
        ([], {"dataset": "nowhere"}, "There is no dataset 'nowhere'"),
        ([], {"corpus": "nowhere"}, "There is no corpus 'nowhere'"),
        (["--set", "evidence_per_query"], {}, "write --set KEY=VALUE"),
        (["--set", "bogus=1"], {}, "'bogus' is no setting"),
        (["--set", "report_size=0"], {}, "report_size is 0: write 1 or more"),
        (["--system", "nothing"], {}, "'nothing' is no system"),
    ],
)
def test_what_cannot_start_is_one_sentence_and_status_2(
    arguments: list[str], names: dict[str, str], expected: str
) -> None:
    status, _, message = run_it(*arguments, **names)
    assert (status, expected in message) == (2, True)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("run_state", "last_state", "status", "expected"),
    [
        (Run.State.FINISHED, Revision.State.DONE, 0, "2 revised, 0 failed of 2 passages."),
        (Run.State.FINISHED, Revision.State.FAILED, 1, "worker crashed: 1"),
        (Run.State.CANCELLED, Revision.State.QUEUED, 1, "cancelled"),
    ],
)
def test_waiting_ends_with_the_run_and_its_reasons(
    monkeypatch: pytest.MonkeyPatch, run_state: str, last_state: str, status: int, expected: str
) -> None:
    def end_the_run(seconds: float) -> None:
        first, last = Revision.objects.order_by("pk")
        Revision.objects.filter(pk=first.pk).update(state=Revision.State.DONE)
        Revision.objects.filter(pk=last.pk).update(state=last_state, failure="WorkerCrashed")
        Run.objects.update(state=run_state)

    monkeypatch.setattr(run_system.time, "sleep", end_the_run)
    ended, out, message = run_it("--wait")
    assert (ended, expected in out + message) == (status, True)


def test_failed_passages_of_a_run_are_tried_again() -> None:
    run_it()
    run = Run.objects.get()
    Revision.objects.update(state=Revision.State.FAILED, failure="WorkerCrashed")
    status, out, _ = run_command("run_system", "--retry", str(run.pk))
    assert (status, f"Run {run.pk}: http://" in out) == (0, True)
    assert set(Revision.objects.values_list("state", "failure")) == {(Revision.State.QUEUED, "")}
    assert Run.objects.count() == 1
    status, _, message = run_command("run_system", "--retry", str(run.pk))
    assert (status, "none failed" in message) == (2, True)
