"""A lab that has used everything once: `fill_lab` leaves a row in each table that people fill.

It goes on where `manage.py demo --with-campaigns` ends, and calls what the pages call. A table that
comes new gets its line here, and then `tests.support.old_databases` writes another state.
"""

import itertools
import json
import uuid
from pathlib import Path
from unittest.mock import patch

from allauth.socialaccount.models import SocialAccount
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from annotation.adjudication import cases
from annotation.campaigns.lifecycle import close_campaign, make_draft, start_campaign
from annotation.exporting.jobs import process_export, start_export
from annotation.guidelines import questions
from annotation.guidelines.versions import confirm_read, newest, save_version, shown_to
from annotation.judging import releases, skips
from annotation.judging.activity import Visit
from annotation.judging.answers import Answer, save_comment, save_judgments, submit
from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign, Item, KeptFigure, Membership
from annotation.quality import gold_items, training
from annotation.quality.reference_answers import Right, settings_of, use_item
from annotation.raters import consent, invitations
from annotation.raters.memberships import add_member
from annotation.results import kept_figures
from annotation.results.reliability import RELIABILITY
from pipeline.data import similarities
from pipeline.data.notes import add_tags
from pipeline.data.uploads import agree_to_import, receive_upload
from pipeline.engine.configuration import RunConfig
from pipeline.jobs.queue import QUEUES
from pipeline.models import Corpus, Dataset, Passage, Run, Upload
from pipeline.runs import execution, lifecycle, scoring_jobs, start
from pipeline.runs.as_it_is import run_as_it_is
from pipeline.runs.line_files import run_file
from pipeline.runs.sharing import share_revision
from pipeline.trials import execution as trial_execution
from pipeline.trials.lifecycle import keep_trial, share_trial, start_trial
from pipeline.workers import registry
from rarrweb.accounts import tokens
from rarrweb.accounts.models import User
from tests.support import crowds
from tests.support.factories import make_user
from tests.support.second_factors import add_second_factor

SENTENCE = "Marlow Hall opened in 1904 [1]."
ANSWERS = {
    "query_id": "7",
    "query": "When did Marlow Hall open?",
    "quotes": [{"idx": 1, "docid": "12#3", "text": "The hall opened in 1904 with a concert."}],
    "answers": [
        {
            "answer": SENTENCE,
            "answer_type": "short",
            "informative": 1,
            "attributable": 1,
            "sentences": [{"index": 0, "text": SENTENCE, "informative": 1, "attributable": 1}],
        }
    ],
}
"""A line of HAGRID's form."""
_sequence = itertools.count(1, 10)
"""As in `Judgment.sequence`; taking an answer back adds 1."""


def fill_lab(folder: Path) -> None:
    """`folder` is for files on their way in."""
    researcher = User.objects.get(username="demo-researcher")
    run = Run.objects.get(system="rarr")
    _fill_accounts(researcher)
    _fill_data(researcher, folder, run)
    _fill_runs(researcher, run)
    ana, ben = make_user("ana"), make_user("ben")
    study = _start_study(researcher, run, (ana, ben))
    _judge_study(study, researcher, ana, ben)
    _fill_doors(study, researcher, run)
    _write_results(study, researcher)


def _fill_accounts(researcher: User) -> None:
    call_command("invite", "--role", "researcher", "--note", "for Ida")
    Client().post("/log-in/", {"login": "nobody", "password": "wrong"})
    _, secret = tokens.make_token(researcher, name="nightly", scope="write", days=30)
    answered = Client().get("/api/runs/", headers={"Authorization": f"Bearer {secret}"})
    assert answered.status_code == 200
    add_second_factor(researcher)
    SocialAccount.objects.create(user=researcher, provider="login-example", uid="subject-1")


def _fill_data(researcher: User, folder: Path, run: Run) -> None:
    """Files, notes, answers with labels, and a run that came in a file."""
    registry.beat("worker-1", sorted(set(QUEUES.values())), has_sign=True)
    upload = receive_upload(
        kind=Upload.Kind.PASSAGES,
        files=[SimpleUploadedFile("more.csv", b"id,text\n1,It opened in 1904.\n2,It is tall.\n")],
        created_by=researcher,
        name="More passages",
    )
    agree_to_import(upload)
    passage = Passage.objects.get(dataset__name="More passages", external_id="1")
    add_tags(passage, "odd date, short", by=researcher)
    browser = Client()
    browser.force_login(researcher)
    browser.post(
        f"/datasets/{passage.dataset.slug}/passages/{passage.pk}/notes/", {"text": "An odd date."}
    )
    lines = b"".join(run_file(run).chunks()).splitlines(keepends=True)
    for name, text in (
        ("answers", json.dumps(ANSWERS).encode()),
        ("revised", min(lines, key=len)),
    ):
        file = folder / f"{name}.jsonl"
        file.write_bytes(text)
        call_command("load_passages", str(file), "--dataset", name.title())
    answers = Dataset.objects.get(name="Answers")
    job = similarities.start_job(similarities.subject_of("dataset", answers.pk), by=researcher)
    assert similarities.process_job(job.pk)
    imported = Run.objects.get(dataset__name="Revised")
    assert scoring_jobs.process_job(scoring_jobs.start_scoring(imported, by=researcher).pk)


def _fill_runs(researcher: User, run: Run) -> None:
    """A strategy's answers, a run that waits, a trial, and what is shared and saved of runs."""
    answers = Dataset.objects.get(name="Answers")
    corpus = Corpus.objects.get()
    configs = [RunConfig.from_settings(system=name) for name in ("extractive", "efec")]
    for each in start.start_runs(
        dataset=answers, corpus=corpus, configs=configs, created_by=researcher
    ):
        for revision in each.revisions.all():
            execution.revise(revision.pk)
    waiting = start.start_run(
        dataset=answers, corpus=corpus, config=RunConfig.from_settings(), created_by=researcher
    )
    assert lifecycle.pause(waiting, reason="The server is away.")
    share_revision(run.revisions.order_by("pk")[0], by=researcher, shows_raters=True)
    trial = start_trial(
        owner=researcher,
        text="Marlow Hall opened in 1902.",
        config=RunConfig.from_settings(),
        sources=[{"id": "1", "title": "", "url": "", "text": "Marlow Hall opened in 1904."}],
    )
    trial_execution.revise(trial.pk)
    share_trial(trial)
    keep_trial(trial, dataset=Dataset.objects.get(name="More passages"))
    browser = Client()
    browser.force_login(researcher)
    browser.post(f"/compare/views/?run={run.pk}&show=differ", {"name": "Where they differ"})
    key = Dataset.objects.get(name="Revised").pk
    browser.post("/datasets/", {"action": "archive", "row": [key]})


def _start_study(researcher: User, run: Run, raters: tuple[User, ...]) -> Campaign:
    """Five passages, two raters each, with consent, one training item and one gold item."""
    study = start_campaign(
        name="A study",
        runs=[run],
        sides="after",
        raters_per_item=2,
        most_raters=3,
        questionnaire="attribution",
        created_by=researcher,
    )
    text = consent.publish(study, text="You agree to **this**.", withdrawal="keep", by=researcher)
    assert text is not None
    gone = make_user("cleo")
    for rater in (*raters, gone):
        add_member(study, user=rater)
        consent.answer(text, user=rater, answer="agreed")
        shown_to(rater, study)
    consent.withdraw(gone, study)
    add_member(study, user=make_user("ida"), role=Membership.Role.ADJUDICATOR)
    first, second = study.items.order_by("position")[:2]
    for item, use in ((first, Item.Use.TRAINING), (second, Item.Use.GOLD)):
        rights = {
            ("attributable", target): Right(value=1, why="The evidence says so.")
            for target in range(len(item.sentences))
        }
        use_item(item, use=use, answers=rights, by=researcher)
    study.refresh_from_db()
    checks = settings_of(study)
    checks.gold_every, checks.pause_percent, checks.pause_targets = 2, 90, 1
    checks.save()
    return study


def _judge_study(study: Campaign, researcher: User, ana: User, ben: User) -> None:
    """Ana passes the training at her second try and asks; Ben is paused, skips, and disagrees."""
    _judge_next(ana, study, 0)
    claim_next(ana, campaign=study)  # finishes the first try
    training.try_again(study, ana)
    _judge_all(ana, study, 1)
    _judge_next(ben, study, 1)
    _judge_all(ben, study, 0)
    assert gold_items.resume_rater(study, ben, by=researcher)
    skips.skip(_claimed(ben, study), reason="language", note="In Welsh.")
    _judge_all(ben, study, 0)

    asked = Assignment.objects.filter(campaign=study, rater=ana, purpose="").first()
    assert asked is not None
    thread = questions.ask(asked, text="Does the date count?", sentence=0)
    questions.reply(thread, by=researcher, text="It does.")
    questions.publish(thread)
    version = save_version(
        study, text=f"{newest(study).text}\n\nA date counts.", note="Dates", by=researcher,
        based_on=1, thread=thread,
    )  # fmt: skip
    confirm_read(ana, version)
    disputed = cases.waiting(study).first()
    assert disputed is not None
    cases.admit(disputed, researcher)
    cases.settle(
        disputed,
        by=researcher,
        answers={("attributable", 0): cases.Settled(value=1, reason="The first snippet says it.")},
        seen=cases.open_case(disputed).seen,
    )
    releases.send_back(asked, by=researcher, note="Read the second snippet.")


def _fill_doors(study: Campaign, researcher: User, run: Run) -> None:
    """Links into campaigns, and a campaign for people of a platform."""
    crowd_study = start_campaign(
        name="A study of many",
        runs=[run],
        sides="both",
        raters_per_item=1,
        may_repeat_passages=True,
        created_by=researcher,
    )
    crowd = crowds.make_crowd(crowd_study)
    begun = crowds.come(crowd)
    crowds.finish(crowd)
    page = begun.post("/tasks/next/", follow=True).content.decode()
    assert crowd.completion_code in page
    crowds.come(crowd, participant="0000000000000000000000ff", session="another")
    leaver = crowds.participant_named(crowd, "0000000000000000000000ff")
    releases.release(_claimed(leaver.user, crowd_study), by=researcher)
    cited = start_campaign(
        name="A study of citations",
        runs=[run_as_it_is(Dataset.objects.get(name="Answers"), created_by=researcher)],
        sides="before",
        raters_per_item=1,
        questionnaire="citation",
        created_by=researcher,
    )
    assert Item.objects.get(campaign=cited).citations
    make_draft(
        name="Once more", created_by=researcher, copied_from=study, follows=crowd_study, runs=[run]
    )
    invitations.invite(study, created_by=researcher, note="for Dora", also=[crowd_study])
    shared, _ = invitations.invite(crowd_study, created_by=researcher, max_uses=3)
    invitations.join(shared, user=make_user("dora"))
    close_campaign(cited)


def _write_results(study: Campaign, researcher: User) -> None:
    """A package, and a figure as a worker keeps it of a large campaign."""
    export = start_export(study, by=researcher, formats=["csv"], licence="cc-by-4.0")
    assert process_export(export.pk)
    with patch.object(kept_figures, "LIVE_SUBMISSIONS", -1):
        kept_figures.shown_figure(RELIABILITY, study)
    for figure in KeptFigure.objects.all():
        assert kept_figures.process_figure(figure.pk)


def _claimed(rater: User, campaign: Campaign) -> Assignment:
    claimed = claim_next(rater, campaign=campaign)
    assert isinstance(claimed, Assignment), claimed
    return claimed


def _judge_next(rater: User, campaign: Campaign, value: int) -> None:
    task = _claimed(rater, campaign)
    visit = Visit(id=uuid.uuid4(), tab=uuid.uuid4(), active_ms=9000, clicks=3, is_active=True)
    at = next(_sequence)
    answers = [
        Answer(criterion="attributable", target=target, value=value, sequence=at, guidelines=1)
        for target in range(len(task.item.sentences))
    ]
    save_judgments(task, answers, visit=visit)
    save_comment(task, text="Read twice.", sequence=at)
    assert submit(task) == []


def _judge_all(rater: User, campaign: Campaign, value: int) -> None:
    while isinstance(claim_next(rater, campaign=campaign), Assignment):
        _judge_next(rater, campaign, value)
