"""Sessions in the database, which tell an outage of it from a session that was ended meanwhile."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError

from rarrweb.web.unavailable import is_busy


class SessionStore(db.SessionStore):
    def save(self, must_create: bool = False) -> None:
        """Write the session; raises the database's own error where that was only busy or away.

        Django calls it an `UpdateError` then too, and answers 400: the request was wrong.
        """
        try:
            super().save(must_create)
        except UpdateError as error:
            if is_busy(error.__context__) and error.__context__:
                raise error.__context__ from error.__context__.__cause__
            raise
