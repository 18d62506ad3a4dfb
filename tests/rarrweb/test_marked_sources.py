"""Every branch of what raters see is marked for translation: templates and modules, by their text.

The pages of test_translated_pages.py show what is shown in one state; here every state is read.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rarrweb.sources import ROOT
from tests.rarrweb.test_translated_pages import templates_of_raters

ELSEWHERE = r"{#.*?#}|{%\s*blocktranslate.*?{%\s*endblocktranslate\s*%}|<kbd>.*?</kbd>"
CLASSES = r"{%\s*block (?:width|styles|scripts)\s*%}.*?{%\s*endblock\s*%}"
"""What is marked, or no text."""
SPOKEN = r"(?:aria-label|title|placeholder|alt|data-label|data-show|data-hide)"
NAMES = {"rarrweb"}

MODULES = [
    *[ROOT / "annotation" / f"{name}.py" for name in (
        "adjudicating", "adjudication_form", "asking", "consent", "crowds", "judging", "pace",
        "skipping", "targets", "telling", "training", "work_forms", "templatetags/judging",
        "views/adjudication", "views/beside", "views/consent", "views/entry", "views/gates",
        "views/home", "views/members", "views/own_items", "views/questions", "views/tasks",
        "views/training", "questionnaires/answer_quality", "questionnaires/attribution",
        "questionnaires/citation", "questionnaires/intent", "questionnaires/manual_revision",
    )],
    *sorted((ROOT / "rarrweb/accounts/views").glob("*.py")),
    ROOT / "rarrweb/accounts/forms.py",
    ROOT / "rarrweb/accounts/people.py",
]  # fmt: skip
"""Whose sentences raters read. Other modules speak to researchers and programmers, in English."""
NOT_SHOWN = {"There is no role "}
"""What only somebody who makes up a request can meet."""


def bare_texts(source: str) -> list[str]:
    """The words of a template that stand outside what is marked.

    >>> bare_texts('<p title="Hi">{% translate "a" %} Hello {{ you }}</p>')
    ['title="Hi', 'Hello']
    >>> bare_texts('{% include "x.html" with label="Context" %}{{ a|default:"None yet" }}')
    ['label="Context', 'default:"None yet']
    """
    rest = re.sub(f"{ELSEWHERE}|{CLASSES}", "", source, flags=re.DOTALL)
    found = re.findall(r'with [^%]*?(\w+="[A-Z][a-z][^"]*)"', rest)
    found += re.findall(r'(default:"[A-Z][^"]*)"', rest)
    rest = re.sub(r"{%.*?%}|{{.*?}}", "", rest, flags=re.DOTALL)
    spoken = re.findall(rf'(?<![\w-])({SPOKEN}="[^"<>]*[A-Za-z][^"<>]*)"', rest)
    words = re.findall(r"[A-Za-z]+", re.sub(r"&\w+;|<[^<>]*>", " ", rest))
    return spoken + [word for word in words if word not in NAMES] + found


@pytest.mark.parametrize("name", sorted(templates_of_raters()))
def test_a_template_has_no_bare_text(name: str) -> None:
    assert bare_texts((ROOT / "templates" / name).read_text()) == []


@pytest.mark.parametrize("name", sorted(templates_of_raters()))
def test_a_number_has_its_plural_in_every_language(name: str) -> None:
    """`pluralize` knows two forms; Polish has three, Arabic six."""
    assert "|pluralize" not in (ROOT / "templates" / name).read_text()


def sentences(source: str) -> Iterator[str]:
    """Texts of a module that look like sentences and are not marked, docstrings aside.

    >>> list(sentences('"A docstring."\\nx = ["Say it again.", gettext("Say it."), "name"]'))
    ['Say it again.']
    >>> list(sentences('f"Wait {minutes} minutes."'))
    ['Wait ']
    """
    yield from _of(ast.parse(source), None)


def _of(node: ast.AST, parent: ast.AST | None) -> Iterator[str]:
    if isinstance(node, ast.Call) and re.search(r"gettext(_\w+)?$|^_$", ast.unparse(node.func)):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
        in_a_row = isinstance(parent, ast.JoinedStr)
        is_text = re.match(r"[“A-Z][a-z’]+,? ", text) and (in_a_row or re.search(r"[.?:!]$", text))
        if is_text and not isinstance(parent, ast.Expr) and text not in NOT_SHOWN:
            yield text
        return
    for child in ast.iter_child_nodes(node):
        yield from _of(child, node)


def module_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_says_nothing_that_is_not_marked(path: Path) -> None:
    assert list(sentences(path.read_text())) == []


def test_every_word_of_a_questionnaire_is_marked() -> None:
    """They are data, which keep their English; a page translates what the catalogue has."""
    for path in (ROOT / "annotation/questionnaires").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword) and node.arg in {
                *("label", "meaning", "unset", "noun", "question", "title", "summary", "help"),
            }:
                is_bare = isinstance(node.value, ast.Constant) and node.value.value
                assert not is_bare, f"{path.name}: {ast.unparse(node)}"
