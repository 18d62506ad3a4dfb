"""A scripted language model for the prompts of strategies, about an opera house."""

from pipeline.rarr.types import Document
from tests.support import llm_script

QUESTION = "When did Marlow Hall open, and how many seats does it have?"
HALL = Document(
    id="hall",
    title="Marlow Hall",
    url="https://example.org/hall",
    text="Marlow Hall is a concert hall in Denby. It opened in 1904. It has 812 seats.",
)
MILL = Document(
    id="mill",
    title="Denby Mill",
    url="https://example.org/mill",
    text="Denby Mill is a water mill. It was built in 1750 and grinds barley.",
)
SUMMARY = "The hall opened in 1904 and has 812 seats."
SNIPPET = "It opened in 1904."
WRITTEN = "Marlow Hall opened in 1904 [1]. It has 812 seats [1]."
DRAFT = "Marlow Hall opened in 1902. It has 812 seats."


def answer(prompt: str) -> str:
    last = prompt.rsplit("\n\n", 1)[-1]
    if "\nSentence: " in last or "\nEvidence: " in last or last.endswith("Questions:"):
        return llm_script.answer(prompt)
    if "\nSteps:\n" in last:
        done = last.split("\nSteps:\n", 1)[1].strip().splitlines()
        shortened = "\nDocuments, shortened:\n" in last
        return _next_step(done, "Check: Document [1]" if shortened else "Search: seats")
    for label, text in (("Summary:", SUMMARY), ("Snippet:", SNIPPET)):
        if last.endswith(label):
            return "Irrelevant." if MILL.title in last else text
    shows = "\nPassages:\n" in last or "\nQuotes:\n" in last
    return WRITTEN if shows else f"Answer: {DRAFT}"


def _next_step(done: list[str], view: str) -> str:
    written = sum(line.startswith("Output: ") for line in done)
    if not done:
        return f"{view}\nOutput: and more that nobody asked for yet."
    sentences = [f"{each}." for each in WRITTEN.rstrip(".").split(". ")]
    return f"Output: {sentences[written]}" if written < len(sentences) else "End"
