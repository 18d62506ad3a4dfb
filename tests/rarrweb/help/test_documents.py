"""The documents as pages."""

import re

import pytest
from django.test import Client

from rarrweb.accounts.models import User
from rarrweb.help import links
from rarrweb.help.documents import documents, search
from tests.support.addresses import ADDRESSES
from tests.support.inline_code import assert_nothing_inline


def test_a_link_leads_to_a_document_and_a_heading_that_are_there() -> None:
    result = 0
    for name, document in documents().items():
        for link in re.findall(r'href="(/help/[^"]*|#[^"]*)"', document.html):
            path, _, anchor = link.partition("#")
            target = path.removeprefix("/help/").strip("/") if path else name
            anchors = {section.anchor for section in documents()[target].sections}
            assert not anchor or anchor in anchors, (name, link)
            result += 1
    assert result > 180


def test_every_link_to_reproduce_a_paper_opens(as_researcher: Client) -> None:
    links = re.findall(r'href="([^"#]+)', documents()["reproducing"].html)
    assert {"/results/", "/compare/", "/help/metrics/"} <= set(links)
    for link in links:
        assert as_researcher.get(link).status_code == 200, link


def test_every_document_is_a_page(as_researcher: Client) -> None:
    for name, document in documents().items():
        page = as_researcher.get(document.url).content.decode()
        assert document.title in page.replace("&#x27;", "'").replace("&quot;", '"'), name
        assert "<h1" in page, name
        assert_nothing_inline(page, name)


@pytest.mark.parametrize(
    "name", ["../rarrweb/settings", "nothing", "decisions/../../README", "decisions", "/etc/passwd"]
)
def test_no_other_file_is_one(as_researcher: Client, name: str) -> None:
    assert as_researcher.get(f"/help/{name}/").status_code == 404


def test_a_search_finds_sections_with_all_the_words_headings_first(as_researcher: Client) -> None:
    every = documents().values()
    result = search("gold", every)
    assert "gold" in result[0].section.title.lower()
    assert all("gold" in f"{each.section.title} {each.section.text}".lower() for each in result)
    assert search("xyzzy", every) == search("  ", every) == []
    page = as_researcher.get("/help/?q=gold").content.decode()
    assert "<mark>gold</mark>" in page
    assert "No section contains" in as_researcher.get("/help/?q=%3Cb%3Exyzzy").content.decode()


def test_every_link_is_of_an_address_and_leads_to_a_section() -> None:
    names = {name.rpartition(":")[2] for name, _ in ADDRESSES}
    assert links.OF_VIEWS.keys() <= names
    for target in links.DOCUMENTS:
        document, _, anchor = target.partition("#")
        assert anchor in {"", *(each.anchor for each in documents()[document].sections)}


def test_a_page_links_to_its_documentation(as_researcher: Client, researcher: User) -> None:
    assert 'href="/help/formats/#passages"' in as_researcher.get("/datasets/").content.decode()


def test_raters_are_offered_their_documents_alone(as_annotator: Client) -> None:
    page = as_annotator.get("/help/").content.decode()
    assert "<h1" in page
    assert "For raters" in page
    links = re.findall('href="(/help/[^"]*)"', page)
    assert set(links) == {"/help/", "/help/raters/#peoples-data", "/help/glossary/"}
    assert "0 sections" in as_annotator.get("/help/?q=PostgreSQL").content.decode()
    assert 'id="documentation-link" href="/help/"' in as_annotator.get("/account/").content.decode()


def test_subscripts_are_subscripts() -> None:
    assert "Attr<sub>AIS</sub>" in documents()["statistics"].html


def test_pictures_of_the_documents_are_displayed_and_no_other_file(as_researcher: Client) -> None:
    displayed = re.findall('<img src="([^"]*)"', documents()["readme"].html)
    assert len(displayed) >= 3
    for address in displayed:
        assert as_researcher.get(address)["Content-Type"] == "image/png"
    for name in ("..%2Fformats.md", "nothing.png", "..%2F..%2Fmanage.py"):
        assert as_researcher.get(f"/help/screenshots/{name}", follow=True).status_code == 404
