"""One export: streamed bytes, counts and manifest."""

import csv
import json
import platform
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import django
from django.db.models import Count
from django.utils import timezone

from annotation.exporting.context import ExportContext
from annotation.exporting.counts import ExportCounts
from annotation.exporting.schema import TEXT, Fields, features
from annotation.guidelines.versions import versions_of
from annotation.items.ordering import seed_of
from annotation.items.run_groups import links_of
from annotation.models import Assignment, Campaign, CampaignRun
from annotation.questionnaires import questionnaire_of
from annotation.raters.participants import states_of_raters
from annotation.results.labels import LABEL_RULES_VERSION, RESOLUTIONS, SETTLED
from pipeline.data.splits import Part
from pipeline.runs.stored_revisions import made_by
from rarrweb import __version__
from rarrweb.accounts import audit
from rarrweb.web.csv import TO_CHECK, Echo, neutral
from rarrweb.web.streaming import JSON_LINES, HashedStream, digest, json_line

SCHEMA_SUFFIX = ".features.json"
Rows = Callable[[ExportContext], Iterator[Mapping[str, Any]]]
"""Yields rows or objects; counts all except the lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    name: str
    title: str
    """What it holds; formats with the same title follow each other in `FORMATS`."""
    about: str
    file_type: str
    suffix: str
    content_type: str
    lines: Callable[[ExportContext], Iterator[str] | Iterator[bytes]]
    """Yields the file's text or bytes; counts them."""
    count: Callable[[Campaign], int]
    """Counts the rows of the file without writing it."""
    fields: Fields | None = None
    """Fields of JSON lines; other files have no schema."""
    kinds: tuple[str, ...] = ()
    """Questionnaires whose answers it can hold; empty for all."""
    resolves: bool = False
    """Whether it combines several raters' answers, as `labels` says."""
    splits: bool = True
    """Whether it can be split into parts."""

    def suits(self, campaign: Campaign) -> bool:
        return not self.kinds or campaign.questionnaire in self.kinds


def csv_format(rows: Rows, *, columns: Fields, **described: Any) -> Format:
    """Make a format of tables; missing cells are empty.

    UTF-8 with a byte order mark, commas, lines end in CR LF. A cell that a spreadsheet would run as
    a formula begins with an apostrophe.
    """

    def lines(context: ExportContext) -> Iterator[str]:
        table = csv.writer(Echo())
        texts = [index for index, kind in enumerate(columns.values()) if kind == TEXT]
        yield "\ufeff" + table.writerow(columns)
        for row in rows(context):
            context.counts.lines += 1
            cells = [row.get(column) for column in columns]
            for index in texts:
                cell = cells[index]
                if cell and (cell[0] in TO_CHECK or "\x00" in cell):
                    cells[index] = neutral(cell)
            yield table.writerow(cells)

    described |= {"suffix": ".csv", "content_type": "text/csv; charset=utf-8"}
    return Format(file_type="CSV", lines=lines, **described)


def jsonl_format(objects: Rows, **described: Any) -> Format:
    def lines(context: ExportContext) -> Iterator[str]:
        for each in objects(context):
            context.counts.lines += 1
            yield json_line(each)

    described |= {"suffix": ".jsonl", "content_type": JSON_LINES}
    return Format(file_type="JSON Lines", lines=lines, **described)


class UnsuitableFormat(ValueError):
    """The format cannot hold the campaign's answers, or not with these labels or parts."""


@dataclass(slots=True, kw_only=True)
class Export:
    """A campaign in a format; counts and manifest are complete once `chunks` is read.

    Raises `UnsuitableFormat`.
    """

    campaign: Campaign
    format: Format
    labels: str = SETTLED
    part: Part | None = None
    context: ExportContext = field(init=False)
    written: HashedStream = field(default_factory=HashedStream)

    def __post_init__(self) -> None:
        if self.labels != SETTLED and not self.format.resolves:
            raise UnsuitableFormat(
                f"{self.format.name} does not make one label of several raters’ answers: leave "
                "the choice of labels out."
            )
        if self.part and not self.format.splits:
            raise UnsuitableFormat(f"{self.format.name} is written whole: leave the split out.")
        self.context = ExportContext(campaign=self.campaign, labels=self.labels, part=self.part)
        if not self.format.suits(self.campaign):
            questionnaire = self.campaign.questionnaire
            raise UnsuitableFormat(
                f"{self.format.name} has no place for the answers of the questionnaire "
                f"{questionnaire!r}, only of {' and '.join(self.format.kinds)}: "
                "choose csv, which holds every kind."
            )

    @property
    def file_name(self) -> str:
        part = f".{self.part.name}" if self.part else ""
        return f"{self.campaign.slug}-{self.format.name}{part}{self.format.suffix}"

    @property
    def counts(self) -> ExportCounts:
        return self.context.counts

    def chunks(self) -> Iterator[bytes]:
        return self.written.pieces(self.format.lines(self.context))

    @property
    def items(self) -> int:
        return self.counts.items

    def schema(self) -> bytes:
        """Return the field types for `datasets.Features`; empty where there are none."""
        if self.format.fields is None:
            return b""
        return (json.dumps(features(self.format.fields), indent=2) + "\n").encode()

    def manifest(self, *, file_name: str = "") -> dict[str, Any]:
        campaign = self.campaign
        name = file_name or self.file_name
        written = self.written.to_plain()
        files: list[dict[str, Any]] = [{"name": name, **written}]
        if schema := self.schema():
            files.append({"name": name + SCHEMA_SUFFIX, **digest(schema)})
        return {
            "file": name,
            "format": self.format.name,
            **written,
            "files": files,
            "exported_at": timezone.now().isoformat(timespec="seconds"),
            "label_rules": LABEL_RULES_VERSION,
            "labels": {"resolution": self.labels, "meaning": RESOLUTIONS[self.labels]},
            "split": self.part.to_plain() if self.part else None,
            "counts": self.counts.to_plain(),
            "ties": self.counts.ties,
            "skipped": skipped(campaign),
            "participants": dict(Counter(sorted(states_of_raters(campaign).values()))) or None,
            "campaign": {
                "slug": campaign.slug,
                "name": campaign.name,
                "questionnaire": campaign.questionnaire,
                "options": campaign.options,
                "criteria": {
                    criterion.name: {level.value: level.label for level in criterion.levels}
                    for criterion in questionnaire_of(campaign).criteria
                },
                "guidelines": versions_of(campaign),
                "sides": campaign.sides,
                "raters_per_item": campaign.raters_per_item,
                "max_raters": campaign.max_raters,
                "pilot": {"passages": campaign.pilot_size, "raters": campaign.pilot_raters}
                if campaign.pilot_size
                else None,
                "sampling": {
                    "passages_per_run": campaign.sample_size,
                    "seed": seed_of(campaign),
                },
                "excluded": campaign.excluded or None,
                "may_repeat_passages": campaign.may_repeat_passages,
                "state": campaign.state,
                "created_at": campaign.created_at.isoformat(timespec="seconds"),
                "items": campaign.item_count + campaign.shared_count,
                "shared_items": campaign.shared_count,
            },
            "runs": [_run(link) for link in links_of(campaign)],
            "versions": {
                "rarrweb": __version__,
                "django": django.get_version(),
                "python": platform.python_version(),
            },
        }


def skipped(campaign: Campaign) -> dict[str, Any]:
    rows = Assignment.objects.filter(item__campaign=campaign, skipped_at__isnull=False)
    reasons = rows.order_by("skip_reason").values_list("skip_reason").annotate(n=Count("pk"))
    by_reason = dict(reasons)
    return {"assignments": sum(by_reason.values()), "by_reason": by_reason}


def _run(link: CampaignRun) -> dict[str, Any]:
    run = link.run
    named = made_by(run)
    return {
        **{name: named[name] for name in ("id", "system", "config", "versions", "auto_ais")},
        "created_at": run.created_at.isoformat(timespec="seconds"),
        "dataset": {
            "slug": run.dataset.slug,
            "name": run.dataset.name,
            "passages": run.passage_count,
        },
        "corpus": run.corpus
        and {
            "slug": run.corpus.slug,
            "name": run.corpus.name,
            "documents": run.corpus.document_count,
        },
        "drawn": {
            "from": link.judgeable_count,
            "passages": link.passage_count,
            "items": link.item_count,
        },
    }


def record_export(campaign: Campaign, *, what: str) -> None:
    """Log the export, and keep the time of the first."""
    audit.record("exported", campaign, what=what)
    if campaign.exported_at is None:
        campaign.exported_at = timezone.now()
        campaign.save(update_fields=["exported_at"])
