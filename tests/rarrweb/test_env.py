"""The readers of environment variables refuse nonsense."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given, settings
from hypothesis import strategies as st

from rarrweb.env import env_bool, env_int, env_str, env_url

WEB = {"http", "https"}


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RARR_TRIED", raising=False)


@pytest.mark.parametrize("blank", [None, "", "   ", "\n"])
def test_unset_or_blank_is_the_default(monkeypatch: pytest.MonkeyPatch, blank: str | None) -> None:
    if blank is not None:
        monkeypatch.setenv("RARR_TRIED", blank)
    assert env_str("RARR_TRIED", "as it was") == "as it was"
    assert env_bool("RARR_TRIED", True) is True
    assert env_int("RARR_TRIED", 7, minimum=1, maximum=9) == 7
    assert env_url("RARR_TRIED", "http://localhost:8000", schemes=WEB).port == 8000


def test_text_is_stripped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_TRIED", "  compact \n")
    assert env_str("RARR_TRIED", "") == "compact"


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("TRUE", True), ("1", True), ("false", False), ("False", False), ("0", False)],
)
def test_true_and_false_have_two_spellings(
    monkeypatch: pytest.MonkeyPatch, text: str, value: bool
) -> None:
    monkeypatch.setenv("RARR_TRIED", text)
    assert env_bool("RARR_TRIED", not value) is value


@pytest.mark.parametrize("text", ["yes", "on", "2", "tru", "off", "None"])
def test_other_words_are_neither(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("RARR_TRIED", text)
    with pytest.raises(ImproperlyConfigured, match=r"RARR_TRIED=.*: write true or false"):
        env_bool("RARR_TRIED", False)


@pytest.mark.parametrize("number", [2, 3600])
def test_both_bounds_are_allowed(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setenv("RARR_TRIED", str(number))
    assert env_int("RARR_TRIED", 60, minimum=2, maximum=3600) == number


@pytest.mark.parametrize("text", ["1", "3601", "-5", "999999999999999999999"])
def test_a_number_out_of_bounds_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("RARR_TRIED", text)
    with pytest.raises(ImproperlyConfigured, match=r"RARR_TRIED=.* from 2 to 3600"):
        env_int("RARR_TRIED", 60, minimum=2, maximum=3600)


@pytest.mark.parametrize("text", ["soon", "1.5", "60s", "0x10", "1e3"])
def test_what_is_no_whole_number_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("RARR_TRIED", text)
    with pytest.raises(ImproperlyConfigured, match="write a whole number"):
        env_int("RARR_TRIED", 60, minimum=2, maximum=3600)


def test_an_address_comes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_TRIED", "https://rarr.example.org:8443")
    url = env_url("RARR_TRIED", "", schemes=WEB)
    assert (url.scheme, url.hostname, url.port) == ("https", "rarr.example.org", 8443)


@pytest.mark.parametrize("text", ["s3cret@host", "ftp://u:s3cret@host", "https://u:s3cret@host:x"])
def test_a_password_in_an_address_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("RARR_TRIED", text)
    with pytest.raises(ImproperlyConfigured, match="RARR_TRIED='…@host") as caught:
        env_url("RARR_TRIED", "", schemes=WEB)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "rarr.example.org",
        "localhost:8000",
        "https://",
        "https:///path",
        "ftp://rarr.example.org",
        "http://host:port",
        "http://host:99999",
        "http://[::1",
        "javascript:alert(1)",
    ],
)
def test_what_is_no_web_address_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("RARR_TRIED", text)
    with pytest.raises(ImproperlyConfigured, match=r"RARR_TRIED=.*write an address"):
        env_url("RARR_TRIED", "", schemes=WEB)


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30))
def test_whatever_stands_there_is_read_or_refused_by_name(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RARR_TRIED", text)
        refusals = []
        for read in (
            lambda: env_bool("RARR_TRIED", False),
            lambda: env_int("RARR_TRIED", 5, minimum=1, maximum=10),
            lambda: env_url("RARR_TRIED", "http://localhost", schemes=WEB),
        ):
            try:
                read()
            except ImproperlyConfigured as error:
                refusals.append(str(error))
    assert all(refusal.startswith("RARR_TRIED=") for refusal in refusals)
