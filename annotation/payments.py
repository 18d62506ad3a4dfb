"""Whom the platform is to pay: the one place where its own ids leave this site.

They never stand beside a judgment. An export of judgments knows raters by made-up names only.
"""

import csv
import io
from datetime import datetime

from annotation import participants
from annotation.exporting.csv_file import neutral
from annotation.models import Crowd, Participant, PlatformIdentity

COLUMNS = (
    "participant_id", "study_id", "session_id", "account", "state", "code", "handed_in", "quota",
    "entered_at", "seen_at", "ended_at", "minutes", "sessions",
)  # fmt: skip


def payment_ids(crowd: Crowd) -> str:
    """The platform's ids of those who have completed, one a line, as bulk approval takes them."""
    ids = PlatformIdentity.objects.filter(
        participant__crowd=crowd, participant__state=Participant.State.COMPLETED
    ).order_by("participant__ended_at", "participant")
    return "".join(f"{neutral(each)}\r\n" for each in ids.values_list("platform_id", flat=True))


def payment_table(crowd: Crowd) -> str:
    """A row a participant, whoever came first standing first; ids are empty once forgotten."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for each in participants.listed(crowd).order_by("entered_at", "pk").iterator(chunk_size=500):
        table.writerow(map(neutral, _row(crowd, each)))
    return "\ufeff" + out.getvalue()


def _row(crowd: Crowd, participant: Participant) -> tuple[str | int | float, ...]:
    known: PlatformIdentity | None = getattr(participant, "identity", None)
    state = participants.TIMED_OUT if participant.is_timed_out else participant.state
    end = participant.ended_at
    return (
        known.platform_id if known else "",
        known.study_id if known else "",
        known.session_id if known else "",
        participant.user.username,
        state,
        participant.code,
        participant.handed_in,
        crowd.quota,
        _time(participant.entered_at),
        _time(participant.seen_at),
        _time(end),
        round((end - participant.entered_at).total_seconds() / 60, 1) if end else "",
        participant.sessions,
    )


def _time(at: datetime | None) -> str:
    return at.isoformat(timespec="seconds") if at else ""
