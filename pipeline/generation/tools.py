"""The models, searches, prompts and configuration of a strategy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pipeline.generation.prompting import format_question
from pipeline.generation.prompts import with_demonstrations
from pipeline.generation.types import GenerationConfig, Question
from pipeline.language_model import Completion, LanguageModel, Prompt
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Decontextualizer, Entailment, Relevance, Retriever, SentenceSplitter
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import Passage, Revision

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    config: GenerationConfig
    splitter: SentenceSplitter
    relevance: Relevance
    entailment: Entailment
    decontextualizer: Decontextualizer
    """Applied to sentences before entailment."""
    revise: Callable[[Passage], Revision]
    """RARR: revise a text, with its attribution report."""
    retriever: Retriever | None = None
    """None if only the question's own passages may be cited."""
    model: Callable[[str], LanguageModel] | None = None
    """Returns a step's language model; costs are recorded under the step. None for `compact`."""
    prompts: Prompts | None = None
    count_reply: Callable[[str, UnreadableReply | None], None] = lambda step, error: None
    """Records a step's reply, with the error if it is unreadable."""
    completions: list[tuple[LanguageModel, Sequence[Completion]]] = field(default_factory=list)

    def complete(self, step: str, prompts: Sequence[Prompt]) -> list[tuple[str, ...]]:
        """Return the stripped replies to each prompt, one per sample.

        Answer n uses the n-th samples; earlier ones are cached. Raises the model's errors, and
        `UnreadableReply` for a wrong number of completions.
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
        self.completions.append((model, completions))
        if len(completions) != len(prompts):
            raise UnreadableReply(
                f"The language model answered {len(completions)} of {len(prompts)} prompts."
            )
        return [
            tuple(text.strip() for text in each.texts[-prompt.samples :])
            for prompt, each in zip(prompts, completions, strict=True)
        ]

    def read_reply(self, step: str, reply: str, read: Callable[[str], T]) -> T:
        try:
            answer = read(reply)
        except UnreadableReply as error:
            self.count_reply(step, UnreadableReply(str(error), reply=reply))
            raise
        self.count_reply(step, None)
        return answer

    def forget(self) -> None:
        """Remove this run's replies from the model's cache."""
        for model, completions in self.completions:
            model.forget(completions)

    def prompt(self, name: str, question: Question, **values: str) -> Prompt:
        """Fill in one of `pipeline.generation.prompts`."""
        if self.prompts is None:
            raise ValueError(f"the prompt {name!r} needs the prompts")
        template = with_demonstrations(
            self.prompts[name],
            most=self.config.demonstrations,
            seed=self.config.demonstration_seed,
            is_light=self.config.instruction == "light",
        )
        return Prompt(
            text=template.render(question=format_question(question), **values),
            system=template.system,
            temperature=self.config.answer_temperature,
            top_p=self.config.top_p,
            max_tokens=self.config.answer_tokens,
            stop=template.stop,
        )
