"""The pages of datasets."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from pipeline.models import Dataset, Upload
from pipeline.views.datasets import PASSAGES
from tests.support.factories import make_dataset, make_passage, make_revision, make_run
from tests.support.pages import html_of

pytestmark = pytest.mark.django_db

HOSTILE = '<script>alert("x")</script><b>bold</b>'


@pytest.fixture(autouse=True)
def uploads_in(tmp_path: Path, settings) -> None:  # type: ignore[no-untyped-def]
    settings.UPLOAD_DIR = tmp_path


def test_the_list_reports_how_much_is_in_each(as_researcher: Client) -> None:
    html = html_of(as_researcher, reverse("pipeline:datasets"))
    assert "No dataset yet" in html
    assert "&quot;text&quot;" in html or '"text"' in html
    assert reverse("pipeline:new-dataset") in html
    dataset = make_dataset(name=HOSTILE, passage_count=1234)
    make_run(dataset=dataset)
    make_run(dataset=dataset)
    make_run()
    html = html_of(as_researcher, reverse("pipeline:datasets"))
    assert "<script>alert" not in html
    assert '<td class="n" data-label="Passages">1,234</td>' in html
    assert '<td class="n" data-label="Runs">2</td>' in html


def test_passages_are_paged_by_key(as_researcher: Client) -> None:
    dataset = make_dataset()
    made = [make_passage(dataset) for _ in range(PASSAGES.size + 3)]
    first = html_of(as_researcher, dataset.get_absolute_url())
    assert made[PASSAGES.size - 1].external_id in first
    assert f">{made[PASSAGES.size].external_id}<" not in first
    following = f"?after={made[PASSAGES.size - 1].pk}"
    assert following in first
    second = html_of(as_researcher, dataset.get_absolute_url() + following)
    assert f">{made[-1].external_id}<" in second
    assert f"?before={made[PASSAGES.size].pk}" in second
    back = html_of(as_researcher, dataset.get_absolute_url() + f"?before={made[PASSAGES.size].pk}")
    assert f">{made[0].external_id}<" in back


def test_nonsense_in_the_address_is_harmless(as_researcher: Client) -> None:
    dataset = make_dataset(passage_count=1)
    last = make_passage(dataset, external_id="only")
    for query in ("?after=x", "?after=99999999999999999999", "?before=-1"):
        assert ">only<" in html_of(as_researcher, dataset.get_absolute_url() + query)
    html = html_of(as_researcher, dataset.get_absolute_url() + f"?after={last.pk}")
    assert "The list ends before this page" in html


def test_passages_are_searched_in_text_context_and_id(as_researcher: Client) -> None:
    dataset = make_dataset(passage_count=4)
    make_passage(dataset, external_id="one", text="The Ribble.")
    make_passage(dataset, external_id="two", text="x", context="About the ribble")
    make_passage(dataset, external_id="ribble-3", text="x")
    make_passage(dataset, external_id="four", text="x")
    html = html_of(as_researcher, dataset.get_absolute_url() + "?q=ribble")
    assert all(f">{name}<" in html for name in ("one", "two", "ribble-3"))
    assert ">four<" not in html
    nothing = html_of(as_researcher, dataset.get_absolute_url() + "?q=%3Cb%3Eno")
    assert "No results for “&lt;b&gt;no”" in nothing
    assert "<b>no" not in nothing


def test_a_dataset_in_the_middle_of_an_import_reports_it(as_researcher: Client) -> None:
    dataset = make_dataset(is_complete=False, passage_count=3)
    html = html_of(as_researcher, dataset.get_absolute_url())
    assert "An import is not finished" in html
    assert "Start a run" not in html


def test_a_passage_shows_all_of_its_line_escaped(as_researcher: Client) -> None:
    passage = make_passage(text=HOSTILE, context=HOSTILE, source={HOSTILE: {"k": HOSTILE}})
    revision = make_revision(make_run(dataset=passage.dataset), passage=passage)
    html = html_of(
        as_researcher, reverse("pipeline:passage", args=[passage.dataset.slug, passage.pk])
    )
    assert "<script>alert" not in html
    assert html.count("&lt;script&gt;") == 4
    assert revision.get_absolute_url() in html
    elsewhere = reverse("pipeline:passage", args=[make_dataset().slug, passage.pk])
    assert as_researcher.get(elsewhere).status_code == 404


def test_a_file_through_the_form_becomes_a_dataset_or_is_added_to_it(as_researcher: Client) -> None:
    file = SimpleUploadedFile("in.csv", b"id,text\na,One.\nb,Two.\n")
    response = as_researcher.post(reverse("pipeline:new-dataset"), {"name": "Rivers", "file": file})
    upload = Upload.objects.get()
    assert response.headers["Location"] == upload.get_absolute_url()
    assert not Dataset.objects.exists()
    as_researcher.post(reverse("pipeline:import-upload", args=[upload.pk]))
    dataset = Dataset.objects.get(name="Rivers")
    assert dataset.passage_count == 2
    file = SimpleUploadedFile("in.jsonl", b'{"text": "Three."}')
    as_researcher.post(reverse("pipeline:add-passages", args=[dataset.slug]), {"file": file})
    upload = Upload.objects.get(dataset=dataset, new_count=1)
    as_researcher.post(reverse("pipeline:import-upload", args=[upload.pk]))
    assert dataset.passages.count() == 3


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"name": "x"}, "This field is required"),
        ({"name": "Taken", "file": b"x"}, "This name is taken"),
        ({"name": "x", "file": b""}, "The submitted file is empty"),
    ],
)
def test_a_form_that_is_not_right_reports_it_and_keeps_nothing(
    as_researcher: Client, values: dict[str, object], words: str
) -> None:
    make_dataset(name="Taken")
    if "file" in values:
        values["file"] = SimpleUploadedFile("a.jsonl", values["file"])  # type: ignore[arg-type]
    response = as_researcher.post(reverse("pipeline:new-dataset"), values)
    assert response.status_code == 200
    assert words in response.content.decode()
    assert not Upload.objects.exists()


def test_a_file_over_the_limit_is_reported_in_the_form(as_researcher: Client, settings) -> None:  # type: ignore[no-untyped-def]
    settings.UPLOAD_LIMIT_MB = 0
    file = SimpleUploadedFile("a.jsonl", b'{"text": "a"}')
    response = as_researcher.post(reverse("pipeline:new-dataset"), {"name": "x", "file": file})
    assert "the limit is 0 MB" in response.content.decode()
