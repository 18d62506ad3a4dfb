"""What the page of an assignment displays around its item: `task` in templates."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from django.utils import timezone

from annotation.guidelines import versions
from annotation.judging import item_page, pace, skips
from annotation.judging.answers import COMMENT_LIMIT, judgments_of
from annotation.judging.item_page import ItemQuestion
from annotation.judging.position import ItemPosition, position_of
from annotation.models import Assignment, RaterQuestion
from annotation.quality_control import training
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Gap


class TaskPage:
    """Computed mostly when a template first uses it."""

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
        """The required answers that were missing when it was to be handed in."""
        self._judgments = judgments_of(assignment)
        self._by_criterion = item_page.questions(self.item, self.questionnaire, self._judgments)

    # The item

    @property
    def has_context(self) -> bool:
        return bool(self.item.context)

    @cached_property
    def questions(self) -> list[ItemQuestion]:
        """About the whole item."""
        return item_page.of_item(self._by_criterion)

    @cached_property
    def sentences(self) -> list[item_page.Sentence]:
        return item_page.sentences(self.item, self._by_criterion)

    @property
    def tail(self) -> str:
        return str(self.item.text[self.item.sentences[-1]["end"] :])

    @cached_property
    def snippets(self) -> list[item_page.Snippet]:
        return item_page.snippets(self.item, self._by_criterion)

    @cached_property
    def rows(self) -> list[item_page.ComparisonRow]:
        """Of a pair of passages."""
        return item_page.side_by_side(self.item) if self.item.second_text else []

    # The answers

    @property
    def sequence(self) -> int:
        """The greatest sequence of the assignment on the server."""
        sequences = [row.sequence for row in self._judgments.values()]
        return max([self.assignment.comment_sequence, *sequences])

    @property
    def is_new(self) -> bool:
        return not self._judgments and self.assignment.submitted_at is None

    @property
    def required(self) -> int:
        """Questions that need an answer."""
        return sum(1 for _ in self._questions(is_required=True))

    @property
    def answered(self) -> int:
        return sum(each.value is not None for each in self._questions(is_required=True))

    @property
    def rated(self) -> int:
        """Answered questions among the others."""
        return sum(each.value is not None for each in self._questions(is_required=False))

    def _questions(self, *, is_required: bool) -> Iterator[ItemQuestion]:
        for criterion in self.questionnaire.criteria:
            if criterion.is_required == is_required:
                yield from self._by_criterion[criterion.name].values()

    # Whose it is just now

    @property
    def is_away(self) -> bool:
        """Whether answers are late from now on, also those of a draft that lost its slot."""
        given_up = self.assignment.skipped_at or self.assignment.released_at
        return self.assignment.is_late or (not self.assignment.is_held and not given_up)

    @property
    def lease_left(self) -> int | None:
        """Seconds; None without a lease."""
        if not self.assignment.is_held or self.assignment.submitted_at is not None:
            return None
        left = self.assignment.lease_until - timezone.now()
        return max(int(left.total_seconds()), 0)

    # The rater's row of items

    @cached_property
    def position(self) -> ItemPosition:
        return position_of(self.assignment)

    @cached_property
    def is_second(self) -> bool:
        """Whether the rater also judges in the campaign that this one follows.

        Not whether they judged this passage there, which would reveal gold items.
        """
        follows = self.campaign.follows_id
        judged = Assignment.objects.submitted().filter(
            rater=self.assignment.rater_id, campaign=follows, purpose=""
        )
        return follows is not None and judged.exists()

    @cached_property
    def training(self) -> dict[str, int] | None:
        return training.of_task(self.assignment)

    @cached_property
    def left(self) -> int:
        """Items left, at most: other raters may be quicker."""
        if not self.is_open:
            return 0
        return max(self.campaign.max_items_per_rater - self.position.submitted, 0)

    @cached_property
    def time_left(self) -> str:
        """Empty if unknown."""
        if not self.left or self.position.submitted < pace.FEWEST:
            return ""
        seconds = pace.seconds_an_item(self.assignment.rater, self.campaign)
        return pace.in_words(self.left * seconds) if seconds else ""

    # Instructions and questions

    @cached_property
    def instructions(self) -> versions.DisplayedGuidelines:
        return versions.guidelines_for(self.assignment.rater, self.campaign)

    @cached_property
    def question_counts(self) -> dict[str, int]:
        """The rater's questions about the item, and all of theirs with news."""
        rater_questions = RaterQuestion.objects.filter(
            rater=self.assignment.rater_id, campaign=self.assignment.campaign_id
        )
        rows = list(rater_questions.with_news().only("item"))
        return {
            "here": sum(each.item_id == self.assignment.item_id for each in rows),
            "new": sum(each.is_new for each in rows),
        }
