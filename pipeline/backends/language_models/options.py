"""How language models are reached and paid for: the RARR_LLM_… settings as plain values."""

from dataclasses import dataclass, field

from pipeline.backends.calls import Prices
from pipeline.rarr.errors import BadConfig

OPENAI_URL = "https://api.openai.com/v1"
STEPS = (
    "queries", "agreement", "edit", "efec", "lamda", "decontextualization", "answers",
    "passages", "entailment",
)  # fmt: skip
"""The sub-tasks, as the log of calls names them."""
MOST_EXTRA_TOKENS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """The settings of one process; docs/configuration.md describes each of them."""

    base_url: str = OPENAI_URL
    api_key: str = field(default="", repr=False)
    api: str = "chat"
    """"chat" or "completions": the interface of a server; of a local model, whether its chat
    template is put around the prompt where it has one."""
    timeout: float = 60.0
    """Seconds that one request may take from its beginning to the last byte."""
    patience: float = 120.0
    """Seconds within which one prompt is asked again; 0 tries once."""
    concurrency: int = 8
    """Requests at the same time, by server and process."""
    per_minute: int = 0
    """Requests per minute, by server and process; 0 is no limit."""
    prices: Prices = field(default_factory=Prices)
    extra_tokens: tuple[tuple[str, int], ...] = ()
    """(sub-task, tokens) that answers may have beyond what they need: reasoning models think
    within the limit. "" stands for every sub-task that is not named."""
    keeps_texts: bool = False
    """Whether the log of calls keeps prompts and answers."""
    device: str = "auto"


def read_extra_tokens(text: str) -> tuple[tuple[str, int], ...]:
    """A number for all sub-tasks, or some by name: what RARR_LLM_EXTRA_TOKENS holds.

    >>> read_extra_tokens("2000"), read_extra_tokens("agreement=4000, edit=1000")
    ((('', 2000),), (('agreement', 4000), ('edit', 1000)))

    Raises `BadConfig` for anything else.
    """
    found: dict[str, int] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, equals, number = part.rpartition("=")
        name = name.strip()
        if (equals and name not in STEPS) or name in found:
            raise BadConfig(
                f"RARR_LLM_EXTRA_TOKENS={text!r}: {name!r} is no sub-task, or is there twice: "
                f"write each of {', '.join(STEPS)} once at most."
            )
        digits = number.strip()
        if not (digits.isascii() and digits.isdigit()) or int(digits) > MOST_EXTRA_TOKENS:
            raise BadConfig(
                f"RARR_LLM_EXTRA_TOKENS={text!r}: {digits!r} is no number of tokens: write "
                f"0 to {MOST_EXTRA_TOKENS}, or agreement=2000,edit=1000."
            )
        found[name] = int(digits)
    return tuple(found.items())
