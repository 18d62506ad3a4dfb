"""A language model that answers from a script and remembers what it was asked."""

from collections.abc import Callable, Sequence

from pipeline.rarr.ports import Completion, Prompt
from pipeline.rarr.types import Evidence, Passage, Query

Script = Callable[[Prompt], str | Sequence[str]]


class ScriptedModel:
    """Gives what `answer` says of a prompt: one text for all samples, or one a sample."""

    def __init__(self, answer: Script) -> None:
        self._answer = answer
        self.asked: list[list[Prompt]] = []

    @property
    def prompts(self) -> list[Prompt]:
        return [prompt for batch in self.asked for prompt in batch]

    def complete(self, prompts: Sequence[Prompt]) -> Sequence[Completion]:
        self.asked.append(list(prompts))
        completions = []
        for prompt in prompts:
            said = self._answer(prompt)
            texts = [said] * prompt.samples if isinstance(said, str) else list(said)
            completions.append(Completion(texts=tuple(texts)))
        return completions


def in_turn(*replies: str) -> ScriptedModel:
    """Answers the prompts one after another, whatever they ask."""
    left = list(replies)
    return ScriptedModel(lambda prompt: left.pop(0))


PASSAGE = Passage(id="1", text="The hall opened in 1931.\nIt seats 900.")
IN_CONTEXT = Passage(id="1", text="It opened in 1931.", context="Tell me about Thorne Hall.")
QUERY = Query(text="When did Thorne Hall open?")
EVIDENCE = Evidence(
    text="It was opened\n\nin 1934.", title="Thorne Hall", url="", document_id="d", query="",
    relevance=1.0,
)  # fmt: skip
