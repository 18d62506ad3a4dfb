"""The RARR_LLM_… settings as plain values."""

from dataclasses import dataclass, field

from pipeline.backends.calls import Prices
from pipeline.rarr.errors import BadConfig

OPENAI_URL = "https://api.openai.com/v1"
STEPS = (
    "queries", "agreement", "edit", "efec", "lamda", "decontextualization", "answers",
    "passages", "entailment",
)  # fmt: skip
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
    tokens: dict[str, int] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, equals, number = part.rpartition("=")
        name = name.strip()
        if (equals and name not in STEPS) or name in tokens:
            raise BadConfig(
                f"RARR_LLM_EXTRA_TOKENS={text!r}: {name!r} is not a sub-task, or is repeated: "
                f"write each of {', '.join(STEPS)} once at most."
            )
        digits = number.strip()
        if not (digits.isascii() and digits.isdigit()) or int(digits) > MOST_EXTRA_TOKENS:
            raise BadConfig(
                f"RARR_LLM_EXTRA_TOKENS={text!r}: {digits!r} is not a number of tokens: write "
                f"0 to {MOST_EXTRA_TOKENS}, or agreement=2000,edit=1000."
            )
        tokens[name] = int(digits)
    return tuple(tokens.items())
