"""Payment of participants: the only export of the platform's ids.

Exports of judgments have pseudonyms only.
"""

from datetime import datetime

from annotation.models import Crowd, Participant, PlatformIdentity
from annotation.raters import participants
from rarrweb.web.csv import neutral, table_text

IDS = {"participant_id": "platform_id", "study_id": "study_id", "session_id": "session_id"}
"""Column to field of `PlatformIdentity`."""
TIMES = ("entered_at", "ended_at", "minutes")
COLUMNS = (*IDS, "account", "state", "code", "submitted", "quota", *TIMES)


def payment_ids(crowd: Crowd) -> str:
    """Return the ids of completed participants, one per line, for bulk approval."""
    ids = PlatformIdentity.objects.filter(
        participant__crowd=crowd, participant__state=Participant.State.COMPLETED
    ).order_by("participant__ended_at", "participant")
    return "".join(f"{neutral(each)}\r\n" for each in ids.values_list("platform_id", flat=True))


def payment_table(crowd: Crowd) -> str:
    """Return a row for each participant, in order of arrival; ids are empty once deleted."""
    rows = participants.list_participants(crowd).order_by("entered_at", "pk")
    return table_text(COLUMNS, (_row(crowd, each) for each in rows.iterator(chunk_size=500)))


def _row(crowd: Crowd, participant: Participant) -> tuple[str | int | float, ...]:
    identity: PlatformIdentity | None = getattr(participant, "identity", None)
    end = participant.ended_at
    return (
        *(getattr(identity, field, "") for field in IDS.values()),
        participant.user.username,
        participant.state,
        participant.code,
        participant.submitted_count,  # type: ignore[attr-defined]  # annotated
        crowd.quota,
        _time(participant.entered_at),
        _time(end),
        round((end - participant.entered_at).total_seconds() / 60, 1) if end else "",
    )


def _time(at: datetime | None) -> str:
    return at.isoformat(timespec="seconds") if at else ""
