"""Saved views of the page that compares passages."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from pipeline.data.deletion import dataset_outlook
from pipeline.forms.saved_views import SavedViewForm
from pipeline.models import Run, SavedView
from rarrweb.accounts.models import User
from tests.support.compared import make_compared_runs, revise_alike
from tests.support.factories import make_run, make_user

pytestmark = pytest.mark.django_db

SAVE = reverse("annotation:save-view")


@pytest.fixture
def runs() -> list[Run]:
    cache.clear()
    runs = make_compared_runs()
    revise_alike(runs, text="Another text.")
    return runs


def save(client: Client, runs: list[Run], more: str = "", **values: str) -> SavedView | None:
    query = "&".join(f"run={run.pk}" for run in runs)
    client.post(f"{SAVE}?{query}{more}", {"name": "Mine", **values})
    return SavedView.objects.last()


def view_address(name: str, view: SavedView) -> str:
    return reverse(f"annotation:{name}", args=[view.pk])


def test_what_is_shown_is_saved_and_opened_again(
    as_researcher: Client, researcher: User, runs: list[Run]
) -> None:
    view = save(as_researcher, runs, "&show=differ&sort=gain&tag=Odd&nonsense=1")
    assert view is not None
    assert (view.owner, view.dataset, view.is_shared) == (researcher, runs[0].dataset, False)
    asked = f"run={runs[0].pk}&run={runs[1].pk}&show=differ&tag=odd&sort=gain"
    assert view.query == asked
    opened = as_researcher.get(view_address("saved-view", view))
    assert opened["Location"] == f"{reverse('annotation:compare-passages')}?{asked}"
    page = as_researcher.get(reverse("pipeline:compare"), {"run": [run.pk for run in runs]})
    assert view_address("saved-view", view) in page.content.decode()


def test_it_is_renamed_shared_and_deleted_by_its_owner(
    as_researcher: Client, runs: list[Run]
) -> None:
    view = save(as_researcher, runs)
    assert view is not None
    as_researcher.post(view_address("change-view", view), {"name": "Ours", "is_shared": "on"})
    view.refresh_from_db()
    assert (view.name, view.is_shared) == ("Ours", True)
    as_researcher.post(view_address("delete-view", view))
    assert not SavedView.objects.exists()


def test_two_clicks_at_the_same_moment_save_one(
    as_researcher: Client, runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    save(as_researcher, runs)
    # Neither sees the other's row when it looks.
    monkeypatch.setattr(SavedViewForm, "clean_name", lambda form: form.cleaned_data["name"])
    answer = as_researcher.post(f"{SAVE}?run={runs[0].pk}", {"name": "Mine"}, follow=True)
    assert "You have a view “Mine” already" in answer.content.decode()
    assert SavedView.objects.count() == 1


def test_others_open_it_only_where_it_is_shared_and_never_change_it(
    as_researcher: Client, runs: list[Run]
) -> None:
    view = save(as_researcher, runs)
    assert view is not None
    other = Client()
    other.force_login(make_user(role=User.Role.RESEARCHER))
    member = Client()
    member.force_login(make_user())
    for is_shared, status in ((False, 404), (True, 302)):
        SavedView.objects.update(is_shared=is_shared)
        assert other.get(view_address("saved-view", view)).status_code == status
        assert member.get(view_address("saved-view", view)).status_code == 404
    for name in ("change-view", "delete-view"):
        for client in (other, member):
            assert client.post(view_address(name, view), {"name": "Theirs"}).status_code == 404
    assert member.post(f"{SAVE}?run={runs[0].pk}", {"name": "x"}).status_code == 404
    assert SavedView.objects.get().name == "Mine"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"name": " "}, "Give the view a name."),
        ({"name": "x" * 101}, "The name is too long"),
        ({"name": "Mine"}, "You have a view “Mine” already"),
    ],
)
def test_a_name_that_cannot_be_is_refused_in_a_sentence(
    as_researcher: Client, runs: list[Run], values: dict[str, str], said: str
) -> None:
    save(as_researcher, runs)
    told = as_researcher.post(f"{SAVE}?run={runs[0].pk}", values, follow=True).content.decode()
    assert said in told
    assert SavedView.objects.count() == 1


def test_runs_that_do_not_fit_are_not_saved(as_researcher: Client, runs: list[Run]) -> None:
    assert save(as_researcher, [runs[0], make_run()]) is None
    assert save(as_researcher, []) is None


def test_views_are_counted_where_a_dataset_is_deleted(
    as_researcher: Client, runs: list[Run]
) -> None:
    save(as_researcher, runs)
    assert ("Saved views of its runs", "1") in dataset_outlook(runs[0].dataset).lost
