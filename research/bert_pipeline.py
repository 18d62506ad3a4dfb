"""The reader's weights in the `transformers` library's own pipeline, which `readers.py` times."""

from pathlib import Path

import torch
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing
from torch import Tensor
from transformers import PreTrainedTokenizerFast, TextClassificationPipeline
from transformers.utils.logging import CRITICAL, set_verbosity

from pipeline.backends.compact.reader.layout import (
    CLS,
    HYPOTHESIS_TOKENS,
    MASK,
    PAD,
    PREMISE_TOKENS,
    SEP,
)
from pipeline.backends.compact.reader.network import Shape
from tests.pipeline.backends.compact.reader.reader_as_bert import bert_of


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


def pipeline_of(state: dict[str, Tensor], shape: Shape, path: Path) -> TextClassificationPipeline:
    # The pipeline knows the library's own classes by name and says so of any other.
    set_verbosity(CRITICAL)
    return TextClassificationPipeline(
        model=bert_of(state, shape), tokenizer=tokenizer_of(path), device=torch.device("cpu")
    )
