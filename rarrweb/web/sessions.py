"""Sessions in the database that distinguish its outage from a deleted session."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError

from rarrweb.web.unavailable import is_transient_error


class SessionStore(db.SessionStore):
    def save(self, must_create: bool = False) -> None:
        """Save the session; raise a transient error of the database instead of `UpdateError`."""
        try:
            super().save(must_create)
        except UpdateError as error:
            if is_transient_error(error.__context__) and error.__context__:
                raise error.__context__ from error.__context__.__cause__
            raise
