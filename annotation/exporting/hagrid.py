"""HAGRID's format: a line for each question, with quotes and labelled answers.

A question is a passage of the dataset, or an imported HAGRID line; its line has the answers of all
runs and sides. docs/formats.md has the rules.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from annotation.exporting.context import ExportContext
from annotation.exporting.counts import ExportCounts
from annotation.exporting.export import jsonl_format
from annotation.exporting.item_reader import items_to_export, read_items
from annotation.exporting.judged_items import RATER_LEVELS, JudgedItem
from annotation.exporting.schema import NUMBER, TEXT, WHOLE, Fields
from annotation.items.run_groups import links_of
from annotation.models import Campaign
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion
from annotation.results.labels import ALL, ANSWER_RULES, Label
from pipeline.importing.hagrid import line_key
from pipeline.importing.passage import Unit
from pipeline.metrics.citation_marks import cited, renumbered
from pipeline.models import Run

FIELDS: Fields = {
    "query": TEXT,
    "query_id": TEXT,
    "quotes": [{"idx": WHOLE, "docid": TEXT, "text": TEXT}],
    "answers": [
        {
            "answer": TEXT,
            "answer_type": TEXT,
            "informative": WHOLE,
            "attributable": WHOLE,
            "sentences": [
                {"index": WHOLE, "text": TEXT, "informative": WHOLE, "attributable": WHOLE}
            ],
        }
    ],
    "dataset": TEXT,
    # Parallel to the answers, which have only HAGRID's keys.
    "sides": [TEXT],
    "systems": [TEXT],
    "runs": [WHOLE],
    "shown": [[WHOLE]],
    "weights": [NUMBER],
    **{name: [kind] for name, kind in RATER_LEVELS.items()},
}

Questions = Mapping[str, Criterion]
"""The labels that raters decide, by name."""


def objects(context: ExportContext) -> Iterator[dict[str, Any]]:
    """Yield an object for each question; unjudged answers have their imported labels.

    `counts.as_imported` counts the labels of sentences that are no rater's.
    """
    campaign, counts = context.campaign, context.counts
    criteria = questionnaire_of(campaign).criterion
    questions = {
        name: criteria(name)
        for name in ANSWER_RULES
        if name == "attributable" or campaign.questionnaire == "answer_quality"
    }
    is_drawn = campaign.sample_size is not None
    links = links_of(campaign)
    several = len(links) > 1
    types = {link.run_id: _type_of(link.run) for link in links}
    read = read_items(context, with_import=True, by_passage=several)
    for _, of_question in groupby(read, key=_question):
        items = list(of_question)
        quotes, quote_numbers = quotes_of(items)
        counts.quotes += len(quotes)
        last = max((quote["idx"] or 0 for quote in quotes), default=0)
        answers = []
        for item, seen in zip(items, quote_numbers, strict=True):
            answer = _answer(item, questions, counts)
            if item.is_written:
                answer = renumbered_answer(answer, item.text, seen, last=last)
                answer["answer_type"] = types[item.run]
            answers.append(answer)
        line: dict[str, Any] = {
            "query": items[0].context,
            **_name(items[0]),
            "quotes": quotes,
            "answers": answers,
        }
        if several:
            line["dataset"] = items[0].dataset
        sides = [item.side for item in items]
        if several or len({*sides}) > 1:
            line["sides"] = sides
            line["systems"] = [item.system for item in items]
            line["runs"] = [item.run for item in items]
        if any(len(seen) < len(quotes) for seen in quote_numbers):
            line["shown"] = quote_numbers
        if is_drawn:
            line["weights"] = [item.weight for item in items]
        if context.labels == ALL:
            of_items = [item.rater_levels(context.pseudonym) for item in items]
            line |= {name: [each[name] for each in of_items] for name in RATER_LEVELS}
        yield line


def count(campaign: Campaign) -> int:
    names = ("revision__run__dataset", "passage__external_id", "passage__format")
    rows = items_to_export(campaign).values_list(*names).distinct()
    return len({(dataset, line_key(*passage)) for dataset, *passage in rows})


def _type_of(run: Run) -> str:
    if run.system != "hagrid":
        return run.system
    return str(run.config.get("generation", {}).get("answer_type") or run.system)


def _is_imported(item: JudgedItem) -> bool:
    """Return whether the text is, or revises, an answer of an imported HAGRID line."""
    return item.is_hagrid_answer and not item.is_written


def _question(item: JudgedItem) -> tuple[str, str]:
    return item.dataset, line_key(item.passage_id, item.passage_format)


def _name(item: JudgedItem) -> dict[str, str | None]:
    """Return the imported id as text; nothing if the line had none."""
    if not item.is_hagrid_answer:
        return {"query_id": item.passage_id}
    if "query_id" not in item.source.extra:
        return {}
    name = item.source.extra["query_id"]
    return {"query_id": None if name is None else str(name)}


HAGRID = jsonl_format(
    objects,
    name="hagrid",
    fields=FIELDS,
    title="HAGRID",
    about="One line per question with its quotes and labelled answers; for training and evaluation",
    count=count,
    kinds=("attribution", "answer_quality"),
    resolves=True,
)


def _answer(item: JudgedItem, questions: Questions, counts: ExportCounts) -> dict[str, Any]:
    imported = item.source.extra["answer"] if _is_imported(item) else {}
    # Imported labels hold for the same text, not for a revised one.
    is_labelled = bool(imported) and item.text == item.original_text
    units = item.source.units if is_labelled else []
    # By position where the units are those that raters saw: two may have the same text.
    by_text = {each.text: each for each in units}
    in_order = [each.text for each in units] == list(item.sentences)
    sentences = [
        _sentence(item, number, units[number] if in_order else by_text.get(text), questions, counts)
        for number, text in enumerate(item.sentences)
    ]
    labels: dict[str, Label] = {}
    for name, whole in ANSWER_RULES.items():
        judged = name in questions and any(
            item.answers(name, number).is_judged for number in range(len(sentences))
        )
        if judged or (name in questions and not is_labelled):
            labels[name] = whole([each[name] for each in sentences])
        else:
            labels[name] = getattr(item.source, name) if is_labelled else None
        of_answers = counts.answer_labels.setdefault(name, Counter())
        of_answers["null" if labels[name] is None else str(labels[name])] += 1
    kind = imported.get("answer_type") if item.is_hagrid_answer else item.side
    return {"answer": item.text, "answer_type": kind, **labels, "sentences": sentences}


def _sentence(
    item: JudgedItem, number: int, unit: Unit | None, questions: Questions, counts: ExportCounts
) -> dict[str, Any]:
    sentence: dict[str, Any] = {
        "index": number if unit is None or unit.index is None else unit.index,
        "text": item.sentences[number],
    }
    for name in ANSWER_RULES:
        answers = item.answers(name, number) if name in questions else None
        if answers is not None and answers.is_judged:
            sentence[name] = answers.label
        else:
            sentence[name] = getattr(unit, name) if unit else None
            if sentence[name] is not None:
                is_question = name in questions and number in questions[name].required_targets(item)
                counts.add_imported(name, str(sentence[name]), is_question=is_question)
    return sentence


QUOTING = {"hagrid", "questions"}
"""The formats whose lines have HAGRID's quotes."""


def quotes_of(items: Sequence[JudgedItem]) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """Return a line's quotes, and for each item the numbers of those that raters saw.

    Quotes of imported answers come first, then each further source once. A source imported with the
    question keeps its docid.
    """
    source = items[0].source
    imported = source.extra.get("quotes") or [] if items[0].passage_format in QUOTING else []
    documents = {
        str(each.get("text")): str(each["docid"])
        for each in imported
        if each.get("docid") not in (None, "")
    }
    quotes: list[dict[str, Any]] = []
    if any(_is_imported(item) for item in items):
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
                cited_number = None if item.is_written else snippet.get("number")
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


def renumbered_answer(
    answer: dict[str, Any], text: str, quote_numbers: Sequence[int], *, last: int
) -> dict[str, Any]:
    """Renumber the citations of a written answer for its line, whose highest number is `last`.

    `quote_numbers` has the numbers of the sources of `text`, in order. A number without a source
    gets no quote.
    """
    numbers = dict(enumerate(quote_numbers, start=1))
    for number in cited(text):
        if number not in numbers and number <= last:
            numbers[number] = last + number if number else 0
    sentences = [
        {**each, "text": renumbered(each["text"], numbers)} for each in answer["sentences"]
    ]
    return {**answer, "answer": renumbered(text, numbers), "sentences": sentences}
