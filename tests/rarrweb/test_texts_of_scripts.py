"""Every text that a script shows goes through translation, whole and written out."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_sitter import Node

from tests.javascript import HOLE, literals, messages, of_file, parse
from tests.rarrweb.sources import SCRIPTS, name_of

WORDS = re.compile(
    r"[^\W\d_]\S* +\S*[^\W\d_]"  # two words
    r"|(?<![A-Za-z])[A-Z][a-z]"  # one that begins a sentence
    r"|[a-z]\W* $|^ \W*[a-z]"  # one to be joined with others
    rf"|{HOLE}\W* \W*[a-z]{{2}}|[a-z]{{2}}\W* \W*{HOLE}"
    r"|[“”„«»]"
)
"""What a person would read: a literal that holds it is a text, if it is nothing below."""
SELECTING = {"querySelector", "querySelectorAll", "closest", "matches", "find", "findAll", "click"}
"""They are called with a selector."""
EVENT = re.compile(r"htmx:\w+")
KEY = re.compile(r"((ctrl|alt|shift)\+)*(Arrow(Up|Down|Left|Right)?|Enter|Escape|Tab|Home|End"
                 r"|Shift|Control|Alt|AltGraph|Meta)")  # fmt: skip
"""As a keyboard names them."""
NO_TEXTS = {
    "static/js/attribution/keys.js": {
        # A selector.
        "textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable]",
    },
    "static/js/attribution/targets.js": {f"{HOLE}Sequence"},  # an attribute's name
    "static/js/copy.js": {"no answer"},  # an error that is caught
    "static/js/guidelines.js": {"HX-Request"},  # of a request's head
    "static/js/judging/marking.js": {
        # A selector.
        "[data-source], .evidence .text, .evidence h3 [dir], .context",
    },
    "static/js/saving/request.js": {"Content-Type"},
}


def unmarked(script: Node) -> Iterator[str]:
    """The literals that look like texts and are given to nobody who translates."""
    for literal in literals(script):
        is_name = EVENT.fullmatch(literal.text) or KEY.fullmatch(literal.text)
        is_selector = literal.callee in SELECTING and literal.place == 0
        if WORDS.search(literal.text) and not (literal.is_translated or is_name or is_selector):
            yield literal.text


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_every_text_is_for_translation(path: Path) -> None:
    assert set(unmarked(of_file(path))) == NO_TEXTS.get(name_of(path), set())


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_one_and_many_have_the_same_places(path: Path) -> None:
    for message in messages(of_file(path)):
        places = [set(re.findall(r"%\(\w+\)s", text)) for text in message.texts]
        assert places[0] == places[-1], message


def test_the_scripts_have_texts() -> None:
    found = [message for path in SCRIPTS for message in messages(of_file(path))]
    assert len({message.texts for message in found}) > 60
    assert any(len(message.texts) == 2 for message in found)


@pytest.mark.parametrize(
    "script",
    [
        'say("Not saved yet");',
        'chip.textContent = "Revised";',
        "chip.textContent = 'no connection';",
        "say(`Sentence ${number} of ${count}`);",
        'say(gettext("Item ") + number + " of " + count);',
        "say(`${count} answers`);",
        'element.title = done ? gettext("It is done.") : "It is not done.";',
        "say(`“${name}”`);",
        'say(gettext("It is saved.")); say("It is saved.");',
        'const quotes = /["`]/; say("A text after a regular expression");',
        "say(`${count === 1 ? `one answer is left` : gettext('More.')}`);",
    ],
)
def test_a_text_that_is_not_marked_is_found(script: str) -> None:
    assert list(unmarked(parse(script)))


@pytest.mark.parametrize(
    "script",
    [
        'say(fill(gettext("Sentence %(number)s"), { number })); // Of all sentences',
        'find("#hand-in .primary, [data-skip]").focus();',
        'if (event.key === "ArrowDown") move(1);',
        'document.addEventListener("htmx:sendError", fail);',
        'const parts = line.split(" · "); element.dataset.guidelinesChanged = "";',
        'find(`[data-run="${run}"]`); /* A comment\'s words */',
    ],
)
def test_and_what_is_no_text_is_left_alone(script: str) -> None:
    assert list(unmarked(parse(script))) == []


@pytest.mark.parametrize(
    "script",
    [
        "gettext(`Sentence ${number}`)",
        "gettext(words)",
        'gettext("Not " + "saved")',
        'ngettext("one", count)',
    ],
)
def test_what_is_not_written_out_could_not_be_collected(script: str) -> None:
    with pytest.raises(AssertionError, match="not a literal"):
        list(messages(parse(script)))
