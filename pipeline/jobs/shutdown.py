"""A worker's shutdown, known to all its forks.

Work may go on for `STOP_SECONDS`; then `pipeline.jobs.leases` releases its row.
"""

import mmap
import os
import struct
import time

from django.conf import settings

_REQUEST = struct.Struct("dq")
"""Time of the request by the clock of all processes of a machine; pid that received it."""
_shared = mmap.mmap(-1, _REQUEST.size)  # forks share this memory


def request() -> None:
    """Request the shutdown of this process and its forks."""
    _REQUEST.pack_into(_shared, 0, time.monotonic(), os.getpid())


def deadline_passed(*, more: float = 0) -> bool:
    """Return whether `STOP_SECONDS` and `more` seconds have passed since the request."""
    requested, _ = _REQUEST.unpack_from(_shared)
    return bool(requested) and time.monotonic() - requested >= settings.STOP_SECONDS + more


def exit_child() -> None:
    """End this process if a parent received the request."""
    _, pid = _REQUEST.unpack_from(_shared)
    if pid and pid != os.getpid():
        os._exit(os.EX_TEMPFAIL)
