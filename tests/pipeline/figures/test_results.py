"""What came out of runs."""

import pytest

from pipeline.figures.comparison import compare, shared_attribution
from pipeline.figures.results import mean_attribution_of, run_results
from pipeline.models import Revision
from tests.support.estimates import ends, known
from tests.support.factories import make_dataset, make_passage, make_revision, make_run

pytestmark = pytest.mark.django_db


def test_results_are_means_over_revised_passages_with_their_n() -> None:
    run = make_run()
    done = {"state": Revision.State.DONE, "preservation": 1.0, "f1_ap": 0.5}
    make_revision(run, **done, attribution_before=0.2, attribution_after=0.6, is_changed=True)
    make_revision(run, **done, attribution_before=0.4, attribution_after=0.6)
    make_revision(run, state=Revision.State.DONE)  # an empty passage: nothing to score
    make_revision(run, state=Revision.State.FAILED, attribution_before=0.0)
    results = known(run_results(run))
    assert known(results.attribution_before).value == pytest.approx(0.3)
    assert results.attribution_before.n == 2
    assert known(results.attribution_gain).value == pytest.approx(0.3)
    assert (known(results.changed).value, known(results.changed).n) == (pytest.approx(1 / 3), 3)


def test_the_f1_of_a_run_is_that_of_its_means_as_in_the_paper() -> None:
    run = make_run()
    for after, preservation in [(0.2, 1.0), (0.6, 0.8), (None, 1.0), (0.9, None)]:
        make_revision(
            run,
            state=Revision.State.DONE,
            attribution_after=after,
            preservation=preservation,
            f1_ap=0.1,  # a passage's own is not looked at
        )
    results = known(run_results(run))
    assert known(results.f1_ap).n == 2
    assert known(results.f1_ap).value == pytest.approx(2 * 0.4 * 0.9 / (0.4 + 0.9))


def test_the_list_and_the_page_of_a_run_give_the_same_gain_with_its_interval() -> None:
    run, unscored = make_run(), make_run()
    make_revision(unscored, state=Revision.State.DONE)
    for before, after in [(0.2, 0.6), (0.4, 0.6), (0.5, 0.55), (None, 0.9), (0.3, None)]:
        make_revision(
            run, state=Revision.State.DONE, attribution_before=before, attribution_after=after
        )
    results = known(run_results(run))
    listed = mean_attribution_of([run, unscored])
    assert list(listed) == [run.pk]
    gain, on_page = listed[run.pk]["gain"], known(results.attribution_gain)
    assert gain.n == 3
    assert (gain.value, gain.low, gain.high) == pytest.approx(
        (on_page.value, on_page.low, on_page.high)
    )


def test_a_run_with_nothing_to_score_reports_none_not_zero() -> None:
    run = make_run()
    make_revision(run)
    assert run_results(run) is None
    make_revision(run, state=Revision.State.DONE)
    results = known(run_results(run))
    assert results.attribution_after is None


def test_answers_to_one_question_are_one_cluster() -> None:
    dataset = make_dataset()
    runs = [make_run(dataset=dataset), make_run(dataset=dataset)]
    names = [f"{question}-{answer}" for question in range(6) for answer in (1, 2)]
    passages = [
        make_passage(dataset=dataset, external_id=name, source={"answer": {}}, format="hagrid")
        for name in names
    ]
    for run, more in zip(runs, (0.0, 0.3), strict=True):
        for number, passage in enumerate(passages):
            before, after = 0.05 * number, 0.05 * number + more * (number % 3) / 2
            scores = {"attribution_before": before, "attribution_after": after}
            make_revision(
                run, passage=passage, state=Revision.State.DONE, preservation=0.9, **scores
            )
    results = known(run_results(runs[1]))
    compared = compare(runs).rows[1]
    lead, p = compared.leads["f1_ap"]
    _, shared = shared_attribution(runs)
    gain = mean_attribution_of(runs)[runs[1].pk]["gain"]
    of_run = (results.attribution_after, results.attribution_gain, results.f1_ap, results.changed)
    for estimate in (*of_run, gain, compared.figures["f1_ap"], lead, shared[runs[1].pk]):
        assert known(estimate).n == 6
    assert (known(p) < 0.05) == (ends(lead)[0] > 0)
    assert results.attribution_gain == gain
