"""What a strategy works with: models and searches behind RARR's ports, prompts and numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pipeline.generation.prompting import asked
from pipeline.generation.types import GenerationConfig, Question
from pipeline.language_model import Forgetting, LanguageModel, Prompt
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Decontextualizer, Entailment, Relevance, Retriever, SentenceSplitter
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import Passage, Revision

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The models of one run of a strategy, and its configuration."""

    config: GenerationConfig
    splitter: SentenceSplitter
    relevance: Relevance
    entailment: Entailment
    decontextualizer: Decontextualizer
    """Lets sentences stand alone before entailment is asked."""
    revise: Callable[[Passage], Revision]
    """RARR: research and revise a text, with its attribution report."""
    retriever: Retriever | None = None
    """None where the passages that came with the question are all there is to cite."""
    model: Callable[[str], LanguageModel] | None = None
    """The language model under the name of a step, as costs are told by; None for `compact`."""
    prompts: Prompts | None = None
    count_reply: Callable[[str, UnreadableReply | None], None] = lambda step, error: None
    """Counts a reply of a step: None where it was read, else why it could not be."""
    asked: list[tuple[LanguageModel, Sequence[Prompt]]] = field(default_factory=list)
    """What was asked of the language model so far."""

    def complete(self, step: str, prompts: Sequence[Prompt]) -> list[tuple[str, ...]]:
        """The replies to each prompt, one a sample, without white space around them.

        The second answer to a question takes the second samples of what is drawn at random. The
        first ones are known by then, and are not asked for again.

        Raises `UnreadableReply` where the model did not answer, and what the model raises.
        """
        if self.model is None:
            raise ValueError(f"the step {step!r} needs a language model")
        drawn = [
            replace(each, samples=each.samples * self.config.answer_number)
            if each.temperature
            else each
            for each in prompts
        ]
        model = self.model(step)
        completions = model.complete(drawn)
        self.asked.append((model, drawn))
        if len(completions) != len(prompts):
            raise UnreadableReply(
                f"The language model answered {len(completions)} of {len(prompts)} prompts."
            )
        return [
            tuple(text.strip() for text in each.texts[-prompt.samples :])
            for prompt, each in zip(prompts, completions, strict=True)
        ]

    def read_reply(self, step: str, reply: str, read: Callable[[str], T]) -> T:
        """Read a reply of a step with `read`, and count it.

        Raises `UnreadableReply` as `read` does.
        """
        try:
            answer = read(reply)
        except UnreadableReply as error:
            self.count_reply(step, UnreadableReply(str(error), reply=reply))
            raise
        self.count_reply(step, None)
        return answer

    def forget(self) -> None:
        """Let a language model that keeps its replies forget those that it gave here."""
        for model, prompts in self.asked:
            if isinstance(model, Forgetting):
                model.forget(prompts)

    def prompt(self, name: str, question: Question, **values: str) -> Prompt:
        """A prompt of `pipeline.rarr.prompts` for an answer to the question, filled in."""
        if self.prompts is None:
            raise ValueError(f"the prompt {name!r} needs the prompts")
        template = self.prompts[name]
        return Prompt(
            text=template.render(question=asked(question), **values),
            system=template.system,
            temperature=self.config.answer_temperature,
            max_tokens=self.config.answer_tokens,
            stop=template.stop,
        )
