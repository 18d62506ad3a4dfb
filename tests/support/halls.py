"""Synthetic passages with wrong facts, documents, and a fake language model for RARR."""

import re
from itertools import islice, product
from typing import Any

FACTS: dict[str, tuple[str, str]] = {
    "open": ("The {hall} opened in {value}.", "When did the {hall} open?"),
    "seats": ("The {hall} has {value} seats.", "How many seats has the {hall}?"),
    "windows": ("The {hall} has {value} windows.", "How many windows has the {hall}?"),
    "height": ("The {hall} is {value} metres high.", "How high is the {hall}?"),
    "organ": ("The organ of the {hall} came in {value}.", "When did the organ of the {hall} come?"),
    "keeper": ("The keeper of the {hall} is {value} Marsh.", "Who keeps the {hall}?"),
}
"""Each fact as a sentence says it, and the question about it."""
_SYLLABLES = (
    ("Ba", "Du", "Ke", "Lo", "Mi", "Nu", "So"),
    ("ra", "to", "vi", "ly", "ge", "pu", "ne"),
    ("mond", "stead", "ford", "wick", "by", "gate", "ley"),
)
_NAMES = ("Ada", "Bela", "Cora", "Dora", "Enid", "Fay")
_HALL = re.compile(r"\b([A-Z][a-z]+ Hall)\b")


def rows(count: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return passages with wrong facts, and documents with the true ones; at most 343."""
    passages, documents = [], []
    for number, syllables in enumerate(islice(product(*_SYLLABLES), count)):
        name = f"{''.join(syllables)} Hall"
        true = {
            "open": str(1801 + number),
            "seats": str(210 + number),
            "windows": str(31 + number),
            "height": str(11 + number % 40),
            "organ": str(1902 + number % 90),
            "keeper": _NAMES[number % 6],
        }
        wrong = (["seats", "organ"], ["open"], [])[number % 3]
        claimed = true | {fact: str(int(true[fact]) + 5) for fact in wrong}
        passages.append({"id": name, "text": _describe(name, claimed), "context": ""})
        page = {"title": name, "url": "", "text": _describe(name, true)}
        documents.append({"id": name, **page})
    return passages, documents


def _describe(name: str, values: dict[str, str]) -> str:
    return " ".join(
        sentence.format(hall=name, value=values[fact]) for fact, (sentence, _) in FACTS.items()
    )


def answer(prompt: str) -> str:
    label = re.compile(r"^(Passage|Question|Evidence|Sentence): (.*)$", re.MULTILINE)
    given = dict(label.findall(prompt))  # the last of each
    if prompt.rstrip().endswith("Questions:"):
        hall = _HALL.search(given["Passage"])[1]
        questions = (question.format(hall=hall) for _, question in FACTS.values())
        return "\n".join(f"{number}. {each}" for number, each in enumerate(questions, start=1))
    if prompt.startswith("Rewrite the sentence"):
        return f"Rewritten: {given['Sentence']}"
    fact = next(f for f, (_, q) in FACTS.items() if _pattern(q).fullmatch(given["Question"]))
    ours, theirs = _value(fact, given["Passage"]), _value(fact, given["Evidence"])
    if prompt.startswith("Compare"):
        verdict = "irrelevant" if not theirs else "agrees" if ours == theirs else "disagrees"
        return (
            f"The passage implies: {ours}.\nThe evidence says: {theirs or 'nothing about it'}.\n"
            f"Reasoning: Both are compared.\nVerdict: {verdict}"
        )
    sentence, _ = FACTS[fact]
    hall = _HALL.search(given["Passage"])[1]
    old, new = (sentence.format(hall=hall, value=value) for value in (ours, theirs))
    return (
        f'Change: "{ours}" has to become "{theirs}", as the evidence says.\n'
        f"Fixed passage: {given['Passage'].replace(old, new)}"
    )


def _pattern(template: str) -> re.Pattern[str]:
    text = re.escape(template).replace(r"\{hall\}", r"[A-Z][a-z]+ Hall")
    return re.compile(text.replace(r"\{value\}", r"(?P<value>\w+)"))


def _value(fact: str, text: str) -> str:
    result = _pattern(FACTS[fact][0]).search(text)
    return result["value"] if result else ""
