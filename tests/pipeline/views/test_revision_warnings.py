"""What the page of a revision warns of: pages left out, sentences left behind, conflicts."""

from dataclasses import replace

import pytest
from django.test import Client

from pipeline.rarr import types
from pipeline.rarr.types import Agreement, Verdict
from tests.pipeline.views.test_revision import page, text_of
from tests.support.revision_rows import (
    ORIGINAL,
    REVISED,
    make_finished,
    make_viaduct,
    plain_sentences,
    scored,
    span_of,
    viaduct,
)

pytestmark = pytest.mark.django_db


def test_pages_left_out_are_shown_with_their_reasons_and_escaped(as_researcher: Client) -> None:
    left_out = (
        types.LeftOut(url="https://a.example/x", kind="RefusedByRobots", reason="It asks for it."),
        types.LeftOut(url="javascript:alert(1)", kind="BadUrl", reason="<b>Bad</b> address."),
    )
    revision = make_finished(replace(viaduct(), left_out=left_out))
    html = page(as_researcher, revision)
    assert "2 pages left out" in text_of(html)
    assert '<a class="mono" href="https://a.example/x" rel="noreferrer nofollow">' in html
    assert 'href="javascript' not in html
    assert "&lt;b&gt;Bad&lt;/b&gt; address." in html
    assert "left out" not in page(as_researcher, make_viaduct())


def test_what_was_said_of_a_sentence_left_behind_is_shown(as_researcher: Client) -> None:
    last = REVISED.rindex(". ") + 2
    doubt = types.Incoherence(
        span=types.Span(start=last, end=len(REVISED)),
        reliance=types.Reliance.REPEATED,
        reason="It says 1879 once more.",
        old="1879",
        new="1874",
        recheck=Agreement(verdict=Verdict.DISAGREES, reason="The years differ <i>much</i>."),
    )
    html = page(as_researcher, make_finished(replace(viaduct(), coherence=(doubt,))))
    assert "Asked again: it has to change, too. The years differ &lt;i&gt;much&lt;/i&gt;." in html


def test_conflicts_and_sentences_left_behind_are_shown_and_escaped(as_researcher: Client) -> None:
    doubt = types.Incoherence(
        span=span_of(REVISED, "Its engineer was Ada Thorne."),
        reliance=types.Reliance.REPEATED,
        reason="“<b>1879</b>” was changed before.",
        old="<b>1879</b>",
        new="1874",
    )
    figures = ((0.94, 1, 0.01, 0), (0.95, 0, 0.8, 1), (0.9, 0, 0.1, 0), (0.12, 1, 0.93, 0))
    row = make_finished(
        replace(viaduct(), coherence=(doubt,)),
        plain_sentences(scored(ORIGINAL, *figures), scored(REVISED, *figures)),
    )
    html = page(as_researcher, row)
    assert "<b>1879" not in html
    told = text_of(html)
    assert "1 sentence may rely on a value that was replaced elsewhere: sentence 3 :" in told
    assert "May no longer fit:" in told
    assert "Best contradiction 2 evidence 1 ✓ 0.95 evidence 2 ≠ 0.80" in told
    assert "restrictive 0.70 → 0.70" in told
    plain = text_of(page(as_researcher, make_viaduct()))
    assert "Conflicting evidence" not in plain
    assert "May no longer fit" not in plain
