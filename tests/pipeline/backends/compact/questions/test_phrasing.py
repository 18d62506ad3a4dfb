"""How one span is asked for: by a question that a person would type."""

import pytest

from tests.pipeline.backends.compact.questions.asking import asked_about


@pytest.mark.parametrize(
    ("text", "span", "question"),
    [
        # subjects: nothing changes places
        ("Otto Hart died in 1930.", "Otto Hart", "Who died in 1930?"),
        (
            "Tower Bridge was opened by Otto Hart in 1894.",
            "Tower Bridge",
            "Which bridge was opened by Otto Hart in 1894?",
        ),
        (
            "The University of Ulm has 9,800 students.",
            "University of Ulm",
            "Which university has 9,800 students?",
        ),
        ("The Hart Prize is given in spring.", "Hart Prize", "Which prize is given in spring?"),
        ("The old Corn Hall on Mill Hill burned.", "Corn Hall", "Which hall on Mill Hill burned?"),
        ("The Mona Coe was found in Leeds.", "Mona Coe", "What was found in Leeds?"),
        (
            "In 1934 Ada Coe left Leeds.",
            "1934",
            "In what year did Ada Coe leave Leeds?",
        ),
        (
            "The Hart Canal, opened in 1942, joins two rivers.",
            "1942",
            "In what year did the Hart Canal open?",
        ),
        (
            "Ada Coe, a chemist, founded the Stone Mill Museum in 1902.",
            "Ada Coe",
            "Which chemist founded the Stone Mill Museum in 1902?",
        ),
        (
            'The band Stone Mill sang "Corn Song" in Leeds.',
            "Stone Mill",
            'Which band sang "Corn Song" in Leeds?',
        ),
        (
            '"Corn Song" is a film directed by Ada Coe.',
            "Corn Song",
            "What is a film directed by Ada Coe?",
        ),
        ("Otto Hart's mill was sold in 1852.", "Otto Hart", "Whose mill was sold in 1852?"),
        ("about 45% of it burned.", "45%", "What percentage of it burned?"),
        (
            "Ada Coe alone received the Nobel Prize in Chemistry.",
            "Nobel Prize in Chemistry",
            "Which prize did Ada Coe alone receive?",
        ),
        # the recogniser takes this place for a person
        ("Ada Coe was born in Kraków in 1902.", "Kraków", "Where was Ada Coe born in 1902?"),
        (
            "So Ada Coe could have built the mill in Leeds.",
            "Leeds",
            "Where could Ada Coe have built the mill?",
        ),
        # what follows the verb: the auxiliary before the subject, the preposition in front
        ("the mill opened in 1852.", "1852", "In what year did the mill open?"),
        ("In 1852, the stone mill was opened.", "1852", "In what year was the stone mill opened?"),
        ("The mill opened on 3 May 1852.", "3 May 1852", "On what date did the mill open?"),
        (
            "The mill was sold by Ada Coe in May 1990.",
            "May 1990",
            "In what month and year was the mill sold by Ada Coe?",
        ),
        ("The mill has 12 windows [1].", "12", "How many windows does the mill have?"),
        ("There are 12 mills in the valley.", "12", "How many mills are there in the valley?"),
        (
            "The Autobahn has 12 lanes near Ulm.",
            "12",
            "How many lanes does the Autobahn have near Ulm?",
        ),
        ("The mill is 12 metres high.", "12", "How many metres high is the mill?"),
        (
            "The mill needs 12 days to grind it.",
            "12",
            "How many days does the mill need to grind it?",
        ),
        ("The tower has a height of 12 metres.", "12", "What height does the tower have?"),
        (
            "Water covers 71% of the island.",
            "71%",
            "What percentage of the island does water cover?",
        ),
        ("The builder died at the age of 78.", "78", "At what age did the builder die?"),
        (
            "Otto Hart was born in Leeds in 1852.",
            "Leeds",
            "Where was Otto Hart born in 1852?",
        ),
        (
            "The Hart family lived in Camden, London.",
            "Camden",
            "Where in London did the Hart family live?",
        ),
        ("Hart Mill lies on the River Aare.", "River Aare", "On which river does Hart Mill lie?"),
        ("Ada Coe speaks Dutch.", "Dutch", "Which language does Ada Coe speak?"),
        ("The river is named after Queen Ada.", "Queen Ada", "Who is the river named after?"),
        (
            "Ada Coe was awarded the Nobel Prize in 1931.",
            "Nobel Prize",
            "Which prize was Ada Coe awarded in 1931?",
        ),
        (
            "The mill was bought by an Italian company in May.",
            "Italian",
            "By what nationality of company was the mill bought in May?",
        ),
        ("It was a 1912 film.", "1912", "What year's film was it?"),
        # ordinals in words
        (
            "On his third voyage Otto Hart sailed to Chile.",
            "third",
            "On which voyage did Otto Hart sail to Chile?",
        ),
        (
            "Ada Coe was the sixteenth president of Hart College.",
            "sixteenth",
            "What number president of Hart College was Ada Coe?",
        ),
        (
            "In the first season the club won nine games.",
            "first",
            "In which season did the club win nine games?",
        ),
        (
            "The second highest hill in the county is Coe Hill.",
            "second",
            "Is the second highest hill in the county Coe Hill?",
        ),
        ("The mill was first opened in 1852.", "first", "Was the mill first opened in 1852?"),
        ("Otto Hart's third wife was Ada Coe.", "third", "Which wife of Otto Hart was Ada Coe?"),
        # "by whom": as people ask
        ("The mill was built by Otto Hart.", "Otto Hart", "Who was the mill built by?"),
        (
            "The song was written by Ada Coe in 1990.",
            "Ada Coe",
            "Who was the song written by in 1990?",
        ),
        (
            "The company has been led by Ada Coe since 2012.",
            "Ada Coe",
            "Who has the company been led by since 2012?",
        ),
        # the clause that holds the span, and no other
        (
            "Otto Hart founded the mill in 1852 and moved to York in 1860.",
            "1860",
            "In what year did Otto Hart move to York?",
        ),
        (
            "Otto Hart is a builder who lived in Leeds from 1852.",
            "1852",
            "From what year did Otto Hart live in Leeds?",
        ),
        (
            "The museum, which Otto Hart opened in 1902, has 30 rooms.",
            "1902",
            "In what year did Otto Hart open the museum?",
        ),
        (
            "Otto Hart, who was born in Ulm in 1852, built 12 mills.",
            "1852",
            "In what year was Otto Hart born in Ulm?",
        ),
        (
            "The Hart Mill, built in 1852 by Ada Coe, is a museum.",
            "1852",
            "In what year was the Hart Mill built by Ada Coe?",
        ),
        (
            "The tower is 84 metres high and cost $3 million.",
            "$3 million",
            "How much did the tower cost?",
        ),
        (
            "The Coe Company released the game in 2004, and it sold 12,000 copies.",
            "12,000",
            "How many copies did the Coe Company sell?",
        ),
        (
            "Otto Hart said that the old mill had burned in 1870.",
            "1870",
            "In what year had the old mill burned (Otto Hart)?",
        ),
        # the other members of a list
        (
            "Otto Hart visited Leeds, York and Hull.",
            "Leeds",
            "Other than York and Hull, which place did Otto Hart visit?",
        ),
        (
            "The song was written by Ada Hart and Otto Coe in 1990.",
            "Otto Coe",
            "Other than Ada Hart, who was the song written by in 1990?",
        ),
        # what belongs to the span goes to the front with it
        (
            "After moving to Leeds in 1852, Otto Hart built a mill near the river.",
            "1852",
            "In what year did Otto Hart move to Leeds?",
        ),
        (
            "Otto Hart lived at the foot of Coe Hill.",
            "Coe Hill",
            "At the foot of which hill did Otto Hart live?",
        ),
        ("The mill wasn't sold in 1852.", "1852", "In what year was the mill not sold?"),
        # places around each other
        (
            "Otto Hart was born in Leeds, England.",
            "England",
            "Where is Leeds, where Otto Hart was born?",
        ),
        ("Ada Coe is a builder from Leeds, England.", "England", "Where is Leeds (Ada Coe)?"),
        ("The mill stood in the town of Leeds.", "Leeds", "In which town did the mill stand?"),
        (
            "The mill stood in the town of Leeds, England.",
            "Leeds",
            "In which town in England did the mill stand?",
        ),
        (
            "The mill stood in the west of Ohio.",
            "Ohio",
            "In the west of which place did the mill stand?",
        ),
        # a date leaves nothing of itself behind
        ("The mill closed in the early 1940s.", "1940s", "In what decade did the mill close?"),
        (
            "The mill was sold in 1952 to Ada Coe.",
            "1952",
            "In what year was the mill sold to Ada Coe?",
        ),
        # where the parse is unsure, the sentence keeps its order
        (
            "Hart Mill: 12 windows, two doors.",
            "12",
            "Hart Mill: how many windows, two doors?",
        ),
        # a clause's antecedent may open the sentence
        (
            "The mill that Otto Hart built, burned in 1852.",
            "Otto Hart",
            "Who built the mill?",
        ),
        # a title is left out with its quotation marks
        (
            'She plays Ada in the 1990 film "Corn & Ada", directed by Otto Coe.',
            "Otto Coe",
            "Who is the 1990 film directed by (Ada)?",
        ),
    ],
)
def test_the_question_is_one_that_a_person_would_type(text: str, span: str, question: str) -> None:
    assert asked_about(text, span) == question
