"""Entry of participants from a crowd platform, by a secret address with their ids.

The names of the parameters are settings, with Prolific's as defaults. The address never decides
where a participant is redirected.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.models import Crowd, EntryAttempt, Participant, PlatformIdentity
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from rarrweb.web.rate_limit import count_attempt

ID_LIMIT = 200
PLACEHOLDER_CHARACTERS = "{}%<>$[]"
"""Characters of unfilled placeholders."""
ENTRY_LIMIT = 60
"""Per network address and `ENTRY_WINDOW`: a university may share an address."""
ENTRY_WINDOW = timedelta(minutes=15)


class BadIds(ValueError):
    """The address does not identify the person; the message says what to do."""


class NotOpen(Exception):
    """The entry, or the campaign, accepts nobody new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    participant: str
    study: str = ""
    session: str = ""


def new_key() -> str:
    return secrets.token_urlsafe(24)


def read_ids(crowd: Crowd, parameters: Mapping[str, str]) -> Ids:
    """Return the ids in an address's parameters; raises `BadIds`."""
    return Ids(
        participant=_read(parameters, crowd.participant_parameter, is_required=True),
        study=_read(parameters, crowd.study_parameter),
        session=_read(parameters, crowd.session_parameter),
    )


def count_entry(address: str) -> None:
    """Count one entry by a keyed hash of the network address; raises `TooManyAttempts`.

    This prevents guessing of ids. Unknown addresses share one count.
    """
    hashed = salted_hmac("annotation.entry.address", address, algorithm="sha256").hexdigest()
    attempt = EntryAttempt(address_hash=hashed, at=timezone.now())
    count_attempt(attempt, limits={"address_hash": ENTRY_LIMIT}, window=ENTRY_WINDOW)


def enter(crowd: Crowd, ids: Ids) -> Participant:
    """Return the participant with these ids, with a new account on the first visit.

    Raises `NotOpen`.
    """
    with transaction.atomic():
        # Serialises requests with one id.
        crowd = Crowd.objects.select_for_update(of=("self",), no_key=True).get(pk=crowd.pk)
        known = (
            Participant.objects.select_related("user", "crowd__campaign")
            .filter(crowd=crowd, id_hash=keyed_hash(crowd, ids.participant))
            .first()
        )
        if known is None and crowd.is_open and crowd.campaign.is_open:
            return _register_participant(crowd, ids)
        if known is None or not known.user.is_active:
            raise NotOpen
        # Update only: deleted identities stay deleted.
        PlatformIdentity.objects.filter(participant=known).update(
            study_id=ids.study, session_id=ids.session
        )
        return known


def keyed_hash(crowd: Crowd, participant_id: str) -> str:
    """Hash an id, differently in each campaign and installation."""
    salt = f"annotation.crowds.participant.{crowd.campaign_id}"
    return salted_hmac(salt, participant_id, algorithm="sha256").hexdigest()


def _register_participant(crowd: Crowd, ids: Ids) -> Participant:
    account = User(username=f"crowd-{secrets.token_hex(8)}")
    account.set_unusable_password()
    account.save()
    participant = Participant.objects.create(
        crowd=crowd,
        user=account,
        id_hash=keyed_hash(crowd, ids.participant),
        entered_at=timezone.now(),
    )
    PlatformIdentity.objects.create(
        participant=participant,
        platform_id=ids.participant,
        study_id=ids.study,
        session_id=ids.session,
    )
    add_member(crowd.campaign, user=account)
    return participant


def _read(parameters: Mapping[str, str], name: str, *, is_required: bool = False) -> str:
    if not name:
        return ""
    text = parameters.get(name, "").strip()
    if is_required and not text:
        raise BadIds(
            f"{name} is missing from the address, so we do not know who you are. "
            "Open the study from the platform again."
        )
    if any(sign in text for sign in PLACEHOLDER_CHARACTERS):
        raise BadIds(
            f"The platform has not filled in {name}. If you made the study, check the "
            "address that you gave to the platform; if not, tell the people who did."
        )
    if len(text) > ID_LIMIT or not text.isprintable():
        raise BadIds(f"{name} cannot be read. Open the study from the platform again.")
    return text
