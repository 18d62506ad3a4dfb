"""Notes and tags on the page of a passage."""

import pytest
from django.test import Client
from django.urls import reverse

from pipeline.models import Passage, PassageNote
from rarrweb.accounts.models import User
from tests.support.factories import make_dataset, make_passage, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def passage() -> Passage:
    return make_passage(make_dataset(slug="viaducts"))


def address(name: str, passage: Passage) -> str:
    return reverse(f"pipeline:{name}", args=[passage.dataset.slug, passage.pk])


def test_a_note_is_written_and_changed_by_its_author(
    as_researcher: Client, researcher: User, passage: Passage
) -> None:
    page = address("passage", passage)
    other = make_user(role=User.Role.RESEARCHER)
    PassageNote.objects.create(passage=passage, author=other, text="Mine.")
    html = as_researcher.get(page).content.decode()
    assert "Mine." in html
    assert "Delete note" not in html
    refused = as_researcher.post(address("add-note", passage), {"text": " "}, follow=True)
    assert "The note is empty" in refused.content.decode()
    sent = as_researcher.post(address("add-note", passage), {"text": " <b>Odd</b> date. "})
    assert sent["Location"] == f"{page}#notes"
    note = PassageNote.objects.get(author=researcher)
    assert (note.text, note.edited_at) == ("<b>Odd</b> date.", None)
    assert "&lt;b&gt;Odd&lt;/b&gt; date." in as_researcher.get(page).content.decode()
    as_researcher.post(reverse("pipeline:edit-note", args=[note.pk]), {"text": "An odd date."})
    note.refresh_from_db()
    assert note.text == "An odd date."
    assert note.edited_at is not None
    as_researcher.post(reverse("pipeline:delete-note", args=[note.pk]))
    assert PassageNote.objects.get().author == other


def test_tags_come_and_go(as_researcher: Client, passage: Passage) -> None:
    as_researcher.post(address("tag-passage", passage), {"tags": "Wrong Date, long"})
    assert [tag.name for tag in passage.tags.all()] == ["long", "wrong date"]
    as_researcher.post(address("untag-passage", passage), {"tag": "long"})
    assert [tag.name for tag in passage.tags.all()] == ["wrong date"]
    response = as_researcher.post(address("tag-passage", passage), {"tags": ","}, follow=True)
    assert "Write a tag" in response.content.decode()


def test_it_returns_to_its_own_pages(as_researcher: Client, passage: Passage) -> None:
    here = f"{reverse('compare-passage', args=[passage.pk])}?show=noted"
    for wanted, result in ((here, here), ("https://evil.example/", address("passage", passage))):
        values = {"tags": "a", "next": wanted}
        sent = as_researcher.post(address("tag-passage", passage), values)
        assert sent["Location"] == f"{result}#notes"
