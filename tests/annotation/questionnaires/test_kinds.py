"""Each kind of questionnaire, from the campaign to what is saved, through its page."""

import re
from functools import partial

import pytest
from django.test import Client
from pytest_django.asserts import assertContains

from annotation.campaigns.forms import NewCampaignForm
from annotation.items.selection import preview_selection
from annotation.judging.answers import answers_of, submit
from annotation.judging.item_page import ComparisonRow, side_by_side
from annotation.models import Assignment, Campaign, Item, Judgment
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire, written_guidelines
from annotation.questionnaires.types import TEXT_LIMIT, Questionnaire
from rarrweb.accounts.models import User
from tests.support.campaigns import (
    REVISED,
    TEXT,
    make_campaign,
    make_judgeable_run,
    save_judgment,
)
from tests.support.factories import make_user, spans_of
from tests.support.kinds import assignment_of, everything, put

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", QUESTIONNAIRES)
def test_a_kind_reports_all_that_a_page_needs(name: str) -> None:
    kind = load_questionnaire(name)
    assert kind.name == name
    assert kind.criterion(kind.result_criterion).is_required
    assert set(kind.sides) <= set(Campaign.Side.values)
    keys = [key for keys, _ in kind.keys for key in keys.split(" ")]
    assert len(keys) == len(set(keys))
    assert not set("CIQTX?") & set(keys), "the frame has these"
    if kind.template == Questionnaire.__dataclass_fields__["template"].default:
        assert {each.targets for each in kind.criteria} <= {"sentences", "item"}
    for criterion in kind.criteria:
        assert len(criterion.name) <= 30
        numbers = [level.value for level in criterion.levels]
        assert numbers == sorted(set(numbers))
        assert [criterion.category(number) for number in numbers] == list(range(len(numbers)))
        for level in criterion.levels:
            assert criterion.level(level.value) is level


def test_an_unknown_kind_or_option_is_refused() -> None:
    with pytest.raises(ValueError, match="'nice' is none of"):
        make_campaign(questionnaire="nice")
    with pytest.raises(ValueError, match="'partly' is no option of 'intent'"):
        make_campaign(questionnaire="intent", options=["partly"])


@pytest.mark.parametrize("name", QUESTIONNAIRES)
def test_an_item_is_displayed_answered_and_submitted(
    as_annotator: Client, annotator: User, name: str
) -> None:
    assignment = assignment_of(name, annotator)
    page = as_annotator.get(f"/tasks/{assignment.pk}/")
    assert page.status_code == 200
    assert load_questionnaire(name).question in page.content.decode()
    answers = everything(assignment)
    assert answers
    text = {"text": "Revised."} if name == "manual_revision" else {}
    for (criterion, target), value in answers.items():  # each of them is needed
        answer = {"criterion": criterion, "target": target, "value": value, **text}
        url = f"/tasks/{assignment.pk}/submit/"
        assert "Not submitted yet." in as_annotator.post(url).content.decode()
        assert put(as_annotator, assignment, answer).status_code == 200
    assert as_annotator.post(f"/tasks/{assignment.pk}/submit/").status_code == 302
    assert Assignment.objects.submitted().count() == 1
    assert Judgment.objects.count() == len(answers)
    assert as_annotator.get(f"/tasks/{assignment.pk}/").status_code == 200


# ---- Intent similarity ------------------------------------------------------------------------
def test_a_pair_shows_both_texts_in_the_order_that_is_recorded(annotator: User) -> None:
    campaign = make_campaign(questionnaire="intent", sides="both", passages=24)
    assert (campaign.sides, campaign.item_count) == ("pair", 24)
    pairs = set(campaign.items.values_list("first_side", "text", "second_text"))
    assert pairs == {("before", TEXT, REVISED), ("after", REVISED, TEXT)}


def test_the_page_of_a_pair_does_not_tell_which_is_which(
    as_annotator: Client, annotator: User
) -> None:
    assignment = assignment_of("intent", annotator)
    page = as_annotator.get(f"/tasks/{assignment.pk}/").content.decode().lower()
    assert "1932" in page
    assert "1934" in page
    for word in ("before", "after ", "original", "revis", "first_side"):
        assert word not in page.partition("<main")[2].partition("<dialog")[0], word


def test_the_instructions_name_the_buttons_of_the_page(
    as_annotator: Client, annotator: User
) -> None:
    text = written_guidelines(load_questionnaire("manual_revision"))
    page = as_annotator.get(f"/tasks/{assignment_of('manual_revision', annotator).pk}/")
    named = set(re.findall(r"(?:Choose |- )\*\*([A-Z][a-z ]+)\*\*", text))
    assert named == {"No change needed", "Start over"}
    for button in named:
        assertContains(page, f">{button}</button>")


def test_the_instructions_on_attribution_have_the_sentence_of_figure_11() -> None:
    text = written_guidelines(load_questionnaire("attribution"))
    assert "Use reasonable judgment to check that the people, places and things" in text


def test_intent_is_asked_as_in_figure_12(as_annotator: Client, annotator: User) -> None:
    assignment = assignment_of("intent", annotator)
    page = as_annotator.get(f"/tasks/{assignment.pk}/").content.decode()
    levels = ("Not at all similar", "Somewhat similar", "Very similar")
    positions = [page.index(f">{level}<") for level in levels]
    assert positions == sorted(positions)
    for words in ("significantly different topic", "level of detail or style of presentation"):
        assert words in page
    assert 'class="level neutral"' in page
    assert 'class="level yes"' not in page
    assert "<mark><span" in page  # differences are marked
    assert "are identical" not in page
    Item.objects.update(second_text=assignment.item.text)
    assertContains(as_annotator.get(f"/tasks/{assignment.pk}/"), "Passages A and B are identical.")


def test_sentences_are_aligned_by_those_that_are_the_same() -> None:
    first = ["Gone.", "Same one.", "Was so.", "Same two."]
    second = ["Same one.", "Is so.", "New.", "Same two.", "More."]
    assert [(row.a, row.b) for row in aligned(first, second)] == [
        ("Gone.", ""),
        ("Same one.", "Same one."),
        ("Was so.", "Is so."),
        ("", "New."),
        ("Same two.", "Same two."),
        ("", "More."),
    ]


def aligned(first: list[str], second: list[str]) -> list[ComparisonRow]:
    """Align two texts with these different sentences."""
    item = Item(text=" ".join(first), second_text=" ".join(second))
    item.sentences, item.second_sentences = spans_of(*first), spans_of(*second)
    return side_by_side(item)


def test_the_preview_counts_a_pair_once() -> None:
    run = make_judgeable_run(passages=3)
    run.revisions.filter(pk=run.revisions.first().pk).update(text=" ")
    assert preview_selection([run], "pair").items == 2


# ---- HAGRID and ALCE --------------------------------------------------------------------------
def test_an_answer_is_judged_in_hagrids_units_next_to_what_it_cites(annotator: User) -> None:
    item = assignment_of("answer_quality", annotator).item
    assert [item.text[each["start"] : each["end"]] for each in item.sentences] == [
        "The bridge opened in 1932 [2].",
        "It is old. It carries two lines [1][2].",
        "Why?",
    ]
    assert [each["text"] for each in item.evidence] == ["Two lines.", "Opened 1932."]
    assert item.citations == [
        {"sentence": sentence, "evidence": cited} for sentence, cited in ((0, 1), (1, 0), (1, 1))
    ]
    kind = load_questionnaire("answer_quality")
    assert kind.criterion("informative").displayed_targets(item) == [0, 1, 2]
    # The third unit cites nothing.
    assert kind.criterion("attributable").displayed_targets(item) == [0, 1]


def test_a_citation_is_asked_about_once_and_answers_both_questions_of_its_sentence(
    annotator: User,
) -> None:
    assignment = assignment_of("citation", annotator)
    requests = list(everything(assignment))
    recall = [("citation_recall", sentence) for sentence in (0, 2)]
    precision = [("citation_precision", citation) for citation in range(3)]
    assert requests == [("utility", 0), *recall, *precision]
    criterion = load_questionnaire("citation").criterion("citation_recall")
    assert criterion.displayed_targets(assignment.item) == [2]
    save = partial(save_judgment, assignment, criterion="citation_precision")

    def recorded(sequence: int, value: int | None) -> int | None:
        save(target=0, value=value, sequence=sequence)
        return answers_of(assignment)["citation_recall", 0]

    assert [recorded(1, 2), recorded(2, 1), recorded(3, 0), recorded(4, None)] == [1, 0, 0, None]
    assert recorded(2, 2) is None, "an older answer changes neither"
    missing = {(gap.criterion, gap.target) for gap in submit(assignment)}
    assert ("citation_recall", 0) not in missing
    assert {("citation_precision", 0), ("citation_recall", 2)} <= missing
    for target in (1, 2):
        save(target=target, value=2, sequence=5)
    assert ("citation_recall", 2) not in answers_of(assignment), "two sources are asked together"


def test_a_source_that_is_missing_is_named(as_annotator: Client, annotator: User) -> None:
    assignment = assignment_of("answer_quality", annotator)
    item = assignment.item
    item.text = item.text.replace("lines [1][2]", "lines [1][7]")
    item.citations = [each for each in item.citations if each != {"sentence": 1, "evidence": 1}]
    item.save()
    page = as_annotator.get(f"/tasks/{assignment.pk}/")
    assertContains(page, "Source 7 is missing")
    assertContains(page, "Cites nothing", count=1)


def test_utility_is_asked_from_strongly_disagree_on_in_the_words_of_alce(
    as_annotator: Client, annotator: User
) -> None:
    assignment = assignment_of("citation", annotator)
    page = as_annotator.get(f"/tasks/{assignment.pk}/").content.decode()
    assert "The response is a helpful and informative answer to the query" in page
    assert page.index("Strongly disagree") < page.index("Neutral") < page.index("Strongly agree")
    for words in ("Source 2 alone", "Partially supports it", "Do not support all its claims"):
        assert words in page


def test_a_scale_from_1_to_5_takes_neither_0_nor_6(as_annotator: Client, annotator: User) -> None:
    assignment = assignment_of("citation", annotator)
    for value, status in ((0, 400), (1, 200), (5, 200), (6, 400)):
        answer = {"criterion": "utility", "target": 0, "value": value, "sequence": value + 1}
        assert put(as_annotator, assignment, answer).status_code == status


# ---- Manual revision --------------------------------------------------------------------------
def test_the_edited_text_is_the_answer_and_the_last_one_holds(
    as_annotator: Client, annotator: User
) -> None:
    assignment = assignment_of("manual_revision", annotator, sides="before")
    answer = {"criterion": "revision", "target": 0, "value": 1}
    newer = {**answer, "text": " Newer <b>\n", "sequence": 5}
    put(as_annotator, assignment, newer)
    saved = put(as_annotator, assignment, {**answer, "text": "older", "sequence": 4})
    assert saved.json()["judgments"] == [newer]
    assert Judgment.objects.get().text == " Newer <b>\n"
    page = as_annotator.get(f"/tasks/{assignment.pk}/").content.decode()
    assert " Newer &lt;b&gt;\n</textarea>" in page


def test_a_passage_may_be_emptied_and_a_text_not_be_endless(
    as_annotator: Client, annotator: User
) -> None:
    assignment = assignment_of("manual_revision", annotator)
    answer = {"criterion": "revision", "target": 0, "value": 1}
    assert put(as_annotator, assignment, {**answer, "text": ""}).status_code == 200
    endless = {**answer, "text": "x" * (TEXT_LIMIT + 1), "sequence": 2}
    assert put(as_annotator, assignment, endless).status_code == 400
    gone = {**answer, "value": None, "text": "left over", "sequence": 3}
    assert put(as_annotator, assignment, gone).status_code == 400


# ---- Choosing a kind --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "sides", "becomes", "error"),
    [
        ("", "both", "both", ""),
        ("intent", "", "pair", ""),
        ("intent", "both", "pair", ""),
        ("manual_revision", "both", "both", "choose before or after"),
        ("manual_revision", "before", "before", ""),
        ("citation", "", "both", ""),
    ],
)
def test_the_form_knows_which_sides_a_kind_has(
    kind: str, sides: str, becomes: str, error: str
) -> None:
    run = make_judgeable_run(passages=1)
    user = make_user(role=User.Role.RESEARCHER)
    data = {"name": "X", "run": run.pk, "raters_per_item": 1, "sides": sides}
    form = NewCampaignForm({**data, "questionnaire": [kind] if kind else []}, user=user)
    assert form.is_valid() == (not error)
    if error:
        assert error in str(form.errors["sides"])
    else:
        assert [*form.chosen()["sides"].values()] == [becomes]
