"""Reads the literals of a script, so that tests can ask which texts go through translation."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

PARSER = Parser(Language(tree_sitter_javascript.language()))
TRANSLATED = {"gettext": 1, "ngettext": 2}
"""So many of its first arguments are texts."""
HOLE = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Where a template literal puts a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A string, or a template, with what is called with it."""

    text: str
    callee: str
    """The function or the method whose argument it is; empty where it is none."""
    place: int
    """Its number among the arguments, from 0."""

    @property
    def is_translated(self) -> bool:
        return self.place < TRANSLATED.get(self.callee, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What one call of gettext or ngettext asks for."""

    texts: tuple[str, ...]
    line: int


def parse(source: str) -> Node:
    root = PARSER.parse(source.encode()).root_node
    assert not root.has_error, f"cannot be read: {root}"
    return root


def of_file(path: Path) -> Node:
    return parse(path.read_text(encoding="utf-8"))


def literals(script: Node) -> Iterator[Literal]:
    """All of them in their order, those within a template's values too; imports left out."""
    for node in _below(script):
        if node.type not in {"string", "template_string"} or _is_imported(node):
            continue
        call = node.parent.parent if node.parent and node.parent.type == "arguments" else None
        place = node.parent.named_children.index(node) if node.parent and call else 0
        yield Literal(text=_text(node), callee=_callee(call) if call else "", place=place)


def messages(script: Node) -> Iterator[Message]:
    """The calls of gettext and ngettext; an argument that is not written out is an error."""
    for node in _below(script):
        if node.type != "call_expression" or _callee(node) not in TRANSLATED:
            continue
        given = node.child_by_field_name("arguments")
        assert given is not None
        count, line = TRANSLATED[_callee(node)], node.start_point.row + 1
        texts = given.named_children[:count]
        assert len(texts) == count, f"line {line}: a text is missing"
        assert all(each.type == "string" for each in texts), f"line {line}: not a literal"
        yield Message(texts=tuple(map(_text, texts)), line=line)


def _below(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        yield child
        yield from _below(child)


def _is_imported(node: Node) -> bool:
    return node.parent is not None and node.parent.type in {"import_statement", "export_statement"}


def _callee(call: Node) -> str:
    """The last name of what is called: `find` of `page.find(…)`; empty where it has none."""
    function = call.child_by_field_name("function")
    if function is None:
        return ""
    name = function.child_by_field_name("property") or function
    return _source(name) if name.type in {"identifier", "property_identifier"} else ""


def _text(literal: Node) -> str:
    parts = {"string_fragment": _source, "escape_sequence": _escaped}
    return "".join(parts.get(each.type, lambda _: HOLE)(each) for each in literal.named_children)


def _escaped(sequence: Node) -> str:
    """Python reads the same, but for \\u{…}, which it refuses."""
    return str(ast.literal_eval(f'"{_source(sequence)}"'))


def _source(node: Node) -> str:
    assert node.text is not None
    return node.text.decode()
