"""Revision stage by prompt: the agreement gate with its chain of thought (section 3.2)."""

import re
from collections.abc import Sequence

from pipeline.backends.prompted.prompt_rendering import PromptedStep, evidence_line
from pipeline.backends.prompted.repair import Request, ask
from pipeline.backends.prompted.replies import labelled_text, reply_text, without_next_number
from pipeline.backends.prompted.shapes import AGREEMENT
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Verdict

MAX_TOKENS = 384
FORM = 'Reply with one line: "Verdict: agrees", "Verdict: disagrees" or "Verdict: irrelevant".'

_IMPLIES, _SAYS = ("The passage implies", "Passage implies"), ("The evidence says", "Evidence says")
_REASONING, _VERDICT = ("Reasoning",), ("Verdict", "Therefore", "Conclusion")
_LABELS = (*_IMPLIES, *_SAYS, *_REASONING, *_VERDICT)
_RULING = re.compile(
    r"(?:(?:this|it|the evidence)\s+)?(?:is\s+)?(?P<verdict>agrees?|disagrees?|irrelevant)"
    r"(?:\s+(?:with|to)\s+[^.\n]{1,60})?",
    re.IGNORECASE,
)
_IN_PROSE = re.compile(
    r"\bthis\s+(?:is\s+)?(?P<verdict>agrees|disagrees|irrelevant)\s+(?:with|to)\s+what\s+you\s+said",
    re.IGNORECASE,
)


class PromptedAgreement(PromptedStep):
    """Verdicts over any number of (query, evidence) pairs, all in one `complete`."""

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        """Whether y and e imply the same answer to q; raises `UnreadableReply`."""
        (answer,) = self.judge_all(passage=passage, current=current, asked=[(query, evidence)])
        if isinstance(answer, UnreadableReply):
            raise answer
        return answer

    def judge_all(
        self, *, passage: Passage, current: str, asked: Sequence[tuple[Query, Evidence]]
    ) -> Sequence[Agreement | UnreadableReply]:
        """The same of each pair against the same y, in their order."""
        requests = [
            Request(
                prompt=self._prompt_in_context(
                    "agreement",
                    context=passage.context,
                    max_tokens=MAX_TOKENS,
                    passage=current.strip(),
                    query=" ".join(query.text.split()),
                    evidence=evidence_line(evidence),
                ),
                read=read_agreement,
                form=FORM,
                shape=AGREEMENT,
            )
            for query, evidence in asked
        ]
        return [answer for (answer,) in ask(self._model, requests)]


def read_agreement(reply: str) -> Agreement:
    """The verdict of a reply with the reasons for it.

    The verdict stands behind its label and is one of three words, or in the paper's own words,
    "This disagrees with what you said." Raises `UnreadableReply` where there is none, where it
    says anything else ("partly agrees"), and where there are two that differ.
    """
    text = without_next_number(reply_text(reply))
    labelled = labelled_text(text, _VERDICT)
    if labelled is not None:
        line = labelled.splitlines()[0].strip(" .*_`\"'“”") if labelled else ""
        ruling = _RULING.fullmatch(line)
        if ruling is None:
            raise UnreadableReply(
                f"The verdict is {line[:80]!r}, not agrees, disagrees or irrelevant."
            )
        found = {_verdict(ruling["verdict"])}
        # A model that goes on may take its verdict back.
        found |= {_verdict(each["verdict"]) for each in _IN_PROSE.finditer(labelled)}
        again = labelled_text(labelled, _VERDICT)
        if again is not None:
            found |= {_verdict(each["verdict"]) for each in _RULING.finditer(again)}
    else:
        found = {_verdict(each["verdict"]) for each in _IN_PROSE.finditer(text)}
    if not found:
        raise UnreadableReply(
            'There is no line "Verdict: …" with agrees, disagrees or irrelevant in the reply.'
        )
    if len(found) > 1:
        listed = " and ".join(sorted(found))
        raise UnreadableReply(f"The reply has more than one verdict: {listed}.")
    reason, implied, says = (
        labelled_text(text, label, until=_LABELS) for label in (_REASONING, _IMPLIES, _SAYS)
    )
    return Agreement(
        verdict=found.pop(),
        reason=text if reason is None else reason,
        passage_answer=implied or "",
        evidence_answer=says or "",
    )


def _verdict(word: str) -> Verdict:
    word = word.lower()
    if word == "irrelevant":
        return Verdict.IRRELEVANT
    return Verdict.DISAGREES if word.startswith("dis") else Verdict.AGREES
