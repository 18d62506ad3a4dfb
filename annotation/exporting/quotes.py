"""The list of quotes of a HAGRID line, which all its answers cite."""

from collections.abc import Sequence
from typing import Any

from annotation.exporting.judged_items import JudgedItem
from pipeline.metrics.citation_marks import cited, renumbered

QUOTING = {"hagrid", "questions"}
"""The formats whose lines have HAGRID's quotes."""


def quotes_of(items: Sequence[JudgedItem]) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """Return a line's quotes, and for each item the numbers of those that raters saw.

    Imported quotes come first, then each further source once. Of answers that strategies wrote, the
    first keeps its citation numbers; a source imported with the question keeps its docid.
    """
    is_written, source = items[0].is_written, items[0].source
    imported = source.extra.get("quotes") or [] if items[0].passage_format in QUOTING else []
    quotes: list[dict[str, Any]] = []
    documents: dict[str, str] = {}
    if is_written:
        with_ids = [each for each in imported if each.get("docid") not in (None, "")]
        documents = {str(each.get("text")): str(each["docid"]) for each in with_ids}
    elif items[0].is_hagrid_answer:
        quotes = [{key: each.get(key) for key in ("idx", "docid", "text")} for each in imported]
    by_text: dict[str, int] = {}
    for position, quote in enumerate(quotes, start=1):
        by_text.setdefault(quote["text"], quote["idx"] or position)
    numbers: dict[tuple[str, ...], int] = {}
    quote_numbers = []
    for item in items:
        seen = []
        for snippet, document in zip(item.evidence, item.document_ids, strict=True):
            title, url, text = key = (snippet["title"], snippet["url"], snippet["text"])
            number = by_text.get(text) or numbers.get(key)
            if number is None:
                # A source that an imported answer cites by a number keeps it.
                cited_number = None if is_written else snippet.get("number")
                taken = {*by_text.values(), *numbers.values()}
                if cited_number and cited_number not in taken:
                    number = int(cited_number)
                else:
                    number = max(taken, default=0) + 1
                numbers[key] = number
                docid = documents.get(text) or document or url or title
                quotes.append({"idx": number, "docid": docid, "text": text})
            seen.append(number)
        quote_numbers.append(seen)
    return quotes, quote_numbers


def with_numbers_of(
    item: JudgedItem, answer: dict[str, Any], quote_numbers: Sequence[int], *, quotes: int
) -> dict[str, Any]:
    """Renumber the citations of the answer to `item` for its line of `quotes` quotes.

    `shown` has the numbers of its sources, in order. A number without a source gets no quote.
    """
    numbers = dict(enumerate(quote_numbers, start=1))
    for number in cited(item.text):
        if number not in numbers and number <= quotes:
            numbers[number] = quotes + number if number else 0
    sentences = [
        {**each, "text": renumbered(each["text"], numbers)} for each in answer["sentences"]
    ]
    return {**answer, "answer": renumbered(answer["answer"], numbers), "sentences": sentences}
