"""Sentences that stand alone, by a sequence-to-sequence model (appendix B).

Two formats of one family (Choi et al. 2021, a fine-tuned T5):

- RARR's, from appendix B, the default: `[HEAD] [SEP] context and passage [start] sentence [end]`,
  with the reply `[OPCODE] sentence`;
- that of the models that Choi et al. released (notebook of google-research's `language/decontext`),
  for names ending in `#sep`: `page title [SEP] section title [SEP] the text before [SEP] sentence
  [SEP] the text after`, with empty titles and the context before the text; the reply is `OPCODE
  #### sentence`.

The opcodes are done, un (unnecessary) and imp (impossible); with the last two the sentence stays.
As in appendix B, decoding uses 8 beams, and results that differ in length by more than 4 of the
model's tokens are discarded.
"""

import re
from collections.abc import Iterator, Sequence

from pipeline.backends.transformers_models import RewritingModel
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.types import Passage

BEAMS = 8
MAX_TOKEN_DIFFERENCE = 4
EXTRA_TOKENS = 16
"""New tokens beyond the sentence's, for the opcode and for names in place of pronouns."""
FORMATS = ("rarr", "sep")

_ANSWER = re.compile(
    r"\A\s*(?:\[\s*)?(?P<code>done|un(?:necessary)?|imp(?:ossible)?)\b\s*\]?[\s:#]*(?P<sentence>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)


class TransformersDecontextualizer:
    """Rewrites by a model's name or folder, with `#sep` for the released format.

    Raises `BadConfig` for another format and an unsuitable model.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        name, _, self._format = name.partition("#")
        self._format = self._format or FORMATS[0]
        if self._format not in FORMATS:
            raise BadConfig(
                f"#{self._format} is not an input format of a decontextualizer: write hf:{name} "
                f"for RARR's, or hf:{name}#sep for that of Choi et al.'s models."
            )
        self._model = RewritingModel(name, device=device, trained_to="decontextualize")

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        """Rewrite sentences where possible; drop unreadable and long results."""
        if not sentences:
            return []
        texts = [self._text(passage.context, sentences, index) for index in range(len(sentences))]
        lengths = self._model.count(sentences)
        decontextualized = list(sentences)
        for index, answer in self._answers(texts, max_tokens=max(lengths) + EXTRA_TOKENS):
            rewritten = read_answer(answer)
            difference = self._model.count([rewritten])[0] - lengths[index]
            if rewritten and abs(difference) <= MAX_TOKEN_DIFFERENCE:
                decontextualized[index] = rewritten
        return decontextualized

    def _answers(self, texts: Sequence[str], *, max_tokens: int) -> Iterator[tuple[int, str]]:
        model, tokenizer = self._model, self._model.tokenizer
        # Every beam is a row.
        counted = [length * BEAMS for length in model.count(texts)]
        for batch in model.batches(counted):
            chosen = [texts[index] for index in batch]
            written = model.write(chosen, max_tokens=max_tokens, beams=BEAMS)
            # An opcode in brackets may be a special token: only the marks around it go.
            marks = [mark for mark in (tokenizer.pad_token, tokenizer.eos_token) if mark]
            for index, ids in zip(batch, written, strict=True):
                answer = tokenizer.decode(ids, skip_special_tokens=False)
                for mark in marks:
                    answer = answer.replace(mark, " ")
                yield index, " ".join(answer.split())

    def _text(self, context: str, sentences: Sequence[str], index: int) -> str:
        """Format the input, cut first after the sentence, then at the beginning."""
        before = " ".join([context, *sentences[:index]]).split()
        after = " ".join(sentences[index + 1 :]).split()
        sentence = " ".join(sentences[index].split())
        while True:
            text = _format_input(self._format, " ".join(before), sentence, " ".join(after))
            if not (before or after) or self._model.count([text])[0] < self._model.limit:
                return text
            if after:
                after = after[: len(after) // 2]
            else:
                before = before[len(before) // 4 + 1 :]


def _format_input(form: str, before: str, sentence: str, after: str) -> str:
    if form == "sep":
        return " [SEP] ".join(("", "", before, sentence, after))
    text = " ".join(part for part in (before, sentence, after) if part)
    return f"[HEAD] [SEP] {text} [start] {sentence} [end]"


def read_answer(answer: str) -> str:
    """Return the sentence after `done`, or "".

    >>> read_answer("[done] The hall opened."), read_answer("DONE #### The hall opened.")
    ('The hall opened.', 'The hall opened.')
    >>> read_answer("un #### It opened."), read_answer("The hall opened.")
    ('', '')
    """
    match = _ANSWER.match(answer)
    if match is None or match["code"].lower() != "done":
        return ""
    return match["sentence"].strip()
