"""`manage.py attribution --compare`: several models over one labelled file."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline.management.commands import attribution
from pipeline.management.commands.attribution import model_names
from pipeline.rarr.errors import BadConfig, RefusedPrompt, UnreadableReply
from pipeline.rarr.types import EntailmentScore
from tests.support.commands import run_command, write_lines
from tests.support.tiny_models import make_classifier, make_deberta


class Table:
    """Scores each sentence by a number in it, as "a 0.7"; raises `error` at an odd one."""

    def __init__(self, position: int = 0, error: Exception | None = None) -> None:
        self.position, self.error = position, error
        self.received: list[int] = []

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]:
        self.received.append(len(pairs))
        if self.error and any("odd" in sentence for _, sentence in pairs):
            raise self.error
        return [
            EntailmentScore(entailed=float(text.split()[1 + self.position])) for _, text in pairs
        ]


def line(number: int, scores: str, label: object, **more: Any) -> dict[str, Any]:
    sentence = f"s{number} {scores}"
    return {"id": number, "evidence": ["E."], "sentence": sentence, "label": label, **more}


LINES = [
    line(1, "0.9 0.2", 1),
    line(2, "0.6 0.9", "attributable"),
    line(3, "0.2 0.7", True),
    line(4, "0.4 0.3", 0),
    line(5, "0.1 0.6", "not attributable"),
]


Run = Callable[..., tuple[int, str, str, dict[str, Any]]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return exit status, table, errors and written object for rows and models by name."""

    def _run(rows: list[Any], **models: Any) -> Any:
        monkeypatch.setattr(attribution, "load_entailment", models.__getitem__)
        monkeypatch.setattr(attribution, "model_names", lambda text: text.split(","))
        source, out = write_lines(tmp_path / "in.jsonl", rows), tmp_path / "out.json"
        ran = run_command("attribution", source, "--compare", ",".join(models), "--out", out)
        return *ran, json.loads(out.read_text()) if out.exists() else {}

    return _run


def test_figures_of_each_model_by_hand(run: Run) -> None:
    status, displayed, message, result = run(LINES, one=Table(), two=Table(1))
    one, two = result["models"]
    assert (status, one["model"], two["model"], result["threshold"]) == (0, "one", "two", 0.5)
    # Of the six pairs of a yes and a no, the first puts five right, the second four.
    assert one["auc"]["value"] == pytest.approx(5 / 6, abs=1e-4)
    assert two["auc"]["value"] == pytest.approx(4 / 6, abs=1e-4)
    assert one["balanced_accuracy"]["value"] == pytest.approx((2 / 3 + 2 / 2) / 2, abs=1e-4)
    assert two["balanced_accuracy"]["value"] == pytest.approx((2 / 3 + 1 / 2) / 2, abs=1e-4)
    assert {model["n"] for model in result["models"]} == {5}
    assert one["pairs"] == 5
    assert one["pairs_per_second"] > 0
    head, first, second, *notes = displayed.splitlines()
    assert head.split() == ["model", "n", "AUC", "balanced", "accuracy", "pairs/s"]
    assert first.startswith("one")
    assert " 0.833 [" in first
    assert second.startswith("two")
    assert " 0.667 [" in second
    assert notes == []
    assert "a score of 0.5 counts as supported" in message
    assert result["lines"][1] == {"id": 2, "label": 1, "scores": {"one": 0.6, "two": 0.9}}


def test_a_figure_that_one_line_decides_has_no_interval(run: Run) -> None:
    # Without the only no, there is no balanced accuracy: in 1 of the 6 resamples.
    rows = [*LINES[:4], line(6, "0.9 0.2", 1), line(7, "0.8 0.2", 1)]
    _, displayed, _, result = run(rows, one=Table(), two=Table(1))
    notes = displayed.splitlines()[3:]
    assert notes[0] == "one, balanced accuracy: no interval: no value in 1 of 6 resamples"
    assert result["models"][0]["balanced_accuracy"]["note"] == notes[0].partition(": ")[2]
    _, displayed, _, result = run(LINES[:2], one=Table())
    [model] = result["models"]
    assert (model["auc"], model["balanced_accuracy"]) == (None, None)
    assert "–" in displayed


def test_attributionbench_lines_and_several_pieces_of_evidence(run: Run) -> None:
    claim = {"id": "a", "claim": "a 0.8", "references": ["E.", "F."], "question": "What?"}
    pair = {"id": "b", "hypothesis": "b 0.1", "premise": "E.", "context": None, "label": 0}
    model = Table()
    status, _, _, result = run([{**claim, "attribution_label": "attributable"}, pair], one=model)
    assert (status, model.received) == (0, [3])
    assert [each["label"] for each in result["lines"]] == [1, 0]
    assert result["models"][0]["auc"]["value"] == 1


def test_lines_of_a_group_else_of_a_context_are_one_cluster(run: Run) -> None:
    group, context = {"group": "g"}, {"context": "c"}
    keys: list[dict[str, str]] = [group, group | context, context, context, {}]
    rows = [line(i, f"0.{9 - i}", label=i % 2, **known) for i, known in enumerate(keys)]
    _, _, message, result = run(rows, one=Table())
    assert result["models"][0]["groups"] == 3
    assert "over 3 groups" in message


@pytest.mark.parametrize("error", [UnreadableReply("It said maybe."), RefusedPrompt("Too long.")])
def test_a_line_that_one_model_cannot_score_counts_for_none(run: Run, error: Exception) -> None:
    rows = [*LINES, line(6, "0.9 0.9 odd", 0)]
    models = {"one": Table(), "two": Table(1, error)}
    status, _, message, result = run(rows, **models)
    assert status == 1
    assert f"two: in.jsonl, line 6: {error}" in message
    assert "Compared: 5. Without a label: 0. Without evidence: 0. Failed: 1." in message
    assert {model["n"] for model in result["models"]} == {5}
    assert result["lines"][5]["scores"] == {"one": 0.9, "two": None}


def test_lines_without_a_label_or_evidence_are_counted_and_wrong_ones_named(run: Run) -> None:
    unused = [line(6, "0.9", None), line(7, "0.9", 1, evidence=[])]
    rows = [*LINES, *unused, line(8, "0.9", "maybe"), line(9, "0.9", [1])]
    status, _, message, result = run(rows, one=Table())
    assert (status, result["models"][0]["n"]) == (1, 5)
    assert "in.jsonl, line 8, field label: label is no label" in message
    assert "write 1, 0, attributable, not attributable or null" in message
    assert "Compared: 5. Without a label: 1. Without evidence: 1. Failed: 2." in message


def test_models_of_several_kinds_side_by_side(tmp_path: Path) -> None:
    nli = make_deberta(tmp_path / "nli", ["entailment", "neutral", "contradiction"])
    checker = make_classifier(tmp_path / "checker", ["LABEL_0", "LABEL_1"])
    rows = [
        {"evidence": ["the river runs west"], "sentence": sentence, "label": label}
        for label, sentence in enumerate(("the river runs east", "the river"))
    ]
    source = write_lines(tmp_path / "in.jsonl", rows)
    names = f"hf:{nli},minicheck:{checker},compact"
    status, displayed, _ = run_command("attribution", source, "--compare", names)
    assert status == 0
    _, *table = displayed.splitlines()
    assert [row.split()[:2] for row in table[:3]] == [[name, "2"] for name in names.split(",")]
    assert {note.partition(": ")[2] for note in table[3:]} == {"no interval: fewer than 5 groups"}


def test_each_model_is_named_once() -> None:
    for wrong in ("compact,compact", "compact,,hf:a", "compact,", ",hf:a"):
        with pytest.raises(BadConfig, match="--compare"):
            model_names(wrong)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--compare", "compact", "--model", "compact"], "Write --model or --compare, not both."),
        (["--compare", "oracle"], "choose one of compact, hf, minicheck"),
        (["--compare", "compact"], 'no line has a label; write "label": 1 or "label": 0.'),
        ([], "--out OUT.jsonl is required."),
    ],
)
def test_what_cannot_run_is_explained(tmp_path: Path, arguments: list[str], expected: str) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"evidence": ["E."], "sentence": "S."}\n')
    status, _, message = run_command("attribution", source, *arguments)
    assert status == 2
    assert expected in message
