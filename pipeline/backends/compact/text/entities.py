"""What kind of thing a stretch of text names, as the parser's entity recogniser labels it."""

from bisect import bisect_right
from collections import Counter

from pipeline.backends.compact.text.parsing import parsed


def label_of(text: str, start: int, end: int) -> str:
    """The spaCy label that most tokens of `text[start:end]` carry, such as PERSON; "" for none.

    >>> label_of("Marie Curie was born in Warsaw.", 0, 11)
    'PERSON'
    """
    sentences = parsed(text)
    found: Counter[str] = Counter()
    first = max(bisect_right(sentences, start, key=lambda each: each.start) - 1, 0)
    for sentence in sentences[first:]:
        if sentence.start >= end:
            break
        for token in sentence.doc:
            at = sentence.start + token.idx
            if token.ent_type_ and at < end and start < at + len(token):
                found[token.ent_type_] += 1
    return found.most_common(1)[0][0] if found else ""
