"""A language model on this machine: tiny ones with random weights, made here."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub import constants
from transformers import AutoConfig, BertModel, GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.language_models.transformers_text import TransformersText
from pipeline.backends.model_revisions import files_stamp
from pipeline.language_model import Prompt
from pipeline.rarr.errors import BadConfig, RefusedPrompt
from tests.support.tiny_models import WORDS, bert_config, make_classifier, make_t5, make_tokenizer


def make_gpt(folder: Path, *, template: str = "") -> str:
    """A GPT-2 that reads 64 tokens; the name to load it by."""
    torch.manual_seed(2)
    make_tokenizer(folder, limit=64)
    if template:
        tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
        tokenizer.chat_template = template
        tokenizer.save_pretrained(folder)
    sizes = {"vocab_size": len(WORDS), "n_positions": 64, "n_embd": 16, "n_layer": 1, "n_head": 2}
    marks = {"bos_token_id": 2, "eos_token_id": 3, "pad_token_id": 0}
    config = GPT2Config(initializer_range=0.7, **sizes, **marks)
    GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


def model(name: str, **options: Any) -> TransformersText:
    return TransformersText(name, options=LlmOptions(device="cpu", **options))


def prompt(text: str, **values: Any) -> Prompt:
    return Prompt(**{"text": text, "max_tokens": 6, **values})


@pytest.fixture
def gpt(tmp_path: Path) -> str:
    return make_gpt(tmp_path / "gpt")


def by_itself(name: str, text: str, count: int) -> str:
    """The answer of `transformers` to one prompt, greedy, unpadded, token by token."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(name)
    lm = GPT2LMHeadModel.from_pretrained(name).eval()
    ids = tokenizer(text).input_ids
    before = len(ids)
    with torch.inference_mode():
        while len(ids) < before + count and (len(ids) == before or ids[-1] != 3):
            ids.append(int(lm(torch.tensor([ids])).logits[0, -1].argmax()))
    return str(tokenizer.decode(ids[before:], skip_special_tokens=True))


def test_a_causal_model_goes_on_with_prompts_of_any_length_in_one_batch(gpt: str) -> None:
    texts = ["the river", "the river runs west : the river runs", "long"]
    replies = model(gpt).ask([prompt(text) for text in texts])
    assert [reply.texts for reply in replies] == [(by_itself(gpt, text, 6),) for text in texts]
    assert [reply.input_tokens for reply in replies] == [4, 10, 3], "with [CLS] and [SEP]"
    assert all(0 < reply.output_tokens <= 6 for reply in replies)
    assert all(reply.error is None for reply in replies)
    (Path(gpt) / "model.safetensors").unlink()
    assert model(gpt).describe() == "causal, reads 64 tokens"


def test_a_sequence_to_sequence_model_answers(tmp_path: Path) -> None:
    lm = make_t5(tmp_path)
    reply = model(str(tmp_path)).ask([prompt("the river runs", max_tokens=4)])[0]
    tokenizer = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    token_ids = [0]
    with torch.inference_mode():
        read = tokenizer("the river runs", return_tensors="pt").input_ids
        for _ in range(4):
            logits = lm(input_ids=read, decoder_input_ids=torch.tensor([token_ids])).logits
            token_ids.append(int(logits[0, -1].argmax()))
    assert reply.texts == (tokenizer.decode(token_ids[1:], skip_special_tokens=True),)


def test_samples_differ_and_are_reproducible(gpt: str) -> None:
    sampled = prompt("the river", samples=4, temperature=1.5, max_tokens=8)
    alone = model(gpt).ask([sampled])[0].texts
    neighbour = model(gpt).ask([prompt("west"), sampled, prompt("east")])[1].texts
    assert alone == neighbour
    assert len(set(alone)) > 1
    later = model(gpt).ask([sampled], first=[4])[0].texts
    assert later != alone, "the samples that were known are drawn again"
    # Sampling leaves the global random state.
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    model(gpt).ask([prompt("the", temperature=1.0)])
    assert torch.equal(torch.rand(1), expected)


def test_a_stop_string_ends_the_answer_and_saves_the_rest(gpt: str) -> None:
    whole = model(gpt).ask([prompt("the river", max_tokens=40)])[0]
    words = whole.texts[0].split()
    stop = f" {words[2]}"
    cut = model(gpt).ask([prompt("the river", max_tokens=40, stop=(stop,))])[0]
    assert cut.texts[0] == whole.texts[0][: whole.texts[0].index(stop)]
    assert cut.output_tokens < whole.output_tokens


def test_a_chat_template_frames_the_prompt_except_for_completions(tmp_path: Path) -> None:
    template = "{% for m in messages %}west : {{ m.content }} . {% endfor %}east :"
    name = make_gpt(tmp_path, template=template)
    chat = model(name).ask([prompt("the river")])[0]
    raw = model(name, api="completions").ask([prompt("the river")])[0]
    assert (chat.input_tokens, raw.input_tokens) == (7, 4)
    assert "with its chat template" in model(name).describe()
    assert model(name).identity != model(name, api="completions").identity


WHOLE = "{{ m.role }} : {{ m.content }} . "
# Gemma's raises, others drop the message without a word.
RAISING = "{% if m.role == 'system' %}{{ raise_exception('not supported') }}{% endif %}" + WHOLE
DROPPING = "{% if m.role == 'user' %}" + WHOLE + "{% endif %}"


@pytest.mark.parametrize(
    ("message", "framed"),
    [
        (WHOLE, "system : long . user : the river . east :"),
        (RAISING, "user : long\n\nthe river . east :"),
        (DROPPING, "user : long\n\nthe river . east :"),
    ],
)
def test_a_system_message_is_sent_either_way(tmp_path: Path, message: str, framed: str) -> None:
    template = "{% for m in messages %}" + message + "{% endfor %}east :"
    name = make_gpt(tmp_path / "chat", template=template)
    bare = make_gpt(tmp_path / "bare", template="{{ messages[0].content }}")
    with_system = model(name).ask([prompt("the river", system="long")])[0]
    as_one = model(bare).ask([prompt(framed)])[0]
    assert (with_system.texts, with_system.input_tokens) == (as_one.texts, as_one.input_tokens)
    # Without a chat template it begins the prompt.
    gpt = make_gpt(tmp_path / "gpt")
    with_system = model(gpt).ask([prompt("the river", system="long")])[0]
    as_one = model(gpt).ask([prompt("long\n\nthe river")])[0]
    assert (with_system.texts, with_system.input_tokens) == (as_one.texts, as_one.input_tokens)


def test_a_prompt_that_is_too_long_is_refused_and_the_others_answered(gpt: str) -> None:
    replies = model(gpt).ask([prompt("the " * 61), prompt("the river")])
    assert isinstance(replies[0].error, RefusedPrompt)
    assert "61 tokens" in str(replies[0].error)
    assert "RARR_PROMPTS" in str(replies[0].error)
    assert replies[1].error is None


def test_a_model_that_writes_nothing_is_refused(tmp_path: Path) -> None:
    name = make_classifier(tmp_path / "labels", ["a", "b"])
    with pytest.raises(BadConfig, match="is a classifier"):
        model(name).describe()
    make_tokenizer(tmp_path / "bare")
    BertModel(bert_config()).save_pretrained(tmp_path / "bare")
    reply = model(str(tmp_path / "bare")).ask([prompt("the")])[0]
    assert isinstance(reply.error, BadConfig)
    assert "not trained to write" in str(reply.error)
    gone = model(str(tmp_path / "nowhere")).ask([prompt("the")])[0].error
    assert isinstance(gone, BadConfig)
    assert "nowhere" in str(gone)


def test_a_folder_that_changed_is_another_model(gpt: str, tmp_path: Path) -> None:
    before = files_stamp(Path(gpt))
    assert files_stamp(Path(gpt)) == before
    (Path(gpt) / "config.json").write_text("{}")
    assert files_stamp(Path(gpt)) != before
    assert files_stamp(tmp_path / "some/name") == ""


def test_identity_by_commit(gpt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = "a1" * 20
    cache = tmp_path / "hub"
    folder = cache / "models--lab--gpt"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    source = model("lab/gpt")
    assert source.identity["files"] == "", "nothing was downloaded yet"
    requests: list[str] = []

    def download(name: str, **given: object) -> object:
        requests.append(name)
        shutil.copytree(gpt, folder / "snapshots" / commit)
        (folder / "refs").mkdir()
        (folder / "refs" / "main").write_text(commit)
        return AutoConfig.for_model("gpt2")

    monkeypatch.setattr(AutoConfig, "from_pretrained", download)
    source.prepare()
    source.prepare()
    assert requests == ["lab/gpt"], "before the first prompt, and once"
    assert source.identity["files"] == f"commit {commit}"
