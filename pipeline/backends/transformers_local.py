"""Entailment by any NLI model of the `transformers` library, by name or local path.

Two kinds are read from the model's own configuration: a sequence classifier whose labels name
entailment, and a sequence-to-sequence model that answers "1" or "0" in the format of RARR's
appendix B (TRUE, Honovich et al. 2022).
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pipeline.rarr.ports import Entailed
from pipeline.rarr.types import BadConfig

if TYPE_CHECKING:
    import torch

BATCH = 16


class TransformersEntailment:
    """NLI(e, s) by a local model; loaded on the first use, on a GPU where there is one.

    Raises `BadConfig` when the model cannot be loaded or its labels do not name entailment.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Entailed]:
        """Probabilities, 0.0 to 1.0, one for each (premise, hypothesis), in order."""
        import torch

        # By length, so that a batch pads little; the answers go back in the order asked.
        order = sorted(range(len(pairs)), key=lambda i: sum(map(len, pairs[i])))
        scores: dict[int, Entailed] = {}
        with torch.inference_mode():
            for start in range(0, len(order), BATCH):
                chosen = order[start : start + BATCH]
                batch = self._score_batch([pairs[i] for i in chosen])
                scores.update(zip(chosen, batch, strict=True))
        return [scores[i] for i in range(len(pairs))]

    def _score_batch(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        if self._is_seq2seq:
            return self._ask_for_one_or_zero(pairs)
        inputs = self._encode([premise for premise, _ in pairs], [claim for _, claim in pairs])
        shares = self._model(**inputs).logits.float().softmax(-1)
        entailed, contradicted = self._labels
        return [
            Entailed(
                entailed=float(row[entailed]),
                contradicted=None if contradicted is None else float(row[contradicted]),
            )
            for row in shares
        ]

    def _ask_for_one_or_zero(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        import torch

        inputs = self._encode([f"premise: {p} hypothesis: {h}" for p, h in pairs])
        first = torch.full(
            (len(pairs), 1), self._model.config.decoder_start_token_id, device=self._device
        )
        logits = self._model(**inputs, decoder_input_ids=first).logits[:, 0].float()
        # p("1") over p("1") + p("0"): the model sometimes says neither, a share never does.
        one_or_zero = logits[:, list(self._one_and_zero)].softmax(-1)
        return [Entailed(entailed=float(row[0])) for row in one_or_zero]

    def _encode(self, *texts: list[str]) -> "dict[str, torch.Tensor]":
        limit = min(self._tokenizer.model_max_length, 2048)
        shorten: bool | str = "only_first" if len(texts) == 2 else True
        encoded = self._tokenizer(
            *texts, padding=True, truncation=shorten, max_length=limit, return_tensors="pt"
        )
        return dict(encoded.to(self._device))

    @cached_property
    def _config(self) -> Any:
        from transformers import AutoConfig

        try:
            return AutoConfig.from_pretrained(self.name)
        except (OSError, ValueError) as error:
            raise BadConfig(
                f"The model {self.name!r} cannot be loaded: give a folder that holds it, or the "
                "name of one that this machine can download."
            ) from error

    @cached_property
    def _is_seq2seq(self) -> bool:
        return bool(self._config.is_encoder_decoder)

    @cached_property
    def _device(self) -> str:
        import torch

        return "cuda" if torch.cuda.is_available() else "cpu"

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(self.name)

    @cached_property
    def _model(self) -> Any:
        from transformers import AutoModelForSeq2SeqLM, AutoModelForSequenceClassification

        kind = AutoModelForSeq2SeqLM if self._is_seq2seq else AutoModelForSequenceClassification
        return kind.from_pretrained(self.name).to(self._device).eval()

    @cached_property
    def _labels(self) -> tuple[int, int | None]:
        """Where the classifier's own label list says entailed and contradicted."""
        names = {str(label).lower(): int(i) for i, label in self._config.id2label.items()}
        entailed = [i for label, i in names.items() if label.startswith("entail")]
        contradicted = [i for label, i in names.items() if label.startswith("contradict")]
        if len(entailed) != 1:
            raise BadConfig(
                f"The labels of {self.name!r} are {sorted(names)}: none, or more than one, "
                "names entailment. Choose an NLI model."
            )
        return entailed[0], contradicted[0] if contradicted else None

    @cached_property
    def _one_and_zero(self) -> tuple[int, int]:
        one, zero = (self._tokenizer(t, add_special_tokens=False).input_ids[-1] for t in "10")
        return one, zero
