"""Rows with as few values as the database allows."""

import itertools
from collections.abc import Iterable
from typing import Any, TypeVar

from pipeline.importing.fields import validate
from pipeline.importing.hagrid import HagridAnswer, annotations_of
from pipeline.importing.passage_rows import passage_row
from pipeline.importing.rows import PassageRow
from pipeline.models import Corpus, Dataset, Passage, Revision, Run
from rarrweb.accounts.models import User

T = TypeVar("T")

_number = itertools.count(1)


def make_user(
    username: str = "", *, role: str = "", password: str = "a long test password"
) -> User:
    return User.objects.create_user(
        username or f"user-{next(_number)}", password=password, role=role
    )


def spans_of(*sentences: str) -> list[dict[str, int]]:
    """Return the offsets of sentences in a text with one space between them."""
    starts = itertools.accumulate((len(each) + 1 for each in sentences), initial=0)
    return [
        {"start": start, "end": start + len(each)}
        for start, each in zip(starts, sentences, strict=False)
    ]


def make_dataset(**values: Any) -> Dataset:
    number = next(_number)
    return Dataset.objects.create(
        **{"slug": f"dataset-{number}", "name": f"Dataset {number}", **values}
    )


def only(kind: type[T], rows: Iterable[object]) -> T:
    """The single row that a file gives."""
    (row,) = rows
    assert isinstance(row, kind), row
    return row


def make_row(
    external_id: str = "1",
    text: str = "One.",
    *,
    context: str = "",
    source: dict[str, Any] | None = None,
    format: str = "jsonl",  # noqa: A002
    line: int = 1,
) -> PassageRow:
    """The row of a line with these other fields, as the reader of the format makes it."""
    fields = source or {}
    labels: dict[str, Any] = {}
    if format == "hagrid":
        labels = annotations_of(validate(HagridAnswer, fields["answer"], fixes={}))
    return passage_row(
        line=line,
        external_id=external_id,
        text=text,
        context=context,
        fields=fields,
        format=format,
        **labels,
    )


def make_passage(
    dataset: Dataset | None = None, *, source: dict[str, Any] | None = None, **values: Any
) -> Passage:
    """`source` has the other fields of a line, which decide the format unless `values` do."""
    number = next(_number)
    values = {
        "external_id": f"p{number}",
        "text": "The Ribble flows into the North Sea.",
        "context": "",
        "content_hash": str(number),
    } | values
    values.setdefault("format", format_of(values["external_id"], source or {}))
    content = {name: values[name] for name in ("external_id", "text", "context", "format")}
    typed = make_row(**content, source=source).source
    return Passage.objects.create(dataset=dataset or make_dataset(), source=typed, **values)


def format_of(external_id: str, source: dict[str, Any]) -> str:
    is_numbered = external_id.startswith(f"{source.get('query_id')}-")
    if is_numbered and isinstance(source.get("answer"), dict):
        return "hagrid"
    return "alce" if "docs" in source else "jsonl"


def make_corpus(**values: Any) -> Corpus:
    number = next(_number)
    return Corpus.objects.create(
        **{"slug": f"corpus-{number}", "name": f"Corpus {number}", **values}
    )


def make_run(**values: Any) -> Run:
    return Run.objects.create(
        **{
            "system": "rarr",
            "dataset": values.pop("dataset", None) or make_dataset(),
            "corpus": values.pop("corpus", None) or make_corpus(),
            "config": {},
            **values,
        }
    )


def make_revision(run: Run | None = None, **values: Any) -> Revision:
    run = run or make_run()
    passage = values.pop("passage", None) or make_passage(run.dataset)
    return Revision.objects.create(
        **{
            "run": run,
            "passage": passage,
            "original_text": passage.text,
            "context": passage.context,
            **values,
        }
    )
