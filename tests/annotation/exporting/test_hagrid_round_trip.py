"""HAGRID's lines, imported, judged without a revision and exported, are the same."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.exports import lines_of
from tests.support.imported_campaigns import campaign_of, dataset_of

pytestmark = pytest.mark.django_db

# Units that repeat, that no splitter would make, and that cite in every place.
units = st.sampled_from(
    ["It ends.", "West [1].", "[2] Far", "Yes.", "no [3] .", "Dr. Who", "¿Qué?", "日本。"]
)
labels = st.sampled_from([0, 1, None])


@st.composite
def answers(draw: st.DrawFn) -> dict[str, Any]:
    reported = draw(st.lists(units, min_size=1, max_size=4))
    return {
        "answer": " ".join(reported),
        "answer_type": draw(st.sampled_from(["short", "long"])),
        "informative": draw(labels),
        "attributable": draw(labels),
        "sentences": [
            {"index": n, "text": unit, "informative": draw(labels), "attributable": draw(labels)}
            for n, unit in enumerate(reported)
        ],
    }


@st.composite
def lines(draw: st.DrawFn, name: str) -> dict[str, Any]:
    numbers = draw(st.permutations([1, 2, 3]))[: draw(st.integers(1, 3))]
    texts = st.sampled_from(["A.", "B.", "C."])
    return {
        "query": draw(st.sampled_from(["Why?", "Who?"])),
        "query_id": name,
        "quotes": [{"idx": n, "docid": f"{n}#0", "text": draw(texts)} for n in numbers],
        "answers": draw(st.lists(answers(), min_size=1, max_size=3)),
    }


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.data_too_large])
@given(
    made=st.tuples(lines("0"), lines("0-1"), lines("1")),
    kind=st.sampled_from(["answer_quality", "attribution"]),
)
def test_what_nobody_has_judged_leaves_as_it_came(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[dict[str, Any], ...], kind: str
) -> None:
    dataset = dataset_of(tmp_path_factory.mktemp("hagrid"), *made)
    assert lines_of(campaign_of(dataset, kind)) == list(made)
