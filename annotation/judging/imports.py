"""Import judgments of raters elsewhere, whose accounts cannot log in."""

import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from annotation.adjudication.cases import AdjudicatedAnswer, open_case, save_adjudication
from annotation.items.rater_demand import most_wanted
from annotation.judging.answers import AnswerUpdate, Comment, save_judgments, submit
from annotation.judging.judgment_files import (
    ADJUDICATION,
    JudgmentFile,
    JudgmentReader,
    RaterWork,
)
from annotation.models import Assignment, Campaign, Item, Judgment
from annotation.quality_control.reference_answers import Right, use_item
from annotation.questionnaires import questionnaire_of
from annotation.raters.memberships import add_member, free_slots
from pipeline.importing.rows import Fault
from pipeline.rarr.errors import RarrError
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.accounts.names import username_key
from rarrweb.web.names import name_error

MAX_USERNAME = 150
MAX_ONLINE = 1_000
"""Items of raters that a request imports; a busy machine takes 30 ms for each."""


class WrongJudgments(RarrError):
    """The file has errors, so nothing was imported."""

    def __init__(self, file: JudgmentFile) -> None:
        super().__init__(str(file.errors[0]))
        self.file = file


def read_upload(
    campaign: Campaign,
    upload: "UploadedFile[bytes]",
    *,
    columns: Mapping[str, str] | None = None,
    use: str = "",
    by: User | None = None,
) -> JudgmentFile:
    """Check an uploaded file and, with `by`, import it; a large one needs the command.

    Raises `WrongJudgments` from an import, and `UnreadableFile`.
    """
    uploads = Path(settings.UPLOAD_DIR)  # /tmp may be small
    uploads.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="judgments-", dir=uploads) as folder:
        path = Path(folder) / str(upload.name)
        with path.open("wb") as stored:
            stored.writelines(upload.chunks())
        file = check_judgments(campaign, path, columns=columns, use=use)
        if len(file.work) > MAX_ONLINE:
            problem = f"raters judged items {len(file.work):,} times, the limit is {MAX_ONLINE:,}"
            file.refuse(Fault(problem, "import it by manage.py import_judgments"))
        if by is None:
            return file
        if file.errors:
            raise WrongJudgments(file)
        return import_judgments(campaign, path, columns=columns, use=use, by=by)


def check_judgments(
    campaign: Campaign, path: Path, *, columns: Mapping[str, str] | None = None, use: str = ""
) -> JudgmentFile:
    """Read a CSV or JSON Lines file, and change nothing.

    `columns` maps `FIELDS` to columns, "" for none; columns named like a field are found. With
    `use` (`Item.Use`), the answers are reference answers. Raises `UnreadableFile`.
    """
    return _checked(campaign, path, columns, use)[0]


@transaction.atomic
def import_judgments(
    campaign: Campaign,
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    use: str = "",
    by: User | None,
) -> JudgmentFile:
    """Store all judgments of a file, or raise `WrongJudgments`.

    A rater's account is NAME@CAMPAIGN. Its answers are saved and submitted as those of any rater;
    an item without all required answers is not submitted. Known answers stay as they are.
    """
    Campaign.objects.select_for_update(of=("self",), no_key=True).get(pk=campaign.pk)
    file, accounts = _checked(campaign, path, columns, use)
    if file.errors:
        raise WrongJudgments(file)
    for account in accounts.values():
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
        else:
            _store(campaign, work, accounts[work.rater], file)
    audit.record("imported-judgments", campaign, items=len(file.work), raters=len(accounts))
    return file


def _store(campaign: Campaign, work: RaterWork, account: User, file: JudgmentFile) -> None:
    now = timezone.now()
    assignment = work.assignment
    if assignment is None:
        assignment = Assignment.objects.create(
            item=work.item, campaign=campaign, rater=account, claimed_at=now, lease_until=now
        )
    elif work.known == len(work.answers) and bool(assignment.submitted_at) == work.is_complete:
        return
    questionnaire = questionnaire_of(campaign)
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
    if not work.is_complete:
        free_slots(pk=assignment.pk)
        Assignment.objects.filter(pk=assignment.pk).update(is_late=False)
        return
    submit(assignment, now=assignment.claimed_at)
    if assignment.is_late:
        fix = "make a campaign with more raters per item"
        file.refuse(Fault("the item needs no more raters", fix), work.line)
        raise WrongJudgments(file)


def _checked(
    campaign: Campaign, path: Path, columns: Mapping[str, str] | None, use: str
) -> tuple[JudgmentFile, dict[str, User]]:
    """Return the file, and the raters' accounts by name, new ones unsaved."""
    if not campaign.is_open:
        file = JudgmentFile(name=path.name)
        problem = f"the campaign’s state is “{campaign.get_state_display()}”"
        file.refuse(Fault(problem, "start or reopen it, then import"))
        return file, {}
    file = JudgmentReader(campaign, path, use=use).read(columns or {})
    if use:
        return file, {}
    work = [each for each in file.work.values() if each.rater != ADJUDICATION]
    accounts = _accounts(campaign, work, file)
    _compare_with_stored(campaign, work, accounts, file)
    _check_slots(campaign, work, file)
    return file, accounts


def _accounts(campaign: Campaign, work: list[RaterWork], file: JudgmentFile) -> dict[str, User]:
    lines: dict[str, int] = {}
    for each in work:
        lines.setdefault(each.rater, each.line)
    names = {name: f"{name}@{campaign.slug}" for name in lines}
    keys = [username_key(spelling) for pair in names.items() for spelling in pair]
    stored = {user.username_key: user for user in User.objects.filter(username_key__in=keys)}
    accounts: dict[str, User] = {}
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
        spellings[key] = name
        new = User(username=username, is_active=False, is_imported=True)
        accounts[name] = stored.get(key, new)
    return accounts


def _compare_with_stored(
    campaign: Campaign, work: list[RaterWork], accounts: Mapping[str, User], file: JudgmentFile
) -> None:
    """Find what an earlier import stored, and which items are complete with it."""
    keys = [each.pk for each in accounts.values() if each.pk]
    imported = Assignment.objects.filter(campaign=campaign, rater__in=keys)
    assignments = {(each.item_id, each.rater_id): each for each in imported}
    stored: dict[int, dict[tuple[str, int], tuple[int | None, str]]] = defaultdict(dict)
    rows = Judgment.objects.filter(assignment__in=imported)
    for row in rows:
        stored[row.assignment_id][row.criterion, row.target] = row.value, row.text
    questionnaire = questionnaire_of(campaign)
    for each in work:
        each.assignment = assignments.get((each.item.pk, accounts[each.rater].pk))
        known = stored[each.assignment.pk] if each.assignment else {}
        for key, answer in each.answers.items():
            if key in known and known[key] != answer[:2]:
                problem = f"an earlier import has {known[key][0]} here"
                fix = "correct the file, or import it into a new campaign"
                file.refuse(
                    Fault(problem, fix, field="value", value=str(answer.value)), answer.line
                )
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
    counted = campaign.items.order_by().annotate(taken=taken).values_list("pk", "taken")
    slots = dict(counted)
    for key, group in new.items():
        item, first = group[0].item, group[0]
        free = most_wanted(campaign, item.phase) - slots[key]
        if item.use:
            problem = f"item {item.position} is a {Item.Use(item.use).label} item"
            file.refuse(Fault(problem, "return it to raters, then import"), first.line)
        elif len(group) > free:
            problem = f"item {item.position} needs {free} more raters, the file has {len(group)}"
            needed = slots[key] + len(group)
            fix = f"make a campaign with {needed} raters per item"
            file.refuse(Fault(problem, fix), first.line)
