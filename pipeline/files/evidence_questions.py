"""Lines of `attribution`: a sentence, and evidence that may support it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from pipeline.importing.fields import NotBlank, validate
from pipeline.importing.passage_rows import URL
from pipeline.importing.rows import (
    MAX_DOCUMENT_CHARACTERS,
    MAX_PASSAGE_CHARACTERS,
    Fault,
    RowError,
    shortened,
)
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.rarr.ports import Decontextualizer, Entailment
from pipeline.rarr.types import Passage

FORMS = tuple(
    dict(zip(("sentence", "evidence", "context", "label"), keys, strict=True))
    for keys in (
        ("sentence", "evidence", "context", "label"),
        ("claim", "references", "question", "attribution_label"),
        ("hypothesis", "premise", "context", "label"),
    )
)
"""Keys of a line: ours, or AttributionBench's two forms."""
MEANINGS: dict[object, bool] = {1: True, 0: False, "attributable": True, "not attributable": False}
"""Labels and their meaning; true and false are 1 and 0."""


def _read_label(value: Any) -> bool:
    if not isinstance(value, str | int | float) or value not in MEANINGS:
        fix = f"write {', '.join(map(str, MEANINGS))} or null"
        raise Fault("{name} is no label", fix, value=shortened(value))
    return MEANINGS[value]


def _check_text(text: str) -> str:
    if URL.fullmatch(text):
        raise Fault("the evidence is a URL", "write the text of that page", value=shortened(text))
    return text


class _EvidenceLine(BaseModel):
    sentence: Annotated[str, Field(max_length=MAX_PASSAGE_CHARACTERS), NotBlank]
    evidence: list[
        Annotated[str, Field(max_length=MAX_DOCUMENT_CHARACTERS), AfterValidator(_check_text)]
    ]
    context: Annotated[str, Field(max_length=MAX_PASSAGE_CHARACTERS)] = ""
    label: Annotated[Any, AfterValidator(_read_label)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceQuestion:
    """A line for an entailment model."""

    number: int
    """Of the line, from 1."""
    id: Any
    evidence: Sequence[str]
    sentence: str
    """Decontextualised."""
    label: bool | None
    """Whether people find the sentence supported; None if unlabelled."""
    group: str
    """The line's `group`, else its context, else its sentence."""


def read_question(
    item: tuple[int, Mapping[str, Any]] | RowError,
    *,
    file: str,
    decontextualizer: Decontextualizer,
    reads_label: bool = False,
) -> EvidenceQuestion | RowError | str:
    """Read a line, or its error as a sentence; reads the label only if `reads_label`.

    Raises `BadConfig` if the decontextualiser cannot work.
    """
    if isinstance(item, RowError):
        return item
    number, row = item
    form = next((form for form in FORMS if form["sentence"] in row), FORMS[0])
    given = {part: row[name] for part, name in form.items() if row.get(name) is not None}
    if not reads_label:
        given.pop("label", None)
    if form["evidence"] == "premise" and isinstance(given.get("evidence"), str):
        given["evidence"] = [given["evidence"]]
    try:
        line = validate(
            _EvidenceLine,
            given,
            fixes={
                "sentence": f'write "{form["sentence"]}": "…"',
                "evidence": f'write "{form["evidence"]}": ["…", "…"]',
                "context": "write one text",
                **{f"{part}.string_too_long": "shorten it" for part in form},
            },
            names=form,
        )
    except Fault as fault:
        return fault.at(file, number)
    try:
        [alone] = decontextualizer.decontextualize(
            passage=Passage(id=str(number), text=line.sentence, context=line.context),
            sentences=[line.sentence],
        )
    except Exception as wrong:
        if isinstance(wrong, BadConfig):
            raise
        return f"{file}, line {number}: {_unexpected(wrong)}"
    return EvidenceQuestion(
        number=number,
        id=row.get("id"),
        evidence=line.evidence,
        sentence=alone,
        label=line.label,
        group=str(row.get("group") or line.context or line.sentence),
    )


def score_questions(
    questions: Sequence[EvidenceQuestion], entailment: Entailment, *, file: str
) -> Iterator[list[float] | str]:
    """Return, per question, the probabilities of entailment by its evidence, or an error.

    Each pair is scored once. Raises `BadConfig`.
    """
    repeated = ((each, question.sentence) for question in questions for each in question.evidence)
    pairs = list(dict.fromkeys(repeated))
    try:
        answers = entailment.score(pairs) if pairs else []
        known = dict(zip(pairs, answers, strict=True))
    except Exception as error:
        if isinstance(error, BadConfig):
            raise
        if len(questions) == 1:
            yield f"{file}, line {questions[0].number}: {_unexpected(error)}"
            return
        # One failure must not affect other pairs.
        for question in questions:
            yield from score_questions([question], entailment, file=file)
        return
    for question in questions:
        yield [known[each, question.sentence].entailed for each in question.evidence]


def _unexpected(error: Exception) -> str:
    if isinstance(error, RarrError):
        return str(error)
    return f"the sentence could not be scored ({type(error).__name__}: {error})."
