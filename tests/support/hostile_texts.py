"""Texts on which quadratic code is slow, and a count of executed instructions."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

UNITS = {
    "blanks": " ",
    "one letter": "a",
    "quotes": '"',
    "brackets": "(",
    "citations": "[1] ",
    "digits": "1,",
    "full stops": ". ",
    "blank lines": " \n",
    "names": 'Ab Cd was "Ef" and ',
    "pronouns": "it is he ",
    "dialog turns": "User: a\n",
    "labels": "Verdict\n",
    "list items": "- > a\n",
    "cells": "<td>",
}


def hostile_text(unit: str, size: int) -> str:
    """Repeat a unit to about `size` characters, with a beginning and an end."""
    return f"# a {unit * (size // len(unit))}b."


def operations(work: Callable[[], Any]) -> int:
    """Count the bytecode instructions of `work`, without those in C functions."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
