"""One export: its bytes in pieces, what was counted on the way, its manifest."""

import hashlib
import platform
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import django
from django.db.models import Count
from django.utils import timezone

from annotation.exporting.labels import RULES
from annotation.exporting.reading import Counts
from annotation.guidelines import versions_of
from annotation.models import Assignment, Campaign, CampaignRun
from annotation.orders import seed_of
from annotation.participants import states_of_raters
from annotation.questionnaires import questionnaire_of
from annotation.strata import links_of
from pipeline.scorers import run_scorer
from rarrweb import __version__

PIECE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way to write a campaign down."""

    name: str
    suffix: str
    content_type: str
    lines: Callable[[Campaign, Counts], Iterator[str]]
    """The file's text, in lines, streamed; counts what it writes."""
    kinds: tuple[str, ...] = ()
    """The questionnaires whose answers it can hold; all where it is empty."""

    def suits(self, campaign: Campaign) -> bool:
        return not self.kinds or campaign.questionnaire in self.kinds


class UnsuitableFormat(ValueError):
    """The format cannot hold what the campaign's questionnaire asks."""


@dataclass(slots=True, kw_only=True)
class Export:
    """A campaign in a format. Read `chunks` to the end, once; then the rest is complete.

    Raises `UnsuitableFormat` where the format has no place for the campaign's answers.
    """

    campaign: Campaign
    format: Format
    counts: Counts = field(default_factory=Counts)
    size: int = 0
    _sha256: Any = field(default_factory=hashlib.sha256)

    def __post_init__(self) -> None:
        if not self.format.suits(self.campaign):
            asked = self.campaign.questionnaire
            raise UnsuitableFormat(
                f"{self.format.name} has no place for the answers of the questionnaire {asked!r}, "
                f"only of {' and '.join(self.format.kinds)}: choose csv, which holds every kind."
            )

    @property
    def file_name(self) -> str:
        return f"{self.campaign.slug}-{self.format.name}{self.format.suffix}"

    def chunks(self) -> Iterator[bytes]:
        """The file's bytes, in pieces of at least `PIECE_BYTES` but for the last."""
        piece = bytearray()
        for line in self.format.lines(self.campaign, self.counts):
            # A half of a surrogate pair cannot be written; it came in before imports refused it.
            piece += line.encode("utf-8", errors="replace")
            if len(piece) >= PIECE_BYTES:
                yield self._counted(piece)
                piece = bytearray()
        if piece:
            yield self._counted(piece)

    def manifest(self, *, file_name: str = "") -> dict[str, Any]:
        """What the file is, what is in it and what made it; call it when all is written."""
        campaign = self.campaign
        return {
            "file": file_name or self.file_name,
            "format": self.format.name,
            "bytes": self.size,
            "sha256": self._sha256.hexdigest(),
            "exported_at": timezone.now().isoformat(timespec="seconds"),
            "label_rules": RULES,
            "counts": self.counts.to_plain(),
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
                "most_raters": campaign.most_raters,
                "pilot": {"passages": campaign.pilot_size, "raters": campaign.pilot_raters}
                if campaign.pilot_size
                else None,
                "sampling": {
                    "method": campaign.sampling,
                    "passages": campaign.sample_size,
                    "allocation": campaign.allocation,
                    "seed": seed_of(campaign),
                },
                "may_repeat_passages": campaign.may_repeat_passages,
                "state": campaign.state,
                "created_at": campaign.created_at.isoformat(timespec="seconds"),
                "items": campaign.item_count,
            },
            "runs": [_run(link) for link in links_of(campaign)],
            "versions": {
                "rarrweb": __version__,
                "django": django.get_version(),
                "python": platform.python_version(),
            },
        }

    def _counted(self, piece: bytearray) -> bytes:
        self._sha256.update(piece)
        self.size += len(piece)
        return bytes(piece)


def skipped(campaign: Campaign) -> dict[str, Any]:
    """How many skips stand, and why; each is a row of the format `skips`."""
    rows = Assignment.objects.filter(item__campaign=campaign, skipped_at__isnull=False)
    reasons = rows.order_by("skip_reason").values_list("skip_reason").annotate(n=Count("pk"))
    by_reason = dict(reasons)
    return {"assignments": sum(by_reason.values()), "by_reason": by_reason}


def _run(link: CampaignRun) -> dict[str, Any]:
    """A run, with what made its revisions and what the campaign drew of them."""
    run = link.run
    by = run_scorer(run.config, run.versions)
    return {
        "id": run.pk,
        "system": run.system,
        "config": run.config,
        "versions": run.versions,
        "auto_ais": by.to_plain() if by else None,
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
