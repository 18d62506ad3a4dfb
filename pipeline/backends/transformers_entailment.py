"""Entailment by an NLI model of `transformers`.

Sequence classifiers need a label for entailment; sequence-to-sequence models read `premise: …
hypothesis: …` and write "1" or "0" (TRUE, Honovich et al. 2022). The best window of a long premise
counts.
"""

from collections.abc import Sequence
from functools import cached_property

from pipeline.backends.transformers_models import LocalModel
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.types import EntailmentScore

PROMPT = "premise: {} hypothesis: {}"
ENTAILMENT, CONTRADICTION = ("entail", "support"), ("contradict", "refut")
"""Beginnings of label names in NLI and in fact verification."""
ORDER = "contradiction,neutral,entailment"
"""An example of names for labels."""


class TransformersEntailment:
    """NLI(e, s) by a model's name or folder.

    Unnamed labels follow in order: "NAME#contradiction,neutral,entailment". A single label is
    scored by its sigmoid, several by their softmax. Raises `BadConfig` for unsuitable models,
    labels and scores, and for MiniCheck models.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name, _, labels = name.partition("#")
        if self.name.rpartition("/")[2].lower().startswith("minicheck"):
            raise BadConfig(
                f"The model {self.name!r} reads MiniCheck's own format: write "
                f"minicheck:{self.name}."
            )
        self._given = [label.strip() for label in labels.split(",")] if labels.strip() else []
        self._model = LocalModel(self.name, device=device)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]:
        """Return probabilities, 0.0 to 1.0, for each (premise, hypothesis)."""
        if not pairs:
            return []
        if self._model.is_classifier:
            read, around = self._classify, self._model.tokenizer.num_special_tokens_to_add(True)
            _ = self._labels  # refuse other models before their weights load
        else:
            read, around = self._write_one_or_zero, self._model.count([PROMPT])[0] + 2
        scored = self._model.read_in_windows(pairs, read, around=around)
        return [_best(windows) for windows in scored]

    def _classify(self, rows: Sequence[tuple[str, str]]) -> list[EntailmentScore]:
        import torch

        entailed, contradicted = self._labels
        logits = torch.tensor(self._model.classify(rows))
        shares = (logits.sigmoid() if self._is_multi_label else logits.softmax(-1)).tolist()
        return [
            EntailmentScore(
                entailed=row[entailed],
                contradicted=None if contradicted is None else row[contradicted],
            )
            for row in shares
        ]

    def _write_one_or_zero(self, rows: Sequence[tuple[str, str]]) -> list[EntailmentScore]:
        texts = [PROMPT.format(*row) for row in rows]
        return self._model.read_in_batches(texts, self._read_batch)

    def _read_batch(self, texts: Sequence[str]) -> list[EntailmentScore]:
        """Return p("1") over p("1") + p("0")."""
        import torch

        model, device = self._model.model, self._model.device
        inputs = self._model.encode(texts)
        mask = inputs["attention_mask"]
        read = model.get_encoder()(input_ids=inputs["input_ids"], attention_mask=mask)
        start = model.generation_config.decoder_start_token_id
        if start is None:
            start = model.config.decoder_start_token_id
        following: dict[tuple[int, ...], torch.Tensor] = {}

        def log_shares(prefix: tuple[int, ...]) -> torch.Tensor:
            """Return log-probabilities, (texts, vocabulary)."""
            if prefix not in following:
                inputs = torch.tensor([[start, *prefix]] * len(texts), device=device)
                answer = model(encoder_outputs=read, attention_mask=mask, decoder_input_ids=inputs)
                following[prefix] = answer.logits[:, -1].float().log_softmax(-1)
            return following[prefix]

        # T5 has a token for "1" and none for "0", which takes two.
        one, zero = (
            torch.stack([log_shares(ids[:i])[:, ids[i]] for i in range(len(ids))]).sum(0)
            for ids in self._one_and_zero
        )
        return [EntailmentScore(entailed=share) for share in (one - zero).sigmoid().tolist()]

    @property
    def _is_multi_label(self) -> bool:
        """Return whether labels are independent: one label's softmax is always 1.0."""
        config = self._model.config
        return len(config.id2label) == 1 or config.problem_type == "multi_label_classification"

    @cached_property
    def _labels(self) -> tuple[int, int | None]:
        config = self._model.config
        configured = [str(config.id2label[index]) for index in sorted(config.id2label)]
        names = self._given or configured
        if len(names) != len(configured):
            raise BadConfig(
                f"Number of labels of the model {self.name!r}: {len(configured)}; named are "
                f"{len(names)}: {', '.join(names)}."
            )
        if config.problem_type == "regression":
            raise BadConfig(
                f"The model {self.name!r} was trained by regression: its number is not "
                "a probability of entailment. Choose an NLI model."
            )
        entailed = _indices(names, ENTAILMENT)
        if len(entailed) != 1:
            raise BadConfig(
                f"The labels of {self.name!r} are {', '.join(names)}: it is unclear which means "
                "entailment. If its model card explains them, write their meaning in order, as in "
                f"hf:{self.name}#{ORDER} (a single number: #entailment), and check it with "
                "manage.py doctor; else choose an NLI model."
            )
        for beginnings in (ENTAILMENT, CONTRADICTION):
            named = _indices(configured, beginnings)
            if len(named) == 1 and named != _indices(names, beginnings):
                raise BadConfig(
                    f"The model {self.name!r} has the labels {', '.join(configured)}, not "
                    f"{', '.join(names)}: delete these, or correct id2label in its config.json."
                )
        return entailed[0], next(iter(_indices(names, CONTRADICTION)), None)

    @cached_property
    def _one_and_zero(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        tokenizer = self._model.tokenizer
        one, zero = (tuple(tokenizer(t, add_special_tokens=False).input_ids) for t in "10")
        if not one or not zero or one == zero:
            raise BadConfig(
                f'The model {self.name!r} has no words for the answers "1" and "0". Choose an '
                "NLI model."
            )
        return one, zero


def _indices(names: Sequence[str], beginnings: tuple[str, ...]) -> list[int]:
    return [index for index, name in enumerate(names) if name.lower().startswith(beginnings)]


def _best(windows: Sequence[EntailmentScore]) -> EntailmentScore:
    """Return the windows' highest probabilities, in sum at most 1."""
    entailed = max(each.entailed for each in windows)
    against = [each.contradicted for each in windows if each.contradicted is not None]
    return EntailmentScore(
        entailed=entailed, contradicted=min(max(against), 1 - entailed) if against else None
    )
