"""Figures as JSON, and back: what is kept in the database is data, and never runs when it is read.

Everything immutable that a figure is made of has a form: an array is a tuple, an object with one
key something else, by that key. A dataclass or a named tuple goes in by its name and fields, and
only those of `KEPT` come out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from typing import Any

from django.utils.module_loading import import_string

KEPT = frozenset(
    f"{module}.{name}"
    for module, names in {
        "annotation.campaigns.figures": "WorkSoFar",
        "annotation.items.run_groups": "Group",
        "annotation.questionnaires.types": "Criterion Level",
        "annotation.results.attribution": "CampaignResult GroupResult SideResult",
        "annotation.results.beside_automatic": "BesideAutomatic Correlated Decisions",
        "annotation.results.by_questionnaire": "Counts Figure",
        "annotation.results.reliability": (
            "CampaignReliability CriterionReliability Group Pair RaterReport"
        ),
        "annotation.results.revision_votes": "Disputes",
        "annotation.results.with_auto_ais": "PoweredFigure",
        "pipeline.charts.chart": "Span",
        "pipeline.charts.cloud": "Cloud",
        "pipeline.charts.distributions": "Distributions Spread",
        "pipeline.charts.intervals": "Entry Intervals Row",
        "pipeline.charts.matrix": "Column Matrix",
        "pipeline.charts.tradeoff": "Point Tradeoff",
        "pipeline.metrics.answer_statistics": "Judged",
        "pipeline.metrics.decisions": "DecisionValidity",
        "pipeline.metrics.differences": "Lead",
        "pipeline.metrics.inference": "Estimate",
        "pipeline.metrics.prediction_powered": "PredictionPowered _Variance",
        "pipeline.metrics.reliability": "Reliability ReliabilityReport",
        "pipeline.pages.statistics_tables": "Group Tables",
        "pipeline.runs.comparison": "ComparedRow",
        "pipeline.views.dataset_statistics": "Statistics",
    }.items()
    for name in names.split()
)
"""What may be kept, by its dotted name."""


class Unreadable(ValueError):
    """What is kept is of no form that is known."""


def to_plain(value: Any) -> Any:
    """The value as JSON has it. Raises TypeError for what has no form, such as a row of a table.

    >>> to_plain((1, {2: "two"}, [0.5]))
    [1, {'dict': [[2, 'two']]}, {'list': [0.5]}]
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime | date):
        return {type(value).__name__: value.isoformat()}
    if isinstance(value, Mapping):
        return {"dict": [[to_plain(key), to_plain(each)] for key, each in value.items()]}
    if isinstance(value, frozenset):
        return {"frozenset": [to_plain(each) for each in sorted(value)]}
    if isinstance(value, list):
        return {"list": [to_plain(each) for each in value]}
    if type(value) is tuple:
        return [to_plain(each) for each in value]
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if name not in KEPT:
        raise TypeError(f"{name} has no form to be kept in.")
    return {name: {each: to_plain(getattr(value, each)) for each in _names(value)}}


def from_plain(plain: Any) -> Any:
    """What `to_plain` made it of. Raises `Unreadable`.

    >>> from_plain([1, {"dict": [[2, "two"]]}, {"list": [0.5]}])
    (1, {2: 'two'}, [0.5])
    """
    if isinstance(plain, list):
        return tuple(map(from_plain, plain))
    if not isinstance(plain, dict):
        return plain
    try:
        [(form, of)] = plain.items()
        if form in KEPT:
            return import_string(form)(**{name: from_plain(each) for name, each in of.items()})
        return _FORMS[form](of)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"no such form: {plain!r:.80}") from error


_FORMS: dict[str, Callable[[Any], Any]] = {
    "float": float,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "dict": lambda of: {from_plain(key): from_plain(each) for key, each in of},
    "frozenset": lambda of: frozenset(map(from_plain, of)),
    "list": lambda of: [from_plain(each) for each in of],
}


def _names(value: Any) -> tuple[str, ...]:
    if is_dataclass(value):
        return tuple(each.name for each in fields(value) if each.init)
    return tuple(value._fields)
