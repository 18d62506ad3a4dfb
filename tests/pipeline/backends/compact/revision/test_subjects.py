"""Whom a sentence is about, and whether evidence names them (class 6: the same subject)."""

import pytest

from pipeline.backends.compact.coreference.referents import subjects_of
from pipeline.backends.compact.revision.located import locate
from pipeline.backends.compact.revision.subjects import is_named, unnamed_subject
from pipeline.backends.compact.text import parsing
from pipeline.rarr.types import Passage
from tests.pipeline.backends.compact.knowing_reader import evidence, span_of


@pytest.mark.parametrize(
    ("subject", "ground"),
    [
        ("Marie Curie", "Pierre Curie taught in Paris. Curie died in 1906."),
        ("Oxford University", "Cambridge University has 31 colleges. The University is old."),
        ("Oxford University", "Oxford University Press sells books."),
        ("World War I", "World War II ended in 1945. The War was long."),
        ("First World War", "World War II ended in 1945."),
        ("Golden Gate Bridge", "Sydney Harbour Bridge is an arch. The Bridge opened in 1932."),
        ("Ministry of Defence", "The Ministry of Finance moved in 1950."),
        ("River Thames", "The River Severn is 354 km long."),
        ("Severn", "The Severn Bridge was opened in 1966."),
        ("Japanese Americans", "African Americans moved north."),
        ("Wales", "New South Wales is a state."),
        ("South Wales", "New South Wales is a state."),
        ("Congress", "The Library of Congress has many maps."),
        ("La Chaux", "La Chaux-de-Fonds is a city."),
        ("New York", "York is an old city in England."),
        ("York", "New York is a large city."),
        ("Elizabeth I", "Elizabeth II was crowned in 1953."),
        ("North Korea", "South Korea held elections."),
        ("Queen Victoria", "Queen Anne died in 1714."),
        ("Jane Coe", "President Coe came late. Otto Coe opened the mill."),
    ],
)
def test_a_name_that_shares_a_word_names_another(subject: str, ground: str) -> None:
    assert not is_named(subject, ground)


@pytest.mark.parametrize(
    ("subject", "ground"),
    [
        ("Barack Obama", "Obama was born in Hawaii."),
        ("Obama", "Barack Obama was born in Hawaii."),
        ("Marie Curie", "Marie and Pierre Curie found radium."),
        ("Golden Gate Bridge", "The Golden Gate is a strait. The bridge over it is red."),
        ("Sydney Harbour Bridge", "The Harbour Bridge opened in 1932."),
        ("Forth Bridge", "The Forth Bridge is long. The Bridge is red. Tower Bridge is not."),
        ("River Thames", "The Thames is 346 km long."),
        ("Kings of Brenland", "Otto Roe plays for Ada Coe's Kings of Brenland."),
        ("Thames", "The River Thames rises in Kemble."),
        ("Jane Coe", "President Coe opened the mill in 1932."),
        ("Jane Coe", "The Coe mill"),
        ("the University of Leeds", "Leeds has a university."),
        ("J. K. Rowling", "The book is by Rowling."),
        ("Henry VIII", "King Henry VIII of England died in 1547."),
        ("Hart Mill", "It has 12 windows.\nHart Mill"),
    ],
)
def test_forms_of_a_name_name_the_same(subject: str, ground: str) -> None:
    assert is_named(subject, ground)


def test_a_longer_name_that_the_sentence_has_too_is_no_other() -> None:
    ground = "The remaining members of Alice in Chains will be joining forces with Hart."
    assert not is_named("Alice", ground)
    assert is_named("Alice", ground, sentence="Alice in Chains joined Hart for a run of gigs.")


@pytest.mark.parametrize(
    ("sentence", "subjects"),
    [
        ("Hart Mill was built in 1852.", ["Hart Mill"]),
        ("In 1852 the Hart Mill was built.", ["Hart Mill"]),
        ("The length of the Thames is 346 km.", ["Thames"]),
        ("The roof of the tower of Hart Mill fell in.", ["Hart Mill"]),
        ("Brenland's population is 12,000.", ["Brenland"]),
        ("Jane Coe and Otto Roe built the mill.", ["Jane Coe", "Otto Roe"]),
        ("The corn was ground at Hart Mill.", []),
        ("It was built in 1852.", []),
    ],
)
def test_the_subject_is_grammatical_or_its_genitive(sentence: str, subjects: list[str]) -> None:
    assert [each.mention.text for each in subjects_of(sentence)] == subjects


@pytest.mark.parametrize(
    ("value", "subject"), [("23", "Ada Roe"), ("19", "Otto Coe"), ("1852", "Hart Mill")]
)
def test_a_value_has_the_subject_of_its_clause(value: str, subject: str) -> None:
    sentence = "Ada Roe was 23 and Otto Coe was 19 years old when Hart Mill opened in 1852."
    assert [each.mention.text for each in subjects_of(sentence, sentence.index(value))] == [subject]


def unnamed(text: str, span: str, ground: str, title: str) -> str:
    passage = Passage(id="1", text=text)
    located = locate(passage, text, span_of(text, span))
    assert located is not None
    return unnamed_subject(located, evidence(ground, title))


THAMES = "The River Thames is 346 km long."
SEVERN = "The River Severn is 354 km long. It rises in Wales."
THE_BRIDGE = "The Bridge opened in 1890."
KING_PENGUIN = "The king penguin is 90 cm tall."
RAN = "{} ran it in 22.41 seconds."
CORN_MILL = "Hart Mill is old. The corn mill has 12 floors."
BUILDER = "Hart Mill was built by Otto Coe. He died in 1901."


@pytest.mark.parametrize(
    ("subject", "title", "span", "text", "ground"),
    [
        ("River Thames", "River Severn", "346", "The {} is 346 km long.", SEVERN),
        ("River Thames", "", "346", "The {} is 346 km long.", SEVERN),
        ("Thames", "River Severn", "346", "The length of the {} is 346 km.", SEVERN),
        ("Thames", "River Severn", "346", "The {}'s length is 346 km.", SEVERN),
        ("River Thames", "River Severn", "Kemble", f"{THAMES} It rises in Kemble.", SEVERN),
        ("Marie Curie", "Pierre Curie", "1911", "{} won it in 1911.", "{} won it in 1903."),
        ("World War II", "World War I", "1945", "{} ended in 1945.", "{} ended in 1918."),
        ("Tower Bridge", "Forth Bridge", "1894", "{} opened in 1894.", THE_BRIDGE),
        # A kind of thing is a subject too.
        ("emperor penguin", "King penguin", "120", "The {} is 120 cm tall.", KING_PENGUIN),
        ("tennis court", "Basketball", "24", "A {} is 24 m long.", "A court is 28 m long."),
        # Who did it may be asked for, but who did something else is somebody else.
        ("Joy Roe", "Ruth Coe", "Joy Roe", "{} ran it in 22.97 seconds.", RAN),
    ],
)
def test_another_subject(subject: str, title: str, span: str, text: str, ground: str) -> None:
    assert unnamed(text.format(subject), span, ground.format(title), title) == subject


@pytest.mark.parametrize(
    ("text", "span", "ground", "title"),
    [
        ("A tennis court is 24 m long.", "24", "A court is 23 m long.", "Tennis"),
        (CORN_MILL, "12", "It has nine floors.", "Hart Mill"),
        # The page's title, a short form, and a pronoun in the middle of the right page name it.
        (THAMES, "346", "The river is 215 miles long.", "River Thames"),
        (THAMES, "346", "It is 215 miles long.", ""),
        (THAMES, "346", "The Thames is 215 miles long.", "Rivers of England"),
        ("Barack Obama won in 2008.", "2008", "Obama won in 2009.", "Elections"),
        (RAN.format("Joy Roe"), "Joy Roe", RAN.format("Ruth Coe"), "Ruth Coe"),
        # What is asked for need not be named itself.
        ("Jane Coe built Hart Mill.", "Jane Coe", "Hart Mill was built by Otto Roe.", "Hart Mill"),
        # "He" may be the builder, whose page does not name the mill.
        (BUILDER, "1901", "Otto Coe died in 1903.", "Otto Coe"),
    ],
)
def test_the_same_subject(text: str, span: str, ground: str, title: str) -> None:
    assert not unnamed(text, span, ground, title)


def test_a_subject_is_the_same_when_its_sentence_is_parsed_again() -> None:
    sentence = "In 1990 the length of the Thames grew."
    before = [each.text for each in subjects_of(sentence)]
    parsing.clear_cache()
    assert [each.text for each in subjects_of(sentence)] == before == ["the Thames"]
