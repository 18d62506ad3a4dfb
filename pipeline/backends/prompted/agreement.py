"""The agreement gate with its chain of thought, by prompt (section 3.2)."""

from pipeline.backends.prompted.prompt_rendering import PromptedStep, evidence_line
from pipeline.backends.prompted.repair import Request, ask_one
from pipeline.backends.prompted.verdicts import LABEL, Verdicts
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Verdict
from pipeline.replies.cleaning import reply_text
from pipeline.replies.labels import labelled_parts
from pipeline.replies.markup import without_markup

MAX_TOKENS = 384
FORM = 'Reply with one line: "Verdict: agrees", "Verdict: disagrees" or "Verdict: irrelevant".'

_VERDICTS = Verdicts(
    words={
        "disagrees": r"(?:does not|doesn['’]t|do not|don['’]t|not) agree|no agreement"
        "|disagree(?:s|d|ment|ing)?"
        r"|contradict(?:s|ed|ion|ory|ing)?|conflict(?:s|ing)?|refute[sd]?|inconsistent",
        "irrelevant": r"irrelevant|not relevant|unrelated|not related|not applicable"
        r"|(?:does not|doesn['’]t) answer",
        "agrees": r"agree(?:s|d|ment|ing)?|no disagreement|supports?|supported|confirms?"
        "|consistent",
    },
    named="agrees, disagrees or irrelevant",
)
_PARTS = {
    "implies": r"(?:(?:what )?the )?passage(?:['’]s)? (?:implies|says|states|answer)",
    "says": r"(?:(?:what )?the )?evidence(?:['’]s)? (?:says|implies|states|answer)",
    "reasoning": r"reasoning|reasons?|explanation|rationale|comparison|justification",
}


class PromptedAgreement(PromptedStep):
    """The verdict on one (query, evidence) pair."""

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        """Return whether y and e imply the same answer to q; raises `UnreadableReply`."""
        prompt = self._prompt(
            "agreement",
            context=passage.context,
            max_tokens=MAX_TOKENS,
            passage=current.strip(),
            query=" ".join(query.text.split()),
            evidence=evidence_line(evidence),
        )
        return ask_one(self._model, Request(prompt=prompt, read=read_agreement, form=FORM))


def read_agreement(reply: str) -> Agreement:
    """Read a verdict and its reasons, by label or in the paper's words ("This disagrees …").

    Raises `UnreadableReply` for no verdict ("partly agrees") and for two different ones.
    """
    text = reply_text(reply)
    verdict = Verdict(_VERDICTS.read(text, _PARTS))
    parts = [
        (name, without_markup(part))
        for name, part in labelled_parts(text, {"verdict": LABEL}, _PARTS)
        if part
    ]
    by_name = dict(reversed(parts))
    return Agreement(
        verdict=verdict,
        reason=by_name.get("reasoning", text),
        passage_answer=by_name.get("implies", ""),
        evidence_answer=by_name.get("says", ""),
    )
