"""How people of a crowd platform come in: an address that nobody can guess, and the ids it brings.

Prolific is the pattern: it sends people to an address with three parameters. Their names are
settings, so other platforms do as well. Nothing that the address says decides where anybody is
sent afterwards.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

from annotation import participants
from annotation.campaigns import add_member
from annotation.models import Crowd, Participant, PlatformIdentity
from rarrweb.accounts.models import User

ID_LIMIT = 200
PLACEHOLDER_SIGNS = "{}%<>$[]"
"""In no platform's ids, but in the placeholders that a platform has not filled in."""
NAME_PREFIX = "crowd-"


class BadIds(ValueError):
    """The address does not say who comes; the message says what to do."""


class NotOpen(Exception):
    """The entry, or the campaign, takes nobody new."""


class AlreadyDone(Exception):
    """The participant has completed, and comes with another session than then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """What the platform says of who comes."""

    participant: str
    study: str = ""
    session: str = ""


def new_key() -> str:
    return secrets.token_urlsafe(24)


def crowd_of_key(key: str) -> Crowd | None:
    """The crowd whose entry has that address; None for anything else."""
    return Crowd.objects.select_related("campaign__created_by").filter(key=key).first()


def read_ids(crowd: Crowd, parameters: Mapping[str, str]) -> Ids:
    """The ids in an address's parameters; raises `BadIds`."""
    return Ids(
        participant=_read(parameters, crowd.participant_parameter, is_required=True),
        study=_read(parameters, crowd.study_parameter),
        session=_read(parameters, crowd.session_parameter),
    )


def enter(crowd: Crowd, ids: Ids) -> Participant:
    """The participant of these ids: the same whenever they come, a new one with a new account.

    Raises `NotOpen`, `participants.NoPlaceLeft` and `AlreadyDone`.
    """
    with transaction.atomic():
        crowd = participants.lock(crowd)  # of one id that comes twice at once, one waits here
        known = (
            Participant.objects.select_related("user", "crowd__campaign")
            .filter(crowd=crowd, id_hash=keyed_hash(crowd, "participant", ids.participant))
            .first()
        )
        if known is not None:
            return _come_back(known, ids)
        if not (crowd.is_open and crowd.campaign.is_open):
            raise NotOpen
        participants.take_place(crowd)
        return _come_first(crowd, ids)


def keyed_hash(crowd: Crowd, kind: str, text: str) -> str:
    """What is kept of an id to know it again; without the installation's secret it tells nothing.

    Another one in every campaign, so that two of them cannot be put together.
    """
    salt = f"annotation.crowds.{kind}.{crowd.campaign_id}"
    return salted_hmac(salt, text, algorithm="sha256").hexdigest() if text else ""


def _come_first(crowd: Crowd, ids: Ids) -> Participant:
    account = User(username=NAME_PREFIX + secrets.token_hex(8))
    account.set_unusable_password()
    account.save()
    now = timezone.now()
    participant = Participant.objects.create(
        crowd=crowd,
        user=account,
        id_hash=keyed_hash(crowd, "participant", ids.participant),
        session_hash=keyed_hash(crowd, "session", ids.session),
        entered_at=now,
        seen_at=now,
    )
    PlatformIdentity.objects.create(
        participant=participant,
        platform_id=ids.participant,
        study_id=ids.study,
        session_id=ids.session,
    )
    add_member(crowd.campaign, user=account)
    return participant


def _come_back(known: Participant, ids: Ids) -> Participant:
    session = keyed_hash(known.crowd, "session", ids.session)
    is_same = session == known.session_hash
    if known.state == Participant.State.COMPLETED and not is_same:
        # Ids can be guessed or lent: the code is shown again only to who knows the session too.
        raise AlreadyDone
    if known.state == Participant.State.ACTIVE:
        if participants.is_timed_out(known):
            participants.take_place(known.crowd, but=known)
        known.seen_at = timezone.now()
    known.entries = F("entries") + 1
    if not is_same:
        known.session_hash, known.sessions = session, F("sessions") + 1
        # Only a row that is there: what a researcher has forgotten stays forgotten.
        PlatformIdentity.objects.filter(participant=known).update(
            session_id=ids.session, study_id=ids.study
        )
    known.save(update_fields=["seen_at", "entries", "session_hash", "sessions"])
    known.refresh_from_db(fields=["entries", "sessions"])
    return known


def _read(parameters: Mapping[str, str], name: str, *, is_required: bool = False) -> str:
    if not name:
        return ""
    text = parameters.get(name, "").strip()
    if is_required and not text:
        raise BadIds(
            gettext(
                "The address does not say who you are: %(name)s is missing. "
                "Open the study from the platform again."
            )
            % {"name": name}
        )
    if any(sign in text for sign in PLACEHOLDER_SIGNS):
        raise BadIds(
            gettext(
                "The platform has not filled in %(name)s. If you made the study, look at the "
                "address that you gave to the platform; if not, tell the people who did."
            )
            % {"name": name}
        )
    if len(text) > ID_LIMIT or not text.isprintable():
        raise BadIds(
            gettext("%(name)s cannot be read. Open the study from the platform again.")
            % {"name": name}
        )
    return text
