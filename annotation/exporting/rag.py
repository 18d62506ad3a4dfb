"""Lines of contexts and of the TREC RAG track: a line an answer, with what raters said of it.

Labels stand beside what they are about: a source, a sentence, a citation, the answer. One that the
campaign does not ask for is null.
"""

from collections.abc import Callable, Iterator
from typing import Any

from annotation.exporting.export import jsonl_format
from annotation.exporting.item_reader import read_items
from annotation.exporting.judged_items import ORIGIN, RATER_LEVELS, JudgedItem
from annotation.exporting.schema import NUMBER, TEXT, WHOLE, Fields
from annotation.exporting.source import Source
from annotation.items.run_groups import links_of
from annotation.models import Campaign
from annotation.questionnaires import load_questionnaire, questionnaire_of
from annotation.questionnaires.types import Criterion
from annotation.results.labels import ALL, Label
from pipeline.importing import sources, trec_rag
from pipeline.metrics.citation_marks import cited, without_citations

KINDS = ("attribution", "answer_quality", "citation")


def _labels(targets: str) -> Fields:
    """A label for each criterion about these targets that a campaign may ask."""
    found = [load_questionnaire(kind) for kind in KINDS]
    asked = [each.with_options([option.name for option in each.options]) for each in found]
    criteria = [criterion for each in asked for criterion in each.criteria]
    return {each.name: WHOLE for each in criteria if each.targets == targets}


_UNASKED = {
    targets: dict.fromkeys(_labels(targets))
    for targets in ("sentences", "citations", "evidence", "item")
}
_ABOUT: Fields = {"side": TEXT, "weight": NUMBER, **RATER_LEVELS, **ORIGIN}
CONTEXTS_FIELDS: Fields = {
    "id": TEXT,
    "question": TEXT,
    "contexts": [{"title": TEXT, "url": TEXT, "text": TEXT, **_labels("evidence")}],
    "answer": TEXT,
    "sentences": [
        {
            "text": TEXT,
            **_labels("sentences"),
            "citations": [{"context": WHOLE, **_labels("citations")}],
        }
    ],
    **_labels("item"),
    **_ABOUT,
}
TREC_FIELDS: Fields = {
    "run_id": TEXT,
    "topic_id": TEXT,
    "topic": TEXT,
    "references": [TEXT],
    "response_length": WHOLE,
    "answer": [
        {
            "text": TEXT,
            "citations": [WHOLE],
            **_labels("sentences"),
            **{name: [kind] for name, kind in _labels("citations").items()},
        }
    ],
    "documents": [{"docid": TEXT, "title": TEXT, "url": TEXT, "segment": TEXT}],
    **_labels("item"),
    **_ABOUT,
}

Labels = Callable[[str, int], dict[str, Label]]
"""Of a kind of target and the number of one the label of each criterion."""


def contexts(source: Source) -> Iterator[dict[str, Any]]:
    """An object for each item, also for one that nobody has judged."""
    for item, labels, about in _items(source):
        shown = _sources(item)
        places = {each.number: place for place, each in enumerate(shown)}
        yield {
            "id": item.passage_id,
            "question": item.context,
            "contexts": [
                {"title": each.title, "url": each.url, "text": each.text}
                | (
                    labels("evidence", places[each.number])
                    if each.number in places
                    else _UNASKED["evidence"]
                )
                for each in sources.in_places(shown)
            ],
            "answer": item.text,
            "sentences": [
                {
                    "text": text,
                    **labels("sentences", number),
                    "citations": [
                        {
                            "context": shown[citation["evidence"]].number,
                            **labels("citations", target),
                        }
                        for target, citation in _citations(item, number)
                    ],
                }
                for number, text in enumerate(item.sentences)
            ],
            **labels("item", 0),
            **about,
        }


def trec(source: Source) -> Iterator[dict[str, Any]]:
    """An object for each item; the citations of a part are those of its text, as places from 0."""
    for item, labels, about in _items(source):
        came = item.source if trec_rag.is_line(item.source) else {}
        shown = {each.number: each for each in sources.in_places(_sources(item))}
        names = [sources.source_id(each) for each in came.get("references", ())]
        if len(names) < len(shown):
            names = [f"{item.passage_id}#{number}" for number in range(1, len(shown) + 1)]
        parts = list(_parts(item, labels))
        told = came.get("metadata")
        metadata = told if isinstance(told, dict) else {}
        run_id = came.get("run_id") or metadata.get("run_id")
        if not run_id or item.side != "before":
            run_id = f"{item.dataset}-{item.system}-{item.run}"
        topic_id = came.get("topic_id") or metadata.get("narrative_id") or item.passage_id
        yield {
            "run_id": str(run_id),
            "topic_id": str(topic_id),
            "topic": item.context,
            "references": names,
            "response_length": sum(len(part["text"].split()) for part in parts),
            "answer": parts,
            "documents": [
                {"docid": name, "title": each.title, "url": each.url, "segment": each.text}
                for name, each in zip(names, shown.values(), strict=False)
                if each.text
            ],
            **labels("item", 0),
            **about,
        }


def _parts(item: JudgedItem, labels: Labels) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(item.sentences):
        judged = {place: target for target, place in _cited_numbers(item, number)}
        numbers = [each for each in cited(text) if each]
        of_citations = [
            labels("citations", judged[each]) if each in judged else _UNASKED["citations"]
            for each in numbers
        ]
        yield {
            "text": without_citations(text),
            "citations": [each - 1 for each in numbers],
            **labels("sentences", number),
            **{name: [each[name] for each in of_citations] for name in _UNASKED["citations"]},
        }


def _items(source: Source) -> Iterator[tuple[JudgedItem, Labels, dict[str, Any]]]:
    campaign = source.campaign
    criteria = questionnaire_of(campaign).criteria
    is_drawn = campaign.sampling != Campaign.Sampling.ALL
    several = len(links_of(campaign)) > 1
    for item in read_items(source, with_import=True):
        about: dict[str, Any] = {"side": item.side}
        if is_drawn:
            about["weight"] = item.weight
        if source.labels == ALL:
            about |= item.rater_levels(source.pseudonym)
        yield item, _labels_of(item, criteria), about | item.origin if several else about


def _labels_of(item: JudgedItem, criteria: tuple[Criterion, ...]) -> Labels:
    def labels(targets: str, target: int) -> dict[str, Label]:
        return _UNASKED[targets] | {
            # As `counts` has it: a yes or no is a label, any other answer its level.
            each.name: (item.label if each.levels[-1].value == 1 else item.level)(each.name, target)
            for each in criteria
            if each.targets == targets
        }

    return labels


def _sources(item: JudgedItem) -> list[sources.Source]:
    """What raters saw, by the numbers that the text cites."""
    return [
        sources.Source(
            number=each.get("number") or place,
            title=each["title"],
            url=each["url"],
            text=each["text"],
        )
        for place, each in enumerate(item.evidence, start=1)
    ]


def _citations(item: JudgedItem, sentence: int) -> list[tuple[int, Any]]:
    return [
        (target, each) for target, each in enumerate(item.citations) if each["sentence"] == sentence
    ]


def _cited_numbers(item: JudgedItem, sentence: int) -> list[tuple[int, int]]:
    shown = _sources(item)
    return [(target, shown[each["evidence"]].number) for target, each in _citations(item, sentence)]


CONTEXTS = jsonl_format(
    "contexts",
    contexts,
    fields=CONTEXTS_FIELDS,
    title="contexts (JSON lines)",
    about=(
        "One line per answer: question, contexts and answer, as RAG tools read them, with the "
        "label of every sentence, source and citation that raters were asked about. Null if there "
        "is a tie or no judgment."
    ),
    kinds=KINDS,
    is_main=False,
    resolves=True,
)
TREC_RAG = jsonl_format(
    "trec_rag",
    trec,
    fields=TREC_FIELDS,
    title="TREC RAG (JSON lines)",
    about=(
        "One line per answer in the format of the TREC RAG track, 2024: references, and the "
        "answer in parts that cite them by place from 0, each with its labels. The texts of the "
        "references stand in documents."
    ),
    kinds=KINDS,
    is_main=False,
    resolves=True,
)
