"""A language model as judge of entailment."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.budgets import Budget, BudgetSpent, LocalLedger
from pipeline.backends.language_models.accounted import AccountedModel
from pipeline.backends.prompted.entailment import PromptedEntailment
from pipeline.backends.work import WorkContext
from pipeline.generation.prompts import load_prompts
from pipeline.language_model import Completion, Prompt, Token
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import EntailmentScore
from tests.support.llm_server import LlmServer, model_at
from tests.support.scripted_model import MemoryCache, ScriptedModel

EVIDENCE = "Thorne Hall\nIt was opened\n\nin 1934."
SENTENCES = ["opened in 1934.", "opened in 1931.", "has 900 seats."]
PAIRS = [(EVIDENCE, f"Thorne Hall {words}") for words in SENTENCES]
MESSAGES = {"1934.": "supports", "1931.": "contradicts", "seats.": "neither"}
CHANCES = {
    "1934.": {"supports": 0.6, "neither": 0.2, "the": 0.15, "contradicts": 0.05},
    "1931.": {"contradicts": 0.9, "supp": 0.06, "neither": 0.03},
    "seats.": {"neither": 0.5, "Contradicts": 0.3, "supports": 0.2},
}
SCORES = [
    EntailmentScore(entailed=0.6 / 0.85, contradicted=0.05 / 0.85),
    EntailmentScore(entailed=0.06 / 0.99, contradicted=0.9 / 0.99),
    EntailmentScore(entailed=0.2, contradicted=0.3),
]


def word_of(prompt: str) -> str:
    """The last word of the sentence that a prompt asks about."""
    return re.findall(r"Sentence: .*?(\S+)\n", prompt)[-1]


def verdict(prompt: str) -> str:
    return f"Verdict: {MESSAGES[word_of(prompt)]}"


def chances(prompt: str) -> Mapping[str, float]:
    return CHANCES[word_of(prompt)]


def judge_at(
    server: LlmServer, *, samples: int = 5, folder: Path | None = None, **options: Any
) -> PromptedEntailment:
    work = WorkContext(cache=MemoryCache())
    model = AccountedModel(model_at(server, **options), work=work, step="entailment")
    return PromptedEntailment(model=model, prompts=load_prompts(folder), samples=samples)


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_a_probability_is_that_of_the_verdicts_token_among_verdicts(api: str) -> None:
    with LlmServer(verdict, chances=chances) as server:
        judge = judge_at(server, api=api)
        scores = judge.score(PAIRS)
        assert judge.has_logprobs
    assert scores == SCORES
    assert len(server.requests) == len(PAIRS)
    # Evidence is one line, so that it ends no demonstration.
    lines = "Evidence: Thorne Hall It was opened in 1934.\nSentence: Thorne Hall opened in 1934.\n"
    assert any(prompt.endswith(f"\n\n{lines}") for prompt in server.prompts)
    for request in server.requests:
        assert request.body["temperature"] == 0
        assert request.body["logprobs"] == (True if api == "chat" else 5)
        assert request.body.get("top_logprobs") == (5 if api == "chat" else None)


def test_all_pairs_are_requested_together_and_each_once() -> None:
    with LlmServer(verdict, chances=chances, delay=0.2) as server:
        scores = judge_at(server).score([*PAIRS, *PAIRS[:2]])
        assert server.most_at_once == len(PAIRS) == len(server.requests)
    assert scores[3:] == scores[:2]


@pytest.mark.parametrize("refuses", [[], ["logprobs"], ["top_logprobs"]])
def test_without_log_probabilities_a_server_gets_requests_for_samples(refuses: list[str]) -> None:
    message = ["supports", "Verdict: neither", "supports", "contradicts"]
    with LlmServer(lambda prompt: message, refuses=refuses) as server:
        judge = judge_at(server, samples=4)
        assert judge.score(PAIRS[:1]) == [EntailmentScore(entailed=0.5, contradicted=0.25)]
        assert not judge.has_logprobs
        server.requests.clear()
        judge.score(PAIRS[1:])
        bodies = [request.body for request in server.requests]
    # It has learned: the other pairs are sampled at once.
    assert [(body["n"], body["temperature"]) for body in bodies] == [(4, 1.0)] * 2
    assert not any({"logprobs", "top_logprobs"} & set(body) for body in bodies)


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_an_empty_reply_does_not_switch_log_probabilities_off(api: str) -> None:
    """A reasoning model may use up its tokens before it writes anything."""
    empty = [""]

    def answer(prompt: str) -> str:
        return empty.pop() if empty else verdict(prompt)

    with LlmServer(answer, chances=chances) as server:
        judge = judge_at(server, api=api)
        assert [judge.score([pair]) for pair in PAIRS[:2]] == [SCORES[:1], SCORES[1:2]]
        bodies = [request.body for request in server.requests]
    assert len(bodies) == 3, "the empty reply, its repair, the other pair"
    assert all("logprobs" in body and "n" not in body for body in bodies)


def test_with_one_sample_a_verdict_is_zero_or_one() -> None:
    with LlmServer(verdict) as server:
        assert judge_at(server, samples=1).score([]) == []
        scores = judge_at(server, samples=1).score(PAIRS)
        assert len(server.requests) == len(PAIRS)
    assert [(each.entailed, each.contradicted) for each in scores] == [(1, 0), (0, 1), (0, 0)]


def test_a_verdict_whose_token_is_not_found_is_sampled_for_that_pair_alone() -> None:
    """Some servers return tokens that are not the text's, such as those of thoughts."""

    class Model(ScriptedModel):
        def completion(self, prompt: Prompt) -> Completion:
            words = CHANCES["1934."] if word_of(prompt.text) == "1934." else {"Hm": 1.0}
            alternatives = tuple((word, math.log(chance)) for word, chance in words.items())
            token = Token(text=alternatives[0][0], alternatives=alternatives)
            tokens = ((token,),) if prompt.wants_tokens else ()
            return replace(super().completion(prompt), tokens=tokens)

    model = Model("supports")
    judge = PromptedEntailment(model=model, prompts=load_prompts(), samples=3)
    first, second = judge.score(PAIRS[:2])
    assert first.entailed == pytest.approx(0.6 / 0.85, abs=1e-4)
    assert second == EntailmentScore(entailed=1.0, contradicted=0.0)
    assert [[prompt.samples for prompt in prompts] for prompts in model.batches] == [[1, 1], [3]]
    assert judge.has_logprobs


def test_an_unreadable_reply_is_requested_once_more_and_then_an_error() -> None:
    def partly(prompt: str) -> str:
        return "It is partly supported." if word_of(prompt) == "1931." else verdict(prompt)

    with LlmServer(partly, chances=chances) as server:
        judge = judge_at(server)
        with pytest.raises(UnreadableReply, match=r"'Thorne Hall opened in 1931\.' cannot be read"):
            judge.score(PAIRS)
        assert len(server.requests) == len(PAIRS) + 1
        repair = server.requests[-1]
        assert "It is partly supported." in repair.prompt
        # A second try asks again, but only about that one.
        server.answer = verdict
        server.requests.clear()
        assert judge.score(PAIRS)[1].contradicted == pytest.approx(0.9091, abs=1e-4)
        assert len(server.requests) == 1


def test_a_prompt_of_a_published_checker_answers_yes_or_no(tmp_path: Path) -> None:
    (tmp_path / "entailment.txt").write_text("Document: {evidence}\nClaim: {sentence}")
    with LlmServer(lambda p: "No", chances=lambda p: {"No": 0.5, "Yes": 0.3, "n": 0.2}) as server:
        [score] = judge_at(server, folder=tmp_path).score(PAIRS[:1])
    assert score == EntailmentScore(entailed=0.3, contradicted=None)


def test_calls_are_counted_under_their_step_and_within_the_budget() -> None:
    with LlmServer(verdict, chances=chances) as server:
        judge = judge_at(server)
        work = WorkContext(cache=MemoryCache())
        judge.for_work(work).score(PAIRS)
        assert [(call.step, call.requests) for call in work.calls] == [("entailment", 1)] * 3
        limited = WorkContext(ledger=LocalLedger(Budget(calls=2)))
        with pytest.raises(BudgetSpent):
            judge_at(server).for_work(limited).score(PAIRS)
