"""EFEC's editor by name, with a model of a few words."""

from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer

from pipeline.backends.transformers_rewriter import TransformersRewriter, text_for
from pipeline.rarr.types import Passage
from tests.support.rarr_fakes import evidence
from tests.support.tiny_models import WORDS, make_t5

PASSAGE = Passage(id="1", text="the river runs west .")
EAST = evidence("the river runs east .", title="river")


def test_the_model_reads_the_claim_and_then_all_evidence() -> None:
    assert text_for(PASSAGE, [EAST, evidence("long", title="the river")]) == (
        "claim: the river runs west . evidence: title: river context: the river runs east . "
        "### title: the river context: long"
    )


def test_the_text_is_what_the_model_writes(tmp_path: Path) -> None:
    model = make_t5(tmp_path)
    for parameter in model.parameters():  # as it is made it ends at once, without a word
        torch.nn.init.normal_(parameter, std=0.7)
    model.save_pretrained(tmp_path)
    tokens = AutoTokenizer.from_pretrained(tmp_path)
    read = tokens(text_for(PASSAGE, [EAST]), return_tensors="pt")
    written = model.generate(read.input_ids, do_sample=False, max_new_tokens=42)
    rewriter = TransformersRewriter(str(tmp_path), device="cpu")
    text = rewriter.rewrite(passage=PASSAGE, evidence=[EAST]).text
    assert text == tokens.decode(written[0], skip_special_tokens=True)
    assert text.strip()


def test_the_mark_of_an_answer_is_excluded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [*WORDS, "correction"]
    model = make_t5(tmp_path, words=words)
    written = torch.tensor([[0, words.index("correction"), words.index(":"), words.index("east")]])
    monkeypatch.setattr(type(model), "generate", lambda self, **given: written)
    rewriter = TransformersRewriter(str(tmp_path), device="cpu")
    assert rewriter.rewrite(passage=PASSAGE, evidence=[EAST]).text == "east"
