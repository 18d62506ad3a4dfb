"""`manage.py citations` over lines of question, contexts and answer."""

import json
from pathlib import Path
from typing import Any

from pipeline.rarr.errors import RefusedPrompt
from pipeline.rarr.ports import Entailed
from tests.pipeline.management.test_citations import nli, run
from tests.support.rarr_fakes import Nli

__all__ = ["nli"]

CONTEXTS: dict[str, Any] = {
    "question": "Who built it?",
    "contexts": [
        {"title": "Marlow Hall", "text": "Marlow Hall opened in 1904."},
        "Marlow Hall was built by Ann Rudd.",
    ],
    "answer": "Marlow Hall was built by Ann Rudd [2].\nMarlow Hall opened in 1904 [2].",
}


def test_each_statement_is_scored_with_what_it_cites(tmp_path: Path) -> None:
    status, _, said, written = run(tmp_path, json.dumps(CONTEXTS) + "\n")
    assert status == 0, said
    for way in ("strict", "corrected"):
        # The second statement, behind a line break of contexts, cites the wrong source.
        assert written[way]["citation_rec"] == 50
        assert written[way]["citation_prec"] == 50


def test_an_answer_that_cites_what_has_no_text_is_named_and_left_out(tmp_path: Path) -> None:
    bare = {**CONTEXTS, "question": "Who?", "contexts": ["Marlow Hall opened in 1904.", ""]}
    status, _, said, written = run(tmp_path, json.dumps(CONTEXTS) + "\n" + json.dumps(bare) + "\n")
    assert status == 1
    assert "line 2, field contexts: the answer cites source 2, of which the file has no" in said
    assert written["n"] == 1


def test_an_answer_without_contexts_is_supported_by_nothing(tmp_path: Path) -> None:
    line = {**CONTEXTS, "contexts": [], "answer": "It was built by Ann Rudd."}
    status, _, said, written = run(tmp_path, json.dumps(line) + "\n")
    assert status == 0, said
    assert written["corrected"]["citation_rec"] == 0
    assert written["corrected"]["citation_prec"] is None


def test_a_format_may_be_named(tmp_path: Path) -> None:
    status, _, _, written = run(tmp_path, json.dumps(CONTEXTS) + "\n", "--format", "contexts")
    assert (status, written["n"]) == (0, 1)


def test_an_answer_that_the_judge_refuses_is_named_by_its_line(tmp_path: Path, nli: Nli) -> None:
    def of(premise: str, hypothesis: str) -> Entailed:
        if "odd" in hypothesis:
            raise RefusedPrompt("The filter stops this.")
        return Entailed(entailed=1.0)

    nli.of = of
    lines = [CONTEXTS, {**CONTEXTS, "answer": "An odd one [1]."}]
    status, _, said, written = run(tmp_path, "\n\n".join(map(json.dumps, lines)))
    assert (status, written["n"]) == (1, 1)
    assert "run.json, line 3: The filter stops this." in said


def test_what_is_of_no_format_is_told_where_they_are(tmp_path: Path) -> None:
    status, _, said, written = run(tmp_path, '{"foo": 1}\n')
    assert (status, written) == (2, None)
    assert "or another format of docs/formats.md" in said
