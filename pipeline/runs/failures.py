"""Failures in words, and the rule that stops work after early ones."""

import re
from collections.abc import Sequence

from pipeline.rarr.errors import RefusedPrompt, UnreadableReply

FIRST = 5
"""Work stops if the first `FIRST` passages all failed because of the model's answers."""
EARLY = 20
EARLY_FAILURES = EARLY // 2
"""Work stops if `EARLY_FAILURES` of the first `EARLY` passages failed for this reason."""
_OF_THE_MODEL = {UnreadableReply.__name__, RefusedPrompt.__name__}


def failure_name(error: Exception) -> str:
    return (UnreadableReply if isinstance(error, UnreadableReply) else type(error)).__name__


def failure_words(name: str) -> str:
    """Return the name of an error as words.

    >>> failure_words("UnreadableReply"), failure_words("WorkerCrashed"), failure_words("")
    ('unreadable reply', 'worker crashed', 'unknown error')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() or "unknown error"


_ADVICE = {
    "UnreadableReply": "The model answered in another form than its prompt asks for. A retry can "
    "help. Where many fail, correct the prompt or choose another model.",
    "RefusedPrompt": "The model refuses this prompt, for example because it is too long or its "
    "filter stops it. A retry does not help: shorten the passage or choose another model.",
    "BadConfig": "A model or a search cannot be loaded as the run is configured. Correct that on "
    "the server, then retry.",
    "TransientError": "A server did not answer in several tries. Retry when it is available.",
    "FetchError": "A page could not be read. Retry later, or exclude its domain in a new run.",
    "MissingIndex": "The corpus has no search index. Open the corpus, index it, then retry.",
    "MissingSources": "These passages have no sources, and the run searches nothing else. "
    "Import them with their sources, or start a run that searches a corpus.",
    "NoSources": "These passages have no sources, and the strategy searches nothing. Import "
    "them with their sources, or choose another strategy.",
    "NoQuestion": "These passages have no question as their context. Import them with one.",
    "NoDraft": "These passages have no text, and no language model writes one. Import answers as "
    "their texts, or set RARR_LLM to a language model and start a new run.",
    "TookTooLong": "Retry when the server is less busy, or shorten the passage.",
    "WorkerCrashed": "Its workers ended, most likely for lack of memory. Start them with a lower "
    "--concurrency, then retry.",
}


def failure_advice(name: str) -> str:
    """Return sentences on what to do about an error."""
    return _ADVICE.get(name, "The worker's log has details. Retry when the cause is corrected.")


def stop_reason(ended: Sequence[tuple[str, str]], *, index: int) -> str:
    """Return sentences on why work should stop after passage `index`, or "".

    `ended` has failure and message in order of the ends, both "" for success. Only passages that
    contribute to the reason stop work, so resumed work goes on.
    """
    failed = [at for at, (name, _) in enumerate(ended[:EARLY]) if name in _OF_THE_MODEL]
    if index < FIRST and failed[:FIRST] == list(range(FIRST)):
        count, last = f"None of the first {FIRST} passages could be revised", failed[FIRST - 1]
    elif len(failed) >= EARLY_FAILURES and index <= failed[EARLY_FAILURES - 1]:
        count = f"{EARLY_FAILURES} of the first {EARLY} passages could not be revised"
        last = failed[EARLY_FAILURES - 1]
    else:
        return ""
    name, message = ended[last]
    return (
        f"{count}; the last one failed for "
        f"{'an' if name == UnreadableReply.__name__ else 'a'} {failure_words(name)} "
        f"({message.rstrip('.')}). Check that the server runs the intended model, and that this "
        "model accepts the prompts and follows them."
    )
