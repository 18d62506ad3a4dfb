"""Answer from all quotes that came with the question, or from the best passages, without a
demonstration and with citations as the IEEE writes them (HAGRID, section 3)."""

from pipeline.generation.answer_format import PROBLEMS, REFERENCE_LIST, check_format
from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.prompting import numbered, read_answer
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record
from pipeline.replies.cleaning import reply_text


def answer(question: Question, *, tools: Tools) -> Answer:
    """The answer, short or long as `answer_type` says, with what is wrong with its form.

    HAGRID left out answers in a wrong form; here a campaign does.
    """
    found = find_passages(question, tools=tools)
    shown = found if tools.retriever is None else found[: tools.config.passages]
    prompt = tools.prompt(f"hagrid_{tools.config.answer_type}", question, passages=numbered(shown))
    ((reply,),) = tools.complete("answer", [prompt])
    text = tools.read_reply("answer", reply, read_answer)
    problems = {*check_format(text, sources=len(shown))}
    # A list of references is no part of the text that was read.
    problems |= {REFERENCE_LIST} & {*check_format(reply_text(reply), sources=len(shown))}
    return Answer(
        text=text,
        sources=shown,
        record=Record(
            problems=tuple(each for each in PROBLEMS if each in problems),
            recall_at=recall_at(question, found),
        ),
    )
