"""Statistics of labelled answers with quotes: HAGRID's Tables 2 and 3, extractiveness.

Intervals are over questions: answers to one question are alike.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from pipeline.metrics.citation_marks import MARKS, mentions, without_citations
from pipeline.metrics.extractiveness import Extractiveness, extractiveness
from pipeline.metrics.inference import Estimate, ratio_estimate

LABELS = ("informative", "attributable")
Labels = Mapping[str, int | None]
"""By `LABELS`: 1, 0, or None if not judged."""


@dataclass(frozen=True, kw_only=True)
class LabelledAnswer:
    """An answer with the quotes of its question and its labels."""

    id: str
    question: str
    text: str
    quotes: tuple[str, ...]
    cited: tuple[int, ...]
    """Indexes of the cited quotes, each once."""
    labels: Labels
    sentences: tuple["LabelledSentence", ...] = ()
    group: str = ""
    """The split or the system, if any."""
    quote_words: tuple[int, ...] = ()
    """The quotes' lengths, where `quotes` lacks texts."""

    @property
    def lean(self) -> "LabelledAnswer":
        """Without the texts of quotes that it does not cite, to save memory."""
        needed = {*self.cited, *(index for each in self.sentences for index in each.cited)}
        return replace(
            self,
            quotes=tuple(text if n in needed else "" for n, text in enumerate(self.quotes)),
            quote_words=tuple(map(_words, self.quotes)),
        )

    @cached_property
    def copied(self) -> Extractiveness | None:
        """Of the cited quotes; None without any."""
        if not self.cited:
            return None
        quotes = [self.quotes[index] for index in self.cited]
        return extractiveness(MARKS.sub(" ", self.text), quotes)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSentence:
    """A unit of an answer with its labels."""

    text: str
    labels: Labels = field(default_factory=dict)
    cited: tuple[int, ...] = ()
    """As `LabelledAnswer.cited`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedShare:
    """A row of Table 3."""

    label: str
    level: str
    """`answers` or `sentences`."""
    total: int
    yes: int
    share: Estimate | None
    """Of yes; `n` counts questions."""

    @property
    def no(self) -> int:
        return self.total - self.yes


def counts_of(answers: Sequence[LabelledAnswer]) -> dict[str, int]:
    """The counts of Table 2."""
    quotes = {each.question: len(each.quotes) for each in answers}
    return {
        "questions": len(quotes),
        "quotes": sum(quotes.values()),
        "answers": len(answers),
        "sentences": sum(len(each.sentences) for each in answers),
        "citations": sum(len(mentions(each.text)) for each in answers),
    }


def means_of(answers: Sequence[LabelledAnswer]) -> dict[str, Estimate | None]:
    """The averages of Table 2, lengths in words, and Figure 4's coverage and density.

    `n` counts questions with a value; None where there is none.
    """
    per_question = Counter(each.question for each in answers)
    firsts = list({each.question: each for each in reversed(answers)}.values())
    split = [each for each in answers if each.sentences]
    cite = [each for each in answers if each.copied]
    return {
        "quotes_per_question": ratio_estimate([len(each.quotes) for each in firsts], lowest=0),
        "answers_per_question": ratio_estimate(list(per_question.values()), lowest=0),
        "sentences_per_answer": _mean(split, lambda each: [len(each.sentences)]),
        "citations_per_answer": _mean(answers, lambda each: [len(mentions(each.text))]),
        "cited_quotes_per_answer": _mean(answers, lambda each: [len(each.cited)]),
        "words_per_answer": _mean(answers, lambda each: [_words(each.text)]),
        "words_per_sentence": _mean(split, lambda each: [_words(s.text) for s in each.sentences]),
        "words_per_quote": _mean(
            firsts, lambda each: each.quote_words or list(map(_words, each.quotes))
        ),
        "coverage": _mean(cite, lambda each: [each.copied[0]] if each.copied else [], highest=1),
        "density": _mean(cite, lambda each: [each.copied[1]] if each.copied else []),
    }


def judged_of(answers: Sequence[LabelledAnswer]) -> list[JudgedShare]:
    """The rows of Table 3, with or without labels."""
    rows = []
    for label, level in product(LABELS, ("answers", "sentences")):
        judged = [
            (answer.question, int(value))
            for answer in answers
            for each in ([answer] if level == "answers" else answer.sentences)
            if (value := each.labels.get(label)) is not None
        ]
        questions, votes = zip(*judged, strict=True) if judged else ((), ())
        share = ratio_estimate(votes, clusters=questions, lowest=0, highest=1)
        rows.append(
            JudgedShare(label=label, level=level, total=len(votes), yes=sum(votes), share=share)
        )
    return rows


def _mean(
    answers: Sequence[LabelledAnswer],
    values_of: Callable[[LabelledAnswer], Sequence[float]],
    *,
    highest: float = math.inf,
) -> Estimate | None:
    values = [values_of(each) for each in answers]
    return ratio_estimate(
        list(map(sum, values)),
        list(map(len, values)),
        clusters=[each.question for each in answers],
        lowest=0,
        highest=highest,
    )


def _words(text: str) -> int:
    return len(without_citations(text).split())
