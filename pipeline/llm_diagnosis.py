"""What `manage.py doctor` looks at of language models: that one answers, and what is kept."""

from dataclasses import replace

from django.conf import settings

from pipeline.findings import MANAGE, Finding, fine, note, wrong

PATIENCE_SECONDS = 10.0
MANY_BYTES = 1_000_000_000
NAMED = 5
"""Models of a server that are named where the wanted one is not among them."""


def check_language_model() -> Finding:
    """The server of RARR_LLM answers and has the model; a local one's files can be read."""
    from pipeline.backends import is_language_model, load
    from pipeline.backends.language_models.openai_compatible import OpenAICompatible
    from pipeline.language_models import llm_options
    from pipeline.rarr.types import BadConfig, TransientError

    name = str(settings.RARR_LLM)
    if not is_language_model(name):
        return fine(f"none is asked: {name} works without one")
    options = llm_options()
    options = replace(
        options, timeout=min(options.timeout, PATIENCE_SECONDS), patience=0.0, keeps_texts=False
    )
    try:
        source = load("language_model", name, options=options)
        if not isinstance(source, OpenAICompatible):
            return fine(f"{name}, {source.describe()}")
        offered = source.models()
    except BadConfig as error:
        return wrong(str(error), f"Correct the setting it names, then: {MANAGE} doctor")
    except TransientError as error:
        return wrong(
            str(error),
            "Start the server, or set RARR_LLM_BASE_URL to where it is "
            f"(now {settings.RARR_LLM_BASE_URL}).",
        )
    if source.model not in offered:
        some = ", ".join(offered[:NAMED]) or "none"
        more = f" and {len(offered) - NAMED} more" if len(offered) > NAMED else ""
        first = offered[0] if offered else "MODEL"
        return wrong(
            f"{source.address} answers, and has no model {source.model!r}; it has {some}{more}.",
            f"Set RARR_LLM=openai:{first}, or load {source.model} on the server.",
        )
    return fine(f"{source.address} answers and has {source.model}")


def check_kept_answers() -> Finding:
    """How much models and searches have answered, and how to be rid of it."""
    from pipeline import answer_store
    from pipeline.backends.answer_files import size_of

    count, size, oldest = answer_store.kept()
    in_file = size_of(settings.VAR_DIR / settings.ANSWERS_FILE)
    since = f" since {oldest:%d %B %Y}" if oldest else ""
    says = (
        f"{count:,} of models and searches in the database, {size / 1e6:.1f} MB{since}; "
        f"{in_file / 1e6:.1f} MB in the file of the revise command"
    )
    if size + in_file > MANY_BYTES:
        return note(f"{says}.", f"{MANAGE} forget_answers --older-than 30")
    return fine(says)
