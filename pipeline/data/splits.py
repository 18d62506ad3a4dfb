"""Which part of a dataset a question belongs to: the same on every day and in every file.

A hash decides, not a draw: what is added later moves nobody from one part into the other, files
of several campaigns and runs over one dataset agree, and a larger part holds all of a smaller one.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Self

TRAIN = "train"
DEV = "dev"


class BadSplit(ValueError):
    """No split is described so; says how one is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One of the two parts."""

    name: str
    """`TRAIN` or `DEV`."""
    dev: float
    """The share of questions in `DEV`, above 0 and below 1."""
    salt: str = ""
    """Another salt, another split."""

    def holds(self, key: str) -> bool:
        """Whether the question or passage `key` is in this part.

        >>> [Part(name=name, dev=0.1).holds("7") for name in (TRAIN, DEV)]
        [True, False]
        """
        return (_place(key, self.salt) < self.dev) == (self.name == DEV)

    @classmethod
    def both(cls, *, dev: float, salt: str = "") -> tuple[Self, Self]:
        """Raises `BadSplit`."""
        if not 0 < dev < 1:
            raise BadSplit(f"A share of {dev:g} is no part: choose one above 0 and below 1.")
        return cls(name=TRAIN, dev=dev, salt=salt), cls(name=DEV, dev=dev, salt=salt)

    def to_plain(self) -> dict[str, Any]:
        """As a manifest tells how to find the same parts again."""
        return {
            "part": self.name,
            "dev": self.dev,
            "salt": self.salt,
            "rule": "sha256(salt + '/' + id), first 8 bytes as a share of 2^64, below dev",
        }


def parse_split(text: str, *, salt: str = "") -> tuple[Part, Part]:
    """The parts of `dev=SHARE`; raises `BadSplit`.

    >>> [part.name for part in parse_split("dev=0.1")]
    ['train', 'dev']
    """
    name, _, share = text.partition("=")
    try:
        dev = float(share)
    except ValueError:
        dev = 0.0
    if name != DEV or not 0 < dev < 1:
        raise BadSplit(f"{text!r} is no split: write dev=0.1 for a tenth.")
    return Part.both(dev=dev, salt=salt)


def _place(key: str, salt: str) -> float:
    """A number from 0 to 1, spread evenly over keys."""
    digest = hashlib.sha256(f"{salt}/{key}".encode("utf-8", errors="replace")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
