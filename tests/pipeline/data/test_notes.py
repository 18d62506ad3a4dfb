"""Notes and tags: how tags are written, and what a dataset has of both."""

import pytest

from pipeline.data.deletion import dataset_deletion_preview
from pipeline.data.notes import MOST_TAGS, TAG_LENGTH, BadTags, add_tags, noted_passages, read_tags
from pipeline.models import PassageNote, PassageTag
from rarrweb.accounts.models import User
from tests.support.factories import make_dataset, make_passage


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Wrong date, dates", ["wrong date", "dates"]),
        (" #Dates ,DATES,, ", ["dates"]),
        ("ﬁne\ttag", ["fine tag"]),
        ("Straße", ["strasse"]),
        (", #, ", []),
    ],
)
def test_one_word_is_one_tag_however_it_is_typed(text: str, tags: list[str]) -> None:
    assert read_tags(text) == tags


@pytest.mark.django_db
def test_tags_are_added_once_and_within_limits(researcher: User) -> None:
    passage = make_passage()
    add_tags(passage, "dates, wrong", by=researcher)
    add_tags(passage, "Dates, new", by=researcher)
    assert [tag.name for tag in passage.tags.all()] == ["dates", "new", "wrong"]
    for bad in ("", "x" * (TAG_LENGTH + 1), ",".join(map(str, range(MOST_TAGS)))):
        with pytest.raises(BadTags):
            add_tags(passage, bad, by=researcher)
    assert passage.tags.count() == 3


@pytest.mark.django_db
def test_notes_of_a_dataset_are_listed_and_would_be_lost_with_it(researcher: User) -> None:
    dataset = make_dataset()
    noted, tagged, _ = (make_passage(dataset) for _ in range(3))
    elsewhere = make_passage()
    for passage in (noted, elsewhere):
        PassageNote.objects.create(passage=passage, author=researcher, text="Odd.")
        PassageTag.objects.create(passage=passage, name="odd")
    PassageTag.objects.create(passage=tagged, name="odd")
    passages = noted_passages(dataset)
    assert passages.noted == {noted.pk}
    assert passages.tagged == {"odd": {noted.pk, tagged.pk}}
    preview = dataset_deletion_preview(dataset)
    assert ("Notes and tags on passages", "3") in preview.lost
    assert preview.is_work
    assert not dataset_deletion_preview(make_dataset()).is_work
