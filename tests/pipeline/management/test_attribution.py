"""`manage.py attribution`: auto-AIS of sentences in a file, no database."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from pipeline.management.commands import attribution
from pipeline.rarr.errors import BadConfig, RefusedPrompt, UnreadableReply
from pipeline.rarr.types import EntailmentScore, Passage
from tests.support.commands import outcome, read, write_lines
from tests.support.rarr_fakes import Nli, StandAlone

HALL = "Marlow Hall opened in 1904."


Run = Callable[..., tuple[int, str, list[dict[str, Any]]]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return exit status, errors and written lines for rows, with models that are not shipped."""

    def _run(*rows: Any, nli: Any = None, alone: Any = None) -> Any:
        if nli:
            monkeypatch.setattr(attribution, "load_entailment", lambda name: nli)
        if alone:
            monkeypatch.setattr(attribution, "load_decontextualizer", lambda *names: alone)
        source, out = write_lines(tmp_path / "in.jsonl", list(rows)), tmp_path / "out.jsonl"
        status, message = outcome("attribution", source, "--out", out)
        return status, message, read(out) if out.exists() else []

    return _run


def test_the_best_evidence_gives_the_score(run: Run) -> None:
    status, message, [line, without_evidence] = run(
        {"id": 7, "evidence": ["The moon is far.", HALL], "sentence": HALL},
        {"id": "a", "evidence": [], "sentence": "It opened."},
    )
    assert without_evidence == {"id": "a", "score": None, "best": None, "scores": []}
    assert status == 0
    assert message.startswith("Scored: 2. Failed: 0.\nBy compact, ")
    assert list(line) == ["id", "score", "best", "scores"]
    assert (line["id"], line["best"], line["score"]) == (7, 1, max(line["scores"]))
    assert line["scores"][0] < 0.5 < line["scores"][1] <= 1


def test_the_context_reports_what_a_pronoun_means(run: Run) -> None:
    nli, context = Nli(), "When did Marlow Hall open?"
    run({"evidence": [HALL], "sentence": "It opened in 1904.", "context": context}, nli=nli)
    assert nli.received == [[(HALL, "Marlow Hall opened in 1904.")]]


def test_lines_are_scored_in_batches_and_each_pair_once(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    nli = Nli()
    monkeypatch.setattr(attribution, "BATCH", 2)
    row = {"evidence": ["A b.", "C d."], "sentence": "A b."}
    _, _, lines = run(*({"id": number, **row} for number in range(3)), nli=nli)
    assert [len(batch) for batch in nli.received] == [2, 2]
    assert [line["id"] for line in lines] == [0, 1, 2]


def test_a_bad_line_is_named_and_the_others_are_scored(run: Run) -> None:
    status, message, lines = run(
        {"id": 1, "evidence": HALL, "sentence": "It opened."},
        {"id": 2, "evidence": [HALL]},
        {"id": 3, "evidence": [HALL], "sentence": "It opened.", "context": 3},
        {"id": 4, "evidence": [HALL], "sentence": "It opened."},
        {"id": 5, "evidence": [HALL, "https://hall.example/"], "sentence": "It opened."},
        {"id": 6, "evidence": [HALL], "sentence": " "},
        {"id": 7, "evidence": [HALL], "sentence": "a" * 200_001},
        {"id": 8, "evidence": ["a" * 1_000_001], "sentence": "It opened."},
    )
    assert status == 1
    assert [line["id"] for line in lines] == [4]
    assert "line 5, field evidence[1]: the evidence is a URL (found https://hall" in message
    assert "line 1, field evidence: evidence is a text, not a list (found Marlow Hall" in message
    assert "line 2, field sentence: there is no sentence" in message
    assert "line 3, field context: context is a number" in message
    assert "line 6, field sentence: sentence is empty" in message
    assert (
        "line 7, field sentence: sentence has 200,001 characters, the limit is 200,000" in message
    )
    assert "line 8, field evidence[0]: evidence has 1,000,001 characters" in message


@pytest.mark.parametrize("what", ["alone", "nli", "short", "unreadable"])
def test_a_model_that_breaks_over_a_line_costs_only_that_line(run: Run, what: str) -> None:
    class Brittle(Nli):
        def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]:
            if what != "alone" and any("odd" in premise for premise, _ in pairs):
                if what == "short":
                    return []
                raise UnreadableReply("Hm.") if what == "unreadable" else ValueError("too odd")
            return super().score(pairs)

    class Alone(StandAlone):
        def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
            if what == "alone" and passage.id == "2":
                raise ValueError("too odd")
            return super().decontextualize(passage=passage, sentences=sentences)

    status, message, lines = run(
        {"id": 1, "evidence": ["A b."], "sentence": "A b."},
        {"id": 2, "evidence": ["An odd one."], "sentence": "A b."},
        {"id": 3, "evidence": ["C d."], "sentence": "A b."},
        nli=Brittle(),
        alone=Alone(),
    )
    assert status == 1
    expected = "Hm." if what == "unreadable" else "the sentence could not be scored (ValueError: "
    assert f"in.jsonl, line 2: {expected}" in message
    assert [line["id"] for line in lines] == [1, 3]


def test_a_missing_model_leaves_the_output_unchanged(run: Run, tmp_path: Path) -> None:
    class Missing(Nli):
        def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]:
            raise BadConfig("The model 'x' cannot be loaded.")

    write_lines(tmp_path / "out.jsonl", [{"id": "kept"}])
    status, message, lines = run({"evidence": ["a"], "sentence": "x"}, nli=Missing())
    assert (status, message) == (2, "The model 'x' cannot be loaded.\n")
    assert lines == [{"id": "kept"}]
    status, message, lines = run({"evidence": ["a"]})  # where all lines fail, too
    assert (status, lines) == (2, [{"id": "kept"}])
    assert message.endswith("in.jsonl: no line of it could be scored; nothing was written.\n")
    source = tmp_path / "in.jsonl"
    assert outcome("attribution", source, "--out", source)[0] == 2, "the input is the output"


def test_an_interruption_is_explained(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attribution, "load_entailment", Mock(side_effect=KeyboardInterrupt))
    status, message, _ = run({"evidence": [], "sentence": "x"})
    assert (status, message) == (2, "Stopped. The lines written so far are complete.\n")


@pytest.mark.parametrize(
    ("error", "ends_with"), [(RefusedPrompt("Too long."), (1, 1)), (BadConfig("No key."), (2, 0))]
)
def test_a_refused_prompt_costs_its_line_and_a_wrong_setting_all(
    run: Run, error: BadConfig, ends_with: tuple[int, int]
) -> None:
    class Refusing:
        def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
            if passage.id == "1":
                raise error
            return sentences

    row = {"evidence": ["A b."], "sentence": "A b."}
    status, message, lines = run(row, row, nli=Nli(), alone=Refusing())
    assert (status, len(lines)) == ends_with
    assert str(error) in message
