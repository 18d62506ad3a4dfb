"""Parameters that a server refuses are omitted from then on."""

from dataclasses import replace
from typing import Any

import pytest

from pipeline.backends.language_models.accounted import Reply
from pipeline.language_model import Prompt
from pipeline.rarr.errors import RefusedPrompt
from tests.support.llm_server import Fault, LlmServer, body, error, model_at


def litellm(message: str) -> Fault:
    fields = {"message": message, "type": "None", "param": "None", "code": "400"}
    return body(400, {"error": fields})


def forbidden(name: str) -> dict[str, Any]:
    """What FastAPI and Mistral respond about a field of the request."""
    field = {"type": "extra_forbidden", "loc": ["body", name], "input": 2}
    return {"detail": [{**field, "msg": "Extra inputs are not permitted"}]}


MORE = Prompt(text="More.", max_tokens=9, temperature=0.7, samples=2, wants_tokens=True)
FULL = replace(MORE, text="Ask.", stop=("END",))


def ask_twice(server: LlmServer, prompt: Prompt) -> tuple[list[Reply], list[dict[str, Any]]]:
    """The replies to a prompt and to another like it, and what the second was asked with."""
    model = model_at(server)
    first = model.ask([prompt])
    known = len(server.requests)
    second = model.ask([MORE])
    return [*first, *second], [dict(request.body) for request in server.requests[known:]]


UNSUPPORTED = "Unsupported parameter: '{}' is not supported with this model."
DEFAULT_ONLY = (
    "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) "
    "value is supported."
)
LITELLM = "litellm.UnsupportedParamsError: "
O3_MINI = (
    "openai does not support parameters: ['temperature'], for model=o3-mini. To drop these, set "
    "`litellm.drop_params=True`\n\nReceived Model Group=o3-mini"
)
GPT_5 = (
    "\n\ngpt-5 models (including gpt-5-codex) don't support temperature=0.7. Only temperature=1 is "
    "supported."
)
ANTHROPIC = "AnthropicException - stop_sequences: each stop sequence must contain non-whitespace"
REFUSALS = {
    "temperature": [
        error(400, UNSUPPORTED.format("temperature"), param="temperature"),  # OpenAI of o3-mini
        error(400, DEFAULT_ONLY, param="temperature"),  # OpenAI of gpt-5
        litellm(LITELLM + O3_MINI),  # no param, no quotes, line breaks
        litellm(LITELLM + GPT_5),
    ],
    "n": [
        body(422, forbidden("n")),
        body(422, {"object": "error", "message": 'Unknown name "n": Cannot find field.'}),
        error(400, "Only one completion choice is allowed"),
        error(400, "'n' : number must be at most 1"),  # Groq
        body(400, {"error": "'n' is not supported by this engine"}),  # LM Studio
        # llama-cpp-python
        error(500, "create_chat_completion() got an unexpected keyword: 'n'"),
        litellm(LITELLM + "ollama does not support parameters: {'n': 3}, for model=llama3."),
    ],
    "stop": [
        body(422, {"object": "error", "message": forbidden("stop"), "param": None}),
        error(400, "Invalid 'stop': array too long. Expected at most 4.", param="stop"),
        litellm(ANTHROPIC),
        body(400, {"error": "property 'stop' is unsupported"}),
    ],
    "logprobs": [
        error(400, "This model does not support logprobs.", param="logprobs"),
        error(400, "Invalid value for top_logprobs: at most 3", param="top_logprobs"),
        body(400, forbidden("top_logprobs")),
    ],
}


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name, faults in REFUSALS.items() for fault in faults]
)
def test_a_refused_parameter_is_excluded_afterwards(name: str, fault: Fault) -> None:
    with LlmServer(refuses={name: fault}, chances=lambda prompt: {"yes": 1.0}) as server:
        replies, later = ask_twice(server, FULL)
    assert [reply.error for reply in replies] == [None, None]
    assert all(name not in sent for sent in later)
    whole = {"temperature", "max_tokens", "n", "logprobs"} - {name}
    assert all(whole <= set(sent) for sent in later), "nothing else is excluded"


MAX_TOKENS = UNSUPPORTED.format("max_tokens") + " Use 'max_completion_tokens' instead."


@pytest.mark.parametrize(
    "fault",
    [
        error(400, MAX_TOKENS, param="max_tokens"),
        litellm("openai does not support parameters: ['max_tokens']"),
        error(400, "Unrecognized request argument supplied: max_tokens"),
    ],
)
def test_the_limit_is_called_otherwise_and_never_excluded(fault: Fault) -> None:
    with LlmServer(refuses={"max_tokens": fault}) as server:
        replies, later = ask_twice(server, FULL)
    assert [reply.error for reply in replies] == [None, None]
    assert [sent["max_completion_tokens"] for sent in later] == [9]


ROLE = "'messages[0].role'"


@pytest.mark.parametrize(
    ("message", "param"),
    [
        # vLLM and llama.cpp with Gemma's template, Mistral's first template, o1-mini
        ("System role not supported", ""),
        ("Conversation roles must alternate user/assistant/user/assistant/...", ""),
        (f"Unsupported value: {ROLE} does not support 'system' with this model.", ROLE.strip("'")),
    ],
)
def test_a_refused_system_message_begins_the_users_message_from_then_on(
    message: str, param: str
) -> None:
    fault = error(400, message, param=param)
    requests = Prompt(text="Which sea?", system="Reply with a name.")
    with LlmServer(refuses={"system": fault}) as server:
        model = model_at(server)
        replies = [*model.ask([requests]), *model.ask([requests])]
    assert [reply.texts for reply in replies] == [("yes",), ("yes",)]
    assert [(request.system, request.prompt) for request in server.requests] == [
        ("Reply with a name.", "Which sea?"),
        ("", "Reply with a name.\n\nWhich sea?"),
        ("", "Reply with a name.\n\nWhich sea?"),
    ]


def test_a_model_may_refuse_all_parameters() -> None:
    names = ["temperature", "stop", "n", "response_format", "logprobs", "max_tokens"]
    with LlmServer(refuses=names) as server:
        replies, later = ask_twice(server, FULL)
    assert [len(reply.texts) for reply in replies] == [2, 2]
    assert all(set(sent) == {"model", "messages", "max_completion_tokens"} for sent in later)


def test_what_did_not_help_is_not_remembered() -> None:
    """The refusal is of the prompt, whose words it repeats."""
    fault = error(400, "Blocked by the content filter: 'At which temperature does it stop?'")
    with LlmServer(lambda prompt: fault if prompt == "Ask." else "yes") as server:
        replies, later = ask_twice(server, FULL)
    assert isinstance(replies[0].error, RefusedPrompt)
    assert "content filter" in str(replies[0].error)
    assert replies[1].error is None
    assert {"temperature", "n"} <= set(later[0])


TOO_LARGE = "'max_tokens' is too large: 9. This model's maximum context length is 8 tokens."


@pytest.mark.parametrize(
    "fault",
    [
        error(400, TOO_LARGE),
        error(400, "Shorten max_tokens or the messages.", param="messages"),
        error(404, "temperature"),
    ],
)
def test_a_refusal_of_the_prompt_is_not_retried(fault: Fault) -> None:
    with LlmServer(lambda prompt: fault) as server:
        model_at(server).ask([FULL])
    assert len(server.requests) == 1


def test_another_model_at_the_same_server_gets_all_parameters() -> None:
    with LlmServer(refuses=["temperature"]) as server:
        model_at(server).ask([FULL])
        del server.refuses["temperature"]
        model_at(server, "other").ask([FULL])
    assert "temperature" in server.requests[-1].body


@pytest.mark.parametrize("message", ["worker was asked to stop", "unexpected system error"])
def test_a_failure_that_mentions_a_parameter_is_no_refusal_of_it(message: str) -> None:
    requests = Prompt(text="a", system="Be brief.", stop=("END",))
    with LlmServer(faults=[error(500, message)]) as server:
        assert model_at(server, patience=5.0).ask([requests])[0].texts == ("yes",)
    assert "stop" in server.requests[-1].body
    assert server.requests[-1].system == "Be brief."
