"""Where a run's evidence comes from: a corpus, the web, domains left out; on form and pages."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from pytest_django.asserts import assertContains, assertNotContains

from pipeline.engine.configuration import RunConfig
from pipeline.models import Run
from tests.support.factories import make_run

pytestmark = pytest.mark.django_db

NEW = reverse("pipeline:new-run")
WEB = "searxng:https://searx.example.org"


@pytest.mark.parametrize("domains", ["wikipedia.org", ""])
def test_where_the_web_is_searched_no_corpus_is_asked_for(
    as_researcher: Client, settings: Settings, wanted: dict[str, object], domains: str
) -> None:
    settings.RARR_SEARCH = f"corpus+{WEB}"
    assertContains(as_researcher.get(NEW), "Evidence comes from the corpus and the web.")
    as_researcher.post(NEW, wanted)
    assert Run.objects.get().searches_web
    settings.RARR_SEARCH = WEB
    settings.RARR_DOMAINS_EXCLUDED = "wiki.example.org"
    page = as_researcher.get(NEW)
    assertContains(page, "Evidence comes from the web.")
    assertContains(page, 'value="wiki.example.org"')
    assertNotContains(page, 'name="corpus"')
    assertNotContains(page, "There is no corpus yet")
    as_researcher.post(NEW, wanted | {"domains_excluded": domains})
    run = Run.objects.latest("pk")
    assert run.corpus is None
    config = RunConfig.from_plain(run.config)
    assert (config.search, config.domains_excluded) == (WEB, domains)


@pytest.mark.parametrize("field", ["domains_excluded", "domains_allowed"])
def test_what_is_no_domain_is_reported_at_its_field(
    as_researcher: Client, wanted: dict[str, object], field: str
) -> None:
    page = as_researcher.post(NEW, wanted | {field: "<b>//x"})
    assert "is not a domain: write names such as" in page.context["form"].errors[field][0]
    assertNotContains(page, "<b>//x")
    assert not Run.objects.exists()


def test_every_page_shows_a_run_without_a_corpus(as_researcher: Client) -> None:
    run = make_run()
    Run.objects.update(corpus=None, config=RunConfig(search=WEB).to_plain())
    addresses = [
        reverse("pipeline:runs"),
        reverse("pipeline:run", args=[run.pk]),
        reverse("pipeline:dataset-runs", args=[run.dataset.slug]),
    ]
    for address in addresses:
        assertContains(as_researcher.get(address), "the web")
