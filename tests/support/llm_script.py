"""Replies to RARR's prompts about a year: the passage has 1902, the evidence 1904."""

from pipeline.backends.prompted.repair import REPAIR

SECOND_ATTEMPT = REPAIR.partition("{reply}\n\n")[2].partition("{problem}")[0]
"""The words that only the prompts of second attempts have."""


def answer(prompt: str) -> str:
    last = prompt.rsplit("\n\n", 1)[-1]
    fields = dict(line.split(": ", 1) for line in last.splitlines() if ": " in line)
    if last.rstrip().endswith("Questions:"):
        return "1. When did Marlow Hall open?"
    if "Sentence" in fields:
        return f"Rewritten: {fields['Sentence']}"
    passage = fields["Passage"]
    if "Fixed passage:" in prompt:
        fixed = passage.replace("1902", "1904")
        return f'Change: "1902" has to become "1904".\nFixed passage: {fixed}'
    verdict = "disagrees" if "1902" in passage else "agrees"
    return (
        f"The passage implies: It opened in {'1902' if '1902' in passage else '1904'}.\n"
        "The evidence says: It opened in 1904.\n"
        f"Reasoning: The years are compared.\nVerdict: {verdict}"
    )
