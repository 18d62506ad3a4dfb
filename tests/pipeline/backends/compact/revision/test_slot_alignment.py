"""The evidence's words between the neighbours of a span."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.backends.compact.revision.slot_alignment import align_to_clauses, slot_of
from pipeline.backends.compact.text.spans import mentions

MILL = "Hart Mill on the River Ribble was built by Otto van Hart for the Corn Trade in 1852."


def restored(sentence: str, value: str, evidence: str = MILL) -> str:
    """The sentence with the words of the evidence's slot; "" where there is no slot."""
    start = sentence.index(value)
    mention = next(m for m in mentions(sentence) if m.start <= start < m.end)
    slot = slot_of(mention, sentence=sentence, evidence=evidence)
    if slot is None:
        return ""
    return sentence[: slot.mine.start] + slot.theirs.text + sentence[slot.mine.end :]


@pytest.mark.parametrize(
    ("sentence", "old", "new"),
    [
        ("Hart Mill was built by Jane Coe for the Corn Trade.", "Jane Coe", "Otto van Hart"),
        ("The mill was built by Otto van Hart for the Corn Trade in 1947.", "1947", "1852"),
        # Half a name lines up: only the other half is put in.
        ("Hart Mill on the River Coe was built by Otto.", "Coe", "Ribble"),
        # Half a date.
        ("The mill was sold to Ada Coe on 9 March 1852 in Preston.", "9 March", "9 May"),
        # A value that no name can be, in two spans.
        ("The mill sells flour to Ada's New Realm, Coe and Sons.", "Ada's New Realm", "Preston"),
    ],
)
def test_a_slot_is_between_equal_neighbours(sentence: str, old: str, new: str) -> None:
    sold = "The mill was sold to Ada Coe on 9 May 1852. It sells flour to Preston, Coe and Sons."
    assert restored(sentence, old, f"{MILL} {sold}") == sentence.replace(old, new)


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("Corn was sold by Jane Coe in Preston.", "Coe"),  # nothing lines up
        ("Hart Mill was built by Jane Coe and sold to bakers of bread.", "Coe"),  # one side does
        ("Otto van Hart built it with Jane Coe for the Corn Trade.", "Coe"),  # used already
        ("Hart Mill on the River Ribble was built by 12 men for the Corn Trade.", "12"),
        ("It was built by 12 for the Corn Trade in 1852.", "12"),  # no name for a number
    ],
)
def test_no_slot_without_equal_neighbours_and_a_value(sentence: str, value: str) -> None:
    assert not restored(sentence, value)
    # A slot has at most six words.
    long = "Hart Mill was built by Otto Hart Of The Nine Old Corn Mills Of Preston for the trade."
    assert not restored("Hart Mill was built by Jane Coe for the trade.", "Coe", long)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.text(max_size=120))
def test_words_line_up_in_order_and_only_with_equal_words(one: str, other: str) -> None:
    for side in align_to_clauses(one, other):
        places = [(side.mine[i], p) for i, p in enumerate(side.targets) if p >= 0]
        assert [p for _, p in places] == sorted({p for _, p in places})
        assert all(word.stem == side.theirs[p].stem for word, p in places)
