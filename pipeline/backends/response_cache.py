"""A cache of responses of models and searches.

A key covers everything that decides a response, so a repeated run or an ablation gets the same
responses, sampled ones included.
"""

import hashlib
import json
import logging
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

logger = logging.getLogger(__name__)


class ResponseCache(Protocol):
    """JSON values by `cache_key`, shared by threads and perhaps processes.

    Never raises: a full or broken cache has no responses.
    """

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]: ...

    def put_many(self, responses: Mapping[str, Any]) -> None: ...


def cache_key(kind: str, **parts: Any) -> str:
    """Return the SHA-256 of everything that decides a response, in JSON values.

    >>> cache_key("search", query="a", limit=5) == cache_key("search", limit=5, query="a")
    True
    """
    canonical = json.dumps([kind, parts], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class NoCache:
    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        return {}

    def put_many(self, responses: Mapping[str, Any]) -> None: ...


class SqliteCache:
    """A `ResponseCache` in one file, for commands without the database.

    Responses from before `since` (seconds since 1970) are ignored and overwritten. A file that
    fails is logged once and not used again.
    """

    def __init__(self, path: Path, *, since: float = 0.0) -> None:
        self.path = path
        self._since = since
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._is_broken = False

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        with self._lock:
            try:
                rows = self._open().execute(
                    "SELECT key, value FROM answers "
                    "WHERE at >= ? AND key IN (SELECT value FROM json_each(?))",
                    (self._since, json.dumps(list(keys))),
                )
                return {key: json.loads(value) for key, value in rows}
            except (sqlite3.Error, OSError, ValueError) as error:
                self._give_up(error)
                return {}

    def put_many(self, responses: Mapping[str, Any]) -> None:
        rows = [(key, json.dumps(value), time.time()) for key, value in responses.items()]
        with self._lock:
            try:
                with self._open() as connection:
                    connection.executemany(
                        "INSERT INTO answers (key, value, at) VALUES (?, ?, ?) "
                        "ON CONFLICT (key) DO UPDATE SET value = excluded.value, at = excluded.at",
                        rows,
                    )
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)

    def forget(self, *, before: float | None = None) -> int:
        """Delete the responses from before a time, or all, shrink the file, and count them."""
        with self._lock:
            try:
                with self._open() as connection:
                    deleted = connection.execute(
                        "DELETE FROM answers WHERE ? IS NULL OR at < ?", (before, before)
                    )
                connection.execute("VACUUM")
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
                return 0
        return deleted.rowcount

    def close(self) -> None:
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._is_broken:
            raise sqlite3.OperationalError("given up before")
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=30, check_same_thread=False)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answers "
                "(key TEXT PRIMARY KEY, value TEXT NOT NULL, at REAL NOT NULL)"
            )
            self._connection = connection
        return self._connection

    def _give_up(self, error: Exception) -> None:
        if not self._is_broken:
            logger.warning("responses are not cached: %s cannot be used (%s)", self.path, error)
        self._is_broken = True
