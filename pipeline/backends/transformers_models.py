"""Models of `transformers` by name or folder; their errors become `BadConfig`."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.backends.model_loading import loading
from pipeline.rarr.errors import BadConfig
from pipeline.text.sentences import split_sentences
from pipeline.text.windows import windows

if TYPE_CHECKING:
    import torch

R = TypeVar("R", str, tuple[str, str])
"""A row: one text or two."""
T = TypeVar("T")
Count = Callable[[Sequence[str]], list[int]]
"""Return the number of tokens of each text."""
OVERLAP = 4
"""Windows overlap by up to 1/OVERLAP: the sentence before often explains a pronoun."""

MOST_TOKENS = 2048
"""The longest row, even for a larger model: attention grows with its square."""
BATCH_TOKENS = 8192
BATCH_ROWS = 64
"""A batch ends at either; padding counts."""
LARGE = 2_000_000_000
"""Larger models are loaded in bfloat16, which halves their memory, as in ALCE's program."""
ROUNDED = 16
"""Space for the other text grows in these steps: sentences about one premise mostly share windows.
"""
HEAD = re.compile(
    r"^(classifier|classification_head|pre_classifier|score|logits_proj|lm_head|cls|embed_out|qa_outputs)\b"
)
"""Layers that turn an encoder into a classifier or a reader, or a model into a writer."""


class LocalModel:
    """A model with its tokenizer on a device, loaded on first use.

    Every attribute but `name` may raise `BadConfig`.
    """

    task = "classify"
    """A verb for errors."""
    auto_class = ""
    """The library's class; "" for one that fits `is_classifier`."""

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name = name
        self._wanted_device = device

    @cached_property
    def config(self) -> Any:
        from transformers import AutoConfig

        with self._plain_errors():
            return AutoConfig.from_pretrained(self.name)

    @cached_property
    def is_classifier(self) -> bool:
        built = " ".join(self.config.architectures or ())
        # BART's NLI models are encoder-decoders and classifiers.
        return "ForSequenceClassification" in built or not self.config.is_encoder_decoder

    @cached_property
    def device(self) -> "torch.device":
        from pipeline.backends.devices import chosen_device

        return chosen_device(self._wanted_device)

    @cached_property
    def kind(self) -> Any:
        import transformers

        fitting = "SequenceClassification" if self.is_classifier else "Seq2SeqLM"
        return getattr(transformers, self.auto_class or f"AutoModelFor{fitting}")

    @cached_property
    def tokenizer(self) -> Any:
        """It can pad."""
        from transformers import AutoTokenizer

        with self._plain_errors():
            tokenizer = AutoTokenizer.from_pretrained(self.name)
        if tokenizer.pad_token is None:
            if tokenizer.eos_token is None:
                raise BadConfig(
                    f"The tokenizer of {self.name!r} has no padding token: set pad_token in its "
                    "tokenizer_config.json."
                )
            tokenizer.pad_token = tokenizer.eos_token
        return tokenizer

    @cached_property
    @loading()
    def model(self) -> Any:
        import torch

        kind = self.kind
        with self._plain_errors():
            with torch.device("meta"):
                size = sum(each.numel() for each in kind.from_config(self.config).parameters())
            model, loading = kind.from_pretrained(
                self.name,
                dtype=torch.bfloat16 if size > LARGE else torch.float32,
                output_loading_info=True,
            )
        untrained = sorted(key for key in loading["missing_keys"] if HEAD.match(key))
        if untrained:
            raise BadConfig(
                f"The model {self.name!r} is not trained to {self.task}: its files hold no "
                f"{untrained[0]}. Choose one that is."
            )
        if model.config.pad_token_id is None:
            model.config.pad_token_id = self.tokenizer.pad_token_id
        try:
            return model.to(self.device).eval()
        except torch.OutOfMemoryError as error:
            memory = size * model.dtype.itemsize / 1e9
            raise BadConfig(
                f"The model {self.name!r} needs about {memory:.0f} GB on the GPU, and less is "
                "free: use a larger GPU, a smaller model, or the CPU."
            ) from error

    @cached_property
    def limit(self) -> int:
        """The most tokens of a row."""
        positions = getattr(self.config, "max_position_embeddings", None) or MOST_TOKENS
        # RoBERTa counts positions from 2, so two are missing.
        return int(min(self.tokenizer.model_max_length, max(positions - 2, 4), MOST_TOKENS))

    def count(self, texts: Sequence[str]) -> list[int]:
        """Count each text's tokens, without marks."""
        if not texts:
            return []
        encoded = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)
        return [len(ids) for ids in encoded.input_ids]

    def read_in_windows(
        self,
        pairs: Sequence[tuple[str, str]],
        read: Callable[[Sequence[tuple[str, str]]], Sequence[T]],
        *,
        around: int,
    ) -> list[list[T]]:
        """Apply `read` to each distinct (long, short) pair in windows of the long text.

        `around` counts a row's other tokens. A short text leaves the long one a quarter of the row
        at least.
        """
        distinct = list(dict.fromkeys(pairs))
        texts = list(dict.fromkeys(text for pair in distinct for text in pair))
        sizes = dict(zip(texts, self.count(texts), strict=True))
        free = self.limit - around

        @cache
        def in_windows(long: str, max_tokens: int) -> list[str]:
            return token_windows(long, max_tokens=max_tokens, count=self.count)

        rows: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for long, short in distinct:
            parts = [long]
            if sizes[long] + sizes[short] > free:
                max_tokens = max(free - sizes[short] // ROUNDED * ROUNDED - ROUNDED, free // 4, 1)
                parts = in_windows(long, max_tokens)
            rows[long, short] = [(part, short) for part in parts]
        answers = iter(read([row for some in rows.values() for row in some]))
        known = {pair: [next(answers) for _ in some] for pair, some in rows.items()}
        return [known[pair] for pair in pairs]

    def encode(self, *texts: Sequence[str], **options: Any) -> "dict[str, torch.Tensor]":
        """Return padded rows of one text or two; `options` are the tokenizer's."""
        encoded = self.tokenizer(
            *map(list, texts),
            padding=True,
            truncation=True,  # the longer one; windows usually fit
            max_length=self.limit,
            return_tensors="pt",
            **options,
        )
        return dict(encoded.to(self.device))

    def batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        """Group indices of similar length."""
        batch: list[int] = []
        for index in sorted(range(len(lengths)), key=lengths.__getitem__):
            if batch and (
                len(batch) == BATCH_ROWS or (len(batch) + 1) * lengths[index] > BATCH_TOKENS
            ):
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch

    def read_in_batches(
        self, rows: Sequence[R], read: Callable[[Sequence[R]], Sequence[T]]
    ) -> list[T]:
        """Apply `read` to each distinct row."""
        import torch

        distinct = list(dict.fromkeys(rows))
        lengths = self.count([row if isinstance(row, str) else "\n".join(row) for row in distinct])
        known: dict[R, T] = {}
        with torch.inference_mode():
            for batch in self.batches(lengths):
                chosen = [distinct[index] for index in batch]
                known.update(zip(chosen, read(chosen), strict=True))
        return [known[row] for row in rows]

    def classify(self, rows: Sequence[tuple[str, str]]) -> list[list[float]]:
        """Return logits, one per label, of each distinct pair."""

        def logits(some: Sequence[tuple[str, str]]) -> list[list[float]]:
            answer = self.model(**self.encode(*zip(*some, strict=True)))
            logits: list[list[float]] = answer.logits.float().tolist()
            return logits

        return self.read_in_batches(rows, logits)

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        try:
            yield
        except BadConfig:
            raise
        # transformers and its libraries raise anything, KeyError included.
        except Exception as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise BadConfig(
                f"The model {self.name!r} cannot be loaded: give its folder or a name that this "
                "machine can download, of a model that transformers supports; some tokenizers need "
                f"`.venv/bin/pip install sentencepiece protobuf`. ({reason[:300]})"
            ) from error


class RewritingModel(LocalModel):
    """A sequence-to-sequence model that is `trained_to` edit."""

    def __init__(self, name: str, *, device: str = "auto", trained_to: str) -> None:
        super().__init__(name, device=device)
        self._trained_to = trained_to

    @cached_property
    def kind(self) -> Any:
        if self.is_classifier:
            raise BadConfig(
                f"The model {self.name!r} is a classifier: choose a sequence-to-sequence model "
                f"that was trained to {self._trained_to}."
            )
        return super().kind

    def write(self, texts: Sequence[str], *, max_tokens: int, beams: int) -> "torch.Tensor":
        """Return replies of at most `max_tokens`, without sampling."""
        import torch

        inputs = self.encode(texts)
        with torch.inference_mode():
            written: torch.Tensor = self.model.generate(
                **{name: inputs[name] for name in ("input_ids", "attention_mask")},
                max_new_tokens=max_tokens,
                num_beams=beams,
                do_sample=False,
            )
        return written


def token_windows(text: str, *, max_tokens: int, count: Count) -> list[str]:
    """Split a text into windows of at most `max_tokens`.

    A short first line, such as a title, starts every window. Longer sentences are cut between
    words.

    >>> token_windows("One two. Three four. Five six.", max_tokens=4, count=lambda some: [
    ...     len(each.split()) for each in some])
    ['One two. Three four.', 'Five six.']
    """
    if count([text])[0] <= max_tokens:
        return [text]
    head, body = _head(text, max_tokens=max_tokens, count=count)
    body_tokens = max(1, max_tokens - (count([head])[0] if head else 0))
    pieces = _pieces(body, max_tokens=body_tokens, count=count)
    sizes = count([body[start:end] for start, end in pieces])
    return [
        head + body[pieces[first][0] : pieces[last - 1][1]]
        for first, last in windows(sizes, room=body_tokens, overlap=body_tokens // OVERLAP)
    ] or [text]


def _head(text: str, *, max_tokens: int, count: Count) -> tuple[str, str]:
    line, broken, rest = text.partition("\n")
    if broken and line.strip() and rest.strip() and count([line])[0] * OVERLAP <= max_tokens:
        return line + broken, rest
    return "", text


def _pieces(text: str, *, max_tokens: int, count: Count) -> list[tuple[int, int]]:
    waiting = [(each.start, each.end) for each in split_sentences(text)][::-1]
    lengths = dict(zip(waiting, count([text[a:b] for a, b in waiting]), strict=True))
    spans = []
    while waiting:
        start, end = span = waiting.pop()
        if span not in lengths:
            lengths[span] = count([text[start:end]])[0]
        if lengths[span] <= max_tokens or end - start < 2:
            spans.append(span)
            continue
        middle = (start + end) // 2
        space = text.rfind(" ", start + 1, middle)
        cut = space if space > start else middle
        waiting += [(cut, end), (start, cut)]
    return spans
