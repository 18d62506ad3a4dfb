"""Passages into datasets: checked whole, written whole, twice is once."""

from pathlib import Path

import pytest

from pipeline.data import datasets
from pipeline.data.datasets import add_passages, check_passages, create_dataset, import_passages
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


def load(dataset: Dataset, path: Path, *, update: bool = False) -> Check:
    staged = path.with_suffix(".staged")
    check = check_passages(dataset, path, staged=staged, update=update)
    import_passages(dataset, staged)
    dataset.refresh_from_db()
    return check


def counts(check: Check) -> tuple[int, int, int, int]:
    return check.new, check.same, check.changed, check.wrong


def test_passages_are_stored_whole(tmp_path: Path) -> None:
    dataset = make_dataset()
    path = write(tmp_path / "a", {"id": "p", "text": "One.", "context": "Q?", "by": {"m": 1}})
    assert counts(load(dataset, path)) == (1, 0, 0, 0)
    passage = dataset.passages.get()
    assert (passage.external_id, passage.text, passage.context) == ("p", "One.", "Q?")
    assert passage.source.extra == {"by": {"m": 1}}
    assert dataset.passage_count == 1
    assert counts(load(make_dataset(), path)) == (1, 0, 0, 0), "in another dataset"


def test_a_changed_row_is_updated_and_revisions_keep_their_text(tmp_path: Path) -> None:
    dataset = make_dataset()
    load(dataset, write(tmp_path / "a", {"id": "p", "text": "Old.", "by": {"é": 2**70}}))
    passage = dataset.passages.get()
    assert passage.source.extra == {"by": {"é": 2**70}}
    revision = make_revision(make_run(dataset=dataset), passage=passage)
    row = {"id": "p", "text": "New.", "by": [None, 0.5]}
    file = write(tmp_path / "b", {"text": "More."}, row)
    (error,) = check_passages(dataset, file).errors
    assert str(error).startswith("b, line 2, field id: other content is stored under this id")
    check = load(dataset, file, update=True)
    assert counts(check) == (1, 0, 1, 0)
    changed = dataset.passages.get(external_id="p")
    assert (changed.pk, changed.text) == (passage.pk, "New.")
    assert changed.source.extra == {"by": [None, 0.5]}
    revision.refresh_from_db()
    assert revision.original_text == "Old."


def write_numbers(path: Path) -> Path:
    return write(path, *({"text": f"Number {n}."} for n in range(1_200)))


def load_half(dataset: Dataset, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the import fail after the first batch."""
    parts = iter([datasets.write_rows])
    with monkeypatch.context() as patched:
        patched.setattr(datasets, "write_rows", lambda *args, **kw: next(parts)(*args, **kw))
        with pytest.raises(StopIteration):
            load(dataset, path)
    dataset.refresh_from_db()


@pytest.mark.parametrize(("limit", "stored"), [(16_000_000, 0), (100, 500)])
def test_an_import_that_fails_leaves_nothing_or_is_marked_and_completed_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, stored: int
) -> None:
    monkeypatch.setattr(datasets, "ONE_TRANSACTION_BYTES", limit)
    dataset = make_dataset()
    path = write_numbers(tmp_path / "a")
    load_half(dataset, path, monkeypatch)
    assert dataset.is_complete == (not stored)
    assert dataset.passages.count() == stored
    load(dataset, path)
    assert dataset.is_complete
    assert dataset.passages.count() == dataset.passage_count == 1_200


def test_a_small_write_does_not_mark_a_large_import_as_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = make_dataset()
    before = Dataset.objects.get(pk=dataset.pk), Dataset.objects.get(pk=dataset.pk)
    with monkeypatch.context() as patched:
        patched.setattr(datasets, "ONE_TRANSACTION_BYTES", 100)
        load_half(dataset, write_numbers(tmp_path / "large"), monkeypatch)
    load(before[0], write(tmp_path / "small", {"text": "One more."}))
    add_passages(before[1], [make_row(line=0, external_id="kept", text="Another.")])
    dataset.refresh_from_db()
    assert (dataset.is_complete, dataset.passage_count) == (False, 502)


def test_a_large_import_is_marked_although_another_one_ends_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "ONE_TRANSACTION_BYTES", 100)
    dataset = make_dataset()
    large = write_numbers(tmp_path / "a")
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
    corpus, config = make_corpus(state=Corpus.State.READY), RunConfig.from_settings(system="rarr")
    with pytest.raises(RunRefused, match="still being imported"):
        start_run(dataset=dataset, corpus=corpus, config=config, created_by=None)
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
