"""Contexts that are dialogs, and similar ones that are not."""

import pytest

from pipeline.rarr.dialog import format_dialog, parse_dialog


@pytest.mark.parametrize(
    ("context", "turns"),
    [
        ("User: Who?\nSystem: Ada.\nUser: When?", "U Who?|S Ada.|U When?"),
        ("  user: Who?\n\n assistant:Ada.", "U Who?|S Ada."),
        ("Q: Who?\nA: Ada. A: is a letter.\nQ: When?", "U Who?|S Ada. A: is a letter.|U When?"),
        ("User: Who?\nI mean the hall.\nSystem: Ada.", "U Who?\nI mean the hall.|S Ada."),
        ("User: Who? System: Ada. User: When?", "U Who?|S Ada.|U When?"),
        ("Question: Who? Answer: Ada. Question: When?", "U Who?|S Ada.|U When?"),
        ("Q: Who? A: Ada. Q: When?", "U Who?|S Ada.|U When?"),
        ("user: Who? System: Ada.", "U Who?|S Ada."),
        ("Question: Which? A: Oslo. B: Bergen.", "U Which? A: Oslo. B: Bergen."),
        ("Human: Who? AI: Ada. Human: When?", "U Who?|S Ada.|U When?"),
        ("User: Is it vitamin A: or B? Answer: B.", "U Is it vitamin A: or B?|S B."),
        ("User: One.\nUser: Two.\nSystem:", "U One.\nTwo."),
        ("User:", ""),
        ("Q: When was it?", "U When was it?"),
        ("A: B", "S B"),
        ("", ""),
        ("Who built the hall?", ""),
        ("Note: the User: field is empty.", ""),
        ("Users: 12", ""),
        ("User: Of Admin, User: which is older?", "U Of Admin, User: which is older?"),
    ],
)
def test_a_dialog_is_split_into_turns(context: str, turns: str) -> None:
    assert "|".join(f"{turn.speaker[0]} {turn.text}" for turn in parse_dialog(context)) == turns


def test_formatting_reverses_parsing() -> None:
    text = "User: Who built it?\nSystem: Ada Thorne did."
    assert format_dialog(parse_dialog(text)) == text
    again = parse_dialog(format_dialog(parse_dialog("Q:  Who\n built it?\nA: Ada.")))
    assert again == parse_dialog("User: Who built it?\nSystem: Ada.")
