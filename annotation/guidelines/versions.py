"""A campaign's instructions: its versions, and which of them a rater has had in front of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from annotation.models import (
    Campaign,
    GuidelinesReading,
    GuidelinesVersion,
    Judgment,
)
from annotation.questionnaires import questionnaire_of, written_guidelines
from pipeline.diff.words import Piece, excerpt, word_diff
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.markdown import CleanHtml, render

TEXT_LIMIT = 50_000
NOTE_LIMIT = 500
WORDS_A_MINUTE = 200

_rendered = lru_cache(maxsize=128)(render)


class ChangedMeanwhile(Exception):
    """Somebody else has saved a version since the editor was opened; nothing is saved."""

    def __init__(self, newest: GuidelinesVersion) -> None:
        super().__init__(
            f"Version {newest.number} was saved since you opened the editor, so nothing of yours "
            "is saved yet. See what it changed, bring your text in line with it, and save again."
        )
        self.newest = newest


class NothingChanged(ValueError):
    """The text is the newest version's, word for word."""

    def __init__(self) -> None:
        super().__init__("Nothing has changed, so there is nothing to save.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The instructions as a rater's page has them."""

    version: GuidelinesVersion
    seen: int
    """The number of the newest version that the rater has had in front of them before."""
    changes: tuple[GuidelinesVersion, ...] = ()
    """The versions that came since, each with its note, oldest first."""
    pieces: tuple[Piece, ...] = ()
    """How the version seen became the newest."""

    @property
    def is_changed(self) -> bool:
        return bool(self.changes)

    @property
    def excerpt(self) -> tuple[Piece, ...]:
        """The changes, each with some of the text around it."""
        return excerpt(self.pieces, around=120)

    @property
    def minutes(self) -> int:
        """How long they take to read."""
        return max(1, round(len(self.version.text.split()) / WORDS_A_MINUTE))

    @property
    def html(self) -> CleanHtml:
        return html_of(self.version)


def html_of(version: GuidelinesVersion) -> CleanHtml:
    return _rendered(version.text)


def start_guidelines(
    campaign: Campaign, *, by: User | None = None, like: Campaign | None = None
) -> GuidelinesVersion:
    """Version 1: the questionnaire's own text, or the newest of the campaign `like`."""
    text = newest(like).text if like else written_guidelines(questionnaire_of(campaign))
    text = _clean(text)
    version, _ = GuidelinesVersion.objects.get_or_create(
        campaign=campaign,
        number=1,
        defaults={"text": text, "created_by": by, "created_at": timezone.now()},
    )
    # Not by save(): another field of this row may be changing at the moment.
    Campaign.objects.filter(pk=campaign.pk, guidelines_version=0).update(guidelines_version=1)
    campaign.guidelines_version = max(campaign.guidelines_version, 1)
    return version


def freeze_guidelines(campaign: Campaign) -> None:
    """Give a campaign that begins its version 1, unless its instructions were edited before.

    A copy begins with what its original has learnt, where it asks the same. What was shown of a
    draft gives way to what the draft asks in the end; no rater has seen it.
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
    """What holds now. A campaign that has no version yet gets its first."""
    found = campaign.guidelines_versions.order_by("-number").first()
    return found or start_guidelines(campaign)


def save_version(
    campaign: Campaign, *, text: str, note: str, by: User, based_on: int
) -> GuidelinesVersion:
    """The next version; `based_on` is the number that the editor began with.

    Raises `ChangedMeanwhile` where that is not the newest any more, and `NothingChanged`.
    """
    newest(campaign)
    with transaction.atomic():
        # One editor at a time for one campaign.
        Campaign.objects.select_for_update(of=("self",), no_key=True).get(pk=campaign.pk)
        last = newest(campaign)
        text = _clean(text)
        if text == last.text:  # also where the same form arrives twice
            raise NothingChanged
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


def shown_to(user: User, campaign: Campaign) -> Shown:
    """The newest version for a rater's page, with what has changed since they read one.

    Whoever has never had one in front of them has this one now, and that is recorded.
    """
    read = GuidelinesReading.objects.filter(user=user, version__campaign=campaign)
    last = read.select_related("version").order_by("-version__number").first()
    if last is not None and last.version.number == campaign.guidelines_version:
        return Shown(version=last.version, seen=last.version.number)
    version = newest(campaign)
    seen = None if last is None else last.version.number
    if seen is None:
        # Of one version there is nothing to find out among the rater's many answers.
        first = version if version.number == 1 else _held_last(user, campaign) or version
        confirm_read(user, first)
        seen = first.number
    if seen >= version.number:
        return Shown(version=version, seen=version.number)
    since = list(campaign.guidelines_versions.filter(number__gte=seen).order_by("number"))
    return Shown(
        version=version,
        seen=seen,
        changes=tuple(each for each in since if each.number > seen),
        pieces=word_diff(since[0].text, version.text),
    )


def confirm_read(user: User, version: GuidelinesVersion) -> None:
    """Record that the rater has read the version; a second time changes nothing."""
    reading = GuidelinesReading(user=user, version=version, read_at=timezone.now())
    GuidelinesReading.objects.bulk_create([reading], ignore_conflicts=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """A version in the history."""

    version: GuidelinesVersion
    judgments: int
    """Answers that were given under it and still hold."""
    readers: int


def history(campaign: Campaign) -> list[Edition]:
    """Every version, newest first, with what was judged under it and how many have read it."""
    given = judgments_by_version(campaign)
    readings = GuidelinesReading.objects.filter(version__campaign=campaign).order_by()
    readers = dict(readings.values_list("version").annotate(Count("pk")))
    versions = campaign.guidelines_versions.select_related("created_by").order_by("-number")
    return [
        Edition(
            version=version,
            judgments=given.get(version.number, 0),
            readers=readers.get(version.pk, 0),
        )
        for version in versions
    ]


def judgments_by_version(campaign: Campaign) -> dict[int | None, int]:
    """Version to how many answers hold that were given under it; None: from before versions."""
    given = Judgment.objects.filter(assignment__item__campaign=campaign, value__isnull=False)
    rows = given.order_by().values_list("guidelines_version")
    return dict(rows.annotate(Count("pk")))


def versions_by_item(campaign: Campaign, items: Sequence[int]) -> dict[int, list[int]]:
    """Item to the versions under which its raters answered; none where they were always one."""
    if campaign.guidelines_version < 2:
        return {}
    given = Judgment.objects.that_count().filter(
        assignment__item__in=items, guidelines_version__isnull=False
    )
    pairs = given.order_by("assignment__item", "guidelines_version").values_list(
        "assignment__item", "guidelines_version"
    )
    found: dict[int, list[int]] = {}
    for item, number in pairs.distinct():
        found.setdefault(item, []).append(number)  # type: ignore[arg-type]  # no None: see above
    return found


def versions_of(campaign: Campaign) -> list[dict[str, object]]:
    """Every version as a manifest tells it: number, time, note, and the text's checksum."""
    return [
        {
            "version": version.number,
            "created_at": version.created_at.isoformat(timespec="seconds"),
            "note": version.note,
            "sha256": hashlib.sha256(version.text.encode()).hexdigest(),
        }
        for version in campaign.guidelines_versions.order_by("number")
    ]


def _held_last(user: User, campaign: Campaign) -> GuidelinesVersion | None:
    """What held when the rater last judged; None for one who has not. Readings were not always
    recorded."""
    own = Judgment.objects.filter(assignment__rater=user.pk, assignment__campaign=campaign)
    last = own.aggregate(last=Max("updated_at"))["last"]
    if last is None:
        return None
    versions = campaign.guidelines_versions
    held = versions.filter(created_at__lte=last).order_by("-number").first()
    return held or versions.order_by("number").first()


def _clean(text: str) -> str:
    """As it is stored: line ends of one kind, and no NUL, which PostgreSQL cannot hold."""
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n").strip()
