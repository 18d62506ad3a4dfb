"""Language models of `transformers` on this machine, by name or folder.

Causal or sequence-to-sequence. Samples are seeded by the prompt: the same machine and versions
repeat them.
"""

import hashlib
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.backends.language_models.accounted import Reply
from pipeline.backends.language_models.completions import cut_at
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.model_revisions import files_stamp, revision_of
from pipeline.backends.transformers_models import LocalModel
from pipeline.language_model import Prompt
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt, TransientError

if TYPE_CHECKING:
    import torch

TAIL = 8
"""Tokens decoded beyond the longest stop string: each has a character or more."""
PROBE = "Reply in plain words."
"""A system message to test a chat template with."""


class WritingModel(LocalModel):
    task = "write"

    @cached_property
    def kind(self) -> Any:
        from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

        built = " ".join(self.config.architectures or ())
        if "ForSequenceClassification" in built:
            raise BadConfig(
                f"The model {self.name!r} is a classifier: choose a model that writes text."
            )
        return AutoModelForSeq2SeqLM if self.config.is_encoder_decoder else AutoModelForCausalLM

    @cached_property
    def tokenizer(self) -> Any:
        tokenizer = super().tokenizer
        if not self.config.is_encoder_decoder:
            tokenizer.padding_side = "left"  # the reply follows the prompt
        return tokenizer

    @cached_property
    def max_input_tokens(self) -> int | None:
        """The most tokens of a prompt, and of a causal model's reply; None for no limit."""
        positions = getattr(self.config, "max_position_embeddings", None)
        known = [n for n in (positions, self.tokenizer.model_max_length) if n and n < 10**9]
        return int(min(known)) if known else None


class TransformersText:
    """A local `ModelBackend` with a chat template, unless RARR_LLM_API is "completions"."""

    def __init__(self, model: str, *, options: LlmOptions) -> None:
        self.name = f"hf:{model}"
        self.options = options
        self._model = WritingModel(model, device=options.device)
        self._lock = threading.Lock()
        self._files = ""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Complete after `prepare` for a model by name."""
        if not self._files:
            self._files = files_stamp(Path(self._model.name)) or revision_of(self._model.name)
        return {
            "backend": "hf",
            "model": self._model.name,
            "api": self.options.api,
            "files": self._files,
        }

    def describe(self) -> str:
        """Describe the model without its weights; raises `BadConfig`."""
        how = "sequence-to-sequence" if "Seq2Seq" in self._model.kind.__name__ else "causal"
        most = self._model.max_input_tokens
        templated = ", with its chat template" if self._is_chat else ""
        return f"{how}{templated}, reads {f'{most:,}' if most else 'any number of'} tokens"

    def prepare(self) -> None:
        if not self.identity["files"]:
            _ = self._model.config

    def ask(self, prompts: Sequence[Prompt], *, first: Sequence[int] = ()) -> Sequence[Reply]:
        replies: dict[int, Reply] = {}
        with self._lock:  # one at a time: two would halve each other's memory
            try:
                for indices in self._batches(prompts, replies):
                    start = first[indices[0]] if first else 0
                    replies |= self._answer(indices, [prompts[i] for i in indices], first=start)
            except RarrError as error:
                for index in range(len(prompts)):
                    replies.setdefault(index, Reply(error=error))
        return [replies[index] for index in range(len(prompts))]

    def _batches(
        self, prompts: Sequence[Prompt], replies: dict[int, Reply]
    ) -> Sequence[Sequence[int]]:
        groups: dict[Any, list[int]] = {}
        lengths = self._model.count([prompt.joined for prompt in prompts])
        most = self._model.max_input_tokens
        for index, prompt in enumerate(prompts):
            reserved = 0 if self._model.config.is_encoder_decoder else prompt.max_tokens
            if most and lengths[index] + reserved > most:
                replies[index] = Reply(
                    error=RefusedPrompt(
                        f"A prompt has {lengths[index]:,} tokens, and {self._model.name!r} reads "
                        f"{most:,} with its answer: choose a model that reads more, or shorter "
                        "prompts (RARR_PROMPTS)."
                    ),
                    requests=0,
                    attempts=0,
                )
            elif prompt.temperature > 0:
                groups[index] = [index]  # alone, so that its seed decides
            else:
                groups.setdefault((prompt.max_tokens, prompt.stop), []).append(index)
        return [
            [indices[i] for i in batch]
            for indices in groups.values()
            for batch in self._model.batches([lengths[i] + prompts[i].max_tokens for i in indices])
        ]

    def _answer(
        self, indices: Sequence[int], prompts: Sequence[Prompt], *, first: int
    ) -> dict[int, Reply]:
        import torch

        begun = time.perf_counter()
        try:
            texts, read, written = self._write(prompts, first=first)
        except torch.OutOfMemoryError:
            raise TransientError(
                f"The memory is too small for {self._model.name!r} and its prompts: use a "
                "larger GPU, a smaller model, or fewer workers."
            ) from None
        seconds = (time.perf_counter() - begun) / len(prompts)
        samples = prompts[0].samples
        return {
            index: Reply(
                texts=tuple(texts[row : row + samples]),
                input_tokens=read[row],
                output_tokens=sum(written[row : row + samples]),
                seconds=seconds,
            )
            for index, row in zip(indices, range(0, len(texts), samples), strict=True)
        }

    def _write(
        self, prompts: Sequence[Prompt], *, first: int
    ) -> tuple[list[str], list[int], list[int]]:
        """Return the text, the tokens read and those written of each sample.

        Several prompts have one sample each, at temperature 0.
        """
        import torch

        prompt, model, tokenizer = prompts[0], self._model.model, self._model.tokenizer
        inputs = tokenizer(
            [self._framed(each) for each in prompts],
            padding=True,
            add_special_tokens=not self._is_chat,
            return_tensors="pt",
        ).to(self._model.device)
        tensors = {name: inputs[name] for name in ("input_ids", "attention_mask")}
        before = 1 if self._model.config.is_encoder_decoder else tensors["input_ids"].shape[1]
        samples = prompt.temperature > 0
        devices = [self._model.device] if self._model.device.type == "cuda" else []
        with torch.inference_mode(), torch.random.fork_rng(devices=devices):
            seed = f"{first}\0{prompt.temperature}\0{prompt.joined}".encode()
            torch.manual_seed(int.from_bytes(hashlib.sha256(seed).digest()[:6]))
            written = model.generate(
                **tensors,
                max_new_tokens=prompt.max_tokens,
                do_sample=samples,
                # Not the model's default sampling.
                temperature=prompt.temperature if samples else None,
                top_k=0 if samples else None,
                top_p=prompt.top_p if samples else None,
                num_beams=1,
                num_return_sequences=prompt.samples,
                pad_token_id=tokenizer.pad_token_id,
                stopping_criteria=[_StopStrings(tokenizer, prompt.stop, before)]
                if prompt.stop
                else None,
            )[:, before:]
        read = tensors["attention_mask"].sum(1).repeat_interleave(prompt.samples).tolist()
        texts = tokenizer.batch_decode(written, skip_special_tokens=True)
        counts = (written != tokenizer.pad_token_id).sum(1).tolist()
        return [cut_at(text, prompt.stop) for text in texts], read, counts

    @property
    def _is_chat(self) -> bool:
        return self.options.api == "chat" and bool(self._model.tokenizer.chat_template)

    @cached_property
    def _has_system_role(self) -> bool:
        from jinja2 import TemplateError

        try:
            return PROBE in self._templated(user=PROBE[::-1], system=PROBE)
        except TemplateError:  # for a role that the template lacks
            return False

    def _framed(self, prompt: Prompt) -> str:
        if not self._is_chat:
            return prompt.joined
        if prompt.system and self._has_system_role:
            return self._templated(user=prompt.text, system=prompt.system)
        return self._templated(user=prompt.joined)

    def _templated(self, *, user: str, system: str = "") -> str:
        messages = [{"role": "system", "content": system}] if system else []
        framed: str = self._model.tokenizer.apply_chat_template(
            [*messages, {"role": "user", "content": user}],
            tokenize=False,
            add_generation_prompt=True,
        )
        return framed


class _StopStrings:
    """Stops at stop strings; the library's criterion first reads the vocabulary for seconds."""

    def __init__(self, tokenizer: Any, stop: Sequence[str], before: int) -> None:
        self._tokenizer, self._stop, self._before = tokenizer, stop, before
        self._tail = max(map(len, stop)) + TAIL

    def __call__(self, input_ids: "torch.Tensor", scores: object, **kwargs: Any) -> "torch.Tensor":
        import torch

        tails = input_ids[:, max(self._before, input_ids.shape[1] - self._tail) :]
        texts = self._tokenizer.batch_decode(tails, skip_special_tokens=True)
        ended = [any(each in text for each in self._stop) for text in texts]
        return torch.tensor(ended, device=input_ids.device)
