"""Import judgments that raters made elsewhere; their accounts cannot log in."""

import math
import tempfile
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Unpack

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count, Q
from django.template.defaultfilters import pluralize
from django.utils import timezone

from annotation.adjudication.cases import AdjudicatedAnswer, open_case, save_adjudication
from annotation.items.rater_demand import most_wanted
from annotation.judging.answers import AnswerUpdate, Comment, save_judgments, submit
from annotation.judging.judgment_files import ADJUDICATION, JudgmentFile, JudgmentReader, RaterWork
from annotation.models import Assignment, Campaign, Item, Judgment
from annotation.quality_control.reference_answers import Right, use_item
from annotation.questionnaires import questionnaire_of
from annotation.raters.memberships import add_member, free_slots
from annotation.results.labels import AnswerKey
from pipeline.importing.file_shape import Choices
from pipeline.importing.rows import Fault
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.accounts.names import username_key
from rarrweb.web.names import name_error

MAX_USERNAME = 150
MAX_ONLINE = 1_000
"""The most items, counted for each rater, in a request: each can take 30 ms."""


def read_upload(
    campaign: Campaign,
    upload: "UploadedFile[bytes]",
    *,
    use: str = "",
    by: User | None = None,
    skip_invalid: bool = False,
    **chosen: Unpack[Choices],
) -> JudgmentFile:
    """Check an uploaded file and, with `by`, import it; a large one needs the command.

    Raises `UnreadableFile`.
    """
    uploads = Path(settings.UPLOAD_DIR)  # /tmp may be small
    uploads.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="judgments-", dir=uploads) as folder:
        path = Path(folder) / str(upload.name)
        with path.open("wb") as stored:
            stored.writelines(upload.chunks())
        read = (
            partial(import_judgments, by=by, skip_invalid=skip_invalid) if by else check_judgments
        )
        return read(campaign, path, use=use, limit=MAX_ONLINE, **chosen)


def check_judgments(
    campaign: Campaign,
    path: Path,
    *,
    use: str = "",
    limit: float = math.inf,
    **chosen: Unpack[Choices],
) -> JudgmentFile:
    """Read a table of judgments, and change nothing.

    `columns` of `chosen` are those of `FIELDS`, "" for none. With `use` (`Item.Use`), the answers
    are reference answers. `limit` is the most items, counted for each rater. Raises
    `UnreadableFile`.
    """
    if not campaign.is_open:
        file = JudgmentFile(name=path.name)
        problem = f"the campaign’s state is “{campaign.get_state_display()}”"
        file.refuse(Fault(problem, "start or reopen it, then import"))
        return file
    file = JudgmentReader(campaign, path, use=use, chosen=chosen).read()
    if not use:
        for check in (_find_accounts, _compare_with_stored, _check_slots):
            work = [each for each in file.work.values() if each.rater != ADJUDICATION]
            check(campaign, work, file)
    if len(file.work) > limit:
        problem = f"raters judged items {len(file.work):,} times, the limit is {limit:,}"
        file.refuse(Fault(problem, "split it into several files"))
    return file


@transaction.atomic
def import_judgments(
    campaign: Campaign,
    path: Path,
    *,
    use: str = "",
    limit: float = math.inf,
    by: User | None,
    skip_invalid: bool = False,
    **chosen: Unpack[Choices],
) -> JudgmentFile:
    """Store all judgments of a file; if it has errors none or, with `skip_invalid`, the valid ones.

    A rater's account is NAME@CAMPAIGN. Its answers are saved and submitted as those of any rater;
    an item without all required answers is not submitted. Known answers stay as they are.
    """
    Campaign.objects.select_for_update(of=("self",), no_key=True).get(pk=campaign.pk)
    file = check_judgments(campaign, path, use=use, limit=limit, **chosen)
    if file.errors and not (skip_invalid and file.has_valid_rows):
        return file
    for account in file.accounts.values():
        if account.pk is None:
            account.set_unusable_password()
            account.save()
        add_member(campaign, user=account)
    for work in file.work.values():
        given = work.answers.items()
        if use:
            rights = {key: Right(value=each.value, why=each.comment) for key, each in given}
            use_item(work.item, use=use, answers=rights, by=by)
        elif work.rater == ADJUDICATION:
            answers = {
                key: AdjudicatedAnswer(value=each.value, reason=each.comment or "Imported.")
                for key, each in given
            }
            seen = open_case(work.item).seen
            save_adjudication(work.item, by=by, answers=answers, seen=seen)
        elif _store(work, file.accounts[work.rater]).is_late:  # the slot was claimed meanwhile
            fix = "make a campaign with more raters per item"
            file.refuse(Fault("the item needs no more raters", fix), work.line)
            file.work = {}
            transaction.set_rollback(True)
            return file
    audit.record("imported-judgments", campaign, items=len(file.work), raters=len(file.accounts))
    return file


def _store(work: RaterWork, account: User) -> Assignment:
    now = timezone.now()
    assignment = work.assignment
    if assignment is None:
        assignment = Assignment.objects.create(
            item=work.item,
            campaign=work.item.campaign,
            rater=account,
            claimed_at=now,
            lease_until=now,
        )
    elif work.known == len(work.answers) and bool(assignment.submitted_at) == work.is_complete:
        return assignment
    questionnaire = questionnaire_of(work.item.campaign)
    # Criteria that another answer can imply (`follows`) first: of equal sequences the first wins.
    ordered = sorted(work.answers, key=lambda key: not questionnaire.criterion(key[0]).follows)
    answers = [
        AnswerUpdate(
            criterion=key[0],
            target=key[1],
            value=work.answers[key].value,
            text=work.answers[key].text,
            sequence=1,
        )
        for key in ordered
    ]
    comment = Comment(text="\n".join(work.comments), sequence=1) if work.comments else None
    save_judgments(assignment, answers, comment=comment)
    if work.is_complete:
        submit(assignment, now=assignment.claimed_at)
    else:
        free_slots(pk=assignment.pk)
        assignment.is_late = False
        assignment.save(update_fields=["is_late"])
    return assignment


def _find_accounts(campaign: Campaign, work: list[RaterWork], file: JudgmentFile) -> None:
    lines: dict[str, int] = {}
    for each in work:
        lines.setdefault(each.rater, each.line)
    names = {name: f"{name}@{campaign.slug}" for name in lines}
    keys = [username_key(spelling) for pair in names.items() for spelling in pair]
    stored = {user.username_key: user for user in User.objects.filter(username_key__in=keys)}
    spellings: dict[str, str] = {}
    for name, username in names.items():
        key = username_key(username)
        problem = name_error(name).partition(":")[0].lower()
        if len(username) > MAX_USERNAME:
            problem = "the rater’s name is too long"
        elif username_key(name) in stored or (key in stored and not stored[key].is_imported):
            problem = "somebody with an account here has this name"
        elif key in spellings:
            problem = f"the rater {spellings[key]} has almost the same name"
        if problem:
            fault = Fault(problem, "give the rater another name", field="rater", value=name)
            file.refuse(fault, lines[name])
            file.work = {each: done for each, done in file.work.items() if done.rater != name}
            continue
        spellings[key] = name
        new = User(username=username, is_active=False, is_imported=True)
        file.accounts[name] = stored.get(key, new)


def _compare_with_stored(campaign: Campaign, work: list[RaterWork], file: JudgmentFile) -> None:
    """Find what an earlier import stored, and which items are complete with it."""
    accounts = [each.pk for each in file.accounts.values() if each.pk]
    imported = Assignment.objects.filter(campaign=campaign, rater__in=accounts)
    assignments = {(each.item_id, each.rater_id): each for each in imported}
    stored: dict[int, dict[AnswerKey, tuple[int | None, str]]] = defaultdict(dict)
    for row in Judgment.objects.filter(assignment__in=imported):
        stored[row.assignment_id][row.criterion, row.target] = row.value, row.text
    questionnaire = questionnaire_of(campaign)
    for each in work:
        each.assignment = assignments.get((each.item.pk, file.accounts[each.rater].pk))
        known = stored[each.assignment.pk] if each.assignment else {}
        for key, answer in [*each.answers.items()]:
            if key in known and known[key] != answer[:2]:
                problem = f"an earlier import has {known[key][0]} here"
                fix = "correct the file, or import it into a new campaign"
                fault = Fault(problem, fix, field="value", value=str(answer.value))
                file.refuse(fault, answer.line)
                del each.answers[key]
            else:
                each.known += key in known
        values = {key: value for key, (value, _) in known.items()}
        values |= {key: answer.value for key, answer in each.answers.items()}
        each.is_complete = not questionnaire.gaps(each.item, values)


def _check_slots(campaign: Campaign, work: list[RaterWork], file: JudgmentFile) -> None:
    new: dict[int, list[RaterWork]] = defaultdict(list)
    for each in work:
        if each.is_complete and not (each.assignment and each.assignment.submitted_at):
            new[each.item.pk].append(each)
    held = Q(assignments__submitted_at__isnull=False)
    held |= Q(assignments__lease_until__gt=timezone.now())
    taken = Count("assignments", filter=held & Q(assignments__slot__isnull=False))
    slots = dict(campaign.items.order_by().annotate(taken=taken).values_list("pk", "taken"))
    most = max((slots[key] + len(group) for key, group in new.items()), default=0)
    fix = f"make a campaign with {most} raters per item"
    is_reported = False
    for key, group in new.items():
        item, line = group[0].item, group[0].line
        free = most_wanted(campaign, item.phase) - slots[key]
        if item.use:
            problem = f"item {item.position} is a {Item.Use(item.use).label} item"
            file.refuse(Fault(problem, "return it to raters, then import"), line)
        elif len(group) <= free:
            continue
        elif not is_reported:
            is_reported = True
            needs = f"item {item.position} needs {free} more rater{pluralize(free)}"
            file.refuse(Fault(f"{needs}, the file has {len(group)}", fix), line)
        for each in group:
            del file.work[key, each.rater]
