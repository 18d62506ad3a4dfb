"""Every regular expression of the product takes time that grows with the text, not its square.

Texts are made of each pattern's own parts: what leads up to one of its repeats, then what that
repeat takes, many times, then something that fits nowhere.
"""

import ast
import gc
import importlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
WITH_FLAGS_AT = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2}
CALLS = {*WITH_FLAGS_AT, "split", "sub", "subn"}
ANCHORED = {"match", "fullmatch"}
SHORT, LONG = 26, 2_000
"""Characters; the short text finds an exponential pattern, which would not return from the long."""
WORTH_A_LOOK = 0.003
"""Seconds; less is measured badly, and the square of `LONG` takes ten times as long."""
MOST_GROWTH = 8
LONG_REPEAT = 30
SIGNS = ' \n\ta1A".,-(_[#é。☃\x00'


@dataclass(frozen=True, slots=True)
class Found:
    """A regular expression, and whether it is only tried where a text or a place begins."""

    place: str
    pattern: re.Pattern[str]
    is_anchored: bool

    def read(self, text: str) -> None:
        given: Any = (
            text if isinstance(self.pattern.pattern, str) else text.encode("latin-1", "replace")
        )
        if self.is_anchored:
            self.pattern.match(given)
        else:
            for _ in self.pattern.finditer(given):
                pass


def sources() -> dict[str, str]:
    """Dotted module name to source, of the product's modules."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): (
            path.read_text("utf-8")
        )
        for room in ("rarrweb", "pipeline", "annotation")
        for path in sorted((ROOT / room).rglob("*.py"))
        if "migrations" not in path.parts
    }


def patterns_of(sources: dict[str, str]) -> Iterator[Found]:
    called: dict[str, set[str]] = {}
    for source in sources.values():
        for variable, method in re.findall(r"\b(\w+)\.(\w+)\(", source):
            called.setdefault(variable, set()).add(method)
    for name, source in sources.items():
        tree = ast.parse(source)
        named = {
            id(node.value): node.targets[0].id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.func.attr in CALLS
            ):
                used = {node.func.attr}
                if node.func.attr == "compile":
                    used = called.get(named.get(id(node), ""), set()) & CALLS
                yield Found(
                    f"{name}:{node.lineno}",
                    _compiled(node, vars(importlib.import_module(name))),
                    bool(used) and used <= ANCHORED,
                )


class _Filled(ast.NodeTransformer):
    """Local names of a pattern, which are known only at work, replaced by a word."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.known = known

    def value(self, node: ast.expr) -> Any:
        return eval(  # noqa: S307 - the product's own source
            compile(ast.fix_missing_locations(ast.Expression(node)), "", "eval"), self.known
        )

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.FormattedValue | ast.Name | ast.Call | ast.Subscript):
            try:
                value = self.value(node.value if isinstance(node, ast.FormattedValue) else node)
            except Exception:  # noqa: BLE001 - whatever a local name's lack leads to
                value = "word"
            return ast.Constant(str(value) if isinstance(node, ast.FormattedValue) else value)
        return super().generic_visit(node)


def _compiled(call: ast.Call, known: dict[str, Any]) -> re.Pattern[str]:
    at = WITH_FLAGS_AT.get(call.func.attr, len(call.args))  # type: ignore[attr-defined]
    given = [*call.args[at : at + 1], *(k.value for k in call.keywords if k.arg == "flags")]
    filled = _Filled(dict(known))
    flags = re.NOFLAG
    for each in given:
        flags |= filled.value(each)
    text = filled.value(filled.visit(call.args[0]))
    return text if isinstance(text, re.Pattern) else re.compile(text, flags)


# ---- Texts that fit a pattern's parts ------------------------------------------------------------
REPEATS = {kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT}
SINGLE = {kinds.LITERAL, kinds.NOT_LITERAL, kinds.ANY, kinds.IN}


def _signs(kind: Any, value: Any) -> list[str]:
    """Some characters that a part which takes one character takes."""
    if kind is kinds.LITERAL:
        return [chr(value)]
    one = parser.SubPattern(parser.State(), [(kind, value)])
    taken = re._compiler.compile(one, re.DOTALL)  # type: ignore[attr-defined]
    own = [chr(v if k is kinds.LITERAL else v[0]) for k, v in value
           if k in {kinds.LITERAL, kinds.RANGE}] if kind is kinds.IN else []  # fmt: skip
    return [sign for sign in dict.fromkeys([*own, *SIGNS]) if taken.match(sign)]


def _inner(kind: Any, value: Any) -> list[Any]:
    """The parts within a part that takes more than one character."""
    if kind in REPEATS:
        return [value[2]]
    if kind is kinds.SUBPATTERN:
        return [value[3]]
    if kind is kinds.ATOMIC_GROUP:
        return [value]
    if kind is kinds.BRANCH:
        return list(value[1])
    return [value[1]] if kind in {kinds.ASSERT, kinds.ASSERT_NOT} else []


def _sample(parts: Any) -> str:
    """One text that fits the parts, roughly."""
    text = ""
    for kind, value in parts:
        if kind in SINGLE:
            text += (_signs(kind, value) or [""])[0]
        elif kind in REPEATS:
            text += _sample(value[2]) * max(1, min(value[0], LONG_REPEAT))
        elif inner := _inner(kind, value):
            text += _sample(inner[0]) if kind is not kinds.ASSERT_NOT else ""
    return text


def _alphabet(parts: Any) -> Iterator[str]:
    for kind, value in parts:
        if kind in SINGLE:
            yield from _signs(kind, value)[:8]
        for inner in _inner(kind, value)[:4]:
            yield from _alphabet(inner)


def _repeats(parts: Any, before: str = "") -> Iterator[tuple[str, set[str]]]:
    """(a text that leads there, what it takes) of each part that may repeat long."""
    for kind, value in parts:
        if kind in REPEATS and value[1] >= LONG_REPEAT:
            yield before, {_sample(value[2]), *list(dict.fromkeys(_alphabet(value[2])))[:12]}
        for inner in _inner(kind, value):
            yield from _repeats(inner, before)
        before += _sample([(kind, value)])


def hard_texts(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """Functions from a length to a text that is hard for the pattern."""
    written = pattern.pattern
    parts = parser.parse(
        written if isinstance(written, str) else written.decode("latin-1"), pattern.flags
    )
    whole = _sample(parts)
    known = set()
    for before, units in _repeats(parts):
        pairs = {"".join(pair) for pair in product(sorted(units)[:5], repeat=2)}
        for unit in {*units, *pairs, whole, *(before + unit for unit in units)} - {""}:
            for head, tail in product({"", before, whole}, ("", "\x01\x01", "b")):
                if (head, unit, tail) not in known:
                    known.add((head, unit, tail))
                    yield lambda size, h=head, u=unit, t=tail: (  # type: ignore[misc]
                        h + u * (size // len(u) + 1) + t
                    )


def seconds(found: Found, text: str) -> float:
    began = time.thread_time()
    found.read(text)
    return time.thread_time() - began


def grows_too_fast(found: Found, text: Callable[[int], str]) -> bool:
    for size in (SHORT, LONG):
        if all(seconds(found, text(size)) > WORTH_A_LOOK for _ in range(3)):
            # A busy machine can take its time with three readings of one text, not with ten.
            shorter = min(seconds(found, text(size // 4)) for _ in range(3))
            longer = min(seconds(found, text(size)) for _ in range(3))
            if longer > MOST_GROWTH * shorter and all(
                seconds(found, text(size)) > MOST_GROWTH * shorter for _ in range(7)
            ):
                return True
    return False


def slow_text(found: Found) -> str:
    """The beginning of a text whose reading takes the square of its length; "" for none."""
    gc.disable()
    try:
        return next(
            (text(40) for text in hard_texts(found.pattern) if grows_too_fast(found, text)), ""
        )
    finally:
        gc.enable()


FOUND = list(patterns_of(sources()))


@pytest.mark.parametrize("found", FOUND, ids=[each.place for each in FOUND])
def test_no_pattern_takes_the_square_of_a_text(found: Found) -> None:
    slow = slow_text(found)

    assert not slow, f"{found.pattern.pattern!r} is slow on texts that begin {slow!r}"


@pytest.mark.parametrize(
    "pattern",
    [r"^#{1,6}[ \t]+(\S.*?)[ \t]*#*$", r"\s+([,;:.])", r"(?:a|aa)+$", r"[A-Z]\w*(?:-[A-Z]\w*)+"],
)
def test_a_pattern_that_takes_the_square_is_found(pattern: str) -> None:
    assert slow_text(Found("", re.compile(pattern, re.MULTILINE), is_anchored=False))


def test_the_patterns_of_the_product_are_found() -> None:
    places = {each.place.partition(":")[0] for each in FOUND}

    assert {"pipeline.importing.corpus_files", "pipeline.rarr.dialog"} <= places
