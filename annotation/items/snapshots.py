"""Make items from revisions, when a campaign starts."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import chain
from typing import Any

from django.db.models.fields.json import KT

from annotation.items.ordering import chance
from annotation.questionnaires.material import (
    AFTER,
    BEFORE,
    CONTEXT,
    EVIDENCE,
    PAIR,
    Draft,
    Material,
)
from annotation.questionnaires.types import Questionnaire
from pipeline.data.staging import batches
from pipeline.generation.strategies import STRATEGIES
from pipeline.importing.passage import PassageSource
from pipeline.models import Revision, Run
from pipeline.rarr.ports import SentenceSplitter

BATCH = 200
DRAFT_COLUMNS = [field.name for field in fields(Draft)]
CONTENT = ("passage_id", "context", *DRAFT_COLUMNS)
"""The columns that are equal in items which share their answers."""


def content_of(item: Mapping[str, Any]) -> bytes:
    """Return a hash of the `CONTENT` of an item's columns."""
    content = json.dumps([item[name] for name in CONTENT], sort_keys=True)
    return hashlib.blake2b(content.encode(), digest_size=16).digest()


def make_items(
    revisions: Iterable[int],
    position: Mapping[tuple[int, str], int],
    splitter: SentenceSplitter,
    questionnaire: Questionnaire,
    *,
    seed: str,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the run and the columns of each item of these revisions.

    A (revision, side) without a position, or with nothing to judge, has none.
    """
    # In batches: sorting all of these rows at once takes longer than reading them.
    rows = chain.from_iterable(map(_rows, batches(revisions, BATCH)))
    for key, run, system, passage, imported, before, after, context, scored, report in rows:
        texts = {BEFORE: before, AFTER: after}
        sentences = {
            side: _sentences(scored.get(side), text, splitter)
            for side, text in texts.items()
            if (key, side) in position or (key, PAIR) in position
        }
        is_unrevised = system == Run.UNREVISED
        is_written = system in STRATEGIES
        # The imported sources of a written answer belong to another answer.
        quotes = {} if is_written else _quotes(imported)
        if is_unrevised and quotes:
            evidence = [quotes[number] for number in sorted(quotes)]
        else:
            evidence = [_snippet(each) for each in json.loads(report or "[]")]
        if is_written:
            evidence = [{**each, "number": number} for number, each in enumerate(evidence, 1)]
            quotes = {each["number"]: each for each in evidence}
        for side in (BEFORE, AFTER, PAIR):
            index = position.get((key, side))
            if index is None:
                continue
            draft = questionnaire.make(
                Material(
                    side=side,
                    texts=texts,
                    sentences=sentences,
                    evidence=evidence if EVIDENCE in questionnaire.shows else [],
                    quotes=quotes,
                    has_units=is_unrevised and bool(scored.get(side)),
                    swapped=side == PAIR and int(chance(seed, "swap", passage), 16) % 2 == 1,
                )
            )
            if draft is not None:
                yield (
                    run,
                    {
                        "revision_id": key,
                        "passage_id": passage,
                        "side": side,
                        "position": index,
                        "context": context if CONTEXT in questionnaire.shows else "",
                        **{name: getattr(draft, name) for name in DRAFT_COLUMNS},
                    },
                )


def _rows(revisions: list[int]) -> Iterable[Any]:
    return (
        Revision.objects.filter(pk__in=revisions)
        .order_by("pk")
        .values_list(
            "pk",
            "run",
            "run__system",
            "passage",
            "passage__source",
            "original_text",
            "text",
            "context",
            "sentences",
            # Not the trace, which can be long.
            KT("result__report__evidence"),
        )
    )


def _sentences(scored: Any, text: str, splitter: SentenceSplitter) -> list[dict[str, int]]:
    return _offsets(scored, text) or [
        {"start": span.start, "end": span.end} for span in splitter(text)
    ]


def _snippet(source: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(source.get(key) or "") for key in ("title", "url", "text")}


def _quotes(source: PassageSource) -> dict[int, dict[str, Any]]:
    """Return cited number → source of an imported answer."""
    return {
        each.number: {
            "number": each.number,
            "title": each.title,
            "url": each.url,
            "text": each.text,
        }
        for each in source.numbered
    }


def _offsets(scored: Any, text: str) -> list[dict[str, int]]:
    """Return the offsets that the run scored, or [] if they do not fit the text."""
    offsets = []
    end = 0
    for sentence in scored or []:
        start, stop = sentence.get("start"), sentence.get("end")
        if not (isinstance(start, int) and isinstance(stop, int)):
            return []
        if not end <= start < stop <= len(text):
            return []
        offsets.append({"start": start, "end": stop})
        end = stop
    return offsets
