"""Lines of contexts and of the TREC RAG track: a line an answer, with what raters said of it.

Labels stand beside what they are about: a source, a sentence, a citation, the answer. One that the
campaign does not ask for is null.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.exporting.export import jsonl_format
from annotation.exporting.item_reader import read_items
from annotation.exporting.judged_items import ORIGIN, RATER_LEVELS, JudgedItem
from annotation.exporting.schema import NUMBER, TEXT, WHOLE, Fields
from annotation.exporting.source import Source as ExportSource
from annotation.items.run_groups import links_of
from annotation.models import Campaign
from annotation.questionnaires import load_questionnaire, questionnaire_of
from annotation.questionnaires.types import Criterion
from annotation.results.labels import ALL, Label
from pipeline.importing import trec_rag
from pipeline.importing.sources import Source, in_places, source_id
from pipeline.metrics.citation_marks import cited, without_citations

KINDS = ("attribution", "answer_quality", "citation")


def _criteria() -> Iterator[Criterion]:
    """All that a campaign may ask."""
    for kind in KINDS:
        found = load_questionnaire(kind)
        yield from found.with_options([option.name for option in found.options]).criteria


_ASKED = list(_criteria())
_LABELS: dict[str, Fields] = {
    targets: {each.name: WHOLE for each in _ASKED if each.targets == targets}
    for targets in ("sentences", "citations", "evidence", "item")
}
"""By kind of target the labels."""
_ABOUT: Fields = {"side": TEXT, "weight": NUMBER, **RATER_LEVELS, **ORIGIN}
CONTEXTS_FIELDS: Fields = {
    "id": TEXT,
    "question": TEXT,
    "contexts": [{"title": TEXT, "url": TEXT, "text": TEXT, **_LABELS["evidence"]}],
    "answer": TEXT,
    "sentences": [
        {
            "text": TEXT,
            **_LABELS["sentences"],
            "citations": [{"context": WHOLE, **_LABELS["citations"]}],
        }
    ],
    **_LABELS["item"],
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
            **_LABELS["sentences"],
            **{name: [kind] for name, kind in _LABELS["citations"].items()},
        }
    ],
    "documents": [{"docid": TEXT, "title": TEXT, "url": TEXT, "segment": TEXT}],
    **_LABELS["item"],
    **_ABOUT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """An item with its labels."""

    item: JudgedItem
    criteria: tuple[Criterion, ...]
    sources: list[Source]
    """What raters saw, by the numbers that the text cites."""
    about: Mapping[str, Any]
    """What stands behind every line."""

    def labels(self, targets: str, target: int | None = 0) -> dict[str, Label]:
        """The label of each criterion about a target; null where nobody was asked about it."""
        labels: dict[str, Label] = dict.fromkeys(_LABELS[targets])
        if target is not None:
            for each in self.criteria:
                if each.targets == targets:
                    # As `counts` has it: a yes or no is a label, any other answer its level.
                    is_yes_or_no = each.levels[-1].value == 1
                    label = self.item.label if is_yes_or_no else self.item.level
                    labels[each.name] = label(each.name, target)
        return labels

    def citations(self, sentence: int) -> dict[int, int]:
        """The numbers that a sentence cites, and which target of the questions each is."""
        return {
            self.sources[each["evidence"]].number: target
            for target, each in enumerate(self.item.citations)
            if each["sentence"] == sentence
        }


def contexts(source: ExportSource) -> Iterator[dict[str, Any]]:
    """An object for each item, also for one that nobody has judged."""
    for judged in _judged(source):
        item, labels = judged.item, judged.labels
        places = {each.number: place for place, each in enumerate(judged.sources)}
        yield {
            "id": item.passage_id,
            "question": item.context,
            "contexts": [
                {"title": each.title, "url": each.url, "text": each.text}
                | labels("evidence", places.get(each.number))
                for each in in_places(judged.sources)
            ],
            "answer": item.text,
            "sentences": [
                {
                    "text": text,
                    **labels("sentences", number),
                    "citations": [
                        {"context": cites, **labels("citations", target)}
                        for cites, target in judged.citations(number).items()
                    ],
                }
                for number, text in enumerate(item.sentences)
            ],
            **labels("item"),
            **judged.about,
        }


def trec(source: ExportSource) -> Iterator[dict[str, Any]]:
    """An object for each item; the citations of a part are those of its text, as places from 0."""
    for judged in _judged(source):
        item = judged.item
        came = item.source if trec_rag.is_line(item.source) else {}
        shown = in_places(judged.sources)
        names = [source_id(each) for each in came.get("references", ())]
        if len(names) < len(shown):
            names = [f"{item.passage_id}#{number}" for number in range(1, len(shown) + 1)]
        parts = [_part(judged, number, text) for number, text in enumerate(item.sentences)]
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
                for name, each in zip(names, shown, strict=False)
                if each.text
            ],
            **judged.labels("item"),
            **judged.about,
        }


def _part(judged: _Judged, number: int, text: str) -> dict[str, Any]:
    targets = judged.citations(number)
    cites = [each for each in cited(text) if each]
    labels = [judged.labels("citations", targets.get(each)) for each in cites]
    return {
        "text": without_citations(text),
        "citations": [each - 1 for each in cites],
        **judged.labels("sentences", number),
        **{name: [each[name] for each in labels] for name in _LABELS["citations"]},
    }


def _judged(source: ExportSource) -> Iterator[_Judged]:
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
        sources = [
            Source(
                number=each.get("number") or place,
                title=each["title"],
                url=each["url"],
                text=each["text"],
            )
            for place, each in enumerate(item.evidence, start=1)
        ]
        about |= item.origin if several else {}
        yield _Judged(item=item, criteria=criteria, sources=sources, about=about)


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
