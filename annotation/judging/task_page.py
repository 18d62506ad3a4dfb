"""The page of an assignment."""

from collections.abc import Sequence
from functools import cached_property

from django.utils import timezone

from annotation.guidelines import versions
from annotation.judging import item_page, skips
from annotation.judging.access import AssignmentPosition, position_of
from annotation.judging.answers import COMMENT_LIMIT, judgments_of
from annotation.judging.item_page import ItemQuestion
from annotation.models import Assignment, RaterQuestion
from annotation.quality_control import training
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Gap


class TaskPage:
    """`task` in templates; values are computed on first use."""

    comment_limit = COMMENT_LIMIT
    skip_reasons = tuple(Assignment.SkipReason.choices)
    skip_note_limit = skips.NOTE_LIMIT

    def __init__(self, assignment: Assignment, *, gaps: Sequence[Gap] = ()) -> None:
        self.assignment = assignment
        self.item = assignment.item
        self.campaign = self.item.campaign
        self.questionnaire = questionnaire_of(self.campaign)
        self.is_open = self.campaign.is_open
        self.gaps = gaps
        """The required answers that the attempt to submit lacked."""
        self._judgments = judgments_of(assignment)
        self._questions = item_page.questions_of(self.item, self.questionnaire, self._judgments)

    # The item

    @cached_property
    def whole_item_questions(self) -> list[ItemQuestion]:
        return [each for each in self._questions if each.criterion.targets == "item"]

    @cached_property
    def sentences(self) -> list[item_page.Sentence]:
        return item_page.sentences_of(self.item, self._questions)

    @property
    def tail(self) -> str:
        """The text after the last sentence."""
        return str(self.item.text[self.item.sentences[-1]["end"] :])

    @cached_property
    def snippets(self) -> list[item_page.Snippet]:
        return item_page.snippets_of(self.item, self._questions)

    @cached_property
    def comparison_rows(self) -> list[item_page.ComparisonRow]:
        return item_page.side_by_side(self.item) if self.item.second_text else []

    # The answers

    @property
    def sequence(self) -> int:
        """The greatest stored sequence of the comment and answers."""
        sequences = [row.sequence for row in self._judgments.values()]
        return max([self.assignment.comment_sequence, *sequences])

    @property
    def required_count(self) -> int:
        return sum(each.criterion.is_required for each in self._questions)

    @property
    def required_answered(self) -> int:
        return sum(
            each.criterion.is_required and each.value is not None for each in self._questions
        )

    # The lease

    @property
    def has_lost_slot(self) -> bool:
        """Whether the work is late, or its slot went to another rater."""
        is_given_up = self.assignment.skipped_at or self.assignment.released_at
        return self.assignment.is_late or (not self.assignment.is_held and not is_given_up)

    @property
    def lease_left(self) -> int | None:
        """Seconds until the lease ends; None without a lease."""
        if not self.assignment.is_held or self.assignment.submitted_at is not None:
            return None
        left = self.assignment.lease_until - timezone.now()
        return max(int(left.total_seconds()), 0)

    # The rater's items

    @cached_property
    def position(self) -> AssignmentPosition:
        return position_of(self.assignment)

    @cached_property
    def has_judged_followed_campaign(self) -> bool:
        """Whether the rater has submitted any item of the campaign that this one follows.

        Not of this passage alone: a gold item's may have no item there, which would reveal it.
        """
        follows = self.campaign.follows_id
        judged = Assignment.objects.submitted().filter(
            rater=self.assignment.rater_id, campaign=follows, purpose=""
        )
        return follows is not None and judged.exists()

    @property
    def can_be_skipped(self) -> bool:
        is_finished = self.assignment.submitted_at or self.assignment.skipped_at
        return self.is_open and not is_finished and not self.training_attempt

    @cached_property
    def training_attempt(self) -> dict[str, int] | None:
        """Its "number" and "item_count"; None if this is no training item."""
        return training.attempt_of(self.assignment)

    # Instructions and the rater's questions

    @cached_property
    def instructions(self) -> versions.DisplayedGuidelines:
        return versions.guidelines_for(self.assignment.rater, self.campaign)

    @cached_property
    def _rater_questions(self) -> list[RaterQuestion]:
        questions = RaterQuestion.objects.filter(
            rater=self.assignment.rater_id, campaign=self.assignment.campaign_id
        )
        return list(questions.with_news().only("item"))

    @property
    def rater_question_count(self) -> int:
        """The rater's questions about this item."""
        return sum(each.item_id == self.item.pk for each in self._rater_questions)

    @property
    def new_answer_count(self) -> int:
        """The rater's questions with a new answer, about any item."""
        return sum(each.is_new for each in self._rater_questions)
