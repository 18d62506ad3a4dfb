"""Connections to a model's server end in time and in size, whatever it sends."""

import gzip
import itertools
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest

from pipeline.backends.language_models import transport
from pipeline.backends.language_models.accounted import Reply
from pipeline.backends.language_models.transport import RequestLimits, limits_of
from pipeline.backends.web.addresses import read_trusted
from pipeline.backends.web.guarded import GuardedClient
from pipeline.language_model import Prompt
from pipeline.rarr.errors import BadConfig
from tests.support.llm_server import Fault, LlmServer, model_at
from tests.support.web_server import Page, WebServer

OTHER = "not the configured server|plain http|only 443 and 80"


@pytest.fixture
def endless() -> Iterator[str]:
    """The address of a server that sends a few bytes every 20 ms and never ends."""
    with WebServer(tls=False) as server:
        server.pages[f"{server.url}/v1"] = Page(body=itertools.repeat(b" " * 64), pause=0.02)
        yield f"{server.url}/v1"


def client_of(url: str, seconds: float, **guard: Any) -> httpx2.Client:
    """A client as the library of OpenAI uses it, without patience."""
    guarded = GuardedClient(trusted=read_trusted(url.split("/")[2]), **guard)
    limits = transport.RequestLimits(concurrency=1, per_minute=0)
    calls = transport.ServerTransport(guarded, limits=limits, patience=0.0)
    return httpx2.Client(transport=calls, timeout=seconds, trust_env=False)


def test_an_endless_answer_is_cut(endless: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with client_of(endless, 0.3) as client, pytest.raises(openai.APITimeoutError):
        client.get(endless)
    monkeypatch.setattr(transport, "MAX_BYTES", 500)
    with (
        client_of(endless, 20) as client,
        pytest.raises(openai.APIConnectionError, match=r"larger than 0.0005 MB"),
    ):
        client.get(endless)


def test_a_packed_answer_is_unpacked() -> None:
    body = b'{"choices": [{"message": {"content": "packed"}}]}'
    fault = Fault(body=gzip.compress(body), headers={"Content-Encoding": "gzip"})
    with LlmServer(faults=[fault]) as server:
        assert ask(server).texts == ("packed",)


@pytest.fixture
def private() -> Iterator[LlmServer]:
    """Another server of this network, which is not configured."""
    with LlmServer(lambda prompt: "the secret of another server") as server:
        yield server


def ask(server: LlmServer) -> Reply:
    return model_at(server, api_key="secret").ask([Prompt(text="a")])[0]


def test_a_named_private_server_is_used_and_a_redirect_to_it_refused(private: LlmServer) -> None:
    assert ask(private).texts == ("the secret of another server",)
    private.requests.clear()
    target = f"{private.url}/chat/completions"
    with LlmServer(faults=[Fault(status=307, headers={"Location": target})]) as named:
        reply = ask(named)
    assert isinstance(reply.error, BadConfig)
    assert "redirects to another address" in str(reply.error)
    assert not private.requests


@pytest.mark.parametrize(
    "other", ["http://127.0.0.1:1/v1", "http://[::ffff:127.0.0.1]:80/", "https://example.org/v1"]
)
def test_a_request_to_another_address_is_not_sent(private: LlmServer, other: str) -> None:
    client = client_of(private.url, 2.0)
    with client, pytest.raises(openai.APIConnectionError, match=OTHER):
        client.get(other, headers={"Authorization": "Bearer secret"})


def test_no_proxy_resolves_the_name(private: LlmServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    requests: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        requests.append(host)
        return ["127.0.0.1"]

    url = private.url.replace("127.0.0.1", "models.lab")
    with client_of(url, 2.0, resolve=resolve) as client:
        assert client.get(f"{url}/models").status_code == 200
        assert client.get(f"{url}/models").status_code == 200
    assert requests == ["models.lab"], "the connection is kept"


def test_no_more_than_so_many_begin_in_any_minute() -> None:
    now = 1000.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    limits = RequestLimits(concurrency=4, per_minute=3, clock=lambda: now, sleep=sleep)
    begun = []
    for _ in range(8):
        with limits.acquire():
            begun.append(now)
        now += 1
    for position in range(len(begun) - 3):
        assert begun[position + 3] - begun[position] >= 60
    assert begun[:3] == [1000, 1001, 1002]
    assert begun[3] == 1060
    # Without a limit no request waits.
    before = now
    limits = RequestLimits(concurrency=1, per_minute=0, clock=lambda: now, sleep=sleep)
    for _ in range(100):  # a request that fails makes room for another
        with pytest.raises(ValueError, match="x"), limits.acquire():
            raise ValueError("x")
    assert now == before


def test_the_models_of_a_server_share_its_limits() -> None:
    one = limits_of("http://a/v1", concurrency=2, per_minute=0)
    assert limits_of("http://a/v1", concurrency=2, per_minute=0) is one
    assert limits_of("http://b/v1", concurrency=2, per_minute=0) is not one
