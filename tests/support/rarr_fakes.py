"""Scripted models and searches that record requests."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components
from pipeline.rarr.types import (
    Agreement,
    Document,
    EntailmentScore,
    Evidence,
    Passage,
    ProposedEdit,
    Query,
    Verdict,
)
from pipeline.text.spans import Span

_SENTENCE = re.compile(r"[^.!?。\s][^.!?。]*[.!?。]?")


class Splitter:
    """Splits sentences at full stops."""

    def __init__(self) -> None:
        self.received: list[str] = []

    def __call__(self, text: str) -> Sequence[Span]:
        self.received.append(text)
        return [
            Span(start=result.start(), end=result.start() + len(result.group().rstrip()))
            for result in _SENTENCE.finditer(text)
        ]


class Questions:
    """Returns scripted samples, or raises the scripted error."""

    def __init__(
        self, *samples: Sequence[str] | UnreadableReply, error: Exception | None = None
    ) -> None:
        self.samples = samples
        self.error = error
        self.received: list[tuple[Passage, int, float]] = []

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query] | UnreadableReply]:
        self.received.append((passage, samples, temperature))
        if self.error:
            raise self.error
        return [
            sample if isinstance(sample, UnreadableReply) else [Query(text=text) for text in sample]
            for sample in self.samples
        ]


class Shelf:
    """Returns the scripted documents for each query."""

    def __init__(
        self,
        documents: Mapping[str, Sequence[Document]] | None = None,
        *,
        error: Exception | None = None,
    ) -> None:
        self.documents = documents or {}
        self.error = error
        self.received: list[tuple[tuple[str, ...], int]] = []

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        self.received.append((tuple(queries), limit))
        if self.error:
            raise self.error
        return [list(self.documents.get(query, []))[:limit] for query in queries]


class SharedWords:
    """Relevance by the number of shared words, or by `of`."""

    def __init__(self, of: Callable[[str, str], float] | None = None) -> None:
        self.of = of or (lambda query, text: float(len(_words(query) & _words(text))))
        self.received: list[list[tuple[str, str]]] = []

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        self.received.append(list(pairs))
        return [self.of(query, text) for query, text in pairs]


class Gate:
    """Disagrees while y contains a scripted word."""

    def __init__(
        self, wrong: Sequence[str] = (), *, errors: Mapping[str, Exception] | None = None
    ) -> None:
        self.wrong = wrong
        self.errors = errors or {}
        self.received: list[tuple[str, str, str]] = []

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        self.received.append((current, query.text, evidence.text))
        if query.text in self.errors:
            raise self.errors[query.text]
        for word in self.wrong:
            if word in current:
                at = current.index(word)
                return Agreement(
                    verdict=Verdict.DISAGREES,
                    reason=f"The passage says {word}.",
                    passage_answer=word,
                    passage_span=Span(start=at, end=at + len(word)),
                )
        return Agreement(verdict=Verdict.AGREES, reason="Both say the same.")


class Pen:
    """Replaces scripted text in y, each once per call."""

    def __init__(
        self,
        swaps: Mapping[str, str] | None = None,
        *,
        error: Exception | None = None,
        entailed: tuple[float | None, float | None] = (None, None),
    ) -> None:
        self.swaps = swaps or {}
        self.error = error
        self.entailed = entailed
        self.received: list[str] = []

    def edit(
        self,
        *,
        passage: Passage,
        current: str,
        query: Query,
        evidence: Evidence,
        agreement: Agreement,
    ) -> ProposedEdit:
        self.received.append(current)
        if self.error:
            raise self.error
        text = current
        for old, new in self.swaps.items():
            text = text.replace(old, new)
        before, after = self.entailed
        return ProposedEdit(
            text=text,
            reason="The source says otherwise.",
            entailed_before=before,
            entailed_after=after,
        )


class Nli:
    """Entailment by the share of shared words, or by `of`."""

    def __init__(self, of: Callable[[str, str], EntailmentScore] | None = None) -> None:
        self.of = of or _share_of_words
        self.received: list[list[tuple[str, str]]] = []

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]:
        self.received.append(list(pairs))
        return [self.of(premise, hypothesis) for premise, hypothesis in pairs]


class StandAlone:
    def __init__(self, swaps: Mapping[str, str] | None = None) -> None:
        self.swaps = swaps or {}
        self.received: list[tuple[Passage, tuple[str, ...]]] = []

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        self.received.append((passage, tuple(sentences)))
        return [self.swaps.get(sentence, sentence) for sentence in sentences]


def make_components(**given: Any) -> Components:
    """Components that find nothing, agree and change nothing, except for the given ones."""
    return Components(
        **{
            "splitter": Splitter(),
            "query_generator": Questions(),
            "retriever": Shelf(),
            "relevance": SharedWords(),
            "agreement_model": Gate(),
            "edit_model": Pen(),
            **given,
        }
    )


def document(text: str, *, id: str = "d1", title: str = "", url: str = "") -> Document:  # noqa: A002 - the field's name
    return Document(id=id, title=title, url=url, text=text)


def passage(text: str, *, context: str = "") -> Passage:
    return Passage(id="p1", text=text, context=context)


def evidence(text: str, *, query: str = "q", **values: Any) -> Evidence:
    return Evidence(
        **{
            "text": text,
            "title": "",
            "url": "",
            "document_id": "d1",
            "query": query,
            "relevance": 1.0,
            **values,
        }
    )


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _share_of_words(premise: str, hypothesis: str) -> EntailmentScore:
    wanted = _words(hypothesis)
    share = len(wanted & _words(premise)) / len(wanted) if wanted else 0.0
    return EntailmentScore(entailed=share, contradicted=1 - share)
