"""A campaign in HAGRID's shape."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Campaign, Item
from pipeline.importing.passages import PassageRow, read_passages
from pipeline.models import Dataset
from tests.support.exports import (
    EVIDENCE,
    judge,
    lines_of,
    make_campaign,
    make_item,
    manifest_of,
    text_of,
)
from tests.support.factories import make_dataset, make_passage, make_revision, make_user

pytestmark = pytest.mark.django_db


def test_a_line_has_exactly_hagrids_keys_and_values() -> None:
    campaign = make_campaign()
    item = make_item(campaign, "It flows west.", "It is long.")
    judge(item, make_user(), True, False)
    (line,) = text_of(campaign).splitlines()
    assert line == json.dumps(
        {
            "query": "Where does it flow?",
            "query_id": item.revision.passage.external_id,
            "quotes": [
                {"idx": 1, "docid": "https://example.org/ribble", "text": "It runs west."},
                {"idx": 2, "docid": "Irish Sea", "text": "A sea between two islands."},
            ],
            "answers": [
                {
                    "answer": "It flows west. It is long.",
                    "answer_type": "after",
                    "informative": None,
                    "attributable": 0,
                    "sentences": [
                        {"index": at, "text": text, "informative": None, "attributable": label}
                        for at, (text, label) in enumerate(
                            [("It flows west.", 1), ("It is long.", 0)]
                        )
                    ],
                }
            ],
        },
        ensure_ascii=False,
    )


LATE, DRAFT = {"slot": None}, {"submitted": False}


@pytest.mark.parametrize(
    ("works", "labels"),
    [
        ([], [None, None, None]),
        ([((1, 1, 1), DRAFT)], [None, None, None]),
        ([((1, None, 0), {})], [1, None, 0]),  # one was taken back
        ([((1, 1, 0), {}), ((1, 1, 0), {}), ((0, 0, 0), {}), ((1, 0, 0), {})], [1, None, 0]),
        ([((1, 1, 1), {}), ((0, 0, 0), LATE), ((0, 0, 0), LATE)], [1, 1, 1]),
        ([((), {"useful": (1, 1)})], [None, None, None]),
    ],
)
def test_what_most_raters_hand_in_about_a_sentence_in_time_is_its_label(
    works: list[tuple[tuple[int | None, ...], dict[str, Any]]], labels: list[int | None]
) -> None:
    campaign = make_campaign(raters_per_item=4)
    item = make_item(campaign, "One.", "Two.", "Three.")
    for slot, (values, options) in enumerate(works, start=1):
        judge(item, make_user(), *values, **{"slot": slot, **options})
    (answer,) = lines_of(campaign)[0]["answers"]
    assert [each["attributable"] for each in answer["sentences"]] == labels


def test_both_sides_of_a_passage_are_two_answers_of_one_line_before_first() -> None:
    campaign = make_campaign()
    after = make_item(campaign, "New.")
    make_item(campaign, "Other passage.")
    make_item(campaign, "Old.", side="before", revision=after.revision)
    first, second = lines_of(campaign)
    assert [(each["answer_type"], each["answer"]) for each in first["answers"]] == [
        ("before", "Old."),
        ("after", "New."),
    ]
    assert [each["answer"] for each in second["answers"]] == ["Other passage."]
    assert len(first["quotes"]) == len(EVIDENCE)


def test_a_quote_names_the_stretch_of_the_document_where_the_report_tells_it() -> None:
    campaign = make_campaign()
    result = [{**EVIDENCE[0], "document_id": "ribble.md", "start": 40}, {"text": "another"}]
    revision = make_revision(campaign.runs.get(), result={"report": {"evidence": result}})
    make_item(campaign, "One.", revision=revision)
    (line,) = lines_of(campaign)
    assert [quote["docid"] for quote in line["quotes"]] == ["ribble.md#40", "Irish Sea"]


@pytest.mark.parametrize(("text", "expected"), [("Old one.", (1, 0)), ("New one.", (None, None))])
def test_imported_informative_labels_stay_with_the_text_they_were_given_to(
    text: str, expected: tuple[int | None, int | None]
) -> None:
    campaign = make_campaign()
    source = {
        "query_id": 7,
        "answer": {"informative": 1, "sentences": [{"text": "Old one.", "informative": 0}]},
    }
    passage = make_passage(
        campaign.runs.get().dataset, external_id="7-1", text="Old one.", source=source
    )
    make_item(
        campaign, text, revision=make_revision(campaign.runs.get(), passage=passage, text=text)
    )
    (answer,) = lines_of(campaign)[0]["answers"]
    assert (answer["informative"], answer["sentences"][0]["informative"]) == expected


def test_an_object_under_answer_of_another_format_merges_no_questions_and_gives_no_labels() -> None:
    campaign = make_campaign()
    run = campaign.runs.get()
    other = {"answer": "Other.", "informative": 1}
    for number, source in enumerate((other, other, "42"), start=1):
        passage = make_passage(
            run.dataset,
            external_id=f"run-{number}",
            text=f"Mill {number}.",
            source={"answer": source},
        )
        made = make_revision(run, passage=passage, text=f"Mill {number}.")
        make_item(campaign, f"Mill {number}.", revision=made)
    assert [
        [line["query_id"], *((each["answer"], each["informative"]) for each in line["answers"])]
        for line in lines_of(campaign)
    ] == [[f"run-{number}", (f"Mill {number}.", None)] for number in (1, 2, 3)]


HAGRID_LINES = [
    {
        "query": "Where does it end?",
        "query_id": "0",
        "quotes": [
            {"idx": 2, "docid": "7#1", "text": "It runs west."},
            {"idx": 1, "docid": "9#0", "text": "It is long."},
        ],
        "answers": [
            {
                "answer": "It runs west [2]. It is long [1].",
                "answer_type": kind,
                "informative": 1,
                "attributable": 0,
                "sentences": [
                    {"index": 1, "text": "It runs west [2].", "informative": 1, "attributable": 1},
                    {"index": 2, "text": "It is long [1].", "informative": 0, "attributable": None},
                ],
            }
            for kind in ("short", "long")
        ],
    },
    {
        "query": "Why?",
        "query_id": "0-1",
        "quotes": [],
        "answers": [
            {
                "answer": "Nobody knows.",
                "answer_type": "short",
                "informative": None,
                "attributable": None,
                "sentences": [
                    {"index": 1, "text": "Nobody knows.", "informative": 0, "attributable": 0}
                ],
            }
        ],
    },
]


@pytest.fixture
def of_hagrid(tmp_path: Path) -> tuple[Campaign, list[Item]]:
    """A campaign of the answers of `HAGRID_LINES`, as they came."""
    campaign = make_campaign()
    run = campaign.runs.get()
    load(tmp_path / "in.jsonl", HAGRID_LINES, run.dataset)
    items = []
    for passage in run.dataset.passages.order_by("pk"):
        displayed = [
            {"title": each["docid"], "url": "", "text": each["text"], "number": each["idx"]}
            for each in passage.source.extra["quotes"]
        ]
        items.append(
            make_item(
                campaign,
                *[each["text"] for each in passage.source.extra["answer"]["sentences"]],
                side="before",
                revision=make_revision(run, passage=passage),
                evidence=displayed,
            )
        )
    return campaign, items


def load(file: Path, lines: list[Any], dataset: Dataset) -> None:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    call_command("load_passages", str(file), "--dataset", dataset.slug)


def test_what_raters_say_takes_the_place_of_the_imported_label_and_nothing_else(
    of_hagrid: tuple[Campaign, list[Item]], tmp_path: Path
) -> None:
    campaign, (short, *_) = of_hagrid
    again = make_dataset()
    load(tmp_path / "again.jsonl", lines_of(campaign), again)
    assert [each.external_id for each in again.passages.order_by("pk")] == ["0-1", "0-2", "0-1-1"]
    judge(short, make_user(), None, True)
    first, second = lines_of(campaign)
    expected = json.loads(json.dumps(HAGRID_LINES[0]))
    expected["answers"][0]["sentences"][1]["attributable"] = 1
    expected["answers"][0]["attributable"] = 1
    assert (first, second) == (expected, HAGRID_LINES[1])
    counts = manifest_of(campaign, "hagrid")["counts"]
    assert counts["as_imported"] == 8
    reported = [
        str(sentence["attributable"]).replace("None", "null")
        for line in (first, second)
        for answer in line["answers"]
        for sentence in answer["sentences"]
    ]
    assert counts["labels"]["attributable"]["levels"] == Counter(reported)  # those of the file
    judge(short, make_user(), None, False, slot=2)
    sentences = lines_of(campaign)[0]["answers"][0]["sentences"]
    assert [each["attributable"] for each in sentences] == [1, None]  # a tie is no label


def test_revisions_of_imported_answers_are_next_to_them_with_what_was_shown(
    of_hagrid: tuple[Campaign, list[Item]],
) -> None:
    campaign, (_, long, _) = of_hagrid
    make_item(campaign, "It runs east.", revision=long.revision, evidence=EVIDENCE)
    line = lines_of(campaign)[0]
    assert line["sides"] == ["before", "before", "after"]
    assert [each["answer_type"] for each in line["answers"]] == ["short", "long", "long"]
    assert line["answers"][2]["sentences"][0]["attributable"] is None
    assert [quote["idx"] for quote in line["quotes"]] == [2, 1, 3]
    assert line["shown"] == [[2, 1], [2, 1], [2, 3]]


def test_what_was_exported_is_read_back_the_same(tmp_path: Path) -> None:
    campaign = make_campaign()
    after = make_item(
        campaign, "It flows\u2028west, “quoted”.", "日本語の文。", context="¿Dónde?\nB: 🙂"
    )
    judge(after, make_user(), True, True)
    before = make_item(
        campaign, "Old.", side="before", revision=after.revision, context="¿Dónde?\nB: 🙂"
    )
    judge(before, make_user(), False)
    make_item(campaign, "Unjudged.")
    file = tmp_path / "out.jsonl"
    file.write_bytes(text_of(campaign).encode())

    rows = list(read_passages(file, format="auto"))

    assert all(isinstance(row, PassageRow) for row in rows), list(map(str, rows))
    exported = [
        (line["query"], line["quotes"], answer)
        for line in lines_of(campaign)
        for answer in line["answers"]
    ]
    assert [
        (
            row.context,
            row.source.extra["quotes"],
            {**row.source.extra["answer"], "answer": row.text},
        )
        for row in rows
        if isinstance(row, PassageRow)
    ] == exported
    assert [row.source.extra["answer"]["attributable"] for row in rows] == [0, 1, None]  # type: ignore[union-attr]
    assert rows[0].external_id == f"{after.revision.passage.external_id}-1"  # type: ignore[union-attr]
