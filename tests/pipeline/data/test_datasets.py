"""Passages into datasets: checked whole, written whole, twice is once."""

from pathlib import Path

import pytest

from pipeline.data import datasets
from pipeline.data.datasets import (
    add_passages,
    check_passages,
    create_dataset,
    import_passages,
)
from pipeline.data.staging import Check
from pipeline.engine.configuration import RunConfig
from pipeline.models import Corpus, Dataset, Run
from pipeline.runs.start import RunRefused, start_run
from tests.support.commands import write_lines
from tests.support.factories import (
    make_corpus,
    make_dataset,
    make_passage,
    make_revision,
    make_row,
    make_run,
)

pytestmark = pytest.mark.django_db


def write(path: Path, *rows: dict[str, object]) -> Path:
    return write_lines(path, list(rows))


def load(dataset: Dataset, path: Path) -> Check:
    staged = path.with_suffix(".staged")
    check = check_passages(dataset, path, staged=staged)
    import_passages(dataset, staged)
    dataset.refresh_from_db()
    return check


def counts(check: Check) -> tuple[int, int, int, int]:
    return check.new, check.same, check.changed, check.wrong


def test_passages_come_in_whole(tmp_path: Path) -> None:
    dataset = make_dataset()
    path = write(tmp_path / "a", {"id": "p", "text": "One.", "context": "Q?", "by": {"m": 1}})
    assert counts(load(dataset, path)) == (1, 0, 0, 0)
    passage = dataset.passages.get()
    assert (passage.external_id, passage.text, passage.context) == ("p", "One.", "Q?")
    assert passage.source.extra == {"by": {"m": 1}}
    assert dataset.passage_count == 1


def test_a_changed_row_is_replaced_in_place_and_revisions_keep_their_text(tmp_path: Path) -> None:
    dataset = make_dataset()
    load(dataset, write(tmp_path / "a", {"id": "p", "text": "Old."}))
    passage = dataset.passages.get()
    revision = make_revision(make_run(dataset=dataset), passage=passage)
    check = load(dataset, write(tmp_path / "b", {"id": "p", "text": "New."}, {"text": "More."}))
    assert counts(check) == (1, 0, 1, 0)
    assert dataset.passages.get(external_id="p").pk == passage.pk
    assert dataset.passages.get(external_id="p").text == "New."
    revision.refresh_from_db()
    assert revision.original_text == "Old."


def test_what_came_with_a_passage_is_replaced_with_it(tmp_path: Path) -> None:
    dataset = make_dataset()
    load(dataset, write(tmp_path / "a", {"id": "p", "text": "One.", "by": {"é": 2**70}}))
    assert dataset.passages.get().source.extra == {"by": {"é": 2**70}}
    load(dataset, write(tmp_path / "b", {"id": "p", "text": "One.", "by": [None, 0.5]}))
    assert dataset.passages.get().source.extra == {"by": [None, 0.5]}


def test_the_same_ids_in_two_datasets_are_two_passages(tmp_path: Path) -> None:
    path = write(tmp_path / "a", {"id": "p", "text": "One."})
    load(make_dataset(), path)
    assert counts(load(make_dataset(), path)) == (1, 0, 0, 0)


def break_after(monkeypatch: pytest.MonkeyPatch, batches: int) -> None:
    """Let the import fail at the batch after so many."""
    real, done = datasets._write, []

    def breaking(*args: object) -> None:
        done.append(1)
        if len(done) > batches:
            raise OSError("the disk is gone")
        real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(datasets, "_write", breaking)


def test_an_import_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = make_dataset()
    path = write(tmp_path / "a", *({"text": f"Number {n}."} for n in range(1_200)))
    break_after(monkeypatch, batches=1)
    with pytest.raises(OSError, match="gone"):
        load(dataset, path)
    dataset.refresh_from_db()
    assert dataset.is_complete
    assert not dataset.passages.exists()


def test_a_large_import_that_fails_is_marked_and_completed_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "ONE_TRANSACTION_BYTES", 100)
    dataset = make_dataset()
    path = write(tmp_path / "a", *({"text": f"Number {n}."} for n in range(1_200)))
    with monkeypatch.context() as patched:
        break_after(patched, batches=1)
        with pytest.raises(OSError, match="gone"):
            load(dataset, path)
    dataset.refresh_from_db()
    assert not dataset.is_complete
    assert dataset.passages.count() == 500
    load(dataset, path)
    assert dataset.is_complete
    assert dataset.passages.count() == dataset.passage_count == 1_200


def test_a_small_write_does_not_mark_a_large_import_as_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = make_dataset()
    before = Dataset.objects.get(pk=dataset.pk), Dataset.objects.get(pk=dataset.pk)
    large = write(tmp_path / "large", *({"text": f"Number {n}."} for n in range(1_200)))
    with monkeypatch.context() as patched:
        patched.setattr(datasets, "ONE_TRANSACTION_BYTES", 100)
        break_after(patched, batches=1)
        with pytest.raises(OSError, match="gone"):
            load(dataset, large)
    load(before[0], write(tmp_path / "small", {"text": "One more."}))
    add_passages(before[1], [make_row(line=0, external_id="kept", text="Another.")])
    dataset.refresh_from_db()
    assert (dataset.is_complete, dataset.passage_count) == (False, 502)


def test_a_large_import_is_marked_although_another_one_ends_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "ONE_TRANSACTION_BYTES", 100)
    dataset = make_dataset()
    large = write(tmp_path / "a", *({"text": f"Number {n}."} for n in range(1_200)))
    small = write(tmp_path / "b", *({"text": f"Another {n}."} for n in range(10)))
    check_passages(dataset, large, staged=tmp_path / "staged")
    states = []

    def progress(done: int) -> None:
        if done == 1_000:
            states.append(Dataset.objects.get(pk=dataset.pk).is_complete)
        else:
            load(Dataset.objects.get(pk=dataset.pk), small)

    import_passages(dataset, tmp_path / "staged", progress=progress)
    dataset.refresh_from_db()
    assert (states, dataset.is_complete, dataset.passage_count) == ([False], True, 1_210)


def test_no_run_starts_on_half_a_file() -> None:
    dataset = make_dataset(is_complete=False)
    make_passage(dataset)
    with pytest.raises(RunRefused, match="still being imported"):
        start_run(
            dataset=dataset,
            corpus=make_corpus(state=Corpus.State.READY),
            config=RunConfig.from_settings(system="rarr"),
            created_by=None,
        )
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        (["Rivers", "rivers", "Rivers!"], ["rivers", "rivers-2", "rivers-3"]),
        (["河流", "海"], ["dataset", "dataset-2"]),
        (["new"], ["new-2"]),
        (["x" * 200], ["x" * 80]),
    ],
)
def test_each_dataset_gets_a_slug_of_its_own(names: list[str], slugs: list[str]) -> None:
    assert [create_dataset(name=name).slug for name in names] == slugs
