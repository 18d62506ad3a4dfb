"""gunicorn's threaded worker, but a request gets one of the few threads only once it has arrived.

Whoever sends half a request, or sends it byte by byte, takes up a connection but no thread: the
worker's loop gathers heads, and bodies up to `rarrweb.body_limits.WITHOUT_ACCOUNT`. The
application refuses a larger body unread unless a logged-in person sends it; a thread then reads
it, and waits `STALLED_SECONDS` for each next piece.
"""

import itertools
import re
import selectors
import socket
import struct
import time
from contextlib import suppress
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import TConn, ThreadWorker

from rarrweb.body_limits import WITHOUT_ACCOUNT

ARRIVE_SECONDS = 30.0
"""How long a head and a small body may take, from the first byte to the last."""
STALLED_SECONDS = 20
"""How long a thread waits for a client that neither sends nor takes anything."""
LEAVE_SECONDS = 2.0
"""How long a client may go on sending after its answer, so that it reads the answer first."""
MAX_HEAD = 64 * 1024
PIECE = 64 * 1024

_LENGTH = re.compile(rb"\r\nContent-Length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)


class Connection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """A client's connection, with what has come of its next request."""

    def __init__(self, worker: "Worker", client: socket.socket, *addresses: Any) -> None:
        super().__init__(worker.cfg, client, *addresses)
        self.worker = worker
        self.arrived = bytearray()
        self.needed = 0
        """Bytes that a thread must have so that it need not wait; 0 until the head is here."""
        self.deadline = 0.0

    @property
    def is_here(self) -> bool:
        return 0 < self.needed <= len(self.arrived)

    def take(self, piece: bytes) -> None:
        searched = max(0, len(self.arrived) - 3)
        # Empty lines before a request mean nothing, and are not the end of its head.
        self.arrived += piece if self.arrived else piece.lstrip(b"\r\n")
        if not self.needed:
            end = self.arrived.find(b"\r\n\r\n", searched)
            self.needed = bytes_needed(self.arrived, end + 4) if end >= 0 else 0

    def give(self) -> bytes:
        """What has arrived, to be read by a thread."""
        arrived = bytes(self.arrived)
        self.arrived.clear()
        self.needed = 0
        return arrived

    def close(self, graceful: bool = False) -> None:
        """End the connection; gracefully means that the client can read its answer first."""
        if graceful and self.worker.alive:
            self.worker.let_leave(self)
        else:
            super().close()


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """`gunicorn --worker-class rarrweb.web_worker.Worker`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # In the order of their deadlines, since all of a kind wait equally long.
        self.arriving: dict[Connection, None] = {}
        self.leaving: dict[Connection, None] = {}
        self.cfg.set("sendfile", False)  # it would wait for a client that takes nothing for ever

    def accept(self, listener: Any) -> None:
        """Take a new connection in, and wait for its request."""
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        with suppress(OSError):  # a client that is gone already is noticed when it is read
            for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                client.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", STALLED_SECONDS, 0))
        self.nr_conns += 1
        self.enqueue_req(Connection(self, client, address, listener.getsockname()))

    def enqueue_req(self, conn: Connection) -> None:
        """The one door to the threads: through it when the request is here, else wait for it."""
        conn.init()
        conn.take(conn.parser.unreader.take_buffered())
        if conn.is_here:
            self.hand_over(conn)
            return
        conn.sock.setblocking(False)
        conn.deadline = time.monotonic() + ARRIVE_SECONDS
        self.arriving[conn] = None
        self.watch(conn, self.on_arriving)

    def on_arriving(self, conn: Connection) -> None:
        """Take in the next piece of a request."""
        piece = receive(conn.sock)
        if piece is None:
            return
        conn.take(piece)
        if not piece:
            self.forget(conn)
            conn.close()
        elif conn.is_here:
            self.poller.unregister(conn.sock)
            del self.arriving[conn]
            self.hand_over(conn)
        elif not conn.needed and len(conn.arrived) > MAX_HEAD:
            self.refuse(conn, 431, "Request Header Fields Too Large")

    def forget(self, conn: Connection) -> None:
        self.poller.unregister(conn.sock)
        del self.arriving[conn]
        self.nr_conns -= 1

    def refuse(self, conn: Connection, status: int, reason: str) -> None:
        """Answer in a thread's place, and end the connection."""
        self.forget(conn)
        if conn.arrived:
            with suppress(OSError):
                util.write_error(conn.sock, status, reason, "")
        conn.close(graceful=self.alive)

    def hand_over(self, conn: Connection) -> None:
        conn.parser.unreader.unread(conn.give())
        super().enqueue_req(conn)

    def let_leave(self, conn: Connection) -> None:
        """Say that no more is sent, and read on for a while: a reset would destroy the answer."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
        except OSError:
            util.close(conn.sock)
            return
        conn.deadline = time.monotonic() + LEAVE_SECONDS
        self.leaving[conn] = None
        self.watch(conn, self.on_leaving)

    def on_leaving(self, conn: Connection) -> None:
        if receive(conn.sock) == b"":
            self.drop(conn)

    def drop(self, conn: Connection) -> None:
        self.poller.unregister(conn.sock)
        del self.leaving[conn]
        util.close(conn.sock)

    def watch(self, conn: Connection, heard: Any) -> None:
        self.poller.register(conn.sock, selectors.EVENT_READ, lambda _: heard(conn))

    def murder_pending(self) -> None:
        """Close what took too long; once the worker stops, also what has only begun to come."""
        for conn in self.over(self.arriving):
            self.refuse(conn, 408, "Request Timeout")
        for conn in self.over(self.leaving):
            self.drop(conn)

    def over(self, waiting: "dict[Connection, None]") -> list[Connection]:
        now = time.monotonic()
        return list(itertools.takewhile(lambda c: c.deadline <= now or not self.alive, waiting))

    def _keepalive_after(self, conn: Connection, keepalive: bool) -> bool:
        # What the application has left unread of a body is not waited for.
        return keepalive and bool(conn.parser.finish_body(deadline=time.monotonic() + 0.1))


def bytes_needed(arrived: bytearray, head: int) -> int:
    """How much of a request, whose head has `head` bytes, is gathered before a thread gets it.

    The head alone, where it suffices to refuse the body, or where only the application can
    tell who may send so much.
    """
    found = _LENGTH.search(arrived, 0, head - 2)
    length = int(found[1]) if found else 0
    return head if length > WITHOUT_ACCOUNT else head + length


def receive(client: socket.socket) -> bytes | None:
    """What has come; b"" where the client has ended, None where nothing is there after all."""
    try:
        return client.recv(PIECE)
    except BlockingIOError:
        return None
    except OSError:
        return b""
