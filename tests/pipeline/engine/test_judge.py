"""A language model as judge of auto-AIS, in runs, commands and the doctor."""

import json
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from pipeline.engine.configuration import RunConfig
from pipeline.engine.language_models import judge_identity
from pipeline.generation.prompts import load_prompts
from pipeline.models import Run
from rarrweb.operations.doctor.findings import State
from rarrweb.operations.doctor.services import check_entailment
from tests.support import llm_server
from tests.support.commands import outcome, read, revise, run_command, write_lines
from tests.support.factories import make_dataset
from tests.support.llm_server import LlmServer

JUDGE = "openai:judge"
SEATS, OPENED = "Marlow Hall has 812 seats.", "Marlow Hall opened in 1904."
HALL = "Marlow Hall is a concert hall in Denby. It opened in 1904. It has 812 seats."


def verdict(prompt: str) -> str:
    sentence = prompt.rsplit("Sentence: ", 1)[1]
    return "Verdict: contradicts" if "1902" in sentence else "Verdict: supports"


def chances(prompt: str) -> Mapping[str, float]:
    label = verdict(prompt).removeprefix("Verdict: ")
    return {label: 0.8, "neither": 0.2}


@pytest.fixture
def server(settings: Any, tmp_path: Path) -> Iterator[LlmServer]:
    settings.VAR_DIR = tmp_path / "var"
    settings.RARR_LLM_PATIENCE, settings.RARR_LLM_TIMEOUT = 0.0, 5.0
    settings.RARR_ENTAILMENT = JUDGE
    settings.RARR_LLM_PRICE_INPUT = settings.RARR_LLM_PRICE_OUTPUT = 1.0
    with LlmServer(verdict, chances=chances, models=["judge"]) as running:
        settings.RARR_LLM_BASE_URL = running.url
        yield running


def revised(
    tmp_path: Path, *arguments: object, texts: Sequence[str] = (SEATS,)
) -> tuple[int, str, list[dict[str, Any]]]:
    (tmp_path / "pages").mkdir(exist_ok=True)
    (tmp_path / "pages" / "hall.txt").write_text(HALL)
    rows = [{"id": str(position), "text": text} for position, text in enumerate(texts)]
    source = write_lines(tmp_path / "in.jsonl", rows)
    out = tmp_path / "out.jsonl"
    status, output = revise(source, "--corpus", tmp_path / "pages", "--out", out, *arguments)
    return status, output, read(out)


def test_compact_revises_and_the_judge_scores(server: LlmServer, tmp_path: Path) -> None:
    status, output, [row] = revised(tmp_path)
    assert (status, output) == (0, "Revised: 1. Failed: 0.\n")
    assert row["result"]["scores"]["attribution_after"] == 0.8
    usage = row["result"]["usage"]
    assert usage["model_calls"] == len(server.requests) > 0
    assert usage["cost"] == pytest.approx((usage["input_tokens"] + usage["output_tokens"]) / 1e6)
    requests = len(server.requests)
    _, _, [again] = revised(tmp_path)
    assert len(server.requests) == requests, "known answers are not asked for again"
    assert again["result"]["scores"] == row["result"]["scores"]


def test_a_spent_budget_or_a_refusal_fails_a_passage(server: LlmServer, tmp_path: Path) -> None:
    status, output, rows = revised(tmp_path, "--set", "budget_tokens=1", texts=[SEATS, OPENED])
    assert (status, len(rows)) == (1, 1), "what is under way may pass the limit, the rest not"
    assert "budget" in output
    server.answer = lambda prompt: llm_server.error(400, "No such luck.")
    status, output, rows = revised(tmp_path, "--refresh")
    assert (status, rows) == (1, [])
    assert "No such luck." in output


def test_a_run_freezes_the_prompts_of_its_judge_and_who_it_is(settings: Any) -> None:
    settings.RARR_LLM_BASE_URL = "http://judges.example.org/v1"
    config = RunConfig.from_settings(overrides={"entailment": JUDGE})
    assert config.asks_language_model
    assert config.prompts == load_prompts().version
    assert RunConfig.from_settings().prompts == ""
    settings.RARR_JUDGE_SAMPLES = 3
    [expected] = judge_identity(JUDGE).values()
    assert "http://judges.example.org/v1" in expected
    assert "model judge" in expected
    assert expected.endswith("samples 3")
    assert judge_identity("hf:openai") == judge_identity("compact") == {}


@pytest.mark.django_db
def test_an_imported_run_is_scored_and_lists_its_calls(server: LlmServer, tmp_path: Path) -> None:
    evidence = {"text": HALL, "url": "", "query": "When?"}
    revision = {"revised_text": "It opened in 1904."}
    revised = {"revisions": [revision], "selected_evidences": [evidence]}
    line = {"id": "1", "input_info": {"claim": "It opened in 1902."}, "result": revised}
    file = write_lines(tmp_path / "lines.jsonl", [line])
    call_command("load_passages", file, "--dataset", make_dataset().slug, stdout=StringIO())
    run, out = Run.objects.get(), StringIO()
    call_command("score_run", run.pk, stdout=out)
    row = run.revisions.get()
    assert (row.attribution_before, row.attribution_after) == (0, 0.8)
    assert [call["step"] for call in row.calls] == ["entailment", "entailment"]
    run.refresh_from_db()
    assert run.config["entailment"] == JUDGE
    assert run.config["prompts"] == load_prompts().version
    assert "model judge" in run.versions["judge"]
    assert "a language model as judge" in out.getvalue()
    assert "The language model was asked 2 times" in out.getvalue()


def test_attribution_reports_costs_and_the_refused_line(server: LlmServer, tmp_path: Path) -> None:
    refused = llm_server.error(400, "The filter stops this.")
    server.answer = lambda prompt: refused if "odd" in prompt else verdict(prompt)
    sentences = ["It opened in 1902.", "An odd one.", "It has 812 seats."]
    rows = [{"id": n, "evidence": [HALL], "sentence": s} for n, s in enumerate(sentences)]
    source, out = write_lines(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    status, output = outcome("attribution", source, "--out", out)
    assert status == 1
    assert "in.jsonl, line 2: " in output
    assert "The filter stops this." in output
    assert "The language model was asked" in output
    assert [(line["id"], line["score"]) for line in read(out)] == [(0, 0), (2, 0.8)]


def test_an_answer_with_an_unjudged_pair_is_excluded(server: LlmServer, tmp_path: Path) -> None:
    def partly(prompt: str) -> Any:
        if "An odd one" in prompt:
            return llm_server.error(400, "The filter stops this.")
        return "Hm." if "An even one" in prompt else verdict(prompt)

    server.answer = partly
    outputs = ["It opened in 1904 [1].", "An odd one [1].", "An even one [1].", "In 1902 [1]."]
    docs = [{"title": "Marlow Hall", "text": HALL}]
    items = [{"question": "When?", "output": output, "docs": docs} for output in outputs]
    source, out = tmp_path / "run.json", tmp_path / "metrics.json"
    source.write_text(json.dumps({"args": {}, "data": [{"question": 3}, *items]}))
    status, _, output = run_command("citations", source, "--out", out)
    figures = json.loads(out.read_text())
    assert (status, figures["n"], figures["corrected"]["citation_rec"]) == (1, 2, 50.0)
    assert figures["model"] == JUDGE
    assert "run.json, data[2]: " in output
    assert "The filter stops this." in output
    assert "run.json, data[3]: The judge's verdict on the sentence 'An even one." in output
    assert "Scored: 2. Failed: 3." in output


def test_models_are_compared_and_costs_reported(server: LlmServer, tmp_path: Path) -> None:
    sentences = [OPENED.replace("1904", "1902"), OPENED]
    rows = [{"evidence": [HALL], "sentence": s, "label": n} for n, s in enumerate(sentences)]
    source, out = write_lines(tmp_path / "in.jsonl", rows), tmp_path / "out.json"
    arguments = ("--compare", f"compact,{JUDGE}", "--out", out)
    _, _, output = run_command("attribution", source, *arguments)
    compact, judge = json.loads(out.read_text())["models"]
    assert (compact["calls"], judge["calls"]) == (0, 2)
    assert judge["cost"] > 0
    assert (judge["auc"]["value"], judge["balanced_accuracy"]["value"]) == (1, 1)
    assert f"{JUDGE}: The language model was asked 2 times" in output


def test_the_doctor_prints_how_the_judge_scores(server: LlmServer, settings: Any) -> None:
    server.answer = lambda prompt: "Verdict: " + ("neither" if "moon" in prompt else "supports")
    server.chances = lambda prompt: (
        {"neither": 0.9, "supports": 0.1} if "moon" in prompt else {"supports": 0.9, "neither": 0.1}
    )
    finding = check_entailment()
    assert finding.state is State.OK
    assert "a supported sentence 0.900 and an absurd one 0.100 by token" in finding.message
    server.chances, settings.RARR_JUDGE_SAMPLES = None, 2
    assert "by 2 verdicts" in check_entailment().message


@pytest.mark.parametrize(
    ("model", "reply", "message", "fix"),
    [
        ("other", "", "has no model 'judge'. It has: other", "RARR_ENTAILMENT=openai:other"),
        ("judge", "Verdict: perhaps", "'Verdict: perhaps'", ""),
        ("judge", "neither", "the order is wrong", ""),
    ],
)
def test_the_doctor_names_a_judge_that_does_not_judge(
    server: LlmServer, model: str, reply: str, message: str, fix: str
) -> None:
    server.models, server.answer, server.chances = [model], lambda prompt: reply, None
    finding = check_entailment()
    assert finding.state is State.ERROR
    assert message in finding.message
    assert fix in finding.fix
