"""Make items from revisions, when a campaign starts."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.fields.json import KT
from msgspec.structs import asdict

from annotation.items.ordering import chance
from annotation.models import Item
from annotation.questionnaires.material import AFTER, BEFORE, CONTEXT, EVIDENCE, PAIR, Material
from annotation.questionnaires.types import Questionnaire
from pipeline.generation.strategies import STRATEGIES
from pipeline.importing.passage import PassageSource
from pipeline.models import Revision, Run
from pipeline.rarr.ports import SentenceSplitter

BATCH = 200


def make_items(
    revisions: QuerySet[Revision],
    position: Mapping[tuple[int, str], int],
    splitter: SentenceSplitter,
    questionnaire: Questionnaire,
    *,
    seed: str,
) -> Iterator[Item]:
    """Yield unsaved items.

    A (revision, side) without a position, or with nothing to judge, has none.
    """
    # Of the result only the report, as the trace can be long.
    rows: Any = revisions.order_by("pk").annotate(
        evidence=KT("result__report__evidence"),
        imported=F("passage__source"),
        system=F("run__system"),
    )
    rows = rows.only("pk", "run", "passage", "original_text", "text", "context", "sentences")
    for revision in rows.iterator(chunk_size=BATCH):
        texts = {BEFORE: revision.original_text, AFTER: revision.text}
        sentences = {
            side: _sentences(revision.sentences.get(side), text, splitter)
            for side, text in texts.items()
            if {(revision.pk, side), (revision.pk, PAIR)} & position.keys()
        }
        is_unrevised = revision.system == Run.UNREVISED
        is_written = revision.system in STRATEGIES
        # The imported sources of a written answer belong to another answer.
        quotes = {} if is_written else _quotes(revision.imported)
        if is_unrevised and quotes:
            evidence = [quotes[number] for number in sorted(quotes)]
        else:
            evidence = [_snippet(each) for each in json.loads(revision.evidence or "[]")]
        if is_written:
            evidence = [{**each, "number": number} for number, each in enumerate(evidence, 1)]
            quotes = {each["number"]: each for each in evidence}
        for side in (BEFORE, AFTER, PAIR):
            index = position.get((revision.pk, side))
            if index is None:
                continue
            draft = questionnaire.make(
                Material(
                    side=side,
                    texts=texts,
                    sentences=sentences,
                    evidence=evidence if EVIDENCE in questionnaire.shows else [],
                    quotes=quotes,
                    has_units=is_unrevised and bool(revision.sentences.get(side)),
                    swapped=int(chance(seed, "swap", revision.pk), 16) % 2 == 1,
                )
            )
            if draft is not None:
                yield Item(
                    revision=revision,
                    passage_id=revision.passage_id,
                    side=side,
                    position=index,
                    context=revision.context if CONTEXT in questionnaire.shows else "",
                    **{field.name: getattr(draft, field.name) for field in fields(draft)},
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
        each.number: {"number": each.number, **_snippet(asdict(each))} for each in source.numbered
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
