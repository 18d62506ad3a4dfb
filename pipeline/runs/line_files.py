"""Datasets and runs as files of JSON lines, with manifests."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.utils import timezone

from pipeline.data.splits import Part
from pipeline.importing.alce import data_item
from pipeline.importing.hagrid import line_key, line_of
from pipeline.importing.rarr_results import claim_field
from pipeline.importing.rows import CONTENT_ID
from pipeline.models import Dataset, Passage, Revision, Run
from pipeline.runs.cited_answers import alce_item
from pipeline.runs.stored_revisions import UnreadableResult, made_by, public_row
from rarrweb import __version__
from rarrweb.web.streaming import HashedStream, json_line

BATCH = 100
Lines = Iterator[tuple[int, Mapping[str, Any]]]
"""The number of passages in each line, and the line."""


@dataclass(slots=True, kw_only=True)
class LineFile:
    """Read `chunks` to the end, once; then the manifest is complete."""

    file_name: str
    format: str
    rows: Lines
    part: Part | None
    """The part of a split that the file holds; None for all."""
    origin: Mapping[str, Any]
    """The manifest's source of the lines."""
    frame: tuple[str, str] | None = None
    """Text before and after rows that are a list in one JSON object; None for JSON lines."""
    lines: int = 0
    items: int = 0
    """Passages written so far."""
    written: HashedStream = field(default_factory=HashedStream)

    def chunks(self) -> Iterator[bytes]:
        return self.written.pieces(self._lines())

    def schema(self) -> bytes:
        return b""

    def manifest(self, *, file_name: str = "") -> dict[str, Any]:
        return {
            "file": file_name or self.file_name,
            "format": self.format,
            **self.written.to_plain(),
            "exported_at": timezone.now().isoformat(timespec="seconds"),
            "counts": {"lines": self.lines, "passages": self.items},
            **self.origin,
            "split": self.part.to_plain() if self.part else None,
            "versions": {"rarrweb": __version__},
        }

    def _lines(self) -> Iterator[str]:
        if self.frame:
            yield self.frame[0]
        for passages, row in self.rows:
            comma = "," if self.frame and self.lines else ""
            self.lines += 1
            self.items += passages
            yield comma + json_line(row)
        if self.frame:
            yield self.frame[1]


def dataset_file(
    dataset: Dataset,
    *,
    part: Part | None = None,
    format: str = "hagrid",  # noqa: A002 (as `LineFile` calls it)
) -> LineFile:
    """Write a dataset as HAGRID's lines, or as the items of ALCE's data."""

    def rows() -> Lines:
        passages = Passage.objects.filter(dataset=dataset).order_by("pk").iterator(BATCH)
        for key, together in groupby(
            passages, lambda each: line_key(each.external_id, each.format)
        ):
            if part is None or part.holds(key):
                answers = list(together)
                if format == "hagrid":
                    yield len(answers), line_of(answers)
                else:
                    yield from ((1, data_item(each)) for each in answers)

    suffix, frame = ("jsonl", None) if format == "hagrid" else ("json", ("[\n", "]\n"))
    return LineFile(
        file_name=f"{dataset.slug}-{format}.{suffix}",
        format=format,
        frame=frame,
        part=part,
        rows=rows(),
        origin={"dataset": {"slug": dataset.slug, "name": dataset.name}},
    )


def run_file(run: Run, *, part: Part | None = None) -> LineFile:
    """Write a run's finished revisions as RARR's lines.

    Unreadable results are skipped, and counted in the manifest.
    """
    return _file_of_run(run, part, format="rarr", suffix=".jsonl", line=rarr_line)


def answers_file(run: Run, *, part: Part | None = None) -> LineFile:
    """Write a run's answers as ALCE's run output; otherwise as `run_file`."""
    model = run.config.get("llm", "")
    if run.is_unrevised and (first := run.dataset.passages.order_by("pk").first()):
        model = first.source.extra.get("model") or ""
    args = {"model": model, "system": run.system, "run": run.pk}
    return _file_of_run(
        run,
        part,
        format="alce",
        suffix=".json",
        line=alce_item,
        frame=(f'{{"args": {json.dumps(args)}, "data": [\n', "]}\n"),
    )


def _file_of_run(
    run: Run,
    part: Part | None,
    *,
    format: str,  # noqa: A002 (as `LineFile` calls it)
    suffix: str,
    line: Callable[[Revision], Mapping[str, Any]],
    frame: tuple[str, str] | None = None,
) -> LineFile:
    revisions = Revision.objects.filter(run=run)
    excluded: dict[str, int] = {
        "unfinished": revisions.exclude(state=Revision.State.DONE).count(),
        "unreadable": 0,
    }

    def rows() -> Lines:
        done = revisions.filter(state=Revision.State.DONE).select_related("passage")
        for row in done.defer("calls").order_by("pk").iterator(BATCH):
            row.run = run
            passage = row.passage
            if part and not part.holds(line_key(passage.external_id, passage.format)):
                continue
            try:
                exported = line(row)
            except UnreadableResult:
                excluded["unreadable"] += 1
            else:
                yield 1, exported

    return LineFile(
        file_name=f"run-{run.pk}-{format}{'.' + part.name if part else ''}{suffix}",
        format=format,
        part=part,
        rows=rows(),
        origin={"excluded": excluded, "run": made_by(run)},
        frame=frame,
    )


def rarr_line(row: Revision) -> dict[str, Any]:
    """Return the imported line with `input_info` and `result`; an id only if it had one.

    An imported revision's result is the file's, with our scores if there are any.
    """
    public, passage = public_row(row), row.passage
    source, fields, result = passage.source, passage.source.extra, public["result"]
    imported = row.run.is_imported and source.revision
    if imported and (imported.text, passage.text) == (row.text, row.original_text):
        is_scored = row.attribution_after is not None
        result = {**fields["result"], **({"scores": result["scores"]} if is_scored else {})}
    given = fields.get("input_info")
    info = dict.fromkeys(source.input_keys) | (given if isinstance(given, dict) else {})
    has_id = passage.format != "rarr" or not (
        "id" in info or passage.external_id.startswith(CONTENT_ID)
    )
    name = public["id"] if source.number_id is None else source.number_id
    info[claim_field(info)] = row.original_text
    if row.context:
        info["context"] = row.context
    return {
        **({"id": name} if has_id else {}),
        "input_info": info,
        **{key: value for key, value in fields.items() if key not in {"id", "input_info"}},
        "result": result,
    }
