"""Which answer is chosen: candidates, the two looks, and when the reader is left alone."""

import math

from pipeline.backends.compact.revision.choice import (
    FIRST,
    SECOND,
    Choice,
    choice_of,
    first_look,
    is_worth_pointing,
    second_look,
)
from pipeline.backends.compact.revision.located import locate
from pipeline.backends.compact.revision.readings import Reading
from pipeline.rarr.types import Passage
from tests.pipeline.backends.compact.knowing_reader import MILL, evidence, span_of


def choice(text: str, value: str, ground: str = MILL, title: str = "Hart Mill") -> Choice | None:
    located = locate(Passage(id="1", text=text), text, span_of(text, value))
    assert located is not None
    return choice_of(located, evidence(ground, title))


def offered(text: str, value: str) -> dict[str, bool]:
    found = choice(text, value)
    return {each.mention.text: each.is_own for each in found.found} if found else {}


def test_the_passages_own_value_is_a_candidate_where_the_evidence_has_it() -> None:
    assert offered("Hart Mill was built in 1932.", "1932") == {"1852": False, "9 May 1932": True}
    assert offered("Hart Mill was built in 1947.", "1947") == {"1852": False, "9 May 1932": False}


def test_a_part_of_the_own_value_is_no_other_answer() -> None:
    assert "Ribble" not in offered("Hart Mill stands on the River Ribble.", "River Ribble")


def test_a_thing_that_a_company_gives_its_name_to_is_not_the_company() -> None:
    text = (
        "YouTube Creator Awards, commonly known as YouTube Play Buttons or Green Revolution, are a "
        "series of awards from YouTube that aim to recognize its creators."
    )
    ground = text.replace("Green Revolution", "YouTube Plaques")
    found = choice(text, "Green Revolution", ground)
    assert found is not None
    assert [each.mention.text for each in found.found if each.fills_slot] == ["YouTube Plaques"]


def answers_to(text: str, value: str, ground: str, title: str = "Hart Mill") -> list[str]:
    found = choice(text, value, ground, title)
    return [each.mention.text for each in found.found] if found else []


def test_a_name_is_not_changed_to_a_part_of_itself() -> None:
    ground = "In 1954 the Corn Court and Ada Coe ruled on corn."
    assert answers_to("The United Corn Court ruled on corn.", "United Corn Court", ground, "") == [
        "Ada Coe"
    ]


def test_a_half_right_name_is_compared_with_those_that_share_its_half_alone() -> None:
    ground = "Ada Coe chairs the South Ribble Corn Union in Preston. Otto Hart chairs none."
    text = "Ada Coe chairs the {} in Preston."
    union = answers_to(text.format("North Ribble Corn Union"), "North Ribble Corn Union", ground)
    assert union == ["South Ribble Corn Union"]
    assert len(answers_to(text.format("Green Bank"), "Green Bank", ground)) > 1


def test_a_part_of_a_title_is_not_the_title() -> None:
    text = "Ada Coe sang in 'Corn Fair: The Otto Hart Story.'"
    ground = "Ada Coe, who sings, was cast as Otto Hart. The Otto Hart Story was filmed in Preston."
    found = choice(text, "Corn Fair: The Otto Hart Story", ground)
    assert found is not None
    assert [each.mention.text for each in found.found] == ["Preston"]
    assert not found.has_own


def test_where_the_evidence_offers_no_other_value_there_is_nothing_to_choose() -> None:
    assert choice("Hart Mill has 12 windows.", "12", "Hart Mill has 12 windows.") is None


def test_the_reader_is_left_alone_where_the_sentence_stands_in_the_evidence() -> None:
    verbatim = choice("It was built by Otto Hart in 1852 and has 12 windows.", "1852")
    assert verbatim is not None
    assert not is_worth_pointing(verbatim)
    wrong = choice("It was built by Otto Hart in 1932 and has 12 windows.", "1932")
    assert wrong is not None
    assert is_worth_pointing(wrong)


def test_the_first_look_knows_which_candidate_the_reader_points_at() -> None:
    found = choice("Hart Mill was built in 1932.", "1932")
    assert found is not None
    rows = first_look(found, [6.0, -2.0], 6.0)
    most, behind = FIRST.index("most"), FIRST.index("behind")
    assert [row[most] for row in rows] == [1.0, 0.0]
    assert [row[behind] for row in rows] == [0.0, -2.0]


def test_a_candidate_that_was_cut_off_is_as_far_behind_as_can_be() -> None:
    found = choice("Hart Mill was built in 1932.", "1932")
    assert found is not None
    rows = first_look(found, [-math.inf, 2.0], 2.0)
    assert rows[0][FIRST.index("pointed")] == -3.0
    assert rows[0][FIRST.index("behind")] == -3.0


def test_the_second_look_measures_what_an_answer_gains() -> None:
    now = Reading(entailed=-2.0, contradicted=2.0, doubt=4.0)
    better = Reading(entailed=2.0, contradicted=-2.0, doubt=-4.0)
    own, other = [0.0] * len(FIRST), [0.0] * len(FIRST)
    own[FIRST.index("own")] = 1.0
    rows = second_look([tuple(own), tuple(other)], [now, better], now)
    told = [dict(zip(SECOND, row, strict=True)) for row in rows]
    assert (told[0]["raised"], told[1]["raised"]) == (0.0, 1.0)
    assert (told[0]["lowered"], told[1]["lowered"]) == (0.0, -1.0)
    assert (told[0]["doubt_now"], told[1]["doubt_now"]) == (0.0, 1.0)
