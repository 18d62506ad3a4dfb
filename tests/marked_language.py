"""A language that marks every text, and what of a page stands outside its marks.

What people wrote is put in another alphabet first. A letter of ours outside the marks is then a
text of the program that nobody can translate.
"""

import re
from collections.abc import Iterator
from gettext import NullTranslations

import lxml.html
import pytest
from django.db.models import Model
from django.utils.translation import trans_real
from pytest_django import Settings

from annotation import guidelines, questionnaires
from annotation.models import (
    Assignment,
    Campaign,
    ConsentText,
    GuidelinesVersion,
    Item,
    Message,
    RightAnswer,
)
from annotation.templatetags import judging
from pipeline.models import Corpus, Dataset, Run
from rarrweb import script_texts
from rarrweb.accounts.models import User

LANGUAGE = "xx"
NAMES = {"rarrweb"}
"""What is called the same in every language."""
SPOKEN = ("title", "aria-label", "placeholder", "alt")
OURS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
OTHERS = "абцдефгхийклмнопярстувшхызАБЦДЕФГХИЙКЛМНОПЯРСТУВШХЫЗ"
ALPHABET = str.maketrans(OURS, OTHERS)
WRITTEN: dict[type[Model], tuple[str, ...]] = {
    User: ("username",),
    Campaign: ("name",),
    Item: ("text", "second_text", "context"),
    Assignment: ("comment", "skip_note", "return_note"),
    Message: ("text",),
    GuidelinesVersion: ("text", "note"),
    ConsentText: ("text",),
    RightAnswer: ("why",),
    Dataset: ("name",),
    Corpus: ("name",),
    Run: ("system",),
}
"""What people, and the machine, wrote."""


class Marked(NullTranslations):
    """Whatever is asked for comes back between marks, whole."""

    def gettext(self, message: str) -> str:
        return f"⟦{message.rpartition(chr(4))[2]}⟧"  # what stands before is its context

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def to_language(self) -> str:
        return LANGUAGE


@pytest.fixture
def in_marked_words(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """From here on every page is in that language, and what is shipped to be edited is not ours."""
    shipped = questionnaires._written
    monkeypatch.setattr(
        questionnaires, "_written", lambda *names: shipped(*names).translate(ALPHABET)
    )
    questionnaires._rendered.cache_clear()
    script_texts.forget()
    judging._rendered.cache_clear()
    settings.LANGUAGES = [("en", "en"), (LANGUAGE, LANGUAGE)]
    settings.LANGUAGE_CODE = LANGUAGE
    monkeypatch.setitem(trans_real._translations, LANGUAGE, Marked())
    yield
    script_texts.forget()
    judging._rendered.cache_clear()
    questionnaires._rendered.cache_clear()


def in_another_alphabet() -> None:
    """Everything that is written in the database, letter by letter."""
    for campaign in Campaign.objects.all():
        guidelines.newest(campaign)  # which are made where somebody first looks
    for model, fields in WRITTEN.items():
        for row in model._default_manager.all():
            for field in fields:
                setattr(row, field, getattr(row, field).translate(ALPHABET))
            row.save(update_fields=fields)
    for item in Item.objects.all():
        for snippet in item.evidence:
            for key in ("title", "text"):
                snippet[key] = snippet[key].translate(ALPHABET)
            scheme, sign, rest = snippet["url"].partition("://")
            snippet["url"] = scheme + sign + rest.translate(ALPHABET)
        item.save(update_fields=["evidence"])


def outside(text: str) -> list[str]:
    """The words of ours that stand outside the marks.

    >>> outside("⟦Hello, ⟦you⟧⟧ there, rarrweb")
    ['there']
    >>> outside("⟦Hello")
    ['an open mark: ⟦Hello']
    """
    depth, bare = 0, []
    for sign in text:
        depth += (sign == "⟦") - (sign == "⟧")
        bare.append(" " if depth or sign == "⟧" else sign)
    if depth:
        return [f"an open mark: {text[-60:]}"]
    return [word for word in re.findall(r"[A-Za-z]+", "".join(bare)) if word not in NAMES]


def unmarked(html: str) -> list[str]:
    """What is read or spoken of a page, or of a part of one, and stands outside the marks."""
    root = lxml.html.fromstring(html)
    found = outside("".join(_texts(root)))
    for element in root.iter():
        if not isinstance(element.tag, str) or element.tag == "meta":
            continue
        for name, value in element.attrib.items():
            # Of what is kept for scripts, what has several words is text.
            if name in SPOKEN or (name.startswith("data-") and re.search(r"\w \w", value)):
                found += [f"{name}: {word}" for word in outside(value)]
    return found


def _texts(element: lxml.html.HtmlElement) -> Iterator[str]:
    """In the page's order; keys are called what they are called, and code is code."""
    if isinstance(element.tag, str) and element.tag not in {"script", "style", "kbd", "code"}:
        yield element.text or ""
        for child in element:
            yield from _texts(child)
            yield child.tail or ""
