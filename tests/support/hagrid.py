"""A dataset of answers in HAGRID's format."""

from pipeline.models import Dataset
from tests.support.factories import make_dataset, make_passage

QUOTES = [
    {"idx": 1, "docid": "a#1", "text": "The bridge opened in 1932, they say."},
    {"idx": 2, "docid": "a#2", "text": "It carries two railway lines across."},
]


def make_answers(**values: object) -> Dataset:
    dataset = make_dataset(**{"name": "Labelled answers", "passage_count": 3, **values})
    rows = [
        (
            "q1-1",
            "The bridge opened in 1932 [1]. It carries two railway [2].",
            QUOTES,
            {"informative": 1, "attributable": 1},
        ),
        ("q1-2", "Nobody knows [2].", QUOTES, {"informative": None, "attributable": 0}),
        (
            "q2-1",
            "A tower stands there [3][1]. It fell [9].",
            [{"idx": 1, "text": "A tower."}, {"idx": 2, "text": "x"}, {"idx": 3, "text": "stands"}],
            {"informative": 1, "attributable": 0},
        ),
    ]
    for name, text, quotes, labels in rows:
        make_passage(
            dataset,
            external_id=name,
            text=text,
            context="When did it open?",
            source={"query_id": name[:2], "quotes": quotes, "answer": {**labels, "sentences": []}},
        )
    return dataset
