"""A language model as judge of entailment, by prompt (section 2.1's NLI).

It replies with the verdict only: its first token's probability is then the model's own, unlike that
after a chain of thought.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Event

from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.repair import Request, ask
from pipeline.backends.prompted.verdicts import LABEL, Verdicts
from pipeline.language_model import LanguageModel, Token
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import EntailmentScore
from pipeline.replies.cleaning import reply_text

MAX_TOKENS = 256
"""Far more than a verdict: a custom prompt may ask for reasons first."""
FORM = 'Reply with one line: "Verdict: supports", "Verdict: contradicts" or "Verdict: neither".'
TEMPERATURE = 1.0
"""Of several samples: the shares of verdicts then estimate the probabilities of their tokens."""
SUPPORTS, CONTRADICTS, NEITHER = "supports", "contradicts", "neither"
YES, NO = "yes", "no"
"""Verdicts of published checkers without contradiction, such as Bespoke-MiniCheck."""
FAMILIES = ((SUPPORTS, CONTRADICTS, NEITHER), (YES, NO))
MAX_DISPLAYED = 80
"""Characters of a text in an error."""

_SPELLINGS = {
    SUPPORTS: "support(?:s|ed|ing)?|entail(?:s|ed|ment)?",
    CONTRADICTS: "contradict(?:s|ed|ion|ory|ing)?|refute[sd]?",
    NEITHER: r"neither(?: (?:support|entail|confirm)\w* n?or (?:contradict|refute|den)\w*)?"
    r"|(?:does not|doesn['’]t) (?:support|confirm) n?or (?:contradict|refute|deny)|neutral"
    r"|not enough (?:info|information|evidence)|insufficient evidence"
    "|unrelated|irrelevant",
    YES: "yes",
    NO: r"no(?=[^\w\n]*(?:$|[.,;:!–—(\n]))",
}
_VERDICTS = Verdicts(
    words=_SPELLINGS,
    compatible=frozenset(
        map(frozenset, [(YES, SUPPORTS), (NO, CONTRADICTS), (NO, NEITHER), (NEITHER, NO)])
    ),
    named="supports, contradicts or neither",
)
_BEGINNINGS = {
    SUPPORTS: ("supports", "supported", "supporting", "entails", "entailed", "entailment"),
    CONTRADICTS: (
        "contradicts",
        "contradicted",
        "contradiction",
        "contradictory",
        "refutes",
        "refuted",
    ),
    NEITHER: ("neither", "neutral", "not enough", "insufficient", "unrelated", "irrelevant"),
    YES: (YES,),
    NO: (NO,),
}
"""Each verdict's words, whose beginnings may be tokens."""
_WORD = "|".join(f"(?P<{verdict}>{words})" for verdict, words in _SPELLINGS.items())
_LABELLED = re.compile(rf"\b(?:{LABEL})[\s\"'*_`:]*(?:{_WORD})\b", re.IGNORECASE)
_BARE = re.compile(rf"[\s\"'*_`#]*(?:{_WORD})\b", re.IGNORECASE)
_AROUND = " \t\n\r.,*_`\"'“”:{}▁Ġ"
"""Characters around a verdict or within its token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedReply:
    verdict: str
    """A verdict of `FAMILIES`."""
    probabilities: tuple[tuple[str, float], ...] | None = None
    """The probability of each verdict by its first token, in sum 1; () where no token begins the
    verdict, None without log-probabilities."""


class PromptedEntailment(PromptedStep):
    """NLI(e, s) by a language model, all pairs in one `complete`.

    A probability is that of the verdict's token among all verdicts. Without log-probabilities it is
    a share of `samples` verdicts drawn at `TEMPERATURE`; of a single one it is 0 or 1.
    """

    def __init__(self, *, model: LanguageModel, prompts: Prompts, samples: int = 5) -> None:
        super().__init__(model=model, prompts=prompts)
        self._samples = samples
        self._without_logprobs = Event()
        """Shared by all works: a server without log-probabilities is not asked for them again."""

    @property
    def has_logprobs(self) -> bool:
        """Return whether the server has sent log-probabilities each time."""
        return not self._without_logprobs.is_set()

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]:
        """Return probabilities, 0.0 to 1.0, for each (premise, hypothesis), in order.

        Judges distinct pairs once. Raises `UnreadableReply` for a pair without a readable verdict;
        the other verdicts stay in the cache.
        """
        pending = list(dict.fromkeys(pairs))
        known: dict[tuple[str, str], EntailmentScore] = {}
        if self.has_logprobs or self._samples == 1:
            single = self._judge(pending, samples=1)
            for pair, judged in zip(pending, single, strict=True):
                if judged[0].probabilities or self._samples == 1:
                    known[pair] = _entailed(judged)
            if pending and all(judged[0].probabilities is None for judged in single):
                self._without_logprobs.set()
            pending = [pair for pair in pending if pair not in known]
        if pending:
            sampled = self._judge(pending, samples=self._samples)
            known |= {pair: _entailed(each) for pair, each in zip(pending, sampled, strict=True)}
        return [known[pair] for pair in pairs]

    def _judge(self, pairs: Sequence[tuple[str, str]], *, samples: int) -> list[list[JudgedReply]]:
        answers = ask(self._model, [self._request(*pair, samples=samples) for pair in pairs])
        readable = [[each for each in some if isinstance(each, JudgedReply)] for some in answers]
        for (_, sentence), some, judged in zip(pairs, answers, readable, strict=True):
            if not judged and isinstance(problem := some[0], UnreadableReply):
                raise UnreadableReply(
                    f"The judge's verdict on the sentence {sentence[:MAX_DISPLAYED]!r} cannot be "
                    f"read. {problem}",
                    reply=problem.reply,
                )
        return readable

    def _request(self, premise: str, hypothesis: str, *, samples: int) -> Request[JudgedReply]:
        prompt = self._prompt(
            "entailment",
            max_tokens=MAX_TOKENS,
            samples=samples,
            temperature=TEMPERATURE if samples > 1 else 0.0,
            evidence=" ".join(premise.split()),
            sentence=" ".join(hypothesis.split()),
        )
        return Request(
            prompt=replace(prompt, wants_tokens=samples == 1),
            read=read_verdict,
            form=FORM,
            apply_logprobs=apply_logprobs,
        )


def read_verdict(reply: str) -> JudgedReply:
    """Read the verdict behind its label, alone, or in a sentence.

    Raises `UnreadableReply` for none ("partly supports", "does not support") and for two different
    ones.
    """
    return JudgedReply(verdict=_VERDICTS.read(reply_text(reply)))


def apply_logprobs(judged: JudgedReply, tokens: Sequence[Token]) -> JudgedReply:
    """Add the probabilities of all verdicts at the verdict's first token, if any."""
    family = next(some for some in FAMILIES if judged.verdict in some)
    weights = dict.fromkeys(family, 0.0)
    for name, chance in _at_verdict(tokens):
        begun = name.strip(_AROUND).lower()
        for verdict in family:
            if begun and any(word.startswith(begun) for word in _BEGINNINGS[verdict]):
                weights[verdict] += math.exp(chance)
                break
    total = math.fsum(weights.values())
    if not weights[judged.verdict]:
        return replace(judged, probabilities=())
    probabilities = tuple((verdict, weight / total) for verdict, weight in weights.items())
    return replace(judged, probabilities=probabilities)


def _at_verdict(tokens: Sequence[Token]) -> tuple[tuple[str, float], ...]:
    text = "".join(token.text for token in tokens)
    # The last one: a reply may discuss verdicts first.
    match = max(_LABELLED.finditer(text), key=re.Match.start, default=None) or _BARE.match(text)
    if match is None:
        return ()
    end = 0
    for token in tokens:
        end += len(token.text)
        if match.start(str(match.lastgroup)) < end:
            return token.alternatives
    return ()


def _entailed(judged: Sequence[JudgedReply]) -> EntailmentScore:
    shares = [dict(each.probabilities or ()) or {each.verdict: 1.0} for each in judged]

    def share(*verdicts: str) -> float:
        return math.fsum(each.get(verdict, 0.0) for each in shares for verdict in verdicts) / len(
            shares
        )

    knows_contradiction = all(each.verdict in FAMILIES[0] for each in judged)
    return EntailmentScore(
        entailed=share(SUPPORTS, YES),
        contradicted=share(CONTRADICTS) if knows_contradiction else None,
    )
