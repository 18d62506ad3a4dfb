"""AttributionBench's rows: a claim with its references, and whether people found it attributable.

Two forms: the dataset's own columns (`question, claim, claim_raw_string, response, references,
citation_links, webpage_references, attribution_label, src_dataset, id`), and the pair of premise
and hypothesis that studies of entailment make of it (`premise, hypothesis, context, label`). The
claim becomes the passage; the rest goes to `source` unchanged, and so the references and the label.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from pipeline.importing.fields import TextOrNumber, make_row, validate
from pipeline.importing.lines import read_rows
from pipeline.importing.rows import Fault, PassageRow, RowError, shortened

LABELS = ("attributable", "not attributable")


def _check_label(value: Any) -> Any:
    if value is not None and value not in LABELS:
        problem = "{name} is neither attributable nor not attributable"
        raise Fault(problem, f"write one of {', '.join(LABELS)}, or null", value=shortened(value))
    return value


class _Claim(BaseModel):
    id: TextOrNumber = None
    references: list[str] = Field(fail_fast=True, min_length=1)
    attribution_label: Annotated[str | None, AfterValidator(_check_label)] = None


class _Pair(BaseModel):
    id: TextOrNumber = None
    premise: str


FIXES = {
    "references": "write a list of texts",
    "references.string_type": "write a text in quotes",
    "premise": "write the evidence in quotes",
    "attribution_label": f"write one of {', '.join(LABELS)}, or null",
    "too_short": "add the evidence, or take the line out",
}


def is_row(keys: Mapping[str, Any]) -> bool:
    """Whether a line with these keys is one of AttributionBench, in either form."""
    return {"claim", "references"} <= keys.keys() or {"premise", "hypothesis"} <= keys.keys()


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage for each line: the claim, with the question as its context."""
    return read_rows(path, _rows)


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    is_pair = "hypothesis" in row
    text, context = ("hypothesis", "context") if is_pair else ("claim", "question")
    validate(_Pair if is_pair else _Claim, row, fixes=FIXES)
    yield make_row(
        line,
        external_id=row.get("id"),
        text=row.get(text),
        context=row.get(context),
        source={key: value for key, value in row.items() if key not in {"id", text, context}},
        names=("id", text, context),
    )
