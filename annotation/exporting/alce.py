"""ALCE's human study: one JSON object, answers by dataset and run.

Keys and codes are those of ALCE's published judgments, which its `human_eval/analyze.py` reads: a
citation is 2 (full support), 1 (partial) or 0 (none), a sentence's recall 1 or 0; null is no
judgment. Of a tie stands the highest level that most raters reach.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from annotation.exporting.context import ExportContext
from annotation.exporting.export import Format
from annotation.exporting.item_reader import items_to_export, read_items
from annotation.exporting.judged_items import JudgedItem
from annotation.items.run_groups import links_of
from annotation.models import Item
from annotation.results.labels import ALL, Label, TargetAnswers
from annotation.results.scored_statements import statements_of
from pipeline.metrics.citation_support import ENTAILED, citation_scores


def lines(context: ExportContext) -> Iterator[str]:
    campaign = context.campaign
    links = links_of(campaign)
    by_dataset = sorted(links, key=lambda link: link.run.dataset.slug)
    yield "{"
    for number, (dataset, of) in enumerate(groupby(by_dataset, lambda link: link.run.dataset.slug)):
        yield f"{', ' if number else ''}{json.dumps(dataset)}: {{"
        for index, link in enumerate(of):
            name = campaign.slug
            if len(links) > 1:
                name = f"{campaign.slug}-{link.run.system}-{link.run_id}"
            yield f"{', ' if index else ''}{json.dumps(name)}: {{\n"
            before = ""
            for item in read_items(context, run=link.run_id, with_scores=True):
                context.counts.lines += 1
                key = json.dumps(f"{item.passage_id}-{item.side}")
                answer = _answer(item)
                if context.labels == ALL:
                    answer |= item.rater_levels(context.pseudonym)
                yield f"{before}{key}: {json.dumps(answer, ensure_ascii=False)}"
                before = ",\n"
            yield "\n}"
        yield "}"
    yield "}\n"


ALCE = Format(
    name="alce",
    title="ALCE",
    about="One object per answer with its citations’ recall and precision, as in ALCE’s study",
    file_type="JSON",
    count=lambda campaign: items_to_export(campaign).count(),
    suffix=".json",
    content_type="application/json",
    lines=lines,
    kinds=("citation",),
    resolves=True,
)


def _answer(item: JudgedItem) -> dict[str, Any]:
    recall = {
        citation["sentence"]: _level(item.answers("citation_recall", citation["sentence"]))
        for citation in item.citations
    }
    levels = [
        _level(item.answers("citation_precision", target)) for target in range(len(item.citations))
    ]
    scores = None
    if None not in levels and None not in recall.values():
        scores = citation_scores(
            sentences=len(item.sentences),
            supported={sentence: label == 1 for sentence, label in recall.items()},
            citations=[
                (citation["sentence"], level or 0)
                for citation, level in zip(item.citations, levels, strict=True)
            ],
        )
    return {
        "id": item.passage_id,
        "question": item.context,
        "output": item.text,
        "utility_score": item.answers("utility", 0).level,
        "overall_recall_score": scores.recall if scores else None,
        "overall_precision_score": scores.precision if scores else None,
        "sentences": [
            _sentence(item, index, text, recall, levels)
            for index, text in enumerate(item.sentences)
        ],
        **_automatic(item),
    }


def _level(answers: TargetAnswers) -> Label:
    """Return the level; of a tie, the highest that more than half of the raters reach.

    >>> _level(TargetAnswers([2, 0])), _level(TargetAnswers([2, 1, 0])), _level(TargetAnswers([]))
    (0, 1, None)
    """
    if answers.level is None and answers.levels and not answers.needs_unanimity:
        return sorted(answers.levels)[(answers.n - 1) // 2]
    return answers.level


def _automatic(item: JudgedItem) -> dict[str, list[Any]]:
    """Return the scorer's decisions for each sentence; nothing if the answer is not scored.

    Null for a sentence that the scorer read otherwise.
    """
    if item.statements is None or item.side != Item.Side.BEFORE:
        return {}
    recall: list[Label] = []
    precision: list[Label] = []
    of_citations: list[list[Label]] = []
    for scored, target_of in statements_of(
        item.spans, item.citations, item.evidence, item.statements
    ):
        citations: list[Label] = [None for _ in target_of]
        supported = None
        if scored is not None:
            supported = int(bool(target_of) and (scored["probability"] or 0.0) >= ENTAILED)
            relevant = {*scored["sources"]} - {*scored["irrelevant"]} if supported else set()
            citations = [int(number in relevant) for number in target_of]
        recall.append(supported)
        precision.append(_precision(citations))
        of_citations.append(citations)
    return {
        "automatic_recall_scores": recall,
        "automatic_precision_scores": precision,
        "automatic_citation_precision_scores": of_citations,
    }


def _precision(levels: Sequence[Label]) -> Label:
    """Return 1 if there are citations and each supports the sentence at least partly."""
    if not levels or 0 in levels:
        return 0
    return None if None in levels else 1


def _sentence(
    item: JudgedItem, index: int, text: str, recall: dict[int, Label], levels: Sequence[Label]
) -> dict[str, Any]:
    citations = [
        (item.evidence[citation["evidence"]], level)
        for citation, level in zip(item.citations, levels, strict=True)
        if citation["sentence"] == index
    ]
    return {
        "text": text,
        "citations": [
            {"title": each["title"], "text": each["text"], "citation_precision_score": level}
            for each, level in citations
        ],
        # Nobody is asked about a sentence without citations: it is not supported.
        "sentence_recall_score": recall.get(index, 0),
        "sentence_precision_score": _precision([level for _, level in citations]),
    }
