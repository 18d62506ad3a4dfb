"""What commands without a database share: an engine over a corpus, and how its work ends."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.conf import settings

from pipeline.backends.budgets import BudgetSpent, LocalLedger
from pipeline.backends.search_names import needs_corpus
from pipeline.backends.work import WorkContext
from pipeline.engine.configuration import RunConfig, parse_overrides
from pipeline.engine.engine import Engine
from pipeline.engine.loading import load_engine
from pipeline.files.corpus_indexes import build_index, find_index
from pipeline.importing.corpus_files import read_documents
from pipeline.management.base import FileCommand, open_cache, watched
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt
from pipeline.runs.failures import failure_name, failure_words, stop_reason

Result = TypeVar("Result")

PASSAGES_A_REQUEST = 2
"""How many passages are worked on for each request that a server takes at once: while some are
searched for and scored here, the others keep it busy."""


class UnexpectedError(RarrError):
    """What has no name of its own."""


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
        build_index(index, documents)
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


@dataclass(slots=True, kw_only=True)
class Tally:
    """How passages or questions ended, one after the other."""

    command: FileCommand
    is_resumed: bool
    """Who resumes has been told that the first ones fail, and wants the others all the same."""
    ended: list[tuple[str, str]] = field(default_factory=list)
    """As `stop_reason` takes them."""

    def succeed(self) -> None:
        self.ended.append(("", ""))

    def fail(self, place: str, error: RarrError) -> None:
        """Say what failed and why; raises `RarrError` where the others would fail too."""
        self.ended.append((failure_name(error), str(error)))
        self.command.say(f"{place}: {error}")
        if not self.is_resumed and (reason := stop_reason(self.ended, index=len(self.ended) - 1)):
            raise RarrError(f"{reason} --resume continues anyway.")

    @property
    def reasons(self) -> Counter[str]:
        return Counter(name for name, _ in self.ended if name)

    @property
    def reasons_in_words(self) -> str:
        """Why some failed, with how many, most frequent first."""
        listed = ", ".join(
            f"{failure_words(name)}: {n:,}" for name, n in self.reasons.most_common()
        )
        return f" Reasons: {listed}." if listed else ""


def configure(system: str, options: dict[str, Any]) -> RunConfig:
    """The configuration that `--set` and `--llm` make; raises `BadConfig`."""
    if options["at_once"] < 0:
        raise BadConfig(f"--at-once {options['at_once']}: write 1 or more.")
    overrides = parse_overrides(options["set"])
    if options.get("llm"):
        overrides["llm"] = options["llm"]
    return RunConfig.from_settings(system=system, overrides=overrides)


@contextmanager
def resumable(command: FileCommand, *, kept: str) -> Iterator[None]:
    """Exits with a sentence where the work inside stops; `kept` says what of it stays.

    The status is 1 where the budget is spent, and else 2.
    """
    try:
        yield
    except BudgetSpent as spent:
        command.say(f"Stopped: {spent} {kept}; --resume with a higher budget goes on from them.")
        sys.exit(1)
    except (RarrError, OSError) as error:
        command.stop(error)
    except KeyboardInterrupt:
        command.say(f"Stopped. {kept}; use --resume to continue.")
        sys.exit(2)


@contextmanager
def opened(config: RunConfig, options: dict[str, Any]) -> Iterator[tuple[Engine, WorkContext]]:
    """The engine over `--corpus`, and the work, with its cache and budget; raises `BadConfig`.

    Its scorer loads while the first calls of a server's model are waited for.
    """
    engine = open_engine(config, options["corpus"])
    work = WorkContext(
        cache=open_cache(refresh=options["refresh"]), ledger=LocalLedger(config.budget)
    )
    with ThreadPoolExecutor(1, "loading") as beside:
        if config.waits_for_server:
            beside.submit(engine.load_scorer)
        yield engine, work


def at_once(config: RunConfig, options: dict[str, Any]) -> int:
    """`--at-once`, or as many as keep a server busy; one where this machine does the work."""
    usual = PASSAGES_A_REQUEST * settings.RARR_LLM_CONCURRENCY if config.waits_for_server else 1
    return options["at_once"] or usual
