"""Statements taken apart, and left alone where their parts are in doubt."""

import pytest

from pipeline.backends.compact.questions.statements import (
    Statement,
    clauses_of,
    statement_of,
    verbals_of,
)
from pipeline.backends.compact.questions.tagging import Token, joined, tokens_of
from pipeline.backends.compact.text.spans import mentions


def tokens(text: str) -> list[Token]:
    return tokens_of(text, mentions(text))


def parts(text: str) -> tuple[str, str, str]:
    statement = statement_of(tokens(text))
    assert statement is not None
    return joined(statement.lead), joined(statement.subject), joined(statement.verbal)


def asked(statement: Statement | None) -> str:
    assert statement is not None
    assert statement.inverted is not None
    helper, rest = statement.inverted
    return f"{helper} … {joined(rest)}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The old mill burned down.", ("", "The old mill", "burned down")),
        ("In May 1852, the mill burned.", ("In May 1852", "the mill", "burned")),
        (
            "The song written in Leeds won a prize.",
            ("", "The song written in Leeds", "won a prize"),
        ),
        ("Otto Hart, a miller, sold it.", ("", "Otto Hart", "sold it")),
        ("Hart concludes that corn is dear.", ("", "Hart", "concludes that corn is dear")),
    ],
)
def test_lead_subject_and_verb_are_found(text: str, expected: tuple[str, str, str]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    "text",
    ["Corn and more corn.", "What a mill!", "The mill that Hart sold and bought.", "", "Running."],
)
def test_what_is_no_sure_statement_is_none(text: str) -> None:
    assert statement_of(tokens(text)) is None


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The mill was sold.", "was … sold"),
        ("The mill had burned.", "had … burned"),
        ("The mill had twelve doors.", "did … have twelve doors"),
        ("Otto Hart wrote songs.", "did … write songs"),
        ("The mill contains corn.", "does … contain corn"),
        ("The mills contain corn.", "do … contain corn"),
        ("Otto Hart also won it.", "did … also win it"),
    ],
)
def test_the_helper_and_the_rest_ask(text: str, question: str) -> None:
    assert asked(statement_of(tokens(text))) == question


def test_an_unknown_verb_has_no_helper() -> None:
    statement = statement_of(tokens("The mill blorpified the corn."))
    assert statement is None or statement.inverted is None


def test_two_main_clauses_are_two() -> None:
    found = tokens("Hart sold the mill, and Coe bought the barn.")
    assert [joined(found[a:b]) for a, b in clauses_of(found)] == [
        "Hart sold the mill,", "Coe bought the barn.",
    ]  # fmt: skip


def test_a_shared_subject_has_two_verbs_and_a_shared_helper_one() -> None:
    two = statement_of(tokens("Hart sold the mill and moved to York."))
    one = statement_of(tokens("The mill was sold to Coe and emptied."))
    assert two is not None
    assert one is not None
    assert [joined(verbal) for verbal in verbals_of(two)] == ["sold the mill", "moved to York"]
    assert len(verbals_of(one)) == 1
