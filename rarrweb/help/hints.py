"""Two sentences about each page: what it is, and where the documents say more."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from rarrweb.help.documents import INDEX, document_url


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    text: str
    document: str
    anchor: str = ""

    @property
    def url(self) -> str:
        return document_url(self.document) + (f"#{self.anchor}" if self.anchor else "")

    @property
    def words(self) -> str:
        return self.text


ANY = Hint(
    text=(
        "rarrweb finds evidence for what a language model wrote, revises what the evidence "
        "contradicts, and lets people judge the result. The documents explain every part."
    ),
    document=INDEX,
)
_DATASET = Hint(
    text=(
        "A dataset is a set of passages that a language model wrote, each with its context. "
        "Runs revise them, campaigns let people judge them."
    ),
    document="formats",
    anchor="passages",
)
_CORPUS = Hint(
    text=(
        "A corpus is the documents in which runs look for evidence. It is indexed once, and again "
        "when documents are added."
    ),
    document="formats",
    anchor="corpora",
)
_RUN = Hint(
    text=(
        "A run is one system with one frozen configuration over one dataset: it asks questions "
        "about each passage, finds evidence and edits what the evidence contradicts. A passage "
        "that fails says why and can be retried."
    ),
    document="systems",
)
_REVISION = Hint(
    text=(
        "The original beside the revision, sentence by sentence, with every query, verdict and "
        "edit. The marks are auto-AIS, a model's estimate; people's judgments stand in campaigns."
    ),
    document="systems",
)
_COMPARE = Hint(
    text=(
        "Runs side by side on the passages that all of them have finished. Intervals are 95 % "
        "(Student’s t over passages)."
    ),
    document="systems",
)
_PASSAGES = Hint(
    text=(
        "One passage as several runs revised it. Marks are auto-AIS, a model's estimate; what "
        "raters say stands beside them. The keys [ and ] go to the passage before and after."
    ),
    document="comparing",
)
_MODEL = Hint(
    text=(
        "What the shipped models were trained on, what was measured of them, and where they fail. "
        "Every figure has its number of cases and its interval."
    ),
    document="model-card",
)
_PROMPTS = Hint(
    text=(
        "What a language model is asked at each step, and what a passage makes of it. A folder of "
        "your own (RARR_PROMPTS) replaces them."
    ),
    document="prompts",
)
_CAMPAIGN = Hint(
    text=(
        "A campaign shows items to raters under one questionnaire. Texts, sentences and evidence "
        "are frozen at the start, and raters do not see which system made what."
    ),
    document="campaigns",
)
_RATERS = Hint(
    text=(
        "Add people who have an account, or send links to those who have none. A link can be "
        "withdrawn; what somebody judged stays."
    ),
    document="crowds",
)
_GUIDELINES = Hint(
    text=(
        "The instructions that raters read, in versions. A judgment remembers the version that "
        "its rater had read."
    ),
    document="instructions-and-questions",
)
_QUESTIONS = Hint(
    text=(
        "Raters ask about an item, researchers answer, and a published answer is for all raters. "
        "Nobody sees who asked."
    ),
    document="instructions-and-questions",
)
_CHECKS = Hint(
    text=(
        "Training items teach before the work begins; gold items among the others check while it "
        "goes on. Their answers count for neither results nor datasets."
    ),
    document="training-and-gold",
)
_RESULTS = Hint(
    text=(
        "What raters said, with the number of cases and the 95 % interval of every figure. "
        "Reliability says how far raters agree with each other."
    ),
    document="reliability",
)
_EXPORT = Hint(
    text=(
        "The judgments as files, each with a manifest of counts, configuration and checksums. "
        "Late work and answers that were taken back do not count."
    ),
    document="export",
)
_ADJUDICATE = Hint(
    text=(
        "Items on which raters differ, to be settled by one person. The settled answer counts in "
        "place of the majority; the raters' answers stay."
    ),
    document="reliability",
)
_TASK = Hint(
    text=(
        "One item to judge. Every answer is saved as you give it, and the page says so; the key ? "
        "lists all keys."
    ),
    document="questionnaires",
)
_OWN = Hint(
    text=(
        "What you have in hand and what you have submitted. A submitted item can still be changed "
        "while its campaign is open."
    ),
    document="nothing-is-lost",
)
_API = Hint(
    text=(
        "Programs do over the REST API what researchers do on the pages. Each carries a token, "
        "which can do what its owner can do."
    ),
    document="api",
)
_PEOPLE = Hint(
    text=(
        "Researchers lead runs and campaigns, members judge what they are invited to, "
        "administrators also invite people. A deactivated account keeps its work."
    ),
    document="crowds",
)

OF_VIEWS = {
    **dict.fromkeys(("datasets", "new-dataset", "dataset", "dataset-runs", "delete-dataset",
                     "add-passages", "passage", "upload"), _DATASET),
    **dict.fromkeys(("corpora", "new-corpus", "corpus", "search-corpus", "corpus-runs",
                     "delete-corpus", "add-documents", "document"), _CORPUS),
    **dict.fromkeys(("runs", "new-run", "run", "run-cost", "run-configuration", "delete-run",
                     "run-revisions"), _RUN),
    **dict.fromkeys(("revision", "shared-revision", "try", "trial", "shared-trial"), _REVISION),
    "compare": _COMPARE,
    **dict.fromkeys(("compare-passages", "compare-passage"), _PASSAGES),
    "model": _MODEL,
    **dict.fromkeys(("prompts", "prompt"), _PROMPTS),
    **dict.fromkeys(("campaigns", "new-campaign", "campaign", "edit-draft", "preview", "move-on",
                     "delete-campaign", "work", "items",
                     "campaign-settings"), _CAMPAIGN),
    **dict.fromkeys(("raters", "add-raters", "invitations", "crowd", "participants", "forget-ids",
                     "consent", "edit-consent"), _RATERS),
    **dict.fromkeys(("guidelines", "edit-guidelines", "guidelines-history",
                     "guidelines-version"), _GUIDELINES),
    **dict.fromkeys(("questions", "comments", "thread"), _QUESTIONS),
    **dict.fromkeys(("checks", "right-answers", "training", "feedback"), _CHECKS),
    **dict.fromkeys(("results", "joined-results", "reliability", "differences"), _RESULTS),
    "export": _EXPORT,
    **dict.fromkeys(("adjudications", "adjudicate"), _ADJUDICATE),
    **dict.fromkeys(("task", "next-task"), _TASK),
    "own-items": _OWN,
    **dict.fromkeys(("tokens", "docs"), _API),
    **dict.fromkeys(("people", "invite", "password-link", "account"), _PEOPLE),
}  # fmt: skip
"""By the name of the address, without its app."""


def hint_of(request: HttpRequest) -> Hint:
    """The hint of the page that a request asked for; a general one where none was written."""
    match = request.resolver_match
    return OF_VIEWS.get((match.url_name or "") if match else "", ANY)


def hint(request: HttpRequest) -> dict[str, Any]:
    """For templates: `hint`."""
    return {"hint": SimpleLazyObject(lambda: hint_of(request))}
