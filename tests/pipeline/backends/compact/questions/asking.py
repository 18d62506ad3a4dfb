"""Asks for the spans of a text as a run does."""

from pipeline.backends.compact.questions.generator import CompactQueryGenerator
from pipeline.rarr.types import Passage, Query


def ask(text: str, context: str = "") -> list[Query]:
    generator = CompactQueryGenerator()
    passage = Passage(id="1", text=text, context=context)
    [sample] = generator.generate(passage, samples=3, temperature=0.7)
    return list(sample)


def asked_about(text: str, span: str) -> str:
    [found] = [query.text for query in ask(text) if query.about and query.about.of(text) == span]
    return found
