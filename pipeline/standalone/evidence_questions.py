"""The lines that `attribution` reads: does this evidence support that sentence?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.importing.attribution_bench import LABELS
from pipeline.importing.lines import kind_of
from pipeline.importing.rows import (
    MAX_DOCUMENT_CHARACTERS,
    MAX_PASSAGE_CHARACTERS,
    RowError,
    shortened,
)
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt
from pipeline.rarr.ports import Decontextualizer, Entailment
from pipeline.rarr.types import Passage

FORMS: tuple[dict[str, str], ...] = (
    {"sentence": "sentence", "evidence": "evidence", "context": "context", "label": "label"},
    {"sentence": "claim", "evidence": "references", "context": "question",
     "label": "attribution_label"},
    {"sentence": "hypothesis", "evidence": "premise", "context": "context", "label": "label"},
)  # fmt: skip
"""What a line may call its parts: as here, or as AttributionBench's two forms."""
MEANINGS: dict[object, bool] = {1: True, 0: False, LABELS[0]: True, LABELS[1]: False}
"""What a label may be, and what it says; true and false are 1 and 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One line, made ready for an entailment model."""

    number: int
    """Of the line, from 1."""
    id: Any
    evidence: Sequence[str]
    sentence: str
    """Decontextualised."""
    label: bool | None
    """Whether people say that the evidence supports the sentence; None where the line has none."""
    group: str
    """What the line belongs with: its own `group`, else its context, else its sentence."""


def read_question(
    item: tuple[int, Mapping[str, Any]] | RowError,
    *,
    file: str,
    decontextualizer: Decontextualizer,
    reads_label: bool = False,
) -> Question | RowError | str:
    """What a line asks; or what is wrong with it, a sentence when written as a text.

    Its label is not looked at unless `reads_label`. Raises `BadConfig` where the decontextualiser
    cannot work at all.
    """
    if isinstance(item, RowError):
        return item
    number, row = item
    # Of a line that is of none, the first form's fields are missed.
    form = next((form for form in FORMS if form["sentence"] in row), FORMS[0])

    def error(part: str, problem: str, fix: str, value: object = "") -> RowError:
        return RowError(
            file=file, line=number, field=form.get(part, part), value=shortened(value),
            problem=problem, fix=fix,
        )  # fmt: skip

    sentence, evidence, context, label = (
        row.get(form[part]) for part in ("sentence", "evidence", "context", "label")
    )
    context = "" if context is None else context
    if not isinstance(sentence, str) or not sentence.strip():
        name = form["sentence"]
        is_there = sentence is not None and not isinstance(sentence, str)
        problem = f"{name} is {kind_of(sentence)}" if is_there else f"there is no {name}"
        return error("sentence", problem, f'write "{name}": "…"')
    if form["evidence"] == "premise" and isinstance(evidence, str):
        evidence = [evidence]
    if not isinstance(evidence, list) or not all(isinstance(each, str) for each in evidence):
        name = form["evidence"]
        problem = f"there is no {name}" if name not in row else f"{name} is no list of texts"
        return error("evidence", problem, f'write "{name}": ["…", "…"]', evidence or "")
    if not isinstance(context, str):
        name = form["context"]
        return error("context", f"{name} is {kind_of(context)}", "write one text", context)
    label = label if reads_label else None
    if label is not None and (isinstance(label, list | dict) or label not in MEANINGS):
        known = ", ".join(map(str, MEANINGS))
        return error("label", f"{form['label']} is no label", f"write {known} or null", label)
    for part, text, limit in (
        ("sentence", sentence, MAX_PASSAGE_CHARACTERS),
        ("context", context, MAX_PASSAGE_CHARACTERS),
        *(("evidence", each, MAX_DOCUMENT_CHARACTERS) for each in evidence),
    ):
        if len(text) > limit:
            problem = f"{form[part]} has {len(text):,} characters, the limit is {limit:,}"
            return error(part, problem, "shorten it", text)
    try:
        [alone] = decontextualizer.decontextualize(
            passage=Passage(id=str(number), text=sentence, context=context), sentences=[sentence]
        )
    except Exception as wrong:
        if isinstance(wrong, BadConfig) and not isinstance(wrong, RefusedPrompt):
            raise
        return f"{file}, line {number}: {_unexpected(wrong)}"
    return Question(
        number=number,
        id=row.get("id"),
        evidence=evidence,
        sentence=alone,
        label=None if label is None else MEANINGS[label],
        group=str(row.get("group") or context or sentence),
    )


def score_questions(
    questions: Sequence[Question], entailment: Entailment, *, file: str
) -> Iterator[list[float] | str]:
    """The probability that each piece of a question's evidence entails its sentence, one list a
    question, in order; or a sentence about why there is none.

    The model is asked once, and each pair once. Raises `BadConfig` where it cannot work at all.
    """
    asked = ((each, question.sentence) for question in questions for each in question.evidence)
    pairs = list(dict.fromkeys(asked))
    try:
        answers = entailment.score(pairs) if pairs else []
        known = dict(zip(pairs, answers, strict=True))
    except Exception as error:
        if isinstance(error, BadConfig) and not isinstance(error, RefusedPrompt):
            raise
        if len(questions) == 1:
            yield f"{file}, line {questions[0].number}: {_unexpected(error)}"
            return
        # One pair that the model cannot answer must not cost the others theirs.
        for question in questions:
            yield from score_questions([question], entailment, file=file)
        return
    for question in questions:
        yield [known[each, question.sentence].entailed for each in question.evidence]


def _unexpected(error: Exception) -> str:
    """An error of a model: its own sentence, where it has one."""
    if isinstance(error, RarrError):
        return str(error)
    return f"the sentence could not be scored ({type(error).__name__}: {error})."
