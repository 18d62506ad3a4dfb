"""The rules that make labels of votes."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.results.labels import attributable_label, most_frequent

a_label = st.sampled_from([0, 1, None])


@given(st.lists(st.booleans(), max_size=9))
def test_turning_every_vote_round_turns_the_majority_round(votes: list[bool]) -> None:
    turned = {None: None, 0: 1, 1: 0}
    assert most_frequent(not vote for vote in votes) == turned[most_frequent(votes)]


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_an_odd_number_of_raters_always_settles(votes: list[bool]) -> None:
    assert (most_frequent(votes) is None) == (votes.count(True) * 2 == len(votes))


@given(st.lists(a_label, max_size=6))
def test_an_answer_is_attributable_only_when_every_sentence_is(sentences: list[int | None]) -> None:
    assert (attributable_label(sentences) == 1) == (bool(sentences) and set(sentences) == {1})


@given(st.lists(a_label, max_size=6))
def test_an_answer_is_not_attributable_as_soon_as_one_sentence_is_not(
    sentences: list[int | None],
) -> None:
    assert (attributable_label(sentences) == 0) == (0 in sentences)
