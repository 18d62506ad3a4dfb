"""Connections to a model's server end in time and in size, whatever it sends."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

from pipeline.backends.language_models import transport
from pipeline.backends.language_models.openai_compatible import OpenAICompatible
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.language_models.transport import bounded_client
from pipeline.rarr.ports import Prompt
from pipeline.rarr.types import TransientError


@pytest.fixture
def endless() -> Iterator[str]:
    """The address of a server that sends a few bytes every 20 ms and never ends."""
    closed = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            try:
                while not closed.wait(0.02):
                    self.wfile.write(b" " * 64)
            except OSError:
                pass  # the client has had enough

        do_POST = do_GET

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        closed.set()
        server.shutdown()
        thread.join()


def test_an_answer_that_never_ends_ends_in_time(endless: str) -> None:
    start = time.perf_counter()
    with bounded_client(0.3) as client, pytest.raises(httpx2.ReadTimeout):
        client.get(endless)
    assert time.perf_counter() - start < 3


def test_an_answer_that_grows_without_end_is_cut(
    endless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "MOST_BYTES", 500)
    with bounded_client(20) as client, pytest.raises(transport.TooLarge):
        client.get(endless)


def test_a_prompt_to_such_a_server_ends_with_its_name(endless: str) -> None:
    options = LlmOptions(base_url=endless, timeout=0.3, patience=0.0)
    reply = OpenAICompatible("m", options=options).ask([Prompt(text="a")])[0]
    assert isinstance(reply.error, TransientError)
    assert "did not answer within 0.3 s" in str(reply.error)
