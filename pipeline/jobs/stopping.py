"""Whether this worker was told to stop: known to its main process and to all that it has forked.

What is in work may end for `STOP_SECONDS` more. Then `pipeline.jobs.leases` gives its row back to
the other workers at once, as if it had not been begun.
"""

import mmap
import os
import struct
import time

from django.conf import settings

_TOLD = struct.Struct("dq")
"""When, on the clock that all processes of a machine share, and the process that was told."""
_shared = mmap.mmap(-1, _TOLD.size)  # a fork has this very memory, not a copy of it


def tell() -> None:
    """Note that this process, with all that it has forked and will fork, is to stop."""
    _TOLD.pack_into(_shared, 0, time.monotonic(), os.getpid())


def is_over(*, more: float = 0) -> bool:
    """Whether the time for what is in work, and `more` seconds, have passed since it was told."""
    told, _ = _TOLD.unpack_from(_shared)
    return bool(told) and time.monotonic() - told >= settings.STOP_SECONDS + more


def end_fork() -> None:
    """End this process if the one that was told has forked it; else leave it to its own end."""
    _, told = _TOLD.unpack_from(_shared)
    if told and told != os.getpid():
        os._exit(os.EX_TEMPFAIL)
