"""What commands that need no database have in common: an engine over a corpus, and its failures."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from django.conf import settings

from pipeline.backends import is_language_model, split_name
from pipeline.backends.budgets import BudgetSpent
from pipeline.backends.search_names import needs_corpus
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Engine
from pipeline.engine.loading import load_engine
from pipeline.importing.corpus_files import read_documents
from pipeline.management.base import watched
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt
from pipeline.runs.failures import failure_words
from pipeline.standalone.corpus_indexes import build_index, find_index
from pipeline.standalone.jsonl_files import check_output

Result = TypeVar("Result")


class UnexpectedError(RarrError):
    """What has no name of its own."""


def check_paths(out: Path, *, source: Path, corpus: str) -> None:
    """Raise `BadConfig` where the output would destroy what is read."""
    path = Path(corpus).expanduser() if corpus else None
    check_output(out, source=source, corpus=path if path and path.exists() else None)


def open_engine(config: RunConfig, corpus: str) -> Engine:
    """The engine of a configuration over a corpus, a path or a name, that is indexed if need be.

    Raises `BadConfig` where a corpus is missing, or nobody would search it.
    """
    if not config.needs_corpus:
        if corpus and config.searches_own_sources:
            raise BadConfig(
                "--corpus is given, and search=sources searches the lines' own sources: leave "
                "one of the two out."
            )
        if corpus and needs_corpus(config.search):
            raise BadConfig(
                f"--corpus is given, and {config.system} searches nothing: leave it out."
            )
        if corpus:
            raise BadConfig(
                f"--corpus is given, and search={config.search} searches none: leave it out, "
                f"or --set search=corpus+{config.search}."
            )
        return load_engine(config, index=None)
    if not corpus:
        raise BadConfig(
            f"search={config.search} searches a corpus: name one with --corpus PATH_OR_NAME."
        )
    index, path = find_index(corpus)
    if path:
        documents = watched(read_documents(path), desc="indexing", unit="doc")
        build_index(path, index, documents=documents)
    return load_engine(config, index=index)


def attempt(work: Callable[[], Result], *, wrong: str) -> Result | RarrError:
    """What became of one passage, or why nothing did; raises what concerns them all.

    `wrong` begins the sentence about an error that has no name.
    """
    try:
        return work()
    except RarrError as error:
        is_of_all = isinstance(error, BadConfig | BudgetSpent)
        if is_of_all and not isinstance(error, RefusedPrompt):
            raise
        return error
    except Exception as error:  # noqa: BLE001 - one bad passage must not cost the others
        return UnexpectedError(f"{wrong} ({type(error).__name__}: {error}).")


def reasons_in_words(reasons: Counter[str]) -> str:
    """Why passages failed, with how many, most frequent first."""
    listed = ", ".join(f"{failure_words(name)}: {n:,}" for name, n in reasons.most_common())
    return f" Reasons: {listed}." if listed else ""


def passages_at_once(config: RunConfig) -> int:
    """As many as keep a server busy; one where this machine itself does the work."""
    on_server = is_language_model(config.llm) and split_name(config.llm)[0] != "hf"
    return settings.RARR_LLM_CONCURRENCY if on_server else 1
