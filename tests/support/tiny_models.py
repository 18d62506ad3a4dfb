"""`transformers` models with random weights and few words."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    AutoModelForSequenceClassification,
    BertConfig,
    BertForSequenceClassification,
    DebertaV2Config,
    DebertaV2ForSequenceClassification,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
RIVER = ["the", "river", "runs", "west", "east", "north", "long"]
WORDS = [*MARKS, *RIVER, "premise", "hypothesis", ":", ".", "1", "0"]
SIZES = {
    "vocab_size": len(WORDS),
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 66,
    # Larger than the models' 0.02, or all texts would get nearly the same score.
    "initializer_range": 0.7,
}


def make_tokenizer(
    folder: Path, *, words: list[str] = WORDS, limit: int = 32, end: str = "[SEP]"
) -> None:
    """A word is a token; a pair is [CLS] a [SEP] b [SEP]; a text ends with `end`."""
    tokenizer = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        eos_token=end,
        model_max_length=limit,
    ).save_pretrained(folder)


def numbered(labels: list[str]) -> dict[str, Any]:
    numbers = {label: i for i, label in enumerate(labels)}
    return {"id2label": dict(enumerate(labels)), "label2id": numbers}


def bert_config(labels: list[str] | None = None, **values: Any) -> BertConfig:
    return BertConfig(**SIZES, **(numbered(labels) if labels is not None else {}), **values)


def make_classifier(folder: Path, labels: list[str] | None = None, **values: Any) -> str:
    """Save a BERT classifier; return its name."""
    torch.manual_seed(1)
    make_tokenizer(folder)
    BertForSequenceClassification(bert_config(labels, **values)).save_pretrained(folder)
    return str(folder)


def make_deberta(folder: Path, labels: list[str]) -> str:
    """Save a DeBERTa-v3 classifier, which knows word order; return its name."""
    torch.manual_seed(1)
    make_tokenizer(folder)
    relative = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8}
    relative |= {"position_biased_input": False, "share_att_key": True, "type_vocab_size": 0}
    config = DebertaV2Config(**SIZES, **relative, norm_rel_ebd="layer_norm", **numbered(labels))
    DebertaV2ForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


def make_t5(folder: Path, *, words: list[str] = WORDS) -> T5ForConditionalGeneration:
    torch.manual_seed(1)
    make_tokenizer(folder, words=words, limit=10**30)
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    config = T5Config(vocab_size=len(words), decoder_start_token_id=0, pad_token_id=0, **sizes)
    model = T5ForConditionalGeneration(config).eval()
    model.save_pretrained(folder)
    return model


def logits_of(folder: str, *texts: str) -> torch.Tensor:
    """What `transformers` itself gives for one text or pair, unpadded."""
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    inputs = PreTrainedTokenizerFast.from_pretrained(folder)(*texts, return_tensors="pt")
    with torch.inference_mode():
        logits: torch.Tensor = model(**inputs).logits[0]
    return logits


def shares_of(folder: str, *texts: str) -> list[float]:
    shares: list[float] = logits_of(folder, *texts).softmax(-1).tolist()
    return shares


def make_t5_with_gap(
    folder: Path, *, words: list[str]
) -> tuple[T5ForConditionalGeneration, list[str]]:
    """A T5 that writes "1" in one token and "0" in two, like the published ones."""
    words = [word for word in words if word != "0"] + ["▁", "0"]
    model = make_t5(folder, words=words)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["normalizer"] = {"type": "Replace", "pattern": {"Regex": "^0$"}, "content": "▁ 0"}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return model, words


def ask_t5(
    model: T5ForConditionalGeneration, folder: Path, text: str, message: Sequence[int] = ()
) -> list[float]:
    inputs = PreTrainedTokenizerFast.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        logits = model(
            input_ids=inputs.input_ids,
            attention_mask=inputs.attention_mask,
            decoder_input_ids=torch.tensor([[0, *message]]),
        ).logits[0, -1]
    shares: list[float] = logits.softmax(-1).tolist()
    return shares
