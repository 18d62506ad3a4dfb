"""Splits of datasets into two parts that never change.

A hash decides: additions move no question, and a larger part contains a smaller one.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Self

TRAIN = "train"
DEV = "dev"


class BadSplit(ValueError):
    """An invalid split; the message describes a valid one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    name: str
    """`TRAIN` or `DEV`."""
    dev: float
    """Share of `DEV`, above 0 and below 1."""
    salt: str = ""
    """Changes the split."""

    def holds(self, key: str) -> bool:
        """Return whether the question or passage `key` is in this part."""
        digest = hashlib.sha256(f"{self.salt}/{key}".encode("utf-8", errors="replace")).digest()
        fraction = int.from_bytes(digest[:8], "big") / 2**64
        return (fraction < self.dev) == (self.name == DEV)

    @classmethod
    def both(cls, *, dev: float, salt: str = "") -> tuple[Self, Self]:
        return cls(name=TRAIN, dev=dev, salt=salt), cls(name=DEV, dev=dev, salt=salt)

    def to_plain(self) -> dict[str, Any]:
        return {
            "part": self.name,
            "dev": self.dev,
            "salt": self.salt,
            "rule": "sha256(salt + '/' + id), first 8 bytes as a share of 2^64, below dev",
        }


def parse_split(text: str, *, salt: str = "") -> tuple[Part, Part]:
    """Parse `dev=SHARE`; raises `BadSplit`."""
    name, _, share = text.partition("=")
    try:
        dev = float(share)
    except ValueError:
        dev = 0.0
    if name != DEV or not 0 < dev < 1:
        raise BadSplit(f"{text!r} is no split: write dev=0.1 for a tenth.")
    return Part.both(dev=dev, salt=salt)
