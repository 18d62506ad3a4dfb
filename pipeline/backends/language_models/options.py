"""How language models are reached and paid: the RARR_LLM_… settings as plain values."""

from dataclasses import dataclass, field

from pipeline.backends.calls import Prices

OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """One process has one of these; docs/configuration.md describes each."""

    base_url: str = OPENAI_URL
    api_key: str = field(default="", repr=False)
    api: str = "chat"
    """"chat" or "completions": the interface of a server; of a local model, whether its chat
    template is put around the prompt where it has one."""
    timeout: float = 60.0
    """Seconds that one request may take, whole."""
    patience: float = 120.0
    """Seconds that one prompt may take with all its retries and waits; 0 tries once."""
    concurrency: int = 8
    """Requests at the same time, by server and process."""
    per_minute: int = 0
    """Requests a minute, by server and process; 0 is no limit."""
    prices: Prices = field(default_factory=Prices)
    keeps_texts: bool = False
    """Whether the log of calls keeps prompts and answers."""
    device: str = "auto"
