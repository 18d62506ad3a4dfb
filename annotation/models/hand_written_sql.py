"""SQL for the few queries of a rater's page that Django takes longer to build than to run.

Each function has a test that compares it with the same question asked by a queryset. The tables
and columns are those of this package's models; the SQL is the same on PostgreSQL and SQLite.
"""

from datetime import datetime
from typing import Any

from django.db import connection, models
from django.utils import timezone

OWN = """
SELECT 1
FROM annotation_assignment a
JOIN annotation_membership m
  ON m.campaign_id = a.campaign_id AND m.user_id = a.rater_id AND m.role = 'annotator'
WHERE a.id = %(assignment)s AND a.rater_id = %(user)s
"""

FREE_ITEMS = """
SELECT i.position, i.id
FROM annotation_item i
WHERE i.campaign_id = %(campaign)s AND i.phase = %(phase)s AND i.position >= %(start)s
  AND i.done < i.wanted
  AND NOT EXISTS (
    SELECT 1 FROM annotation_assignment a WHERE a.item_id = i.id AND a.rater_id = %(user)s
  )
  AND NOT EXISTS (
    SELECT 1 FROM annotation_adjudicationopening o WHERE o.item_id = i.id AND o.user_id = %(user)s
  )
  AND (%(passages_apart)s = 0 OR NOT EXISTS (
    SELECT 1
    FROM annotation_item same
    JOIN annotation_assignment a ON a.item_id = same.id AND a.rater_id = %(user)s
    WHERE same.passage_id = i.passage_id AND same.campaign_id = i.campaign_id
  ))
  AND i.wanted > (
    SELECT COUNT(*) FROM annotation_assignment a
    WHERE a.item_id = i.id AND a.slot IS NOT NULL
      AND (a.submitted_at IS NOT NULL OR a.lease_until > %(now)s)
  )
ORDER BY i.position
LIMIT %(most)s
"""

LAST_POSITION = """
SELECT i.position
FROM annotation_assignment a
JOIN annotation_item i ON i.id = a.item_id AND i.phase = %(phase)s
WHERE a.campaign_id = %(campaign)s AND a.rater_id = %(user)s AND a.purpose = ''
ORDER BY a.id DESC
LIMIT 1
"""

PLACE = """
SELECT COUNT(submitted_at),
  COUNT(*) FILTER (WHERE id <= %(assignment)s),
  COUNT(*) FILTER (WHERE submitted_at >= %(midnight)s),
  MAX(id) FILTER (WHERE id < %(assignment)s),
  MIN(id) FILTER (WHERE id > %(assignment)s)
FROM annotation_assignment
WHERE campaign_id = %(campaign)s AND rater_id = %(user)s
  AND (purpose = 'training') = (%(is_training)s = 1)
"""


def is_own(*, user: int, assignment: int) -> bool:
    """As `Assignment.objects.visible_to(user).filter(pk=assignment).exists()`."""
    if assignment > models.BigAutoField.MAX_BIGINT:  # from an address; drivers refuse it
        return False
    return bool(_rows(OWN, user=user, assignment=assignment))


def free_items(
    *, campaign: int, phase: str, user: int, passages_apart: bool, start: int, most: int
) -> list[tuple[int, int]]:
    """(position, id) of the first `most` items from the position `start` on that still have a
    free slot, which the user has neither had nor opened as an adjudicator. With `passages_apart`
    also without other items of passages that the user has had."""
    return _rows(
        FREE_ITEMS,
        campaign=campaign,
        phase=phase,
        user=user,
        passages_apart=int(passages_apart),
        start=start,
        most=most,
        now=_time(timezone.now()),
    )


def last_position(*, campaign: int, phase: str, user: int) -> int | None:
    """Where the item of that phase stands that the user claimed last. Not a gold item: they stand
    anywhere, and say nothing of how far the user is."""
    found = _rows(LAST_POSITION, campaign=campaign, phase=phase, user=user)
    return found[0][0] if found else None


def place(
    *, user: int, campaign: int, assignment: int, is_training: bool, midnight: datetime
) -> tuple[int, int, int, int | None, int | None]:
    """Of the user's own: how many are handed in, how many up to `assignment`, how many handed in
    since `midnight`, and the ids of the one before and the one after."""
    found: list[tuple[int, int, int, int | None, int | None]] = _rows(
        PLACE,
        user=user,
        campaign=campaign,
        assignment=assignment,
        is_training=int(is_training),
        midnight=_time(midnight),
    )
    return found[0]


def _rows(sql: str, **values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def _time(value: datetime) -> Any:
    """As the database stores it."""
    return models.DateTimeField().get_db_prep_value(value, connection)
