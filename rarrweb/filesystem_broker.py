"""Celery messages as files in a folder, safe with several writers and readers.

kombu's filesystem transport lets readers see half a message, lets two workers take the same
one, and polls once a second. This one renames complete files; unlinking one takes its message.
"""

import logging
import time
import uuid
from collections import defaultdict, deque
from pathlib import Path
from queue import Empty
from typing import Any, ClassVar

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)


class Channel(filesystem.Channel):  # type: ignore[misc]  # kombu has no types
    """A message is a file `<nanoseconds>_<random>.<queue>.msg`; the oldest goes first."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A long queue is not listed and sorted for each message.
        self._seen: defaultdict[str, deque[str]] = defaultdict(deque)

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        draft = folder / f"{name}.draft"
        try:
            draft.write_text(dumps(payload))
            draft.replace(folder / name)
        except FileNotFoundError:
            # The folder was deleted by hand.
            folder.mkdir(parents=True, exist_ok=True)
            draft.write_text(dumps(payload))
            draft.replace(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        seen = self._seen[queue]
        if not seen:
            seen.extend(sorted(self._names(queue)))
        while seen:
            path = folder / seen.popleft()
            try:
                text = path.read_text()
                path.unlink()
            except FileNotFoundError:
                continue  # another worker took it
            try:
                return loads(text)
            except ValueError:
                logger.error("%s is no message: dropped, the sweep sends it again", path)
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._names(queue))

    def _names(self, queue: str) -> list[str]:
        try:
            files = [path.name for path in Path(self.data_folder_in).iterdir()]
        except FileNotFoundError:
            return []
        return [name for name in files if name.partition(".")[2] == f"{queue}.msg"]

    # In the default exchange the routing key is the queue's name, so no bindings are stored.
    def get_table(self, exchange: str) -> list[Any]:
        return []

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        pass


class Transport(filesystem.Transport):  # type: ignore[misc]  # kombu has no types
    Channel = Channel
    polling_interval = 0.05
    # kombu would warn that no host is set.
    default_connection_params: ClassVar[dict[str, object]] = {}

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:
        # A worker checks between two drains whether to stop; Celery passes 2 s.
        super().drain_events(connection, timeout=timeout and min(timeout, 0.2))
