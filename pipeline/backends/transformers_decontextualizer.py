"""Sentences made to stand alone by a sequence-to-sequence model, by name (appendix B).

Two input formats are known, of the same model family (Choi et al. 2021, a fine-tuned T5):

- RARR's, from its appendix B, the default: `[HEAD] [SEP] context and passage [start] sentence
  [end]`, which is answered by `[OPCODE] sentence`;
- that of the models Choi et al. released (the demonstration notebook of google-research's
  `language/decontext`), where the setting ends in `#sep`: `page title [SEP] section title [SEP]
  the text before [SEP] sentence [SEP] the text after`, the titles left empty here and the context
  put before the text; it is answered by `OPCODE #### sentence`.

The opcode is done, un (unnecessary) or imp (impossible); for the last two the sentence stays.
Decoding is by beam search with 8 beams, and results whose length differs by more than 4 tokens
of the model's own are discarded, both as in appendix B.
"""

import re
from collections.abc import Iterator, Sequence

from pipeline.backends.transformers_models import RewritingModel
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.types import Passage

BEAMS = 8
MOST_TOKENS_APART = 4
ROOM = 16
"""New tokens beyond the sentence's own, for the opcode and for names in place of pronouns."""
FORMATS = ("rarr", "sep")

_ANSWER = re.compile(
    r"\A\s*(?:\[\s*)?(?P<code>done|un(?:necessary)?|imp(?:ossible)?)\b\s*\]?[\s:#]*(?P<sentence>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)


class TransformersDecontextualizer:
    """Rewrites by a local model, loaded on the first use.

    `name` is a folder or a model's name, with `#sep` behind it for the released models' format.
    Raises `BadConfig` for a format that is not known; the verb does for a model that cannot be
    loaded or that answers by labels.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        name, _, self._format = name.partition("#")
        self._format = self._format or FORMATS[0]
        if self._format not in FORMATS:
            raise BadConfig(
                f"#{self._format} is no input format of a decontextualizer: write hf:{name} for "
                f"RARR's own, or hf:{name}#sep for that of Choi et al.'s models."
            )
        self._model = RewritingModel(name, device=device, trained_to="decontextualize")

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        """The sentences, rewritten where the model says that it can be done. An answer that is
        unreadable or too long leaves its sentence as it was.
        """
        if not sentences:
            return []
        texts = [self._text(passage.context, sentences, place) for place in range(len(sentences))]
        lengths = self._model.count(sentences)
        standing_alone = list(sentences)
        for place, answer in self._answers(texts, room=max(lengths) + ROOM):
            rewritten = read_answer(answer)
            if rewritten and self._is_near(rewritten, lengths[place]):
                standing_alone[place] = rewritten
        return standing_alone

    def _answers(self, texts: Sequence[str], *, room: int) -> Iterator[tuple[int, str]]:
        """What the model writes about each text, in batches of like length."""
        model, tokenizer = self._model, self._model.tokenizer
        # Every beam is a row of its own.
        counted = [length * BEAMS for length in model.count(texts)]
        for batch in model.batches(counted):
            written = model.write([texts[place] for place in batch], room=room, beams=BEAMS)
            # An opcode in brackets may be a special token: only the marks around are left out.
            marks = [mark for mark in (tokenizer.pad_token, tokenizer.eos_token) if mark]
            for place, ids in zip(batch, written, strict=True):
                answer = tokenizer.decode(ids, skip_special_tokens=False)
                for mark in marks:
                    answer = answer.replace(mark, " ")
                yield place, " ".join(answer.split())

    def _text(self, context: str, sentences: Sequence[str], place: int) -> str:
        """What the model reads of one sentence, shortened where it is too long for it: first
        what comes after the sentence, then the beginning of what comes before."""
        before = " ".join([context, *sentences[:place]]).split()
        after = " ".join(sentences[place + 1 :]).split()
        sentence = " ".join(sentences[place].split())
        while True:
            text = _laid(self._format, " ".join(before), sentence, " ".join(after))
            if not (before or after) or self._model.count([text])[0] < self._model.limit:
                return text
            if after:
                after = after[: len(after) // 2]
            else:
                before = before[len(before) // 4 + 1 :]

    def _is_near(self, rewritten: str, length: int) -> bool:
        return abs(self._model.count([rewritten])[0] - length) <= MOST_TOKENS_APART


def _laid(form: str, before: str, sentence: str, after: str) -> str:
    if form == "sep":
        return " [SEP] ".join(("", "", before, sentence, after))
    text = " ".join(part for part in (before, sentence, after) if part)
    return f"[HEAD] [SEP] {text} [start] {sentence} [end]"


def read_answer(answer: str) -> str:
    """The sentence behind the opcode `done`; "" for the other opcodes, and where there is none.

    >>> read_answer("[done] The hall opened."), read_answer("DONE #### The hall opened.")
    ('The hall opened.', 'The hall opened.')
    >>> read_answer("un #### It opened."), read_answer("The hall opened.")
    ('', '')
    """
    found = _ANSWER.match(answer)
    if found is None or found["code"].lower() != "done":
        return ""
    return found["sentence"].strip()
