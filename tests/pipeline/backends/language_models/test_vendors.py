"""Habits of real model servers: each ends in the right revision, or in one clear sentence.

A revision takes three steps: queries, agreement, edit. The scripted server answers them right,
except where a behaviour steps in.
"""

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.language_models.accounted import AccountedModel
from pipeline.backends.language_models.completions import FILTERED, THOUGHTS_ONLY
from pipeline.backends.language_models.openai_compatible import OpenAICompatible
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.prompted.agreement import PromptedAgreement
from pipeline.backends.prompted.editing import PromptedEditor
from pipeline.backends.prompted.query_generation import PromptedQueryGenerator
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt, TransientError
from pipeline.rarr.ports import Prompt
from pipeline.rarr.prompts import Prompts, load_prompts
from pipeline.rarr.types import Evidence, Passage
from tests.pipeline.backends.language_models.memory import MemoryAnswers
from tests.support.llm_server import (
    CUT_OFF,
    GARBAGE,
    HALF_JSON,
    NO_CHOICES,
    NOTHING,
    Fault,
    LlmServer,
    Request,
    error,
)

WRONG = "The mill opened in 1901. It closed in 1950."
RIGHT = "The mill opened in 1911. It closed in 1950."
REPLIES = {
    "queries": "1. When did the mill open?",
    "agreement": "Verdict: disagrees",
    "edit": f"Fixed passage: {RIGHT}",
}
PAIR = "\nQuery: {query}\nEvidence: {evidence}"
SAMPLES = 3
CALLS = 3
"""Requests of a revision at a server without habits."""


def step_of(prompt: str) -> str:
    return prompt.partition("STEP=")[2].partition("\n")[0]


Behaviour = Callable[[Request, int], Fault | None]
"""What a server answers to a request and its number (from 0) of the step; None: the right reply."""
Change = Callable[[dict[str, Any]], object]
"""A change to the body of the right reply."""


class Vendor(LlmServer):
    """A server with one habit."""

    def __init__(
        self,
        behaviour: Behaviour = lambda request, number: None,
        *,
        change: Change = lambda body: None,
        **options: Any,
    ) -> None:
        super().__init__(lambda prompt: REPLIES[step_of(prompt)], **options)
        self._behaviour, self._change = behaviour, change

    def reply(self, request: Request) -> Fault:
        step = step_of(request.prompt)
        number = [step_of(prompt) for prompt in self.prompts].count(step)
        fault = super().reply(request)
        if strange := self._behaviour(request, number):
            return strange
        if fault.status == 200 and fault.body.startswith(b"{"):
            body = json.loads(fault.body)
            self._change(body)
            return Fault(body=json.dumps(body).encode())
        return fault


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Prompts:
    folder: Path = tmp_path_factory.mktemp("prompts")
    texts = {"query_generation": "queries", "agreement": "agreement", "edit": "edit"}
    for name, step in texts.items():
        rest = "" if step == "queries" else PAIR
        (folder / f"{name}.txt").write_text(f"STEP={step}\nPassage: {{passage}}{rest}\n")
    return load_prompts(folder)


def model_at(server: LlmServer, **options: Any) -> AccountedModel:
    given = {"base_url": server.url, "api_key": "key-0123456789", "patience": 5.0} | options
    source = OpenAICompatible("m", options=LlmOptions(**given))
    return AccountedModel(source, answers=MemoryAnswers())


def revise(server: LlmServer, prompts: Prompts, **options: Any) -> str:
    """The revised text; raises what the steps raise."""
    model = model_at(server, **options)
    passage = Passage(id="1", text=WRONG)
    queries = PromptedQueryGenerator(model=model, prompts=prompts).generate(
        passage, samples=SAMPLES, temperature=0.7
    )
    assert [len(sample) for sample in queries] == [1] * SAMPLES
    query = queries[0][0]
    evidence = Evidence(
        text=RIGHT, title="", url="", document_id="d", query=query.text, relevance=1.0
    )
    agreement = PromptedAgreement(model=model, prompts=prompts).judge(
        passage=passage, current=WRONG, query=query, evidence=evidence
    )
    assert agreement.is_open
    edit = PromptedEditor(model=model, prompts=prompts).edit(
        passage=passage, current=WRONG, query=query, evidence=evidence, agreement=agreement
    )
    return edit.text


def body(status: int, value: Any, **headers: str) -> Fault:
    named = {name.replace("_", "-"): each for name, each in headers.items()}
    return Fault(status=status, body=json.dumps(value).encode(), headers=named)


def page(status: int, title: str) -> Fault:
    text = f"<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>"
    return Fault(status=status, body=text.encode(), headers={"Content-Type": "text/html"})


def always(fault: Fault) -> Behaviour:
    return lambda request, number: fault


def once(fault: Fault) -> Behaviour:
    """The first request of each step."""
    return lambda request, number: fault if number == 0 else None


def at(step: str, fault: Fault) -> Behaviour:
    return lambda request, number: fault if step_of(request.prompt) == step else None


def where(condition: Callable[[Mapping[str, Any]], object], fault: Fault) -> Behaviour:
    return lambda request, number: fault if condition(request.body) else None


def has(name: str) -> Callable[[Mapping[str, Any]], object]:
    return lambda sent: name in sent


def several(sent: Mapping[str, Any]) -> bool:
    return (sent.get("n") or 1) > 1


def message(change: Callable[[dict[str, Any]], object]) -> Change:
    """A change to the message of each choice."""
    return lambda sent: [change(choice["message"]) for choice in sent["choices"]]


def completion(content: Any, finish_reason: str = "stop", **more: Any) -> Fault:
    """The same reply to each sample."""
    told = {"role": "assistant", "content": content, **more}
    choice = {"finish_reason": finish_reason, "message": told}
    usage = {"prompt_tokens": 7, "completion_tokens": 5}
    return body(200, {"choices": [choice] * SAMPLES, "usage": usage})


def only_known_fields(request: Request, number: int) -> Fault | None:
    known = {"model", "messages", "temperature", "max_tokens", "top_p", "stream"}
    extra = [
        {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}
        for name in request.body
        if name not in known
    ]
    told = {"object": "error", "message": {"detail": extra}, "param": None, "code": None}
    return body(422, told) if extra else None


def litellm(parameter: str) -> Fault:
    told = (
        "litellm.UnsupportedParamsError: ollama does not support parameters: "
        f"{{'{parameter}': 3}}, for model=llama3. To drop these, set `litellm.drop_params=True`"
    )
    return body(400, {"error": {"message": told, "type": "None", "param": "None", "code": "400"}})


CHUNK = {
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "1."}}],
}
STREAM = Fault(
    body=f"data: {json.dumps(CHUNK)}\n\ndata: [DONE]\n\n".encode(),
    headers={"Content-Type": "text/event-stream"},
)
GEMINI = [
    {
        "error": {
            "code": 429,
            "status": "RESOURCE_EXHAUSTED",
            "message": "You exceeded your "
            "current quota, please check your plan and billing details. Please retry in 1s.",
        }
    }
]


def as_parts(told: dict[str, Any]) -> None:
    told["content"] = [{"type": "text", "text": told["content"]}]


def without(*names: str) -> Change:
    return lambda sent: [sent.pop(name, None) for name in names]


HABITS: dict[str, Callable[[], Vendor]] = {
    "no habit": Vendor,
    "n is ignored": lambda: Vendor(n="ignored"),
    "n must be 1 (Groq)": lambda: Vendor(
        where(several, error(400, "'n' : number must be at most 1"))
    ),
    "n in LiteLLM's words": lambda: Vendor(where(several, litellm("n"))),
    "n in LM Studio's words": lambda: Vendor(
        where(several, body(400, {"error": "'n' is not supported by this engine"}))
    ),
    "n refused with 500 (llama-cpp-python)": lambda: Vendor(
        where(has("n"), error(500, "create_chat_completion() got an unexpected keyword: 'n'"))
    ),
    "extra fields forbidden (Mistral)": lambda: Vendor(only_known_fields),
    "stop must not be blank": lambda: Vendor(
        where(
            has("stop"),
            error(400, "stop_sequences: each stop sequence must contain non-whitespace"),
        )
    ),
    "at most 4 stops": lambda: Vendor(
        where(
            has("stop"),
            error(400, "Invalid 'stop': array too long. Expected at most 4.", param="stop"),
        )
    ),
    "max_tokens has another name (OpenAI o-series)": lambda: Vendor(
        where(
            has("max_tokens"),
            error(400, "Use 'max_completion_tokens' instead.", param="max_tokens"),
        )
    ),
    "temperature is fixed (OpenAI o-series)": lambda: Vendor(
        where(
            has("temperature"),
            error(400, "Only the default (1) value is supported.", param="temperature"),
        )
    ),
    "all at once (reasoning model behind LiteLLM)": lambda: Vendor(
        lambda request, number: next(
            (litellm(name) for name in ("temperature", "stop", "n") if name in request.body), None
        )
    ),
    "an error inside a 200 (OpenRouter)": lambda: Vendor(
        once(body(200, {"error": {"code": 502, "message": "Provider returned error"}}))
    ),
    "an error inside a choice (OpenRouter)": lambda: Vendor(
        once(
            body(
                200,
                {
                    "choices": [
                        {
                            "error": {"code": 502, "message": "overloaded"},
                            "finish_reason": "error",
                            "message": {"content": ""},
                        }
                    ]
                },
            )
        )
    ),
    "a 200 without a body": lambda: Vendor(once(NOTHING)),
    "a 200 with half a body": lambda: Vendor(once(HALF_JSON)),
    "a 200 with a page": lambda: Vendor(once(GARBAGE)),
    "choices empty once": lambda: Vendor(once(NO_CHOICES)),
    "429 with Retry-After": lambda: Vendor(once(error(429, Retry_After="0.01"))),
    "429 with retry-after-ms (Azure)": lambda: Vendor(once(error(429, retry_after_ms="5"))),
    "429 with a date that has passed": lambda: Vendor(
        once(error(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"))
    ),
    "429 of a quota that fills again (Gemini)": lambda: Vendor(once(body(429, GEMINI))),
    "502 as a page": lambda: Vendor(once(page(502, "502 Bad Gateway"))),
    "524 of Cloudflare": lambda: Vendor(once(page(524, "524: A timeout occurred"))),
    "529 overloaded (Anthropic)": lambda: Vendor(
        once(body(529, {"type": "error", "error": {"type": "overloaded_error"}}))
    ),
    "503 while the model loads (llama.cpp)": lambda: Vendor(
        once(body(503, {"error": {"code": 503, "message": "Loading model"}}))
    ),
    "the connection is cut": lambda: Vendor(once(CUT_OFF)),
    "the first reply is late": lambda: Vendor(
        lambda request, number: (
            Fault(silence=5.0) if number == 0 and step_of(request.prompt) == "edit" else None
        )
    ),
    "content as parts": lambda: Vendor(change=message(as_parts)),
    "thoughts beside the content (DeepSeek)": lambda: Vendor(
        change=message(lambda told: told.update(reasoning_content="Hm. Verdict: agrees"))
    ),
    "no usage": lambda: Vendor(change=without("usage")),
    "no id, created, object, model": lambda: Vendor(
        change=without("id", "created", "object", "model")
    ),
}


DIRT: dict[str, Callable[[str], str]] = {
    "byte-order mark and line ends": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "<|im_end|> at the end": lambda text: f"{text}<|im_end|>",
    "</s> at the end": lambda text: f"{text}</s>",
}


@pytest.mark.parametrize("dirt", DIRT)
def test_what_surrounds_a_reply_enters_nothing(dirt: str, prompts: Prompts) -> None:
    def soil(told: dict[str, Any]) -> None:
        told["content"] = DIRT[dirt](told["content"])

    with Vendor(change=message(soil)) as server:
        assert revise(server, prompts) == RIGHT
        assert not any(dirt[:4] in prompt for prompt in server.prompts)


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_leads_to_the_right_revision(habit: str, prompts: Prompts) -> None:
    with HABITS[habit]() as server:
        assert revise(server, prompts, timeout=0.5 if "late" in habit else 60.0) == RIGHT


def test_a_packed_reply_is_read(prompts: Prompts) -> None:
    def packed(request: Request, number: int) -> Fault:
        reply = json.loads(completion(REPLIES[step_of(request.prompt)]).body)
        headers = {"Content-Encoding": "gzip"}
        return Fault(body=gzip.compress(json.dumps(reply).encode()), headers=headers)

    with Vendor(packed) as server:
        assert revise(server, prompts) == RIGHT


def test_what_a_model_refuses_is_learned_once(prompts: Prompts) -> None:
    with HABITS["all at once (reasoning model behind LiteLLM)"]() as server:
        revise(server, prompts)
        known = len(server.requests)
        revise(server, prompts)
    assert len(server.requests) - known == SAMPLES + 2


PERMANENT: dict[str, tuple[Fault, type[RarrError], str]] = {
    "no credit, in a 200 (OpenRouter)": (
        body(200, {"error": {"code": 402, "message": "Insufficient credits"}}),
        BadConfig,
        r"no quota or credit left for this key \(402: Insufficient credits\)",
    ),
    "no credit (DeepSeek)": (
        error(402, "Insufficient Balance"),
        BadConfig,
        "no quota or credit left",
    ),
    "no credit (Anthropic)": (
        error(400, "Your credit balance is too low to access the API."),
        BadConfig,
        "no quota or credit left",
    ),
    "no quota (OpenAI)": (
        body(
            429,
            {
                "error": {
                    "message": "You exceeded your current quota.",
                    "type": "insufficient_quota",
                    "code": "insufficient_quota",
                }
            },
        ),
        BadConfig,
        r"no quota or credit left for this key \(429: You exceeded",
    ),
    "no quota, in a 503 (a proxy)": (
        body(503, {"error": {"message": "no", "code": "insufficient_quota"}}),
        BadConfig,
        "no quota or credit left",
    ),
    "wrong key": (error(401, "Incorrect API key."), BadConfig, "rejected the API key.*Check RARR_"),
    "wrong key, in a 200": (
        body(200, {"error": {"code": "401", "message": "No auth."}}),
        BadConfig,
        "rejected the API",
    ),
    "no such model (OpenAI)": (
        error(404, "The model `m` does not exist."),
        BadConfig,
        "has no model 'm'.*RARR_LLM",
    ),
    "no such model (Ollama)": (
        body(404, {"error": "model 'm' not found, try pulling it first"}),
        BadConfig,
        "try pulling it first",
    ),
    "a stream of pieces": (STREAM, BadConfig, "sent a stream, which was not asked for"),
    "a piece of a stream": (body(200, CHUNK), BadConfig, "sent a stream, which was not asked for"),
    "a redirect": (
        Fault(status=301, headers={"Location": "http://127.0.0.1:1/"}),
        BadConfig,
        "redirects",
    ),
    "the request is too large": (page(413, "413"), RefusedPrompt, "takes no request of .* kB"),
    "system role refused (Gemma)": (
        error(400, "System role not supported"),
        RefusedPrompt,
        "System role not supported",
    ),
    "a long wait": (
        error(429, Retry_After="Fri, 01 Jan 2100 00:00:00 GMT"),
        TransientError,
        "asks to wait",
    ),
}


@pytest.mark.parametrize("name", PERMANENT)
def test_what_will_repeat_is_asked_once(name: str, prompts: Prompts) -> None:
    fault, kind, message = PERMANENT[name]
    with Vendor(always(fault)) as server, pytest.raises(kind, match=message) as raised:
        revise(server, prompts)
    assert len(server.requests) == 1
    assert str(raised.value).count("\n") == 0


OF_A_PASSAGE: dict[str, tuple[Fault, str]] = {
    "filtered reply": (completion(None, "content_filter"), FILTERED),
    "filtered prompt (Azure)": (
        body(
            400,
            {
                "error": {
                    "message": "The response was filtered due to the prompt triggering "
                    "the content management policy.",
                    "param": "prompt",
                    "code": "content_filter",
                }
            },
        ),
        "content management policy",
    ),
    "flagged prompt (OpenRouter)": (
        error(403, "Your chosen model requires moderation and your input was flagged."),
        "your input was flagged",
    ),
    "refusal (OpenAI)": (completion(None, refusal="I cannot help with that."), FILTERED),
    "too long (vLLM)": (
        error(
            400,
            "This model's maximum context length is 512 tokens. However, you requested 900 "
            "tokens (516 in the messages, 384 in the completion). Reduce max_tokens.",
        ),
        "maximum context length is 512 tokens",
    ),
    "thoughts only": (completion("", "length", reasoning_content="I think"), THOUGHTS_ONLY),
    "thoughts only (OpenRouter)": (completion(None, reasoning="I think"), THOUGHTS_ONLY),
    "hidden thoughts only (OpenAI o-series)": (completion("\n", "length"), THOUGHTS_ONLY),
    "thoughts in the text": (completion("<think>\nI think", "length"), THOUGHTS_ONLY),
}


@pytest.mark.parametrize("name", OF_A_PASSAGE)
@pytest.mark.parametrize("step", ["queries", "agreement", "edit"])
def test_what_stops_one_passage_is_asked_once_and_named(
    name: str, step: str, prompts: Prompts
) -> None:
    fault, message = OF_A_PASSAGE[name]
    with Vendor(at(step, fault)) as server, pytest.raises(RefusedPrompt) as raised:
        revise(server, prompts)
    assert message in str(raised.value)
    assert [step_of(prompt) for prompt in server.prompts].count(step) == 1


def test_the_tokens_of_thoughts_are_counted() -> None:
    with Vendor(always(completion("", "length"))) as server:
        [reply] = model_at(server).source.ask([Prompt(text="STEP=edit\n")])
    assert (reply.input_tokens, reply.output_tokens) == (7, 5)


def test_one_sample_without_an_answer_leaves_the_others() -> None:
    choices = [
        {"message": {"content": text}, "finish_reason": "length" if not text else "stop"}
        for text in ("yes", "", "no")
    ]
    with Vendor(always(body(200, {"choices": choices}))) as server:
        prompt = Prompt(text="STEP=edit\n", samples=3, temperature=0.7)
        [found] = model_at(server).complete([prompt])
    assert found.texts == ("yes", "", "no")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (page(502, "502 Bad Gateway"), "answered 502, [0-9]+ times: 502 Bad Gateway.*; look into"),
        (error(500, "CUDA out of memory"), "answered 500, [0-9]+ times: CUDA out of memory"),
        (error(429, "Rate limit reached"), "answered 429.*Rate limit.*RARR_LLM_CONCURRENCY"),
        (GARBAGE, "answered 200 without a completion.*RARR_LLM_BASE_URL"),
        (CUT_OFF, "cannot be reached"),
    ],
)
def test_what_does_not_pass_within_the_patience_is_named(
    fault: Fault, message: str, prompts: Prompts
) -> None:
    with Vendor(always(fault)) as server, pytest.raises(TransientError, match=message):
        revise(server, prompts, patience=0.1)
    assert len(server.requests) > 1


@pytest.mark.parametrize("message", ["worker was asked to stop", "unexpected system error"])
def test_a_failure_that_mentions_a_parameter_is_no_refusal_of_it(message: str) -> None:
    asked = Prompt(text="STEP=edit\n", system="Be brief.", stop=("END",))
    with Vendor(once(error(500, message))) as server:
        [reply] = model_at(server).source.ask([asked])
    assert reply.texts == (REPLIES["edit"],)
    assert "stop" in server.requests[-1].body
    assert server.requests[-1].system == "Be brief."
