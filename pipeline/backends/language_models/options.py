"""The RARR_LLM_… settings as plain values."""

from dataclasses import dataclass, field

from pipeline.backends.calls import Prices
from pipeline.rarr.errors import BadConfig

OPENAI_URL = "https://api.openai.com/v1"
STEPS = "queries, agreement, edit, efec, lamda, decontextualization, answers, passages, entailment"
"""Sub-tasks in the log of calls."""
MOST_EXTRA_TOKENS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """See docs/configuration.md."""

    base_url: str = OPENAI_URL
    api_key: str = field(default="", repr=False)
    api: str = "chat"
    """"chat" or "completions": the server's interface, or whether a local model uses its chat
    template."""
    timeout: float = 60.0
    """Seconds for one request, whole."""
    patience: float = 120.0
    """Seconds for all attempts of one prompt; 0 tries once."""
    concurrency: int = 8
    """Requests at once, by server and process."""
    per_minute: int = 0
    """By server and process; 0 is no limit."""
    prices: Prices = field(default_factory=Prices)
    extra_tokens: tuple[tuple[str, int], ...] = ()
    """(sub-task, tokens) added to each reply's limit, for thoughts. "" means all other sub-tasks.
    """
    keeps_texts: bool = False
    """Log prompts and replies."""
    device: str = "auto"


def read_extra_tokens(text: str) -> tuple[tuple[str, int], ...]:
    """Read RARR_LLM_EXTRA_TOKENS; raises `BadConfig`.

    >>> read_extra_tokens("2000"), read_extra_tokens("agreement=4000, edit=1000")
    ((('', 2000),), (('agreement', 4000), ('edit', 1000)))
    """
    parts = [part.rpartition("=") for part in text.split(",") if part.strip()]
    tokens = {name.strip(): number.strip() for name, _, number in parts}
    are_numbers = all(
        number.isascii() and number.isdigit() and int(number) <= MOST_EXTRA_TOKENS
        for number in tokens.values()
    )
    if not are_numbers or len(tokens) < len(parts) or not {*tokens} <= {"", *STEPS.split(", ")}:
        raise BadConfig(
            f"RARR_LLM_EXTRA_TOKENS={text!r}: write a number of tokens, 0 to {MOST_EXTRA_TOKENS}, "
            f"or one for each sub-task ({STEPS}) that needs more, as in agreement=2000,edit=1000."
        )
    return tuple((name, int(number)) for name, number in tokens.items())
