"""Short answers by an extractive model of `transformers`."""

from collections.abc import Sequence

from pipeline.backends.transformers_models import LocalModel

LONGEST = 15
"""Tokens of an answer, as in the library's pipeline."""


class _Reader(LocalModel):
    task, auto_class = "find answers in a text", "AutoModelForQuestionAnswering"


class TransformersReader:
    """A model trained on SQuAD 2 or similar, by name or folder."""

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name = name
        self._model = _Reader(name, device=device)

    def answer(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """Return the answer in each distinct (question, text), or ""; long texts are cut.

        Raises `BadConfig`.
        """
        return self._model.read_in_batches(pairs, self._read)

    def _read(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        model = self._model
        rows = model.tokenizer(
            [question for question, _ in pairs],
            [text for _, text in pairs],
            padding=True,
            truncation="only_second",
            max_length=model.limit,
            return_tensors="pt",
        )
        output = model.model(**rows.to(model.device))
        starts, ends = output.start_logits.float().tolist(), output.end_logits.float().tolist()
        marks = rows["input_ids"].tolist()
        answers = []
        for row, (_, text) in enumerate(pairs):
            of_text = [at for at, part in enumerate(rows.sequence_ids(row)) if part == 1]
            span = _best_span(starts[row], ends[row], of_text)
            # The first mark means "no answer" in models that know it.
            cls = marks[row].index(model.tokenizer.cls_token_id)
            nothing = starts[row][cls] + ends[row][cls]
            if span is None or nothing > starts[row][span[0]] + ends[row][span[1]]:
                answers.append("")
                continue
            first, last = (rows.token_to_word(row, at) for at in span)
            begin = rows.word_to_chars(row, first, sequence_index=1).start
            end = rows.word_to_chars(row, last, sequence_index=1).end
            answers.append(text[begin:end].strip())
        return answers


def _best_span(
    starts: Sequence[float], ends: Sequence[float], positions: Sequence[int]
) -> tuple[int, int] | None:
    spans = (
        (first, last) for n, first in enumerate(positions) for last in positions[n : n + LONGEST]
    )
    return max(spans, key=lambda span: starts[span[0]] + ends[span[1]], default=None)
