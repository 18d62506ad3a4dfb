"""What every step cleans off a reply, and where its parts are expected."""

import pytest

from pipeline.rarr.errors import UnreadableReply
from pipeline.replies.cleaning import json_fields, reply_text
from pipeline.replies.labels import labelled_parts, tagged_passage
from pipeline.replies.lists import list_items
from pipeline.replies.remarks import is_remark, words_of

CHANNEL = "<|channel|>analysis<|message|>"


@pytest.mark.parametrize(
    "reply",
    [
        "\ufeffIt fell.\r\n",
        "It fell.<|im_end|>",
        "It fell.</s>",
        "It fell.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nThanks",
        "<|start_header_id|>assistant<|end_header_id|>\n\nIt fell.",
        "It fell.<end_of_turn>\n<start_of_turn>user\nThanks",
        "It fell.<｜end▁of▁sentence｜>",
        "assistant\nIt fell.",
        "<think>Did it?</think>\n\nIt fell.",
        "Did it?\n</think>\n\nIt fell.",
        "[THINK]Did it?[/THINK]It fell.",
        "<think>One.</think><think>Two.</think>It fell.",
        f"{CHANNEL}Did it?<|end|><|start|>assistant<|channel|>final<|message|>It fell.<|return|>",
    ],
)
def test_thoughts_special_tokens_and_a_byte_order_mark_are_dropped(reply: str) -> None:
    assert reply_text(reply) == "It fell."


def test_line_breaks_of_windows_are_those_of_unix() -> None:
    assert reply_text("It fell.\r\n\r\nIt rose.\rIt stayed.") == "It fell.\n\nIt rose.\nIt stayed."


@pytest.mark.parametrize("reply", ["<think>A", "<think>A</think>", "A.\n</think>\n", CHANNEL + "A"])
def test_a_reply_cut_within_thoughts_or_json_names_the_setting(reply: str) -> None:
    with pytest.raises(UnreadableReply, match=r"within its thoughts: .*RARR_LLM_EXTRA_TOKENS"):
        reply_text(reply)
    with pytest.raises(UnreadableReply, match=r"not a whole JSON value.*RARR_LLM_EXTRA_TOKENS"):
        json_fields('```json\n{"verdict": "disa')


def test_labels_are_lines_keys_and_tags() -> None:
    labels = {"verdict": "verdict"}
    for reply in (
        "## Verdict\nagrees",
        "**Final Verdict:** agrees",
        "It is so. Verdict: agrees",
        '{"finalVerdict": "no", "Verdict": "agrees"}',
        "<verdict>agrees</verdict>",
        "<b>Verdict</b>: agrees",
    ):
        assert ("verdict", "agrees") in [
            (name, part.removesuffix("---").strip()) for name, part in labelled_parts(reply, labels)
        ]


def test_an_example_behind_the_answer_is_cut_and_one_before_it_is_not() -> None:
    reply = "Question: who?\nAnswer: Ann\n\nQuestion: when?\nAnswer: 1911"
    parts = labelled_parts(reply, {"answer": "answer"})
    assert [part for name, part in parts if name == "answer"] == ["Ann"]
    # A label of the text itself is text.
    parts = labelled_parts("Fix: Note: it fell.", {"fix": "fix"}, original="Note: it rose.")
    assert ("fix", "Note: it fell.") in parts


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("<passage>A.</passage>", "A."),
        ("<passage>A.</passage> or rather <passage>\nA.\n</passage>", "A."),
        ("Passage:\n<passage>A.", "A."),
        ("A.", None),
    ],
)
def test_a_passage_between_tags(reply: str, expected: str | None) -> None:
    assert tagged_passage(reply) == expected
    with pytest.raises(UnreadableReply, match="more than one"):
        tagged_passage("<passage>A.</passage><passage>B.</passage>")


def test_items_of_a_list_have_numbers_and_levels() -> None:
    items = list_items("Sure:\n1. **Year**: A?\n   - to check it\n2) B?")
    assert [(item.text, item.number, item.is_nested) for item in items] == [
        ("Sure:", None, False),
        ("A?", 1, False),
        ("to check it", None, True),
        ("B?", 2, False),
    ]


def test_what_the_passage_begins_alike_is_no_remark() -> None:
    remark = "I changed the year in 1911."
    assert is_remark(remark)
    assert not is_remark(remark, words_of("So I changed the year in 1901."))
    assert not is_remark("The year was changed by law.")
    assert is_remark("The year was changed by me.", words_of("It fell."))
