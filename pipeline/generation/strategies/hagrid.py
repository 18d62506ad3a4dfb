"""Answer from quotes or the best passages with IEEE citations (HAGRID)."""

from pipeline.generation.answer_format import PROBLEMS, REFERENCE_LIST, check_format
from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.prompting import numbered, read_answer
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record
from pipeline.replies.cleaning import reply_text


def answer(question: Question, *, tools: Tools) -> Answer:
    """Return a short or long answer, by `answer_type`, and the problems of its form."""
    passages = find_passages(question, tools=tools)
    selected = passages if tools.retriever is None else passages[: tools.config.passages]
    prompt = tools.prompt(
        f"hagrid_{tools.config.answer_type}", question, passages=numbered(selected)
    )
    ((reply,),) = tools.complete("answer", [prompt])
    text = tools.read_reply("answer", reply, read_answer)
    problems = {*check_format(text, sources=len(selected))}
    # `read_answer` removes a list of references.
    problems |= {REFERENCE_LIST} & {*check_format(reply_text(reply), sources=len(selected))}
    return Answer(
        text=text,
        sources=selected,
        record=Record(
            problems=tuple(each for each in PROBLEMS if each in problems),
            recall_at=recall_at(question, passages, tools=tools),
        ),
    )
