"""Which answer is chosen: candidates, the two looks, and when the reader is left alone."""

from pipeline.backends.compact.revision.choice import Choice, choice_of, is_worth_pointing
from pipeline.backends.compact.revision.located import locate
from pipeline.rarr.types import Passage
from tests.pipeline.backends.compact.knowing_reader import MILL, evidence, span_of


def choice(text: str, value: str, ground: str = MILL, title: str = "Hart Mill") -> Choice:
    located = locate(Passage(id="1", text=text), text, span_of(text, value))
    assert located is not None
    chosen = choice_of(located, evidence(ground, title))
    assert chosen is not None
    return chosen


def offered(text: str, value: str, ground: str = MILL, title: str = "Hart Mill") -> dict[str, bool]:
    """By candidate, whether it is the passage's value."""
    candidates = choice(text, value, ground, title).candidates
    return {each.mention.text: each.is_passage_value for each in candidates}


def test_the_passages_value_is_a_candidate_where_the_evidence_has_it() -> None:
    assert offered("Hart Mill was built in 1932.", "1932") == {"1852": False, "9 May 1932": True}
    assert offered("Hart Mill was built in 1947.", "1947") == {"1852": False, "9 May 1932": False}
    assert "Ribble" not in offered("Hart Mill stands on the River Ribble.", "River Ribble")


def test_a_thing_that_a_company_gives_its_name_to_is_not_the_company() -> None:
    text = (
        "YouTube Creator Awards, commonly known as YouTube Play Buttons or Green Revolution, are a "
        "series of awards from YouTube that aim to recognize its creators."
    )
    ground = text.replace("Green Revolution", "YouTube Plaques")
    candidates = choice(text, "Green Revolution", ground).candidates
    assert [each.mention.text for each in candidates if each.fills_slot] == ["YouTube Plaques"]


def test_a_name_is_not_changed_to_a_part_of_itself() -> None:
    ground = "In 1954 the Corn Court and Ada Coe ruled on corn."
    text = "The United Corn Court ruled on corn."
    assert [*offered(text, "United Corn Court", ground, "")] == ["Ada Coe"]


def test_a_half_right_name_is_compared_with_those_that_share_its_half_alone() -> None:
    ground = "Ada Coe chairs the South Ribble Corn Union in Preston. Otto Hart chairs none."
    text = "Ada Coe chairs the {} in Preston."
    union = offered(text.format("North Ribble Corn Union"), "North Ribble Corn Union", ground)
    assert [*union] == ["South Ribble Corn Union"]
    assert len(offered(text.format("Green Bank"), "Green Bank", ground)) > 1


def test_a_part_of_a_title_is_not_the_title() -> None:
    text = "Ada Coe sang in 'Corn Fair: The Otto Hart Story.'"
    ground = "Ada Coe, who sings, was cast as Otto Hart. The Otto Hart Story was filmed in Preston."
    assert offered(text, "Corn Fair: The Otto Hart Story", ground) == {"Preston": False}


def test_without_another_value_there_is_no_choice() -> None:
    text = "Hart Mill has 12 windows."
    located = locate(Passage(id="1", text=text), text, span_of(text, "12"))
    assert located is not None
    assert choice_of(located, evidence(text)) is None


def test_the_reader_is_left_alone_where_the_sentence_is_in_the_evidence() -> None:
    for year, is_wrong in (("1852", False), ("1932", True)):
        text = f"It was built by Otto Hart in {year} and has 12 windows."
        assert is_worth_pointing(choice(text, year)) is is_wrong
