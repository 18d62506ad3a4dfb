"""Typed readers of environment variables."""

import os
from collections.abc import Collection
from typing import overload
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured


def env_str(name: str, default: str) -> str:
    """Return the variable, stripped; the default when it is unset or blank."""
    return os.environ.get(name, "").strip() or default


def env_bool(name: str, default: bool) -> bool:
    """Read `true`/`1` or `false`/`0`, in any case."""
    match env_str(name, str(default)).lower():
        case "true" | "1":
            return True
        case "false" | "0":
            return False
        case other:
            raise ImproperlyConfigured(f"{name}={other!r}: write true or false.")


def env_int(name: str, default: int, *, minimum: int, maximum: int) -> int:
    """Read an integer from `minimum` to `maximum`."""
    text = env_str(name, str(default))
    try:
        number = int(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={text!r}: write a whole number.") from None
    if not minimum <= number <= maximum:
        raise ImproperlyConfigured(f"{name}={number}: write a number from {minimum} to {maximum}.")
    return number


@overload
def env_float(name: str, default: float, *, minimum: float, maximum: float) -> float: ...
@overload
def env_float(name: str, default: None, *, minimum: float, maximum: float) -> float | None: ...
def env_float(name: str, default: float | None, *, minimum: float, maximum: float) -> float | None:
    """Read a number from `minimum` to `maximum`; the default may be None."""
    text = env_str(name, "")
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={text!r}: write a number.") from None
    if not minimum <= number <= maximum:
        raise ImproperlyConfigured(
            f"{name}={text}: write a number from {minimum:g} to {maximum:g}."
        )
    return number


def env_choice(name: str, default: str, *, choices: Collection[str]) -> str:
    text = env_str(name, default)
    if text not in choices:
        raise ImproperlyConfigured(f"{name}={text!r}: write {' or '.join(choices)}.")
    return text


def env_url(name: str, default: str, *, schemes: Collection[str]) -> SplitResult:
    """Read an address with one of `schemes` and a host; errors hide its user and password."""
    text = env_str(name, default)
    redacted = f"…@{text.rpartition('@')[2]}" if "@" in text else text
    try:
        parts = urlsplit(text)
        _ = parts.port  # a port that is no number raises here, not at the first request
    except ValueError:
        raise ImproperlyConfigured(f"{name}={redacted!r}: write an address.") from None
    if parts.scheme not in schemes or not parts.hostname:
        wanted = " or ".join(f"{scheme}://host" for scheme in sorted(schemes))
        raise ImproperlyConfigured(f"{name}={redacted!r}: write an address like {wanted}.")
    return parts
