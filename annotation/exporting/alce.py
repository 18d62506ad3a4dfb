"""ALCE's human study: one JSON object, answers by dataset and run.

Keys and codes are those of ALCE's published judgments: a citation is 2 (full support), 1 (partial)
or 0 (none), a sentence's recall 1 or 0; null is a tie, or no judgment.
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
from annotation.results.labels import ALL, Label
from pipeline.metrics.citation_support import citation_scores


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
            for item in read_items(context, run=link.run_id):
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
        citation["sentence"]: item.answers("citation_recall", citation["sentence"]).level
        for citation in item.citations
    }
    levels = [
        item.answers("citation_precision", target).level for target in range(len(item.citations))
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
    }


def _sentence(
    item: JudgedItem, index: int, text: str, recall: dict[int, Label], levels: Sequence[Label]
) -> dict[str, Any]:
    citations = [
        (item.evidence[citation["evidence"]], level)
        for citation, level in zip(item.citations, levels, strict=True)
        if citation["sentence"] == index
    ]
    # Nobody is asked about a sentence without citations: it is not supported.
    supported = recall.get(index, 0)
    precise: Label = None
    if not citations or any(level == 0 for _, level in citations) or supported == 0:
        precise = 0
    elif supported == 1 and all(level for _, level in citations):
        precise = 1
    return {
        "text": text,
        "citations": [
            {"title": each["title"], "text": each["text"], "citation_precision_score": level}
            for each, level in citations
        ],
        "sentence_recall_score": supported,
        "sentence_precision_score": precise,
    }
