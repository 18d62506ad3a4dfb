"""Readers of environment variables."""

from collections.abc import Callable

import pytest
from django.core.exceptions import ImproperlyConfigured

from rarrweb.env import env_bool, env_int, env_str, env_url

NAME = "RARR_TRIED"
PASSWORDS = ["s3cret@host", "ftp://u:s3cret@host", "https://u:s3cret@host:x"]
NO_ADDRESSES = [
    "rarr.example.org",
    "localhost:8000",
    "https://",
    "https:///path",
    "ftp://rarr.example.org",
    "http://host:port",
    "http://host:99999",
    "http://[::1",
    "javascript:alert(1)",
    *PASSWORDS,
]


def read_text() -> str:
    return env_str(NAME, "as it was")


def read_bool() -> bool:
    return env_bool(NAME, True)


def read_int() -> int:
    return env_int(NAME, 7, minimum=2, maximum=3600)


def read_port() -> int | None:
    return env_url(NAME, "http://localhost:8000", schemes={"http", "https"}).port


DEFAULTS = {read_text: "as it was", read_bool: True, read_int: 7, read_port: 8000}


@pytest.mark.parametrize("blank", [None, "", "   ", "\n"])
@pytest.mark.parametrize("read", DEFAULTS)
def test_unset_or_blank_is_the_default(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], blank: str | None
) -> None:
    if blank is None:
        monkeypatch.delenv(NAME, raising=False)
    else:
        monkeypatch.setenv(NAME, blank)
    assert read() == DEFAULTS[read]


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (read_text, "  compact \n", "compact"),
        *((read_bool, text, True) for text in ("true", "TRUE", "1")),
        *((read_bool, text, False) for text in ("false", "False", "0")),
        *((read_int, text, int(text)) for text in ("2", "3600")),
        (read_port, "https://rarr.example.org:8443", 8443),
    ],
)
def test_a_value_is_read(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], text: str, value: object
) -> None:
    monkeypatch.setenv(NAME, text)
    assert read() == value


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        *((read_bool, text, "write true or false") for text in ("yes", "on", "2", "off", "None")),
        *((read_int, text, "from 2 to 3600") for text in ("1", "3601", "-5", "9" * 21)),
        *((read_int, text, "a whole number") for text in ("soon", "1.5", "60s", "0x10", "1e3")),
        *((read_port, text, "write an address") for text in NO_ADDRESSES),
    ],
)
def test_nonsense_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], text: str, sentence: str
) -> None:
    monkeypatch.setenv(NAME, text)
    with pytest.raises(ImproperlyConfigured, match=f"^{NAME}=.*{sentence}") as caught:
        read()
    if text in PASSWORDS:
        assert f"{NAME}='…@host" in str(caught.value)
        assert "s3cret" not in str(caught.value)
