"""The versions of a campaign's instructions."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from annotation.models import Campaign, GuidelinesVersion, Judgment
from annotation.questionnaires import questionnaire_of, written_guidelines
from pipeline.diff.words import Piece, excerpt, word_diff
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.web.markdown import CleanHtml, render

TEXT_LIMIT = 50_000
NOTE_LIMIT = 500
WORDS_A_MINUTE = 200

_rendered = lru_cache(maxsize=128)(render)


class ChangedMeanwhile(Exception):
    """Another version was saved since the editor was opened."""

    def __init__(self, newest: GuidelinesVersion) -> None:
        super().__init__(
            f"Version {newest.number} was saved since you opened the editor, so nothing of yours "
            "is saved yet. See what it changed, bring your text in line with it, and save again."
        )
        self.newest = newest


class NothingChanged(ValueError):
    """The text is that of the newest version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayedGuidelines:
    """The instructions on a rater's page."""

    version: GuidelinesVersion
    changes: tuple[GuidelinesVersion, ...] = ()
    """The versions since the rater's last answer, oldest first."""
    pieces: tuple[Piece, ...] = ()
    """The words that changed since that answer."""

    @property
    def is_changed(self) -> bool:
        return bool(self.changes)

    @property
    def excerpt(self) -> tuple[Piece, ...]:
        """The changes with their surroundings."""
        return excerpt(self.pieces, around=120)

    @property
    def minutes(self) -> int:
        return max(1, round(len(self.version.text.split()) / WORDS_A_MINUTE))

    @property
    def html(self) -> CleanHtml:
        return html_of(self.version)


def html_of(version: GuidelinesVersion) -> CleanHtml:
    return _rendered(version.text)


def start_guidelines(
    campaign: Campaign, *, by: User | None = None, like: Campaign | None = None
) -> GuidelinesVersion:
    """Create version 1 from the questionnaire, or from the newest version of `like`."""
    text = _clean(newest(like).text if like else written_guidelines(questionnaire_of(campaign)))
    version, _ = GuidelinesVersion.objects.get_or_create(
        campaign=campaign,
        number=1,
        defaults={"text": text, "created_by": by, "created_at": timezone.now()},
    )
    # Not save(), as another field may be changing.
    Campaign.objects.filter(pk=campaign.pk, guidelines_version=0).update(guidelines_version=1)
    campaign.guidelines_version = max(campaign.guidelines_version, 1)
    return version


def freeze_guidelines(campaign: Campaign) -> None:
    """Write version 1 of a starting campaign, unless its instructions were edited.

    A copy with the same questions uses the newest version of its original.
    """
    if campaign.guidelines_version > 1:
        return
    campaign.guidelines_versions.all().delete()
    original = campaign.copied_from
    asks_the_same = original is not None and (original.questionnaire, original.options) == (
        campaign.questionnaire,
        campaign.options,
    )
    start_guidelines(campaign, by=campaign.created_by, like=original if asks_the_same else None)


def newest(campaign: Campaign) -> GuidelinesVersion:
    """Return the newest version; create the first if there is none."""
    last = campaign.guidelines_versions.order_by("-number").first()
    return last or start_guidelines(campaign)


def save_version(
    campaign: Campaign, *, text: str, note: str, by: User, based_on: int
) -> GuidelinesVersion:
    """Save the next version; `based_on` is the number in the editor.

    Raises `ChangedMeanwhile`, `NothingChanged`.
    """
    newest(campaign)
    with transaction.atomic():
        Campaign.objects.select_for_update(of=("self",), no_key=True).get(pk=campaign.pk)
        last = newest(campaign)
        text = _clean(text)
        if text == last.text:
            raise NothingChanged("Nothing has changed, so there is nothing to save.")
        if based_on != last.number:
            raise ChangedMeanwhile(last)
        version = GuidelinesVersion.objects.create(
            campaign=campaign,
            number=last.number + 1,
            text=text,
            note=_clean(note),
            created_by=by,
            created_at=timezone.now(),
        )
        campaign.guidelines_version = version.number
        campaign.save(update_fields=["guidelines_version"])
        audit.record("guidelines-changed", campaign, by=by, version=version.number)
    return version


def guidelines_for(user: User, campaign: Campaign) -> DisplayedGuidelines:
    """Return the newest version, with the changes since the user's last answer."""
    version = newest(campaign)
    answered = version.number
    if version.number > 1:
        judgments = Judgment.objects.filter(
            assignment__rater=user.pk,
            assignment__campaign=campaign,
            guidelines_version__isnull=False,
        )
        newest_first = judgments.order_by("-assignment_id", "-guidelines_version")
        numbers = newest_first.values_list("guidelines_version", flat=True)
        answered = numbers.first() or version.number
    if answered >= version.number:
        return DisplayedGuidelines(version=version)
    since = list(campaign.guidelines_versions.filter(number__gte=answered).order_by("number"))
    return DisplayedGuidelines(
        version=version, changes=tuple(since[1:]), pieces=word_diff(since[0].text, version.text)
    )


def history(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the versions, newest first, with the number of answers given under each."""
    judged = Judgment.objects.filter(assignment__item__campaign=campaign, value__isnull=False)
    given = dict(judged.order_by().values_list("guidelines_version").annotate(Count("pk")))
    versions = campaign.guidelines_versions.select_related("created_by").order_by("-number")
    return [{"version": each, "judgments": given.get(each.number, 0)} for each in versions]


def versions_by_item(campaign: Campaign, items: Sequence[int]) -> dict[int, list[int]]:
    """Return item → versions of its answers; {} if there is only one version."""
    if campaign.guidelines_version < 2:
        return {}
    given = Judgment.objects.valid().filter(
        assignment__item__in=items, guidelines_version__isnull=False
    )
    pairs = given.order_by("assignment__item", "guidelines_version").values_list(
        "assignment__item", "guidelines_version"
    )
    by_item: dict[int, list[int]] = {}
    for item, number in pairs.distinct():
        by_item.setdefault(item, []).append(number)  # type: ignore[arg-type]  # no None: see above
    return by_item


def versions_of(campaign: Campaign) -> list[dict[str, object]]:
    """Describe the versions for a manifest."""
    return [
        {
            "version": version.number,
            "created_at": version.created_at.isoformat(timespec="seconds"),
            "note": version.note,
            "sha256": hashlib.sha256(version.text.encode()).hexdigest(),
        }
        for version in campaign.guidelines_versions.order_by("number")
    ]


def _clean(text: str) -> str:
    """Unify line ends, and remove NUL, which PostgreSQL cannot store."""
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n").strip()
