"""Markdown of users as safe HTML."""

import re

import pytest

from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire, written_guidelines
from rarrweb.web.markdown import TAGS, render


def test_markdown_becomes_headings_lists_and_quotes() -> None:
    html = render("### First\n\n- **one**\n\n> said\n\n`1`")
    assert "<h3>First</h3>" in html
    assert "<li><strong>one</strong></li>" in html
    assert "<blockquote>\n<p>said</p>\n</blockquote>" in html
    assert "<code>1</code>" in html


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>x()</script>",
        "<img src=x onerror=x()>",
        "![a](https://tracker.example/pixel.gif)",
        "[click](javascript:x())",
        "[click](https://elsewhere.example/)",
        '<p style="position:fixed" class="x">y</p>',
        "<https://elsewhere.example/>",
        "&lt;script&gt;",
    ],
)
def test_nothing_in_it_runs_loads_or_leads_away(hostile: str) -> None:
    tags = re.findall(r"<[^>]*>", render(hostile))
    assert [tag for tag in tags if tag.strip("</>") not in TAGS] == []


@pytest.mark.parametrize("name", QUESTIONNAIRES)
def test_every_questionnaire_has_instructions_with_examples_in_the_allowed_tags(name: str) -> None:
    html = render(written_guidelines(load_questionnaire(name)))
    assert html.count("<blockquote>") >= 3
    assert len(html) > 1500
    assert "h3" in TAGS
    assert "<h3>" in html
