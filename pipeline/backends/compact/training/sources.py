"""The training files, read into groups. Only sets whose licence lets us ship what is learnt.

`epoch` gives the groups of one pass, in order of source; each pass makes other swaps.
"""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.backends.compact.spans import Mention, mentions
from pipeline.backends.compact.training.groups import (
    Group,
    Hypothesis,
    absent,
    surrounded,
    without,
)
from pipeline.backends.compact.training.joining import joined
from pipeline.backends.compact.training.kept_back import is_kept_back
from pipeline.backends.compact.training.spoiling import places_of, sort_of, spoiled
from pipeline.backends.compact.training.statements import statement

_BREAK = re.compile(r"(?<=[.!?])[\"”’)]?\s+(?=[\"“‘(]?[A-Z0-9])")
MOST_HYPOTHESES = 14
"""Of one group; a premise with more makes several."""
MOST_WORDS = 185
"""Of a premise with what is put around it: what the reader reads at once."""
TITLED = 0.3
"""Share of the premises that begin with a page's title, as evidence often does."""
JOINED = 0.4
"""Share of the premises of which two sentences are joined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An NLI or attribution file and how it is used."""

    name: str
    share: float = 1.0
    """Of its premises, in each pass."""
    times: int = 1
    """How often each is met in a pass, with other swaps each time."""
    spoils: bool = True
    """Whether its supported sentences are also masked and swapped."""
    surrounds: float = 0.6
    """Share of its premises that stand among others."""
    drops: float = 0.3
    """Share of its premises that are also shown without the sentence that matters."""


SOURCES = (
    Source(name="nli_fever_dev"),
    Source(name="nli_fool_me_twice", times=2),
    Source(name="nli_conjnli", share=0.4),
    Source(name="nli_fever_symmetric"),
    Source(name="nli_propsegment_dev", times=3),
    Source(name="nli_snli_devtest", share=0.25, spoils=False, drops=0.0, surrounds=0.3),
    Source(name="nli_cad_nli", share=0.25, spoils=False, drops=0.0, surrounds=0.3),
    Source(name="attribution_expertqa", times=4, surrounds=0.1),
    Source(name="attribution_factcheckgpt_stance", times=3, surrounds=0.1),
    Source(name="attribution_q2_wow", times=4),
)
LABELS: dict[Any, str] = {1: "supported", 0: "unsupported"}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def sentences(text: str) -> list[str]:
    return [part for part in _BREAK.split(text) if part.strip()]


def untokenised(text: str) -> str:
    """FEVER and Natural Questions set spaces before marks; people do not.

    >>> untokenised("the film , set in 1902 ( or so ) , is Berg 's")
    "the film, set in 1902 (or so), is Berg's"
    """
    text = re.sub(r"\s+([,.;:?!)\]]|'s\b|n't\b)", r"\1", text)
    text = re.sub(r"([(\[])\s+", r"\1", text)
    return re.sub(r"(\w) - (\w)", r"\1-\2", text).replace("`` ", '"').replace(" ''", '"')


def epoch(folder: Path, *, seed: int) -> list[Group]:
    """All groups of one pass over FOLDER/train; texts that are too long are cut."""
    rng = random.Random(seed)
    found: list[Group] = []
    known: set[tuple[str, str]] = set()
    for source in SOURCES:
        found += _nli(folder / "train" / f"{source.name}.jsonl", source, rng, known)
    found += _questions(folder / "train", rng)
    return found


def _nli(
    path: Path, source: Source, rng: random.Random, known: set[tuple[str, str]]
) -> Iterator[Group]:
    by_premise: dict[str, list[Hypothesis]] = defaultdict(list)
    for row in rows(path):
        premise = untokenised(" ".join(row["premise"].split()))
        claim = " ".join(row["hypothesis"].split())
        if not claim or (premise, claim) in known or is_kept_back(premise):
            continue
        known.add((premise, claim))
        label = LABELS.get(row["label"], row["label"])
        wrong: tuple[tuple[int, int], ...] | None = ()
        if label not in {"entailment", "supported"}:
            wrong = None
        by_premise[premise].append(Hypothesis(text=claim, label=label, wrong=wrong))
    _balance(by_premise)
    premises = list(by_premise)
    claims = _by_word(by_premise)
    strangers = _strangers(premises, rng)
    for number, premise in enumerate(premises * source.times):
        if rng.random() > source.share:
            continue
        hypotheses = list(by_premise[premise])
        rng.shuffle(hypotheses)
        for start in range(0, len(hypotheses), 6):
            part = hypotheses[start : start + 6]
            if source.spoils:
                part += _spoiled_copies(part, premise, rng, strangers)
                part += _own_sentence(premise, len(part), rng, strangers)
                stranger = _stranger_claim(premise, claims, rng) or ""
                if rng.random() < JOINED:
                    part += joined(part, stranger, premise, rng)
                if stranger and rng.random() < 0.3:
                    missing = absent(stranger, premise)
                    part.append(Hypothesis(text=stranger, label="neutral", missing=missing))
            group = Group(
                premise=_cut(premise, part, rng), hypotheses=tuple(part), source=source.name
            )
            if group.premise != premise:
                group = _replaced(group)
            if rng.random() < source.drops:
                yield from _dropped(group, premises, number, rng)
            if rng.random() < source.surrounds:
                group = _among(group, premises, number, rng)
            elif source.spoils and rng.random() < TITLED:
                names = [m.text for m in mentions(premise) if sort_of(m) == "name"]
                group = surrounded(group, names[:1], [])
            yield from _fitting(group, rng)


def _balance(by_premise: dict[str, list[Hypothesis]]) -> None:
    """Let what is supported and what is not have as many votes, whatever the file's share."""
    all_of_them = [h for each in by_premise.values() for h in each]
    supported = sum(h.label in {"entailment", "supported"} for h in all_of_them)
    share = supported / max(1, len(all_of_them))
    if not 0.0 < share < 1.0:
        return
    for premise, each in by_premise.items():
        by_premise[premise] = [
            replace(
                h,
                vote=0.5 / (share if h.label in {"entailment", "supported"} else 1.0 - share),
            )
            for h in each
        ]


def _spoiled_copies(
    part: Sequence[Hypothesis], premise: str, rng: random.Random, strangers: Sequence[Mention]
) -> list[Hypothesis]:
    found: list[Hypothesis] = []
    for place, sound in enumerate(part):
        if sound.label in {"entailment", "supported"} and len(found) < 9:
            found += spoiled(sound.text, premise, place=place, rng=rng, strangers=strangers, most=2)
    return found


def _own_sentence(
    premise: str, place: int, rng: random.Random, strangers: Sequence[Mention]
) -> list[Hypothesis]:
    """A sentence of the premise itself, which supports it, with its spoiled copies."""
    own = [s for s in sentences(premise) if 6 <= len(s.split()) <= 35]
    if not own or rng.random() > 0.3:
        return []
    sentence = rng.choice(own)
    copies = spoiled(sentence, premise, place=place, rng=rng, strangers=strangers, most=2, near=1)
    return [Hypothesis(text=sentence, label="entailment", wrong=()), *copies]


def _strangers(texts: Sequence[str], rng: random.Random) -> list[Mention]:
    found: list[Mention] = []
    for text in rng.sample(list(texts), min(300, len(texts))):
        found += [m for m in mentions(text) if not m.is_weak]
    by_sort: dict[str, list[Mention]] = defaultdict(list)
    for mention in found:
        by_sort[sort_of(mention)].append(mention)
    return [m for each in by_sort.values() for m in rng.sample(each, min(60, len(each)))]


def _by_word(by_premise: dict[str, list[Hypothesis]]) -> dict[str, list[tuple[str, str]]]:
    """Claims by the names in them, to pair each with another claim's evidence."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for premise, hypotheses in by_premise.items():
        for hypothesis in hypotheses:
            for word in set(re.findall(r"[A-Z][a-z]{3,}", hypothesis.text)):
                found[word].append((premise, hypothesis.text))
    return found


def _stranger_claim(
    premise: str, claims: dict[str, list[tuple[str, str]]], rng: random.Random
) -> str | None:
    """A claim about other evidence that shares a name with this premise."""
    names = [w for w in set(re.findall(r"[A-Z][a-z]{3,}", premise)) if len(claims.get(w, ())) > 1]
    if not names:
        return None
    names.sort()
    theirs, claim = rng.choice(claims[rng.choice(names)])
    said = set(re.findall(r"\w+", premise.lower()))
    wanted = [w for w in re.findall(r"\w+", claim.lower()) if len(w) > 3]
    if theirs == premise or all(w in said for w in wanted):
        return None
    return claim


def _cut(premise: str, part: Sequence[Hypothesis], rng: random.Random) -> str:
    """A premise that is short enough; the half that has most of the first hypothesis's words."""
    words = premise.split(" ")
    if len(words) <= MOST_WORDS:
        return premise
    wanted = {w.lower() for w in re.findall(r"\w{4,}", part[0].text)}
    step = 40
    best, start = -1, 0
    for at in range(0, max(1, len(words) - MOST_WORDS + step), step):
        piece = {re.sub(r"\W", "", w.lower()) for w in words[at : at + MOST_WORDS]}
        if len(piece & wanted) > best:
            best, start = len(piece & wanted), at
    return " ".join(words[start : start + MOST_WORDS])


def _replaced(group: Group) -> Group:
    """Answers sought again, after the premise was cut; labels stay, as the best part did."""
    changed = []
    for h in group.hypotheses:
        if h.mask is None:
            changed.append(h)
            continue
        value = h.text[h.mask[0] : h.mask[1]]
        changed.append(
            Hypothesis(text=h.text, mask=h.mask, answers=places_of(value, group.premise))
        )
    return Group(premise=group.premise, hypotheses=tuple(changed), source=group.source)


def _among(group: Group, premises: Sequence[str], number: int, rng: random.Random) -> Group:
    """The premise among its neighbours in the file, or among strangers."""
    room = rng.choice((60, 120, MOST_WORDS)) - len(group.premise.split())
    before: list[str] = []
    after: list[str] = []
    while room > 8:
        at = number + rng.randint(-4, 4) if rng.random() < 0.5 else rng.randrange(len(premises))
        text = premises[at % len(premises)]
        if text == premises[number % len(premises)]:
            room -= 4
            continue
        piece = sentences(text)
        start = rng.randrange(len(piece)) if piece else 0
        chosen = " ".join(piece[start : start + rng.randint(1, 3)])
        if not chosen or len(chosen.split()) > room:
            room -= 8
            continue
        room -= len(chosen.split())
        (before if rng.random() < 0.5 else after).append(chosen)
    return surrounded(group, before, after)


def _dropped(
    group: Group, premises: Sequence[str], number: int, rng: random.Random
) -> Iterator[Group]:
    """The group's first hypothesis without the sentence of the premise that has most of it."""
    first = group.hypotheses[0]
    # Its own masked copies go along; other hypotheses may rest on other sentences.
    mine = tuple(h for h in group.hypotheses if h.text == first.text and h.beaten_by is None)
    wanted = {w.lower() for w in re.findall(r"\w{3,}", first.text)}
    at, best, chosen = 0, 0.0, (0, len(group.premise))
    shares = []
    for sentence in sentences(group.premise):
        start = group.premise.index(sentence, at)
        at = start + len(sentence)
        share = len(wanted & {w.lower() for w in re.findall(r"\w{3,}", sentence)})
        shares.append(share)
        if share > best:
            best, chosen = share, (start, at)
    if len(shares) > 1 and sorted(shares)[-2] > 0.7 * best:
        chosen = (0, len(group.premise))
    alone = Group(premise=group.premise, hypotheses=mine, source=f"{group.source} dropped")
    yield from _fitting(_among(without(alone, *chosen), premises, number, rng), rng)


def _fitting(group: Group, rng: random.Random) -> Iterator[Group]:
    """The group, if its premise has words; hypotheses beyond the most are left out."""
    if len(group.premise.split()) < 3 or not group.hypotheses:
        return
    kept = group.hypotheses[:MOST_HYPOTHESES]
    kept = tuple(h for h in kept if len(h.text.split()) <= 70)
    if len(kept) != len(group.hypotheses[:MOST_HYPOTHESES]):
        kept = tuple(h for h in kept if h.beaten_by is None)
    if kept:
        yield Group(
            premise=group.premise, hypotheses=kept, source=group.source, begins=group.begins
        )


def _questions(folder: Path, rng: random.Random) -> Iterator[Group]:
    """Question answering: squad, Natural Questions by way of QED, and QAMR."""
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
    strangers = _strangers(order, rng)
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
            asked_here += _own_sentence(context, len(asked_here), rng, strangers)
            group = Group(premise=context, hypotheses=tuple(asked_here), source="questions")
            if len(context.split()) > MOST_WORDS:
                group = _shortened(group, rng)
            elif rng.random() < (0.3 if number < squad else 0.8):
                group = _among(group, neighbours, place, rng)
            if titles[context] and rng.random() < TITLED:
                group = surrounded(group, [titles[context]], [])
            yield from _fitting(group, rng)


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
    values = [m for m in mentions(sentence) if not m.is_weak and not places_of(m.text, context)]
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


def _shortened(group: Group, rng: random.Random) -> Group:
    """The part of a long paragraph that still has all its answers, or the first words."""
    premise = group.premise
    ends = [e for h in group.hypotheses for _, e in h.answers]
    words = [m.end() for m in re.finditer(r"\S+", premise)]
    limit = words[min(MOST_WORDS, len(words)) - 1]
    if ends and max(ends) > limit:
        kept = tuple(
            h
            for h in group.hypotheses
            if h.mask is not None and h.answers and min(e for _, e in h.answers) <= limit
        )
        kept = tuple(
            Hypothesis(
                text=h.text, mask=h.mask, relevant=h.relevant,
                answers=tuple(p for p in h.answers if p[1] <= limit),
            )
            for h in kept
        )  # fmt: skip
    else:
        kept = group.hypotheses
    return Group(premise=premise[:limit], hypotheses=kept, source=group.source)
