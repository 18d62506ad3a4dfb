"""A worker's shutdown, known to its main process and to all that it has forked.

Work may go on for `STOP_SECONDS`. Then `pipeline.jobs.leases` releases its row to other workers.
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
    """Request the shutdown of this process and of all its forks, present and future."""
    _REQUEST.pack_into(_shared, 0, time.monotonic(), os.getpid())


def deadline_passed(*, more: float = 0) -> bool:
    """Return whether `STOP_SECONDS` and `more` seconds have passed since the request."""
    requested, _ = _REQUEST.unpack_from(_shared)
    return bool(requested) and time.monotonic() - requested >= settings.STOP_SECONDS + more


def exit_child() -> None:
    """End this process if it is a fork of the one that received the request."""
    _, pid = _REQUEST.unpack_from(_shared)
    if pid and pid != os.getpid():
        os._exit(os.EX_TEMPFAIL)
