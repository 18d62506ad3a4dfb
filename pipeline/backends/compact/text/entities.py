"""What kind of thing a stretch of text names, as the parser's entity recogniser labels it."""

from collections import Counter

from pipeline.backends.compact.text.parsing import parsed


def label_of(text: str, start: int, end: int) -> str:
    """The spaCy label that most tokens of `text[start:end]` carry, such as PERSON; "" for none.

    >>> label_of("Marie Curie was born in Warsaw.", 0, 11)
    'PERSON'
    """
    found: Counter[str] = Counter()
    for sentence in parsed(text):
        for token in sentence.doc:
            at = sentence.start + token.idx
            if token.ent_type_ and at < end and start < at + len(token):
                found[token.ent_type_] += 1
    return found.most_common(1)[0][0] if found else ""
