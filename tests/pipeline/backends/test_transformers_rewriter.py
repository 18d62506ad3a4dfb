"""EFEC's editor by name, with a model of a few words."""

from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer

from pipeline.backends.transformers_rewriter import TransformersRewriter, text_for
from pipeline.rarr.types import Evidence, Passage
from tests.support.tiny_models import WORDS, make_t5

PASSAGE = Passage(id="1", text="the river runs west .")


def evidence(text: str, title: str = "river") -> Evidence:
    return Evidence(text=text, title=title, url="", document_id="d", query="", relevance=1.0)


def test_the_model_reads_the_claim_and_then_all_evidence() -> None:
    result = text_for(PASSAGE, [evidence("the river runs east ."), evidence("long", "the river")])
    assert result == (
        "claim: the river runs west . evidence: title: river context: the river runs east . "
        "### title: the river context: long"
    )


def test_the_text_is_what_the_model_writes(tmp_path: Path) -> None:
    model = make_t5(tmp_path)
    for parameter in model.parameters():  # as it is made it ends at once, without a word
        torch.nn.init.normal_(parameter, std=0.7)
    model.save_pretrained(tmp_path)
    tokens = AutoTokenizer.from_pretrained(tmp_path)
    snippets = [evidence("the river runs east .")]
    read = tokens(text_for(PASSAGE, snippets), return_tensors="pt")
    written = model.generate(
        input_ids=read.input_ids, attention_mask=read.attention_mask, do_sample=False,
        max_new_tokens=42,
    )  # fmt: skip
    result = TransformersRewriter(str(tmp_path), device="cpu").rewrite(
        passage=PASSAGE, evidence=snippets
    )
    assert result.text == tokens.decode(written[0], skip_special_tokens=True)
    assert result.text.strip()


def test_the_mark_of_an_answer_is_excluded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [*WORDS, "correction"]
    model = make_t5(tmp_path, words=words)
    written = torch.tensor([[0, words.index("correction"), words.index(":"), words.index("east")]])
    monkeypatch.setattr(type(model), "generate", lambda self, **given: written)
    rewriter = TransformersRewriter(str(tmp_path), device="cpu")
    result = rewriter.rewrite(passage=PASSAGE, evidence=[evidence("x")]).text
    assert result == "east"
