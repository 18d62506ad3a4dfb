"""Write several answers as `vanilla` does, and keep the one with the best citation recall (ALCE,
section 4: Rerank)."""

from pipeline.generation.passages import find_passages
from pipeline.generation.recall import citation_recalls
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, GenerationConfig, Question, Record, Step
from pipeline.generation.writing import write_answers


def answer(question: Question, *, tools: Tools, config: GenerationConfig) -> Answer:
    """The best of `answer_samples` answers; of equals the first.

    At a temperature of 0 all would be equal: then there is one. A reply that is empty is none.
    """
    found = find_passages(question, tools=tools, config=config)
    shown = found.passages[: config.passages]
    texts = write_answers(
        question,
        shown,
        tools=tools,
        config=config,
        samples=config.answer_samples if config.answer_temperature > 0 else 1,
    )
    recalls = citation_recalls(texts, question=question, sources=shown, tools=tools)
    best = max(range(len(texts)), key=lambda place: _known(recalls[place]))
    steps = tuple(
        Step(name="candidate", text=f"citation recall {_shown(recall)}: {text}")
        for text, recall in zip(texts, recalls, strict=True)
    )
    return Answer(
        text=texts[best], sources=shown, record=Record(steps=steps, recall_at=found.recall_at)
    )


def _known(recall: float | None) -> float:
    return -1.0 if recall is None else recall


def _shown(recall: float | None) -> str:
    return "unknown" if recall is None else f"{recall:.2f}"
