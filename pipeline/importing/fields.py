"""Validation of a row's fields by pydantic, with our own error messages."""

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from pipeline.importing.lines import check_characters, kind_of
from pipeline.importing.passage_rows import passage_row
from pipeline.importing.rows import (
    MAX_ID_CHARACTERS,
    MAX_PASSAGE_CHARACTERS,
    Fault,
    PassageRow,
    displayed_fields,
    shortened,
)

T = TypeVar("T")


def _check_not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "")
    return text


def _check_text_or_number(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        fix = "write a text or a whole number"
        raise Fault(f"{{name}} is {kind_of(value)}", fix, value=shortened(value))
    return value


Storable = AfterValidator(check_characters)
NotBlank = AfterValidator(_check_not_blank)
TextOrNumber = Annotated[Any, AfterValidator(_check_text_or_number)]
"""A text, a whole number or None."""

PROBLEMS = {
    "missing": "there is no {name}",
    "blank": "{name} is empty",
    "too_short": "the list of {name} is empty",
    "list_type": "{name} is {kind}, not a list",
    "model_type": "it is {kind}, not an object",
    "dataclass_type": "it is {kind}, not an object",
    "string_too_long": "{name} has {length:,} characters, the limit is {limit:,}",
}
"""By pydantic's type of error; any other names the kind of value."""
WITHOUT_VALUE = {"missing", "blank", "too_short"}


def validate(
    model: type[T],
    values: Mapping[str, Any],
    *,
    fixes: Mapping[str, str],
    names: Mapping[str, str] | None = None,
) -> T:
    """Validate `values` as a `model`; raises a `Fault` for the first error.

    `fixes` are keyed by `path.type`, path or type of error; paths have no indices
    ("answers.sentences.text"). `names` maps the model's fields to the file's.
    """
    try:
        return cast(T, _adapter(cast(Hashable, model)).validate_python(values))
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
    kind, value, context = wrong["type"], wrong["input"], wrong.get("ctx", {})
    path = ".".join(part for part in wrong["loc"] if isinstance(part, str))
    first, *inner = wrong["loc"]
    named = [(names or {}).get(str(first), first), *inner]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in named)[1:]
    name = next(str(part) for part in reversed(named) if isinstance(part, str))
    if kind == "string_unicode":
        check_characters(value, field=field)
    if isinstance(fault := context.get("error"), Fault):
        problem = fault.problem.replace("{name}", name)
        raise Fault(problem, fault.fix, field=field, value=fault.value)
    problem = PROBLEMS.get(kind, "{name} is {kind}").format(
        name=name,
        kind=kind_of(value),
        length=len(value) if isinstance(value, str) else 0,
        limit=context.get("max_length"),
    )
    raise Fault(
        problem,
        fixes.get(f"{path}.{kind}") or fixes.get(path) or fixes[kind],
        field=field,
        value="" if kind in WITHOUT_VALUE else shortened(value),
    )


@lru_cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def _check_id(value: Any) -> str:
    if value is None or value == "":
        return ""
    value = _check_text_or_number(value)
    if isinstance(value, int) and abs(value) >= 10**MAX_ID_CHARACTERS:
        raise Fault("{name} is too long a number", "write a shorter one")
    name = str(value).strip()
    if len(name) > MAX_ID_CHARACTERS:
        problem = f"{{name}} has {len(name):,} characters, the limit is {MAX_ID_CHARACTERS}"
        raise Fault(problem, "write a shorter one", value=shortened(name))
    if not name or not name.isprintable():
        problem = "{name} is blank or holds a character that does not print"
        raise Fault(problem, "write letters, digits and signs", value=shortened(str(value)))
    return name


class _PassageFields(BaseModel):
    text: Annotated[str, Field(max_length=MAX_PASSAGE_CHARACTERS), Storable, NotBlank]
    context: Annotated[str, Field(max_length=MAX_PASSAGE_CHARACTERS), Storable] = ""
    external_id: Annotated[Any, AfterValidator(_check_id)] = ""


def make_row(
    line: int,
    *,
    external_id: Any,
    text: Any,
    context: Any,
    names: tuple[str, str, str] = ("id", "text", "context"),
    noun: str = "passage",
    **source: Any,
) -> PassageRow:
    """Validate a passage's raw values; raises a `Fault` for the first error.

    `names` are the file's for id, text and context; `source` goes to `passage_row`.
    """
    given = {"external_id": external_id, "text": text, "context": context}
    try:
        passage = validate(
            _PassageFields,
            {key: value for key, value in given.items() if value is not None},
            fixes={
                "missing": f"add {names[1]} with the {noun}",
                "string_type": "write a text in quotes",
                "string_too_long": f"split it into several {noun}s",
                "blank": f"write the {noun}, or take the row out",
            },
            names=dict(zip(given, names, strict=True)),
        )
    except Fault as fault:
        fault.row = displayed_fields({"id": external_id, "text": text, "context": context})
        raise
    return passage_row(
        line=line,
        external_id=passage.external_id,
        text=passage.text,
        context=passage.context,
        **source,
    )
