"""How often one address may press "Start" on an entry before the next try has to wait.

Ids of a platform can be guessed or made up. Counted in the database, so that the limit holds
for every web process together, and by a keyed hash of the address.
"""

import math
from datetime import timedelta

from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.models import EntryAttempt

LIMIT = 60
"""Entries from one address within `WINDOW`: a whole university may share one."""
WINDOW = timedelta(minutes=15)


class TooManyEntries(Exception):
    """Wait for `seconds`; nothing was looked up."""

    def __init__(self, *, seconds: int) -> None:
        super().__init__(f"too many entries, wait {seconds} s")
        self.seconds = seconds

    @property
    def minutes(self) -> int:
        return math.ceil(self.seconds / 60)


def count_entry(address: str) -> None:
    """Count one; raises `TooManyEntries`. An address that cannot be told shares one count."""
    now = timezone.now()
    EntryAttempt.objects.filter(at__lt=now - WINDOW).delete()
    hashed = salted_hmac("annotation.entry.address", address, algorithm="sha256").hexdigest()
    own = EntryAttempt.objects.filter(address_hash=hashed)
    # Counted before it is looked at: many at the same moment cannot slip past the limit.
    attempt = EntryAttempt.objects.create(address_hash=hashed, at=now)
    newest = own.exclude(pk=attempt.pk).order_by("-at").values_list("at", flat=True)
    blocking = newest[LIMIT - 1 : LIMIT].first()
    if blocking is not None:
        attempt.delete()
        wait = (blocking + WINDOW - now).total_seconds()
        raise TooManyEntries(seconds=max(1, math.ceil(wait)))
