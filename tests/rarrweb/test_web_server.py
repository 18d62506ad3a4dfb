"""The web server over real sockets."""

import contextlib
import socket
from collections.abc import Iterator

import pytest

from rarrweb.operations import gunicorn_config
from tests.support.installation import serving

HEAD = b"POST /log-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with serving(tmp_path_factory.mktemp("var"), "--no-worker") as (port, _):
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def read_all(client: socket.socket) -> bytes:
    pieces = []
    with contextlib.suppress(ConnectionResetError):
        while piece := client.recv(65536):
            pieces.append(piece)
    return b"".join(pieces)


def test_a_body_that_is_large_or_of_unknown_length_is_refused(port: int) -> None:
    with connect(port) as client:
        client.sendall(HEAD + b"Content-Length: 400000000\r\n\r\n")
        assert b" 413 " in read_all(client).splitlines()[0]
    with connect(port) as client:
        client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 411")
    assert b"Content-Length" in answer


def test_a_client_that_waits_for_leave_to_send_gets_it(port: int) -> None:
    head = HEAD + b"Expect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
    with connect(port) as client:
        client.sendall(head)
        first = client.recv(65536)
        assert first.startswith(b"HTTP/1.1 100")
        client.sendall(b"a=b")
        assert b" 403 " in first + read_all(client)


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
