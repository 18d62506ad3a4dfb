"""Celery messages as files in a folder, safe with several writers and several readers.

kombu's own filesystem transport writes a message in place, so a reader can meet half of it;
moves what it reads through the machine's temporary folder, which two workers can do with the
same file at once; and sleeps a second whenever its workers are busy. This one puts a whole
file in place by renaming it, and whoever unlinks a file owns its message.
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
        # Names seen at the last look into the folder, so that a long queue is not listed and
        # sorted once a message.
        self._seen: defaultdict[str, deque[str]] = defaultdict(deque)

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        draft = folder / f"{name}.draft"
        try:
            draft.write_text(dumps(payload))
            draft.replace(folder / name)
        except FileNotFoundError:
            # Somebody emptied the queue's folder by hand, folder and all.
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
                continue  # another worker was faster: the message is its own
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

    # Tasks go to the default exchange, where the routing key is the queue's name: there is no
    # table of bindings to keep, hence no file that two processes could write at once.
    def get_table(self, exchange: str) -> list[Any]:
        return []

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        """Nothing to note; see `get_table`."""


class Transport(filesystem.Transport):  # type: ignore[misc]  # kombu has no types
    """kombu's filesystem transport with the safe channel and a short wait between looks."""

    Channel = Channel
    polling_interval = 0.05
    # A folder has no host: kombu would warn that it has none.
    default_connection_params: ClassVar[dict[str, object]] = {}

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:
        # The worker looks between two drains whether it shall stop; Celery asks for 2 s.
        super().drain_events(connection, timeout=timeout and min(timeout, 0.2))
