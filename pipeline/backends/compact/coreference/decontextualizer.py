"""Sentences that stand alone: "he", "the film" and "Coe" give way to the name they stand for."""

from collections.abc import Sequence

from pipeline.backends.compact.coreference.references import References, replacements
from pipeline.rarr.types import Passage


class CompactDecontextualizer:
    """Replaces a pronoun or class noun that opens a sentence, and surnames without a given name.

    A name that does not fit ("she" for a film) is passed over, and where no name of the sentences
    before or of the context fits, the sentence stays as it is.
    """

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        references = References(context=passage.context)
        rewritten = []
        for sentence in sentences:
            new = sentence
            for start, end, name in reversed(replacements(sentence, references)):
                new = new[:start] + name + new[end:]
            rewritten.append(new)
            references.read(sentence)
        return rewritten
