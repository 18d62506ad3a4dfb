"""The prompts' pages: versions, one filled with a passage, its difference to the shipped one."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from pipeline.rarr.prompts import PLACEHOLDERS, load_prompts
from rarrweb.accounts.models import User
from tests.support.factories import make_dataset, make_passage, make_run
from tests.support.revision_rows import RIVER, make_viaduct

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script> {query} & “more”"


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.RARR_LLM = "openai:stub"
    settings.RARR_PROMPTS = str(tmp_path)
    return tmp_path


def page(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def prompt_on(markup: str) -> str:
    """The prompt on the page without its marks: the last block, below a system message."""
    return html.unescape(re.sub(r"</?mark>", "", blocks_on(markup)[-1]))


def blocks_on(markup: str) -> list[str]:
    return re.findall(r"<pre[^>]*>(.*?)</pre>", markup, re.DOTALL)


def test_every_prompt_is_listed_with_its_version(as_researcher: Client, folder: Path) -> None:
    (folder / "edit.txt").write_text("{passage} {query} {evidence}")
    markup = page(as_researcher, "/prompts/")
    own = load_prompts(folder)
    assert own.version in markup
    assert own["edit"].version in markup
    assert all(f'href="/prompts/{name}/"' in markup for name in PLACEHOLDERS)
    assert markup.count("your folder") == 1
    assert "uses no prompts" not in markup


def test_the_list_says_where_no_prompt_is_asked(as_researcher: Client, settings: Any) -> None:
    settings.RARR_LLM = "compact"
    assert "which uses no prompts" in page(as_researcher, "/prompts/")


@pytest.mark.parametrize("path", ["/prompts/", "/prompts/edit/"])
def test_a_folder_that_cannot_serve_is_said_and_the_shipped_prompts_shown(
    as_researcher: Client, folder: Path, path: str
) -> None:
    (folder / "edit.txt").write_text("{passage} <b>")
    markup = page(as_researcher, path)
    assert "edit.txt has no {query}: write it where the query belongs." in markup
    assert load_prompts()["edit"].version in markup


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_every_prompt_can_be_filled_with_a_passage(as_researcher: Client, name: str) -> None:
    passage = make_passage(text="It opened in 1904. It is old.", context="tell me about the hall")
    address = f"/prompts/{name}/?dataset={passage.dataset.slug}"
    shown = prompt_on(page(as_researcher, address))
    assert shown.startswith(load_prompts()[name].text.split("{")[0])
    assert "It opened in 1904." in shown or "tell me about the hall" in shown


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_the_system_message_is_above_the_prompt_where_it_is_sent(
    as_researcher: Client, settings: Any, api: str
) -> None:
    settings.RARR_LLM_API = api
    template = load_prompts(is_chat=api == "chat")["edit"]
    markup = page(as_researcher, "/prompts/edit/")
    assert [html.unescape(each) for each in blocks_on(markup)[:-1]] == [template.system] * (
        api == "chat"
    )
    assert ("&lt;passage&gt;" in markup) == (api == "chat")


def test_question_and_evidence_are_of_the_passages_latest_revision(as_researcher: Client) -> None:
    revision = make_viaduct(make_run())
    path = f"/prompts/agreement/?dataset={revision.run.dataset.slug}"
    shown = prompt_on(page(as_researcher, path)).rstrip("\n").split("\n")[-3:]
    assert shown[0].startswith("Passage: The Wenna Viaduct")
    assert shown[1] == f"Question: {RIVER.query}"
    assert shown[2] == f"Evidence: [River Wenna] {RIVER.text}"


def test_what_a_passage_holds_is_text(as_researcher: Client) -> None:
    passage = make_passage(text=HOSTILE)
    markup = page(as_researcher, f"/prompts/agreement/?dataset={passage.dataset.slug}")
    assert "<script>alert" not in markup
    assert f"Passage: {HOSTILE}\n" in prompt_on(markup)


def test_a_prompt_of_ones_own_stands_line_by_line_beside_the_shipped_one(
    as_researcher: Client, folder: Path
) -> None:
    shipped = load_prompts()["efec"].content
    (folder / "efec.txt").write_text(shipped.replace("Rewrite each passage", "<i>Mend</i> each"))
    markup = page(as_researcher, "/prompts/efec/")
    removed = re.findall(r"<del>(.*?)</del>", markup)
    added = re.findall(r"<ins>(.*?)</ins>", markup)
    assert [html.unescape(line) for line in removed] == shipped.splitlines()[2:3]
    assert len(added) == 1
    assert added[0].startswith("&lt;i&gt;Mend&lt;/i&gt; each")


def test_a_shipped_prompt_has_no_difference_to_show(as_researcher: Client) -> None:
    assert "line-diff" not in page(as_researcher, "/prompts/efec/")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("?dataset=nowhere&passage=x", "(the passage)"),
        ("?dataset=empty", "Empty has no passage."),
        ("?dataset=empty&passage=x%22", "Empty has no passage with the id “x&quot;”."),
    ],
)
def test_a_passage_that_is_not_there_is_said(as_researcher: Client, query: str, says: str) -> None:
    make_dataset(slug="empty", name="Empty")
    assert says in page(as_researcher, f"/prompts/edit/{query}")


def test_a_name_that_is_no_prompts_is_not_found(as_researcher: Client) -> None:
    assert as_researcher.get("/prompts/edits/").status_code == 404


@pytest.mark.parametrize("path", ["/prompts/", "/prompts/edit/"])
def test_the_pages_are_for_researchers(client: Client, annotator: User, path: str) -> None:
    assert client.get(path).status_code == 302
    client.force_login(annotator)
    assert client.get(path).status_code == 404


def test_a_run_names_the_version_of_its_prompts(as_researcher: Client) -> None:
    run = make_run(config={"prompts": "0123456789abcdef"})
    markup = page(as_researcher, f"/runs/{run.pk}/configuration/")
    assert '<a href="/prompts/">0123456789abcdef</a>' in markup
