"""`hf:` entailment, against tiny models with random weights that the test itself makes."""

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from pipeline.backends.transformers_local import TransformersEntailment
from pipeline.rarr.types import BadConfig

PAIRS = [
    ("the river runs west " * 9, "the river runs east"),
    ("the river runs west", "the river runs west"),
]
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "the",
    "river",
    "runs",
    "west",
    "east",
    "premise",
    "hypothesis",
    ":",
    "1",
    "0",
]


def make_tokenizer(folder: Path) -> None:
    tokenizer = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]")
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
        model_max_length=32,
    ).save_pretrained(folder)


def make_classifier(folder: Path, labels: list[str]) -> str:
    torch.manual_seed(1)
    make_tokenizer(folder)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


def test_the_label_order_is_read_from_the_models_own_configuration(tmp_path: Path) -> None:
    three = ["contradiction", "ENTAILMENT", "neutral"]
    name = make_classifier(tmp_path, three)
    scores = TransformersEntailment(name).score(PAIRS)

    model = BertForSequenceClassification.from_pretrained(name).eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(name)
    for (premise, claim), score in zip(PAIRS, scores, strict=True):
        inputs = tokenizer(premise, claim, truncation="only_first", return_tensors="pt")
        with torch.inference_mode():
            shares = model(**inputs).logits.softmax(-1)[0]
        assert score.entailed == pytest.approx(float(shares[1]), abs=1e-5)
        assert score.contradicted == pytest.approx(float(shares[0]), abs=1e-5)


def test_a_classifier_without_contradiction_says_that_it_does_not_know(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, ["entailment", "not_entailment"])
    assert TransformersEntailment(name).score(PAIRS)[0].contradicted is None


def test_a_classifier_that_is_no_nli_model_is_refused(tmp_path: Path) -> None:
    name = make_classifier(tmp_path, ["good", "bad"])
    with pytest.raises(BadConfig, match="names entailment"):
        TransformersEntailment(name).score(PAIRS)


def test_a_sequence_to_sequence_model_answers_one_over_one_and_zero(tmp_path: Path) -> None:
    torch.manual_seed(1)
    make_tokenizer(tmp_path)
    config = T5Config(
        vocab_size=len(WORDS), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2,
        decoder_start_token_id=0, pad_token_id=0,
    )  # fmt: skip
    model = T5ForConditionalGeneration(config).eval()
    model.save_pretrained(tmp_path)
    score = TransformersEntailment(str(tmp_path)).score(PAIRS[1:])[0]

    tokenizer = PreTrainedTokenizerFast.from_pretrained(str(tmp_path))
    inputs = tokenizer(
        "premise: the river runs west hypothesis: the river runs west", return_tensors="pt"
    )
    with torch.inference_mode():
        logits = model(
            input_ids=inputs.input_ids,
            attention_mask=inputs.attention_mask,
            decoder_input_ids=torch.tensor([[0]]),
        ).logits[0, 0]
    one, zero = logits[WORDS.index("1")].exp(), logits[WORDS.index("0")].exp()
    assert score.entailed == pytest.approx(float(one / (one + zero)), abs=1e-5)
    assert score.contradicted is None


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="nowhere"):
        TransformersEntailment(str(tmp_path / "nowhere")).score(PAIRS)


def test_nothing_is_loaded_until_a_pair_is_scored(tmp_path: Path) -> None:
    assert TransformersEntailment(str(tmp_path / "nowhere")).name.endswith("nowhere")
