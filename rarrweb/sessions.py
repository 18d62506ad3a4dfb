"""Sessions in the database, as Django's own, with the query that every request makes built once."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from rarrweb.prepared import PreparedModels


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Any:
        found = _running.first(self.session_key or "", timezone.now())
        if found is None:
            self._session_key = None
        return found


_running = PreparedModels(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now)
)
