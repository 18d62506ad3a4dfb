"""Figures go to JSON and back unchanged; nothing else comes out of what is kept."""

import json
import math
from datetime import UTC, date, datetime
from typing import Any

import pytest

from annotation.items.run_groups import Group
from annotation.models import Campaign
from annotation.questionnaires import load_questionnaire
from annotation.results.plain_values import KEPT, Unreadable, from_plain, to_plain
from pipeline.metrics.inference import Estimate

ESTIMATE = Estimate(value=0.5, n=3, low=None, high=1.0)
GROUP = Group(kind="system", label="rarr", runs=frozenset({2, 1}))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        0.1,
        "“words”",
        (),
        (1, [2, (3,)]),
        {1: "one", ("a", 2): {}},
        frozenset({1, 2}),
        math.inf,
        date(2026, 11, 24),
        datetime(2026, 11, 24, 10, 42, 1, 5, UTC),
        ESTIMATE,
        {GROUP: (ESTIMATE, None)},
        load_questionnaire("attribution").criteria,
    ],
)
def test_a_value_comes_back_from_json_as_it_was(value: Any) -> None:
    back = from_plain(json.loads(json.dumps(to_plain(value), allow_nan=False)))
    assert back == value
    assert type(back) is type(value)


def test_what_is_no_number_is_kept_as_such() -> None:
    assert math.isnan(from_plain(json.loads(json.dumps(to_plain(math.nan)))))


def test_a_row_of_a_table_has_no_form() -> None:
    with pytest.raises(TypeError, match="has no form"):
        to_plain((1, Campaign()))


@pytest.mark.parametrize(
    "plain",
    [
        {"os.system": {"command": "true"}},
        {"subprocess.Popen": {"args": ["true"]}},
        {"annotation.models.Campaign": {}},
        {"pipeline.metrics.inference.Estimate": {"value": 1.0}},
        {"pipeline.metrics.inference.Estimate": [1.0]},
        {"date": "yesterday"},
        {"list": 3},
        {},
        {"list": [], "date": "2026-11-24"},
    ],
)
def test_nothing_else_is_made_of_what_is_kept(plain: Any) -> None:
    with pytest.raises(Unreadable):
        from_plain([plain])


def test_every_name_that_may_be_kept_is_a_dataclass_or_a_named_tuple() -> None:
    from dataclasses import is_dataclass

    from django.utils.module_loading import import_string

    found = {name: import_string(name) for name in KEPT}
    assert [
        name
        for name, each in found.items()
        if not (is_dataclass(each) or (issubclass(each, tuple) and hasattr(each, "_fields")))
    ] == []
