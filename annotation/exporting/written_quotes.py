"""One list of quotes for the answers that strategies wrote to a question, each from own sources.

HAGRID has one such list a line, which all answers of the line cite.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.exporting.judged_items import JudgedItem
from pipeline.metrics.citation_marks import cited, renumbered


def quotes_of(items: Sequence[JudgedItem]) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """The sources of all the answers, each once, and of each answer the numbers of its own there.

    Those of the first answer keep the numbers by which it cites them; others follow. A quote that
    came with the question keeps its document's id.
    """
    known = _ids_of_quotes(items[0].source)
    quotes: list[dict[str, Any]] = []
    numbers: dict[tuple[str, ...], int] = {}
    shown = []
    for item in items:
        seen = []
        for snippet, document in zip(item.evidence, item.document_ids, strict=True):
            key = (snippet["title"], snippet["url"], snippet["text"])
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = len(quotes) + 1
                named = known.get(snippet["text"]) or document
                docid = named or snippet["url"] or snippet["title"]
                quotes.append({"idx": number, "docid": docid, "text": snippet["text"]})
            seen.append(number)
        shown.append(seen)
    return quotes, shown


def with_numbers_of(
    item: JudgedItem, answer: dict[str, Any], shown: Sequence[int], *, quotes: int
) -> dict[str, Any]:
    """The answer to `item` as it cites a line's list of so many `quotes`, of which `shown` are its
    own, in their order.

    A number that its own sources lack stays one that no quote has.
    """
    numbers = dict(enumerate(shown, start=1))
    for number in cited(item.text):
        if number not in numbers and number <= quotes:
            numbers[number] = quotes + number if number else 0
    sentences = [
        {**each, "text": renumbered(each["text"], numbers)} for each in answer["sentences"]
    ]
    return {**answer, "answer": renumbered(answer["answer"], numbers), "sentences": sentences}


def _ids_of_quotes(source: Mapping[str, Any]) -> dict[str, str]:
    """What quotes that came with a question call their documents, by the quote's text."""
    quotes = source.get("quotes")
    return {
        str(each.get("text")): str(each["docid"])
        for each in (quotes if isinstance(quotes, list) else [])
        if isinstance(each, dict) and each.get("docid") not in (None, "")
    }
