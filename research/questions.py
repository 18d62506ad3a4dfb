"""Question answering as groups: squad, Natural Questions by way of QED, and QAMR.

A question is asked of its paragraph, and made into a statement with its right and wrong answers.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.backends.compact.text.spans import Mention, mentions
from research.calibration_split import is_kept_back
from research.corruption import (
    own_sentence,
    places_of,
    sort_of,
    spoiled,
    strangers_of,
)
from research.groups import Group, Hypothesis, absent, surrounded
from research.premise_context import (
    MOST_WORDS,
    TITLED,
    among,
    fitting,
    shortened,
)
from research.sentence_joins import JOINED, joined
from research.statements import statement
from research.texts import rows, sentences, untokenised


def question_groups(folder: Path, rng: random.Random) -> Iterator[Group]:
    """Groups of a few questions about one paragraph, from the files of `folder`."""
    paragraphs: dict[str, list[tuple[str, list[str], list[str]]]] = defaultdict(list)
    titles: dict[str, str] = {}
    order: list[str] = []
    asked: set[tuple[str, str]] = set()

    def add(
        context: str, question: str, right: list[str], wrong: list[str], title: str = ""
    ) -> None:
        context = untokenised(" ".join(context.split()))
        question = " ".join(question.split())
        if question and (context, question) not in asked and not is_kept_back(context):
            asked.add((context, question))
            titles.setdefault(context, title.replace("_", " "))
            if context not in paragraphs:
                order.append(context)
            paragraphs[context].append((question, [untokenised(a) for a in right], wrong))

    for name in ("squad_dev-v2.0.json", "squad_dev-1.1.json"):
        file = folder / name
        for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
            for paragraph in article["paragraphs"]:
                for q in paragraph["qas"]:
                    right = [a["text"] for a in q["answers"]]
                    maybe = [a["text"] for a in q.get("plausible_answers", ())]
                    add(paragraph["context"], q["question"], right, maybe, article["title"])
    for row in rows(folder / "qa_squad_train_part.jsonl"):
        add(row["context"], row["question"], [row["answer"]], [])
    for row in rows(folder / "qa_qed_dev_qa.jsonl"):
        add(row["context"], row["question"], [a["text"] for a in row["answers"]], [], row["title"])
    squad = len(order)
    for row in rows(folder / "qa_qamr_qa.jsonl"):
        if row["contiguous"]:
            add(row["context"], row["question"], [row["answer"]], [])
    strangers = strangers_of(order, rng)
    for number, context in enumerate(order):
        questions = list(paragraphs[context])
        rng.shuffle(questions)
        size, passes = (4, len(questions)) if number < squad else (5, 20)
        neighbours = order[:squad] if number < squad else order[squad:]
        place = number if number < squad else number - squad
        for start in range(0, min(passes, len(questions)), size):
            asked_here: list[Hypothesis] = []
            for question, right, maybe in questions[start : start + size]:
                asked_here += _asked(
                    question, right, maybe, context, questions, len(asked_here), rng, strangers
                )
            other = neighbours[(place + rng.randint(1, 3)) % len(neighbours)]
            if other != context:
                foreign = rng.choice(paragraphs[other])[0]
                asked_here.append(_question(foreign, (), relevant=False))
                if number < squad:
                    asked_here += _foreign(other, context, asked_here, rng)
            asked_here += own_sentence(context, len(asked_here), rng, strangers)
            group = Group(premise=context, hypotheses=tuple(asked_here), source="questions")
            if len(context.split()) > MOST_WORDS:
                group = shortened(group)
            elif rng.random() < (0.3 if number < squad else 0.8):
                group = among(group, neighbours, place, rng)
            if titles[context] and rng.random() < TITLED:
                group = surrounded(group, [titles[context]], [])
            yield from fitting(group, rng)


def _foreign(
    other: str, context: str, part: Sequence[Hypothesis], rng: random.Random
) -> list[Hypothesis]:
    """A sentence of a neighbouring paragraph, on the same subject, which this one does not say;
    with one of its values masked, and joined to a sentence that this one does say."""
    offered = [s for s in sentences(other) if 6 <= len(s.split()) <= 35]
    if not offered or rng.random() < 0.5:
        return []
    sentence = rng.choice(offered)
    missing = absent(sentence, context)
    if len(missing) < 2:
        return []
    found = [Hypothesis(text=sentence, label="neutral", missing=missing)]
    values = [m for m in mentions(sentence) if not places_of(m.text, context)]
    if values:
        value = rng.choice(values)
        found.append(Hypothesis(text=sentence, mask=(value.start, value.end)))
    if rng.random() < JOINED:
        found += joined(part, sentence, context, rng)
    return found


def _question(question: str, answers: tuple[tuple[int, int], ...], *, relevant: bool) -> Hypothesis:
    end = len(question)
    return Hypothesis(text=question, mask=(end, end), answers=answers, relevant=relevant)


def _asked(
    question: str,
    right: Sequence[str],
    maybe: Sequence[str],
    context: str,
    others: Sequence[tuple[str, list[str], list[str]]],
    place: int,
    rng: random.Random,
    strangers: Sequence[Mention],
) -> list[Hypothesis]:
    """A question, and the statement that it makes with its right and with wrong answers."""
    found: list[Hypothesis] = []
    answer = min(right, key=len) if right else ""
    places = places_of(answer, context) if answer else ()
    if answer and not places:
        return []
    found.append(_question(question, places, relevant=bool(answer)))
    said = answer or (maybe[0] if maybe else "")
    made = statement(question, said) if said else None
    if made is None or rng.random() < 0.1:
        if not said:
            return found
        made = (f"{question} {said}", len(question) + 1, len(question) + 1 + len(said))
    text, start, end = made
    if not answer:
        # SQuAD 2's plausible answers: the paragraph has the words, and does not say this.
        return [*found, Hypothesis(text=text, label="unsupported")]
    sound = place + len(found)
    found.append(Hypothesis(text=text, label="entailment", wrong=()))
    found.append(Hypothesis(text=text, mask=(start, end), answers=places))
    kinds = [m for m in mentions(answer) if m.end - m.start >= 0.6 * len(answer)]
    wrong: list[str] = []
    if kinds:
        wrong = sorted(
            {
                m.text
                for m in mentions(context)
                if sort_of(m) == sort_of(kinds[0]) and m.text.lower() not in text.lower()
                and answer.lower() not in m.text.lower()
            }
        )  # fmt: skip
    elif others:
        wrong = sorted(
            {
                min(theirs, key=len)
                for _, theirs, _ in others
                if theirs and not any(a.lower() in answer.lower() or answer.lower() in a.lower()
                                      for a in theirs)
            }
        )  # fmt: skip
        wrong = [w for w in wrong if abs(len(w.split()) - len(answer.split())) <= 2]
    for value in rng.sample(wrong, min(2 if kinds else 1, len(wrong))):
        swapped = text[:start] + value + text[end:]
        found.append(
            Hypothesis(
                text=swapped,
                label="contradiction" if kinds else "unsupported",
                wrong=((start, start + len(value)),),
                beaten_by=sound,
            )
        )
    if rng.random() < 0.3:
        found += [
            h
            for h in spoiled(
                text, context, place=sound, rng=rng, strangers=strangers, most=1, near=1
            )
            if h.mask != (start, end)
        ]
    return found
