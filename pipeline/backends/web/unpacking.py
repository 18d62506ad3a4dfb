"""Compressed answers, unpacked in small pieces: a bomb of a kilobyte never becomes a gigabyte."""

import zlib
from collections.abc import Iterable, Iterator

from pipeline.backends.web.errors import Unreachable, WrongContentType

PIECE_BYTES = 65_536
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


def unpacked(pieces: Iterable[bytes], encoding: str, *, url: str) -> Iterator[bytes]:
    """The body in pieces of at most `PIECE_BYTES` where it was compressed.

    `encoding` is the Content-Encoding header. Raises `WrongContentType` for one that nobody
    asked for, also for several on top of each other, and `Unreachable` for a broken body.
    """
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        yield from pieces
        return
    if name not in _WINDOWS:
        raise WrongContentType(f"{url} is packed in a way that was not asked for.")
    packed, first = zlib.decompressobj(_WINDOWS[name]), True
    for piece in pieces:
        waiting = piece
        while waiting:
            try:
                got = packed.decompress(waiting, PIECE_BYTES)
            except zlib.error:
                if not (first and name == "deflate"):
                    raise Unreachable(f"{url} is packed, and the packing is broken.") from None
                # Many servers send deflate without the header that belongs to it.
                packed, first = zlib.decompressobj(-zlib.MAX_WBITS), False
                continue
            first = False
            if got:
                yield got
            waiting = packed.unconsumed_tail
            if packed.eof:
                return
    while got := packed.decompress(b"", PIECE_BYTES):
        yield got
    if not packed.eof:
        raise Unreachable(f"{url} is packed, and its end is missing.")
