"""Reads the literals of a script, so that tests can ask which texts go through translation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<template>`)
    |(?P<name>[#\w$]+)
    |(?P<sign>=>|\.\.\.|\?\?|\?\.|&&|\|\||[{}()\[\];,<>=!+\-*%&|^~?:.@/])""",
    re.DOTALL | re.VERBOSE,
)
REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
BEFORE_REGEX = {*"(,=:[!&|?{};+-*%<>~^", "=>", "&&", "||", "??", "...", "return", "typeof", "case"}
ESCAPE = re.compile(r"\\(u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|.)", re.DOTALL)
PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v"}
HOLE = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Where a template literal puts a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A sign, a name, or a literal, whose text is what it says."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What one call of gettext or ngettext asks for."""

    texts: tuple[str, ...]
    line: int


def tokens(source: str) -> list[Token]:
    """All tokens in their order; those within a template literal follow it, in brackets."""
    found: list[Token] = []
    end = _read(source, 0, found, until="")
    assert end == len(source)
    return found


def _read(source: str, place: int, found: list[Token], until: str) -> int:
    """Read tokens up to the end, or past the brace that closes a value of a template."""
    depth = 0
    while place < len(source):
        line = source.count("\n", 0, place) + 1
        if source[place] == "/" and (not found or found[-1].text in BEFORE_REGEX):
            regex = REGEX.match(source, place)
            if regex and not source.startswith(("//", "/*"), place):
                found.append(Token(kind="regex", text=regex[0], line=line))
                place = regex.end()
                continue
        match = TOKEN.match(source, place)
        assert match, f"line {line}: cannot read {source[place : place + 30]!r}"
        kind, text, place = str(match.lastgroup), match[0], match.end()
        if kind == "template":
            place = _read_template(source, place, found, line)
        elif kind == "string":
            found.append(Token(kind="string", text=_unescaped(text[1:-1]), line=line))
        elif kind != "space":
            depth += {"{": 1, "}": -1}.get(text, 0)
            if until and depth < 0:
                return place
            found.append(Token(kind=kind, text=text, line=line))
    assert not until, "a template literal is not closed"
    return place


def _read_template(source: str, place: int, found: list[Token], line: int) -> int:
    text, inner = "", list[Token]()
    while source[place] != "`":
        if source.startswith("${", place):
            place = _read(source, place + 2, inner, until="}")
            text += HOLE
        else:
            length = 2 if source[place] == "\\" else 1
            text += _unescaped(source[place : place + length])
            place += length
    found.append(Token(kind="template", text=text, line=line))
    if inner:
        brackets = [Token(kind="sign", text=sign, line=line) for sign in "()"]
        found += [brackets[0], *inner, brackets[1]]
    return place + 1


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = match[2] or match[3] or match[4]
        return chr(int(code, 16)) if code else PLAIN_ESCAPES.get(match[1], match[1])

    return ESCAPE.sub(plain, text)


def messages(found: list[Token]) -> Iterator[Message]:
    """The calls of gettext and ngettext; an argument that is not written out is an error."""
    for index, token in enumerate(found):
        if token.kind != "name" or token.text not in {"gettext", "ngettext"}:
            continue
        rest = found[index + 1 :]
        if not rest or rest[0].text != "(" or rest[0].kind != "sign":
            continue  # imported, or named otherwise
        count = 1 if token.text == "gettext" else 2
        arguments, signs = rest[1 : 2 * count : 2], rest[2 : 2 * count + 1 : 2]
        ends = {")", ","} if token.text == "gettext" else {","}
        assert all(each.kind == "string" for each in arguments), f"line {token.line}: not a literal"
        assert all(each.text in ends for each in signs), f"line {token.line}: not a literal"
        yield Message(texts=tuple(each.text for each in arguments), line=token.line)


def of_file(path: Path) -> list[Token]:
    return tokens(path.read_text(encoding="utf-8"))
