"""The reader's weights as a `transformers` BERT, which `readers.py` compares with the reader.

What users get who take the same weights to the library's own pipeline: float32, one pair
`[CLS] premise [SEP] [CLS] hypothesis [SEP]` at a time, the mask of three dimensions, the places
and the match marks made in `forward`.
"""

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertModel,
    BertPreTrainedModel,
    PreTrainedTokenizerFast,
    TextClassificationPipeline,
)
from transformers.modeling_outputs import SequenceClassifierOutput
from transformers.utils.logging import CRITICAL, set_verbosity

from pipeline.backends.compact.reader.layout import (
    CLS,
    HYPOTHESIS_TOKENS,
    MASK,
    PAD,
    PREMISE_TOKENS,
    SEP,
    matches_of,
)
from pipeline.backends.compact.reader.network import NLI_LABELS, NetworkConfig


def config_of(shape: NetworkConfig) -> BertConfig:
    return BertConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        max_position_embeddings=shape.positions,
        layer_norm_eps=shape.epsilon,
        type_vocab_size=2,
        id2label=dict(enumerate(NLI_LABELS)),
        label2id={label: number for number, label in enumerate(NLI_LABELS)},
    )


class BertReader(BertPreTrainedModel):
    """The reader's trunk and its NLI head on the library's own BERT; one pair a row."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.matched = nn.Embedding(4, config.hidden_size)
        self.pooled = nn.Linear(config.hidden_size, config.hidden_size)
        self.nli = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def forward(
        self, input_ids: Tensor, token_type_ids: Tensor, attention_mask: Tensor, **_: Any
    ) -> SequenceClassifierOutput:
        firsts = token_type_ids.argmax(1)
        hidden = self.states(input_ids, token_type_ids, attention_mask, firsts)
        pooled = nn.functional.gelu(self.pooled(hidden[torch.arange(len(hidden)), firsts]))
        return SequenceClassifierOutput(logits=self.nli(pooled))

    def states(
        self, input_ids: Tensor, token_type_ids: Tensor, attention_mask: Tensor, firsts: Tensor
    ) -> Tensor:
        """The last hidden states, (B, L, width); `firsts` is where the hypotheses begin."""
        places = torch.arange(input_ids.shape[1])[None, :]
        positions = places - firsts[:, None] * token_type_ids
        matches = torch.zeros_like(input_ids)
        for row, (ids, kinds) in enumerate(zip(input_ids, token_type_ids, strict=True)):
            premise = ids[1 : firsts[row] - 1].tolist()
            asked = (kinds == 1).nonzero().flatten()[1:-1]
            matches[row, asked] = torch.tensor(matches_of(premise, ids[asked].tolist())).long()
        # A premise token sees the premise; a hypothesis token sees all of the row.
        mine, theirs = token_type_ids[:, :, None], token_type_ids[:, None, :]
        allowed = (theirs <= mine) & (attention_mask[:, None, :] > 0)
        embedded = self.bert.embeddings.word_embeddings(input_ids) + self.matched(matches)
        found = self.bert(
            inputs_embeds=embedded,
            position_ids=positions,
            token_type_ids=token_type_ids,
            attention_mask=allowed[:, None],
        )
        hidden: Tensor = found.last_hidden_state
        return hidden


def bert_of(state: dict[str, Tensor], shape: NetworkConfig) -> BertReader:
    """The same weights under the library's names."""
    model = BertReader(config_of(shape)).eval()
    model.load_state_dict(dict(_renamed(state, shape)))
    return model


def _renamed(state: dict[str, Tensor], shape: NetworkConfig) -> Any:
    for name in ("matched.weight", "pooled.weight", "pooled.bias", "nli.weight", "nli.bias"):
        yield name, state[name]
    for theirs, ours in (
        ("word_embeddings", "words"), ("position_embeddings", "places"),
        ("token_type_embeddings", "kinds"),
    ):  # fmt: skip
        yield f"bert.embeddings.{theirs}.weight", state[f"{ours}.weight"]
    for part in ("weight", "bias"):
        yield f"bert.embeddings.LayerNorm.{part}", state[f"norm.{part}"]
        for number in range(shape.layers):
            layer, own = f"bert.encoder.layer.{number}.", f"layers.{number}."
            mixed = state[f"{own}mixed.{part}"].chunk(3)
            for name, weight in zip(("query", "key", "value"), mixed, strict=True):
                yield f"{layer}attention.self.{name}.{part}", weight
            for theirs, ours in (
                ("attention.output.dense", "out"), ("attention.output.LayerNorm", "out_norm"),
                ("intermediate.dense", "inner"), ("output.dense", "outer"),
                ("output.LayerNorm", "outer_norm"),
            ):  # fmt: skip
                yield f"{layer}{theirs}.{part}", state[f"{own}{ours}.{part}"]


def tokenizer_of(path: Path) -> PreTrainedTokenizerFast:
    """The reader's tokenizer, which lays a pair out as the reader does."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] [CLS]:1 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    made = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]", pad_token="[PAD]",
        unk_token="[UNK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        model_max_length=PREMISE_TOKENS + HYPOTHESIS_TOKENS + 4,
    )  # fmt: skip
    assert made.convert_tokens_to_ids(["[PAD]", "[CLS]", "[SEP]", "[MASK]"]) == [
        PAD, CLS, SEP, MASK,
    ]  # fmt: skip
    return made


def pipeline_of(
    state: dict[str, Tensor], shape: NetworkConfig, path: Path
) -> TextClassificationPipeline:
    # The pipeline knows the library's own classes by name and says so of any other.
    set_verbosity(CRITICAL)
    return TextClassificationPipeline(
        model=bert_of(state, shape), tokenizer=tokenizer_of(path), device=torch.device("cpu")
    )
