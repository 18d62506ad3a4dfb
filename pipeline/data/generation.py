"""Datasets of passages that a language model writes for questions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipeline.backends.prompted.passages import KINDS, PromptedPassageWriter, WrittenPassage
from pipeline.data import datasets
from pipeline.data.staging import batches
from pipeline.importing.passage_rows import passage_row
from pipeline.importing.questions import dialog_of
from pipeline.importing.rows import PassageRow
from pipeline.language_model import LanguageModel
from pipeline.models import Dataset
from pipeline.rarr.prompts import Prompts

AT_ONCE = 16
"""Questions per batch; its passages are stored before the next batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOutcome:
    line: int
    is_known: bool = False
    """A passage with that id existed; the model was not called."""
    problem: str = ""
    """The reason for a missing passage, or ""."""


def generate_passages(
    dataset: Dataset,
    questions: Iterable[PassageRow],
    *,
    kind: str,
    model: LanguageModel,
    model_name: str,
    prompts: Prompts,
    temperature: float,
) -> Iterator[QuestionOutcome]:
    """Write a passage for each question that has none in the dataset, in batches.

    It has the question's id, the question or dialog as context, and in its source the question's
    other fields and `generated`: model, prompt and short answer. Raises as the model.
    """
    writer = PromptedPassageWriter(model=model, prompts=prompts, kind=kind)
    name, _ = KINDS[kind]
    origin = {
        "model": model_name,
        "prompt": name,
        "prompt_version": prompts[name].version,
        "temperature": temperature,
    }
    for batch in batches(questions, AT_ONCE):
        rows = dataset.passages.filter(external_id__in=[row.external_id for row in batch])
        stored = set(rows.values_list("external_id", flat=True))
        new = [row for row in batch if row.external_id not in stored]
        contexts = [dialog_of(row) if kind == "dialog" else row.text for row in new]
        answers = writer.write(contexts, temperature=temperature)
        written = [
            passage_row(
                line=row.line,
                external_id=row.external_id,
                text=answer.text,
                context=context,
                fields={**row.source.extra, "generated": {**origin, "answer": answer.answer}},
                format=row.format,
            )
            for row, context, answer in zip(new, contexts, answers, strict=True)
            if isinstance(answer, WrittenPassage)
        ]
        if written:
            datasets.add_passages(dataset, written)
        problems = {
            row.external_id: str(answer)
            for row, answer in zip(new, answers, strict=True)
            if not isinstance(answer, WrittenPassage)
        }
        for row in batch:
            yield QuestionOutcome(
                line=row.line,
                is_known=row.external_id in stored,
                problem=problems.get(row.external_id, ""),
            )
