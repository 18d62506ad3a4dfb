"""Hand-made cases of faults of `compact`.

A class of faults has a TOML file here. Its `documents` have names that its `cases` use. A case has

- `id`, `text`, and `context` where the passage answers a question;
- `evidence`: names of documents, which every query finds;
- `changes`: pairs of words of the text and what an editor puts in their place; none: the text
  stays as it is;
- `span` and `verdict`: what the gate says of these words beside the first document;
- `mentions`: check-worthy spans of the text in their order, and `unmentioned`: words that are in
  none;
- `contradicted`: whether the page of a revision shows the sentence of `span` as contradicted by
  the first document;
- `fails`: the checks (revision, verdict, mentions, contradicted) that `compact` does not pass yet.
"""

import tomllib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pipeline.backends.compact.text.spans import mentions
from pipeline.engine.auto_ais import ScoringModels, score
from pipeline.engine.language_models import load_llm_steps
from pipeline.engine.loading import load_decontextualizer, load_entailment, load_model
from pipeline.pages.revision_page import read_page
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import revise
from pipeline.rarr.ports import Components
from pipeline.rarr.serialization import from_plain
from pipeline.rarr.types import Document, Passage, Query
from pipeline.text.sentences import split_sentences
from pipeline.text.spans import Span
from tests.pipeline.backends.compact.knowing_reader import evidence, span_of

CLASSES = (
    "different_names",
    "half_names",
    "dates",
    "figures_of_others",
    "roles_of_numbers",
    "other_subjects",
    "missed_spans",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One text with what is right of it; see the module."""

    id: str
    """With its class: "dates/impossible-day"."""
    text: str
    context: str = ""
    evidence: tuple[Document, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()
    span: str = ""
    verdict: str = ""
    mentions: tuple[str, ...] = ()
    unmentioned: tuple[str, ...] = ()
    contradicted: bool | None = None
    fails: tuple[str, ...] = ()

    @property
    def passage(self) -> Passage:
        return Passage(id=self.id, text=self.text, context=self.context)

    @property
    def expected(self) -> str:
        """The text after its changes."""
        text = self.text
        for old, new in self.changes:
            text = text.replace(old, new)
        return text

    @property
    def position(self) -> Span:
        return span_of(self.text, self.span)


@lru_cache(maxsize=1)
def all_cases() -> tuple[Case, ...]:
    return tuple(case for name in CLASSES for case in _cases(name))


def _cases(name: str) -> list[Case]:
    rows = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))
    documents = {
        key: {"id": key, "url": "", **row} for key, row in rows.get("documents", {}).items()
    }
    for row in rows["cases"]:
        row["id"] = f"{name}/{row['id']}"
        row["evidence"] = [documents[key] for key in row.get("evidence", ())]
    return [from_plain(Case, row) for row in rows["cases"]]


class Shelf:
    """Finds all of a case's documents for every query, in their order."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        return [list(self.documents[:limit]) for _ in queries]


def faults(case: Case) -> dict[str, Callable[[], str]]:
    """The checks of a case by name; each returns what is wrong, or ""."""
    checks: dict[str, Callable[[], str]] = {}
    if case.evidence:
        checks["revision"] = lambda: _unless(revised(case), case.expected)
    if case.verdict:
        checks["verdict"] = lambda: _unless(verdict_of(case), case.verdict)
    if case.mentions or case.unmentioned:
        checks["mentions"] = lambda: _unless(*outside_mentions(case))
    if case.contradicted is not None:
        wanted = case.contradicted
        checks["contradicted"] = lambda: _unless(str(is_contradicted(case)), str(wanted))
    return checks


def _unless(result: str, wanted: str) -> str:
    return "" if result == wanted else f"got:    {result}\nwanted: {wanted}"


def revised(case: Case) -> str:
    """What RARR's own loop with the shipped models makes of the text."""
    return revise(case.passage, components=_components(case.evidence), config=RarrConfig()).text


def verdict_of(case: Case) -> str:
    """The gate's verdict about the span by the whole first document."""
    query = Query(text=f"What of {case.span}?", about=case.position)
    document = case.evidence[0]
    judged = _components(()).agreement_model.judge(
        passage=case.passage,
        current=case.text,
        query=query,
        evidence=evidence(document.text, document.title),
    )
    return str(judged.verdict)


def is_contradicted(case: Case) -> bool:
    """Return whether the page shows the sentence as contradicted by the first document."""
    revision = revise(case.passage, components=_components(case.evidence[:1]), config=RarrConfig())
    models = ScoringModels(
        load_entailment("compact"), split_sentences, load_decontextualizer("compact")
    )
    scores = score(revision, models)
    sentences = [each for pair in read_page(revision, scores).pairs for each in pair.before]
    number = bisect_right([each.start for each in scores.before], case.position.start)
    return sentences[number - 1].contradicted_by is not None


def outside_mentions(case: Case) -> tuple[str, str]:
    """The text's check-worthy spans that overlap wanted or unwanted words, and the wanted."""
    places = [(case.text.index(each), len(each)) for each in (*case.mentions, *case.unmentioned)]
    result = [
        mention.text
        for mention in mentions(case.text)
        if any(mention.start < at + size and at < mention.end for at, size in places)
    ]
    return " · ".join(result), " · ".join(case.mentions)


@lru_cache(maxsize=1)
def _models() -> dict[str, object]:
    return {
        "relevance": load_model("relevance", "compact"),
        **load_llm_steps("compact", {}, rarr=RarrConfig(), contextual="dialog"),
    }


def _components(documents: tuple[Document, ...]) -> Components:
    return Components(splitter=split_sentences, retriever=Shelf(documents), **_models())  # type: ignore[arg-type]
