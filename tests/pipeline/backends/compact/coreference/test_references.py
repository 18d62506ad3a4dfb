"""What pronouns, class nouns and bare surnames stand for."""

import pytest

from pipeline.backends.compact.coreference.references import (
    COMPANION,
    CompactDecontextualizer,
    References,
    open_references,
)
from pipeline.rarr.types import Passage

MILL = "Hart Mill was built by Otto Coe."
FILM = '"Corn Song" is a 1990 film by Ada Hart.'
BANK = "Brenner & Coe is a Swiss bank."
PRIZE = "The Hart Prize is given in York."
PAINTER = "Jane Roe, a painter, lived in Oslo."
BRIDGE = "The Brennet Bridge spans the Coe."
UNIVERSITY = "The University of Brenland is in Oslo."
SHORT_FILM = "The film Mill Song is short."
QUEEN = "Queen Ada married Prince Otto Roe in 1802."


def alone(*sentences: str, context: str = "") -> str:
    """The last sentence as it can be read by itself."""
    passage = Passage(id="1", text=" ".join(sentences), context=context)
    return CompactDecontextualizer().decontextualize(passage=passage, sentences=sentences)[-1]


@pytest.mark.parametrize(
    ("before", "sentence", "expected"),
    [
        ("Otto Hart was a miller.", "He died in 1901.", "Otto Hart died in 1901."),
        ("Otto Hart was a miller.", "His mill burned down.", "Otto Hart's mill burned down."),
        ("Otto Hart was a miller.", "In 1901 he died.", "In 1901 Otto Hart died."),
        (MILL, "It stands in York.", "Hart Mill stands in York."),
        (MILL, "Its roof fell in.", "Hart Mill's roof fell in."),
        (MILL, "The Prince of Wales liked it.", "The Prince of Wales liked Hart Mill."),
        (MILL, "He died in 1901.", "Otto Coe died in 1901."),
        (MILL, "Jane Coe sold it to York in 1893.", "Jane Coe sold Hart Mill to York in 1893."),
        (FILM, "It opened late.", '"Corn Song" opened late.'),
        (BANK, "They opened a branch in Oslo.", "Brenner & Coe opened a branch in Oslo."),
        # Gender, by honorifics.
        (QUEEN, "She ruled Brenland until 1840.", "Queen Ada ruled Brenland until 1840."),
        (QUEEN, "He died in 1840.", "Prince Otto Roe died in 1840."),
        # The article goes with the name.
        (PRIZE, "It was founded in 1950.", "The Hart Prize was founded in 1950."),
        # A class noun.
        (FILM, "The film won a prize.", '"Corn Song" won a prize.'),
        ("The film Corn Song is long.", "The film won a prize.", "Corn Song won a prize."),
        (PAINTER, "The painter died in 1840.", "Jane Roe died in 1840."),
        (BANK, "The bank's head is Jane Roe.", "Brenner & Coe's head is Jane Roe."),
        # By the name's own word.
        (BRIDGE, "The bridge opened in 1932.", "The Brennet Bridge opened in 1932."),
        (UNIVERSITY, "The university has 12 halls.", "The University of Brenland has 12 halls."),
    ],
)
def test_a_pronoun_or_class_noun_becomes_the_agreeing_name(
    before: str, sentence: str, expected: str
) -> None:
    assert alone(before, sentence) == expected


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("Otto Hart was a miller.", "It is important to grind corn."),
        (MILL, "It was in 1893 that York grew."),
        (MILL, "It is said that corn was dear."),
        (MILL, "The company lost its roof in 1893."),
        (MILL, "York Hall lost its roof in 1893."),
        (MILL, "York grew in 1893."),
        (MILL, "It took ten years to drain the marsh."),
        ("Otto Hart was a miller.", "When Jane Coe came, she sold the mill."),
        ("Otto Hart was a miller.", "Mills grind corn."),
        ("Otto Hart was a miller.", "It burned down."),
        ("Queen Ada ruled Brenland.", "He died in 1840."),
        (FILM, "The old film won a prize."),
        (FILM, "The film Mill Song won a prize."),
        (FILM, "The play won a prize."),
        # The Coe of a place is no person, nor is a longer name a short form.
        ("Otto Coe was a miller.", "Coe Castle burned down."),
        ("The Church of Mendry is old.", "Mendry grew."),
    ],
)
def test_a_sentence_without_an_agreeing_name_stays(before: str, sentence: str) -> None:
    assert alone(before, sentence) == sentence


JANE = "Jane Coe was born in Oslo."


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        # A class noun or a surname that two names share stays.
        (("The film Corn Song is long.", SHORT_FILM, "The film won."), "The film won."),
        ((JANE, "In 1932 Coe moved to York."), "In 1932 Jane Coe moved to York."),
        ((JANE, "Otto Coe was born in York.", "Coe died in 1932."), "Coe died in 1932."),
        # The subject of the sentence before, through other pronouns.
        ((JANE, "She met Ada Roe in 1901.", "She died in 1932."), "Jane Coe died in 1932."),
        # Names are forgotten after some sentences.
        ((MILL, *["Corn is dear."] * 5, "He died in 1901."), "He died in 1901."),
    ],
)
def test_names_of_several_sentences(sentences: tuple[str, ...], expected: str) -> None:
    assert alone(*sentences) == expected


def test_the_question_names_the_subject() -> None:
    opened = alone("It opened in 1852.", context="When did Hart Mill open?")
    assert opened == "Hart Mill opened in 1852."
    assert alone("He was a miller.", context="Who was Otto Hart?") == "Otto Hart was a miller."
    unrelated = "It was built in 1852."
    assert alone(unrelated, context="Who was Otto Hart?") == unrelated


def test_next_to_it_means_the_other_thing_before() -> None:
    for sentence, meant in {
        "It passed the planet in 1932.": ["Brennus"],
        "The planet was seen in 1932.": [],
        "It passed the planet Coea in 1932.": [],
    }.items():
        references = References()
        references.read("Corn Orbiter 2 is the spacecraft that saw Brennus near a star.")
        assert list(open_references(sentence, references, kinds=COMPANION)) == meant
