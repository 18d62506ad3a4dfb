"""Memory that the C library keeps for the next batch, in place of asking the system each time.

A batch's tensors are a few megabytes each. glibc gives such pieces back when they are freed, and
takes new ones, page by page: on two cores that took a third of the time of a batch.
"""

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""glibc's malloc.h."""
LARGEST_KEPT = 32 << 20
"""Bytes; glibc takes no more."""
KEPT = 256 << 20
"""Bytes at the end of the heap that stay with the process."""


def keep_freed_memory() -> bool:
    """Let this process keep what it frees; whether the C library could be told so."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        # Not glibc: musl, macOS and Windows keep memory their own way.
        return False
    # Both or none: the first alone switches off glibc's own adjusting.
    return bool(mallopt(_MMAP_THRESHOLD, LARGEST_KEPT)) and bool(mallopt(_TRIM_THRESHOLD, KEPT))
