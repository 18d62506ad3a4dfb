"""Half-sent requests cost no thread: real sockets against the server that `serve` starts."""

import contextlib
import socket
import urllib.request
from collections.abc import Iterator

import pytest

from rarrweb import gunicorn_config
from rarrweb.web_worker import STALLED_SECONDS
from tests.support.installation import serving

CLIENTS = 41
"""The eight threads would have to wait for them in six turns of `STALLED_SECONDS` each."""
# With a cookie of the CSRF check, which then reads the form to find the token in it.
COOKIE = b"Cookie: csrftoken=" + b"c" * 32 + b"\r\n"
HEAD = b"POST /log-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\n" + COOKIE
FORM = HEAD + b"Content-Type: application/x-www-form-urlencoded\r\n"
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
HALF_SENT = {
    "nothing": b"",
    "head": HEAD,
    "empty lines": b"\r\n\r\n" + HEAD,
    "body": FORM + b"Content-Length: 1000\r\n\r\n" + b"x" * 10,
    "chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + b"x" * 10,
    "large body": HEAD + b"Content-Length: 400000000\r\n\r\n" + b"x" * 10,
}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with serving(tmp_path_factory.mktemp("var"), "--no-worker") as (port, _):
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def read_all(client: socket.socket) -> bytes:
    """Until the server ends the connection."""
    pieces = []
    with contextlib.suppress(ConnectionResetError):
        while piece := client.recv(65536):
            pieces.append(piece)
    return b"".join(pieces)


def assert_answered(port: int) -> None:
    """A whole request is answered before the threads have given up on all `CLIENTS`."""
    address = f"http://127.0.0.1:{port}/healthz"
    with urllib.request.urlopen(address, timeout=4 * STALLED_SECONDS) as answer:
        assert answer.status == 200


@pytest.mark.parametrize("sent", HALF_SENT.values(), ids=HALF_SENT)
def test_half_sent_requests_hold_up_nobody(port: int, sent: bytes) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(CLIENTS):
            stack.enter_context(connect(port)).sendall(sent)
        assert_answered(port)


def test_clients_that_stay_after_their_answer_hold_up_nobody(port: int) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(CLIENTS):
            client = stack.enter_context(connect(port))
            client.sendall(WHOLE)
            assert client.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_request_that_comes_byte_by_byte_is_answered(port: int) -> None:
    with connect(port) as client:
        for byte in WHOLE:
            client.sendall(bytes([byte]))
        assert read_all(client).startswith(b"HTTP/1.1 200")


def test_requests_that_come_at_once_are_all_answered_in_turn(port: int) -> None:
    form = FORM + b"Content-Length: 3\r\n\r\na=b"
    with connect(port) as client:
        client.sendall(form + WHOLE)
        answers = read_all(client)
    assert answers.startswith(b"HTTP/1.1 403")  # no CSRF token
    assert answers.count(b"HTTP/1.1 200") == 1


def test_an_endless_head_is_refused(port: int) -> None:
    with connect(port) as client:
        client.sendall(HEAD + b"X: " + b"x" * 70_000)
        assert read_all(client).startswith(b"HTTP/1.1 431")


def test_a_large_body_from_a_stranger_is_refused_before_it_is_sent(port: int) -> None:
    with connect(port) as client:
        client.sendall(HEAD + b"Content-Length: 400000000\r\n\r\n" + b"x" * 1_000_000)
        assert b" 413 " in read_all(client).splitlines()[0]


def test_a_body_of_unknown_length_is_refused(port: int) -> None:
    with connect(port) as client:
        client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 411")
    assert b"Content-Length" in answer


def test_a_header_of_the_client_moves_no_address(port: int) -> None:
    head = b"Host: 127.0.0.1\r\nSCRIPT_NAME: /evil\r\nConnection: close\r\n\r\n"
    for path in (b"/", b"/log-in/", b"/healthz"):
        with connect(port) as client:
            client.sendall(b"GET /evil" + path + b" HTTP/1.1\r\n" + head)
            answer = read_all(client)
        assert not answer.startswith(b"HTTP/1.1 200")
        assert b'"/evil/' not in answer
        assert b"Location: /evil/" not in answer


def test_the_files_by_which_workers_are_watched_are_on_no_network_share() -> None:
    assert gunicorn_config.worker_tmp_dir in ("/dev/shm", None)  # noqa: S108
