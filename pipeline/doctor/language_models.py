"""What `manage.py doctor` examines of language models: that their server answers as a run asks."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings

from pipeline.backends import is_language_model, load
from pipeline.doctor.findings import MANAGE, Finding, fine, wrong
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import RarrError, TransientError, UnreadableReply
from pipeline.rarr.ports import Entailed
from pipeline.rarr.types import Evidence, Passage, Query

if TYPE_CHECKING:
    from pipeline.backends.language_models.openai_compatible import OpenAICompatible

T = TypeVar("T")

PATIENCE_SECONDS = 10.0
MOST_SAID = 200
"""Characters of a reply that cannot be read."""
NAMED = 5
"""Models of a server that are named where the wanted one is not among them."""


def check_language_model() -> Finding:
    """The server of RARR_LLM has the model, and it answers what a run asks, as a run asks it.

    A local model's files can be read.
    """
    name = str(settings.RARR_LLM)
    if not is_language_model(name):
        return fine(f"none is asked: {name} works without one")
    asked = ask_server(name, setting="RARR_LLM", ask=_ask_as_a_run_does)
    return asked if isinstance(asked, Finding) else fine(asked)


def ask_server(name: str, *, setting: str, ask: "Callable[[OpenAICompatible], T]") -> T | Finding:
    """What `ask` returns for the server that has the model; a finding where that fails.

    Of a local model only the files are read, and `ask` is not called.
    """
    from pipeline.backends.language_models.openai_compatible import OpenAICompatible
    from pipeline.engine.language_models import llm_options

    options = replace(llm_options(), patience=0.0, keeps_texts=False)
    quick = replace(options, timeout=min(options.timeout, PATIENCE_SECONDS))
    try:
        source = load("language_model", name, options=quick)
        if not isinstance(source, OpenAICompatible):
            return fine(f"{name}, {source.describe()}")
        offered = source.models()
        if source.model not in offered:
            return _no_such_model(source.address, source.model, offered, setting=setting)
        # A run's prompt may take a run's time.
        source = load("language_model", name, options=options)
        return ask(source)
    except UnreadableReply as error:
        return wrong(
            f"{source.address} answers, and what {source.model} says cannot be read: {error} It "
            f"said: {error.reply[:MOST_SAID]!r}",
            "Choose a model that keeps to the form of examples; a reasoning model may need more "
            "room (RARR_LLM_EXTRA_TOKENS), a base model RARR_LLM_API=completions.",
        )
    except TransientError as error:
        return wrong(
            str(error),
            "See to the server, or set RARR_LLM_BASE_URL to where it is "
            f"(now {settings.RARR_LLM_BASE_URL}).",
        )
    except RarrError as error:
        return wrong(str(error), f"Correct the setting it names, then: {MANAGE} doctor")


def judge_pairs(
    source: "OpenAICompatible", pairs: Sequence[tuple[str, str]]
) -> tuple[Sequence[Entailed], str]:
    """What a language model as judge says of pairs of evidence and sentence, and how it came about.

    Nothing is kept. Raises what the judge raises.
    """
    from pipeline.backends.calls import logged, totals
    from pipeline.backends.language_models.accounted import AccountedModel
    from pipeline.backends.prompted.entailment import PromptedEntailment
    from pipeline.engine.language_models import current_prompts

    samples = settings.RARR_JUDGE_SAMPLES
    model = AccountedModel(source).for_step("entailment")
    judge = PromptedEntailment(model=model, prompts=current_prompts(), samples=samples)
    with logged() as calls:
        answers = judge.score(pairs)
    spent = totals(calls)
    if judge.tells_chances:
        how = "by the chances of its tokens"
    else:
        many = f"{samples} verdicts" if samples > 1 else "one verdict"
        how = f"by {many} a pair, as the server tells no chances of tokens"
    tokens = (spent.input_tokens + spent.output_tokens) / len(pairs)
    price = "no price is set, so a budget cannot limit its cost (RARR_LLM_PRICE_INPUT)"
    if spent.cost is not None:
        price = f"at a cost of {spent.cost / len(pairs):.2g}"
    return answers, f", {how}; a short pair took {tokens:,.0f} tokens, {price}"


def _ask_as_a_run_does(source: "OpenAICompatible") -> str:
    """Let the model write queries and give a verdict, with the parameters and prompts of a run;
    then say how it went.

    Nothing is kept. Raises what the steps raise.
    """
    from pipeline.backends.language_models.accounted import AccountedModel
    from pipeline.backends.prompted.agreement import PromptedAgreement
    from pipeline.backends.prompted.query_generation import PromptedQueryGenerator
    from pipeline.engine.language_models import current_prompts

    model, prompts, config = AccountedModel(source), current_prompts(), RarrConfig()
    question = "When was the lighthouse at Port Hale lit?"
    passage = Passage(id="try", text="The lighthouse at Port Hale was lit in 1902.")
    PromptedQueryGenerator(model=model.for_step("queries"), prompts=prompts).generate(
        passage, samples=config.query_samples, temperature=config.query_temperature
    )
    PromptedAgreement(model=model.for_step("agreement"), prompts=prompts).judge(
        passage=passage,
        current=passage.text,
        query=Query(text=question),
        evidence=Evidence(
            text="The lighthouse at Port Hale was lit for the first time in 1904.",
            title="Port Hale", url="", document_id="try", query=question, relevance=1.0,
        ),
    )  # fmt: skip
    left_out = ", ".join(sorted(source.unsupported))
    without = f"; it takes no {left_out}, so runs leave that out" if left_out else ""
    return f"{source.address} has {source.model}, which answers what a run asks{without}"


def _no_such_model(address: str, model: str, offered: Sequence[str], *, setting: str) -> Finding:
    some = ", ".join(offered[:NAMED]) or "none"
    more = f" and {len(offered) - NAMED} more" if len(offered) > NAMED else ""
    first = offered[0] if offered else "MODEL"
    return wrong(
        f"{address} answers, and has no model {model!r}; it has {some}{more}.",
        f"Set {setting}=openai:{first}, or load {model} on the server.",
    )
