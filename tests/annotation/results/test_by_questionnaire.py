"""What the other questionnaires' answers add up to, worked by hand."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.asserts import assertContains, assertNotContains

from annotation.campaigns.lifecycle import close_campaign
from annotation.models import Assignment, Campaign, Judgment
from annotation.questionnaires import QUESTIONNAIRES
from annotation.results.attribution import campaign_result
from annotation.results.by_questionnaire import campaign_figures, level_shares
from pipeline.metrics.preservation import preservation_levenshtein
from pipeline.models import Run
from pipeline.rarr.serialization import to_plain
from pipeline.rarr.types import Passage, Report, Revision
from pipeline.templatetags.figures import symbols
from rarrweb.accounts.models import User
from tests.support import exports
from tests.support.campaigns import REVISED, TEXT, hand_in, make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.kinds import everything, make_citing_run
from tests.support.rarr_fakes import evidence
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def values(campaign: Campaign) -> dict[str, float | None]:
    return {
        figure.label: figure.estimate.value if figure.estimate else None
        for figure in campaign_figures(campaign)
    }


def test_intent_is_the_share_who_say_very_similar_and_comb_the_mean_of_products() -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(questionnaire="intent", passages=2, raters_per_item=2, raters=raters)
    for levels in ((2, 1), (2, 2)):
        for rater, level in zip(raters, levels, strict=True):
            hand_in(claim(rater, campaign), {("intent", 0): level})
    lev = preservation_levenshtein(TEXT, REVISED)
    assert lev is not None
    result = values(campaign)
    assert result["Pres_intent"] == pytest.approx(0.75)
    assert result["Pres_Lev"] == pytest.approx(lev)
    assert result["Pres_comb"] == pytest.approx((0.5 * lev + lev) / 2)


def test_pres_lev_is_of_the_original_whichever_is_first(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    rater = make_user()
    run = make_judgeable_run(passages=12)
    run.revisions.update(text="Short.", sentences={})
    campaign = make_campaign(questionnaire="intent", run=run, raters=(rater,))
    assert campaign.items.values("first_side").distinct().count() == 2
    for _ in range(12):
        hand_in(claim(rater, campaign), {("intent", 0): 2})
    with django_assert_max_num_queries(3):  # items, judgments, settled answers
        result = values(campaign)
    assert result["Pres_Lev"] == pytest.approx(preservation_levenshtein(TEXT, "Short."))


def test_the_oracle_keeps_what_its_raters_kept() -> None:
    rater = make_user()
    campaign = make_campaign(
        questionnaire="manual_revision", sides="before", passages=2, raters=(rater,)
    )
    hand_in(claim(rater, campaign), {("revision", 0): 1}, text=TEXT)
    hand_in(claim(rater, campaign), {("revision", 0): 1}, text=REVISED)
    result = values(campaign)
    lev = preservation_levenshtein(TEXT, REVISED)
    assert lev is not None
    assert result == {
        "Pres_Lev of the human oracle": pytest.approx((1 + lev) / 2),
        "Changed": 0.5,
    }


def test_manual_revisions_become_a_run(as_researcher: Client) -> None:
    rater = make_user()
    campaign = make_campaign(
        questionnaire="manual_revision", sides="before", passages=2, raters=(rater,)
    )
    for row in campaign.runs.get().revisions.all():
        passage = Passage(id="1", text=TEXT)
        report = Report(evidence=(evidence("It opened in 1904."),))
        row.result = to_plain(Revision(passage=passage, text=row.text, report=report))
        row.save()
    hand_in(claim(rater, campaign), {("revision", 0): 1}, text=TEXT)
    hand_in(claim(rater, campaign), {("revision", 0): 1}, text=REVISED)
    page = reverse("annotation:results", args=[campaign.slug])
    make = reverse("annotation:make-manual-runs", args=[campaign.slug])
    assertNotContains(as_researcher.get(page), "Make a run of these revisions")
    assertContains(as_researcher.post(make, follow=True), "Close the campaign first")
    close_campaign(campaign)
    assertContains(as_researcher.get(page), "Make a run of these revisions")
    response = as_researcher.post(make, follow=True)
    run = Run.objects.get(system=Run.HUMAN)
    assertContains(response, f"with the evidence of run {campaign.runs.get().pk}")
    as_researcher.post(make)
    assert Run.objects.filter(system=Run.HUMAN).get() == run
    rows = list(run.revisions.all())
    assert sorted(row.text for row in rows) == sorted([TEXT, REVISED])
    assert all(row.original_text == TEXT for row in rows)
    source = campaign.runs.get().revisions.get(passage=rows[0].passage)
    assert rows[0].result["report"] == source.result["report"]
    assert (run.state, run.passage_count) == (Run.State.FINISHED, 2)
    # The run is judged as any other.
    judged = make_campaign(run=run, sides="after", raters=(rater,))
    assert {item.text for item in judged.items.all()} == {TEXT, REVISED}


def test_a_citation_is_precise_only_in_a_supported_sentence() -> None:
    rater = make_user()
    campaign = make_campaign(questionnaire="citation", run=make_citing_run(), raters=(rater,))
    # Four sentences: the first cites [2], the third [1][2].
    recall = {("citation_recall", sentence): level for sentence, level in ((0, 1), (2, 0))}
    precision = {("citation_precision", at): level for at, level in enumerate((1, 2, 0))}
    hand_in(claim(rater, campaign), {("utility", 0): 4, **recall, **precision})
    assert values(campaign) == {
        "Utility": 4.0,
        "Citation recall": 0.25,
        "Citation precision": pytest.approx(1 / 3),
    }


def test_answer_quality_counts_both_criteria_of_parts_and_of_answers_as_hagrids_table_3() -> None:
    campaign = exports.make_campaign(questionnaire="answer_quality", sides="after")
    raters = [make_user(), make_user()]
    # Of each answer and rater: what its parts are, informative then attributable; and what most
    # of the raters say, a tie being neither.
    answers = (
        (("10", "01"), ("10", "01")),  # informative 1 0, attributable 0 1
        (("00", "01"), ("01", "01")),  # informative 0 0, attributable tied, 1
        (("11",), ("11",)),
    )
    for parts in answers:
        item = exports.make_item(campaign, *(f"Part {n}." for n in range(len(parts[0]))))
        for slot, (rater, message) in enumerate(zip(raters, parts, strict=True), start=1):
            informative, attributable = zip(*(map(int, part) for part in message), strict=True)
            exports.judge(item, rater, *attributable, slot=slot, informative=informative)
    result = {each.label: each for each in campaign_figures(campaign)}
    assert {label: each.counts for label, each in result.items()} == {
        "Informative answers": (2, 1, 0),
        "Informative parts": (2, 3, 0),
        "Attributable answers": (1, 1, 1),
        "Attributable parts": (3, 1, 1),
    }
    assert values(campaign) == {
        "Informative answers": pytest.approx(2 / 3),
        "Informative parts": pytest.approx(2 / 5),
        "Attributable answers": 0.5,
        "Attributable parts": 0.75,
    }
    for each in result.values():
        assert each.estimate is not None
        assert each.estimate.note() == "no interval: fewer than 5 passages"
    assert [each.estimate and each.estimate.n for each in result.values()] == [3, 3, 2, 3]


def test_a_part_that_cites_nothing_is_not_attributable_unless_somebody_was_asked() -> None:
    rater = make_user()
    campaign = make_campaign(
        questionnaire="answer_quality", sides="after", run=make_citing_run(), raters=(rater,)
    )
    # Three parts, of which the third cites nothing.
    answered = [*(("informative", part) for part in range(3)), ("attributable", 0)]
    hand_in(claim(rater, campaign), dict.fromkeys([*answered, ("attributable", 1)], 1))
    result = {each.label: each.counts for each in campaign_figures(campaign)}
    assert result["Attributable parts"] == (2, 1, 0)
    assert result["Attributable answers"] == (0, 1, 0)
    work = campaign.items.get().assignments.get()
    Judgment.objects.create(
        assignment=work, criterion="attributable", target=2, value=1, updated_at=work.submitted_at
    )
    result = {each.label: each.counts for each in campaign_figures(campaign)}
    assert result["Attributable parts"] == (3, 0, 0)


def test_shares_of_levels_count_what_there_was_nothing_to_ask_about_as_attr_ais_does() -> None:
    rater = make_user()
    campaign = make_campaign(options=["partly", "two_stages"], sides="after", raters=(rater,))
    levels = {"interpretable": (1, 1, 0), "attributable": (1, 2), "useful": (1,)}
    answers = {(name, at): level for name in levels for at, level in enumerate(levels[name])}
    hand_in(claim(rater, campaign), answers)
    shares = {each.label: each.estimate and each.estimate.value for each in level_shares(campaign)}
    third = pytest.approx(1 / 3)
    assert shares == {"Partly attributable, after": third, "Fully attributable, after": third}
    [side] = campaign_result(campaign).whole.sides
    assert side.attribution is not None
    assert side.attribution.value == third


def test_drafts_and_late_work_count_nothing() -> None:
    rater = make_user()
    campaign = make_campaign(questionnaire="intent", raters=(rater,))
    hand_in(claim(rater, campaign), {("intent", 0): 2})
    Assignment.objects.update(slot=None, is_late=True)
    assert values(campaign) == {"Pres_intent": None, "Pres_Lev": None, "Pres_comb": None}
    Assignment.objects.update(slot=1, is_late=False, submitted_at=None)
    assert values(campaign)["Pres_intent"] is None


@pytest.mark.parametrize("kind", QUESTIONNAIRES)
def test_the_campaigns_page_shows_the_result_of_every_kind(client: Client, kind: str) -> None:
    rater, researcher = make_user(), make_user(role=User.Role.RESEARCHER)
    run = make_citing_run() if kind in {"citation", "answer_quality"} else None
    campaign = make_campaign(questionnaire=kind, sides="after", run=run, raters=(rater,))
    assignment = claim(rater, campaign)
    hand_in(assignment, everything(assignment))
    client.force_login(researcher)
    overview = client.get(campaign.get_absolute_url())
    results = client.get(f"{campaign.get_absolute_url()}results/")
    for page in (overview, results):
        assert page.status_code == 200
        for label in values(campaign):
            assert symbols(label) in page.content.decode()
    displayed = results.content.decode()
    assert ("What raters say, each mean" in displayed) == bool(values(campaign))
