"""Checks of language model, search and entailment."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings

from pipeline.backends import LLM_STEPS, is_judge, is_language_model, load
from pipeline.rarr.errors import MissingIndex, RarrError, UnreadableReply
from pipeline.rarr.types import EntailmentScore, Evidence, Passage, Query
from rarrweb.operations.doctor.findings import MANAGE, Finding, State, error, ok, warning

if TYPE_CHECKING:
    from pipeline.backends.language_models.openai_compatible import OpenAICompatible

T = TypeVar("T")

TIMEOUT_SECONDS = 10.0
REPLY_CHARACTERS = 200
PREMISE = "The lighthouse on Hale's rock was lit for the first time in 1854. It is 24 metres high."
PAIRS = (
    (PREMISE, "The lighthouse was first lit in 1854."),
    (PREMISE, "The lighthouse sings to penguins on the moon."),
)


def check_language_model() -> Finding:
    """Ask each model of `RARR_LLM` and of single steps once."""
    by_name: dict[str, str] = {}
    for setting in ("RARR_LLM", *(f"RARR_{step.upper()}" for step in LLM_STEPS)):
        by_name.setdefault(str(getattr(settings, setting)), setting)
    messages = []
    for name, setting in by_name.items():
        if not is_language_model(name):
            continue
        result = _ask_server(name, setting=setting, ask=_ask_for_verdict)
        finding = result if isinstance(result, Finding) else ok(result)
        if finding.state is not State.OK:
            return finding
        messages.append(finding.message)
    return ok("; ".join(messages) or f"{settings.RARR_LLM} needs none")


def _ask_server(name: str, *, setting: str, ask: "Callable[[OpenAICompatible], T]") -> T | Finding:
    """Return the result of `ask`, or a finding if it fails or the model has no server."""
    from pipeline.backends.language_models.openai_compatible import OpenAICompatible
    from pipeline.engine.language_models import llm_options

    options = replace(llm_options(), patience=0.0, keeps_texts=False)
    quick = replace(options, timeout=min(options.timeout, TIMEOUT_SECONDS))
    try:
        source = load("language_model", name, options=quick)
        if not isinstance(source, OpenAICompatible):
            return ok(f"{name}, {source.describe()}")
        models = source.models()
        if source.model not in models:
            return error(
                f"{source.address} has no model {source.model!r}. It has: "
                f"{', '.join(models[:5]) or 'none'}.",
                f"Set {setting}=openai:{models[0] if models else 'MODEL'}, or load "
                f"{source.model} on the server.",
            )
        return ask(load("language_model", name, options=options))
    except UnreadableReply as exception:
        reply = exception.reply[:REPLY_CHARACTERS]
        return error(
            f"The reply of {name} cannot be read: {exception} The reply was {reply!r}.",
            "Choose another model, or see RARR_LLM_EXTRA_TOKENS and RARR_LLM_API in "
            "docs/configuration.md.",
        )
    except RarrError as exception:
        return error(
            str(exception),
            f"Start the server, or correct {setting} or RARR_LLM_BASE_URL "
            f"({settings.RARR_LLM_BASE_URL}).",
        )


def _ask_for_verdict(source: "OpenAICompatible") -> str:
    from pipeline.backends.language_models.accounted import AccountedModel
    from pipeline.backends.prompted.agreement import PromptedAgreement
    from pipeline.engine.language_models import current_prompts

    question, text = "When was the lighthouse first lit?", "The lighthouse was first lit in 1902."
    PromptedAgreement(
        model=AccountedModel(source).for_step("agreement"), prompts=current_prompts()
    ).judge(
        passage=Passage(id="doctor", text=text),
        current=text,
        query=Query(text=question),
        evidence=Evidence(
            text=PREMISE, title="", url="", document_id="doctor", query=question, relevance=1.0
        ),
    )
    return f"{source.address} has {source.model}, and its verdict can be read"


def check_search() -> Finding:
    from pipeline.backends.search_names import CORPUS, read_search
    from pipeline.backends.searches import make_engine, open_index
    from pipeline.data.corpora import search_index
    from pipeline.engine.search import load_web, opensearch_server
    from pipeline.models import Corpus

    try:
        for part in read_search(str(settings.RARR_SEARCH)):
            if part.kind != CORPUS and not make_engine(part, web=load_web()).find(
                "Who wrote Middlemarch?", limit=5
            ):
                return warning(
                    f"{part.kind}:{part.argument} finds nothing for a simple question.",
                    "Try a search on its page: the engines that it uses may be blocked.",
                )
        if server := opensearch_server():
            server.version()
        for corpus in Corpus.objects.filter(state=Corpus.State.READY).order_by("pk"):
            try:
                indexed = open_index(search_index(corpus)).document_count
            except MissingIndex:
                indexed = 0
            if indexed != (stored := corpus.documents.count()):
                return error(
                    f"The index of the corpus {corpus.slug} has {indexed:,} of {stored:,} "
                    "documents.",
                    "Press “Rebuild index” on the page of the corpus.",
                )
    except RarrError as exception:
        return error(str(exception), "Start the server, or correct RARR_SEARCH or RARR_OPENSEARCH.")
    return ok(f"{settings.RARR_SEARCH}, and the index of each corpus, can be searched")


def check_entailment() -> Finding:
    from pipeline.engine.auto_ais import ATTRIBUTED
    from pipeline.engine.loading import load_entailment

    name = str(settings.RARR_ENTAILMENT)
    fix = "Set RARR_ENTAILMENT to an NLI model, or correct the order of the labels after its name."
    method = ""
    if is_judge(name):
        result = _ask_server(name, setting="RARR_ENTAILMENT", ask=_judge)
        if isinstance(result, Finding):
            return result
        answers, method = result
    else:
        try:
            answers = load_entailment(name).score(PAIRS)
        except RarrError as exception:
            return error(f"RARR_ENTAILMENT={name!r}: {exception}", fix)
    supported, absurd = (answer.entailed for answer in answers)
    message = (
        f"{name} gives a supported sentence {supported:.3f} and an absurd one {absurd:.3f}{method}"
    )
    if supported <= absurd:
        return error(f"{message}: the order is wrong.", fix)
    if not absurd < ATTRIBUTED <= supported:
        return warning(
            f"{message}: both are on the same side of {ATTRIBUTED}, from which a sentence counts "
            "as attributed.",
            f"Try it on sentences of your own before you trust it: {MANAGE} attribution",
        )
    return ok(message)


def _judge(source: "OpenAICompatible") -> tuple[Sequence[EntailmentScore], str]:
    """Return the judge's scores of `PAIRS`, uncached, and its method; raises `RarrError`."""
    from pipeline.backends.language_models.accounted import AccountedModel
    from pipeline.backends.prompted.entailment import PromptedEntailment
    from pipeline.engine.language_models import current_prompts

    samples = settings.RARR_JUDGE_SAMPLES
    model = AccountedModel(source).for_step("entailment")
    judge = PromptedEntailment(model=model, prompts=current_prompts(), samples=samples)
    answers = judge.score(PAIRS)
    return answers, " by token probabilities" if judge.has_logprobs else f" by {samples} verdicts"
