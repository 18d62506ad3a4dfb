"""A simulated rater, who claims, judges and submits items as the page's scripts do.

Every click is one PUT of the target's absolute state with the totals of the visit, as
static/js/saving sends it, and leaving a page is one more; a sentence that is not attributable
takes two clicks, so it is saved as attributable first. A rater waits for each answer of the
server, as a person who thinks for longer than that does.
"""

import json
import random
import re
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.load.browser import Browser, HttpFailure, Reply
from tests.load.timings import Timings

PASSAGE = "attributable"
SNIPPET = "useful"
NOT_SHARE = 0.25
"""Sentences that are called not attributable: two clicks."""
RATED_SHARE = 0.4
"""Evidence that is rated at all; it need not be."""
CHANGED_SHARE = 0.05
"""Sentences to which a rater comes back: attributable becomes not, by one more click."""
TWICE_SHARE = 0.02
"""Saves that are sent again as they were, as after an answer that was lost on the way."""
RETRY_SECONDS = 1.0

Key = tuple[int, str, int]
"""(assignment, criterion, target)"""


@dataclass(kw_only=True)
class OpenPage:
    """A task's page, as its script reads it, and the totals of the visit."""

    task: int
    save_address: str
    visit_address: str
    sentences: int
    snippets: int
    sequence: int
    guidelines: int | None
    visit: str = field(default_factory=lambda: str(uuid.uuid4()))
    opened: float = field(default_factory=time.monotonic)
    clicks: int = 0

    @classmethod
    def read(cls, text: str) -> "OpenPage":
        task = _only(r'data-task="(\d+)"', text)
        guidelines = re.search(r'data-guidelines="(\d+)"', text)
        page = cls(
            task=int(task),
            save_address=_only(r'data-save-url="([^"]+)"', text).replace("/0/", f"/{task}/"),
            visit_address=_only(r'data-visit-url="([^"]+)"', text).replace("/0/", f"/{task}/"),
            sentences=len(re.findall(r'id="sentence-\d+"', text)),
            snippets=len(re.findall(r'id="evidence-\d+"', text)),
            sequence=int(_only(r'data-sequence="(\d+)"', text)),
            guidelines=int(guidelines[1]) if guidelines else None,
        )
        if not page.sentences:
            raise HttpFailure(f"task {task} shows no sentence")
        return page

    def totals(self) -> dict[str, object]:
        return {
            "id": self.visit,
            "active_ms": int((time.monotonic() - self.opened) * 1000),
            "idle_ms": 0,
            "clicks": self.clicks,
            "keys": 0,
            "is_active": True,
        }


@dataclass(kw_only=True)
class SimulatedRater:
    url: str
    username: str
    password: str
    campaign: str
    """Its slug."""
    think: float
    """Mean seconds before a click; each wait is drawn between half and one and a half of it."""
    seed: int
    timings: Timings
    acknowledged: dict[Key, tuple[int, int]] = field(default_factory=dict)
    """What the server said is saved: value and sequence."""
    errors: list[str] = field(default_factory=list)
    submitted: int = 0
    end: str = ""
    """What the last page said."""

    def __post_init__(self) -> None:
        self.browser = Browser(url=self.url)
        self.chance = random.Random(self.seed)
        self.sequence = 0

    def log_in(self) -> None:
        self.browser.get("/log-in/")
        reply = self.browser.post_form(
            "/log-in/", login=self.username, password=self.password, next=""
        )
        if reply.status != 302:
            raise HttpFailure(f"{self.username} cannot log in: {reply.status}")
        self.timings.add("log in", reply.seconds)

    def work(self, *, until: float, items: int | None = None) -> None:
        """Judge until nothing is left, `until` (`time.monotonic`), or `items`."""
        try:
            onward = self._claim()
            while time.monotonic() < until and (items is None or self.submitted < items):
                page = self.browser.get(onward.location)
                if "/tasks/next/" in onward.location:
                    self.timings.add("nothing left", onward.seconds + page.seconds)
                    self.end = page.text
                    if "You are done" in self.end:
                        return
                    time.sleep(RETRY_SECONDS)
                    onward = self._claim()
                    continue
                self.timings.add("task page", page.seconds)
                self.timings.add("next task", onward.seconds + page.seconds)
                onward = self.judge(page)
        except (HttpFailure, ValueError) as error:
            self.errors.append(f"{self.username}: {error}")
        finally:
            self.browser.close()

    def _claim(self) -> Reply:
        claim = self.browser.post_form(f"/tasks/next/?campaign={self.campaign}", read="yes")
        if claim.status != 302:
            raise HttpFailure(f"no item is claimed: {claim.status}")
        self.timings.add("claim", claim.seconds)
        return claim

    def judge(self, reply: Reply) -> Reply:
        page = OpenPage.read(reply.text)
        self.sequence = max(self.sequence, page.sequence)
        for criterion, target, value in self._clicks(page):
            self._think()
            self.save(page, criterion, target, value)
        self._think()
        submission = self.browser.post_form(f"/tasks/{page.task}/submit/")
        if submission.status != 302 or submission.location == f"/tasks/{page.task}/":
            where = f"{submission.status} {submission.location}"
            raise HttpFailure(f"task {page.task} was not submitted: {where}")
        self.timings.add("submit", submission.seconds)
        self.submitted += 1
        left = self.browser.put_json(page.visit_address, _plain(page.totals()))
        self.timings.add("leave", left.seconds)
        return submission

    def save(self, page: OpenPage, criterion: str, target: int, value: int) -> None:
        self.sequence = max(self.sequence + 1, time.time_ns() // 1_000_000)
        page.clicks += 1
        change = {
            "criterion": criterion,
            "target": target,
            "value": value,
            "sequence": self.sequence,
        }
        reported = change | {"guidelines": page.guidelines} if page.guidelines else change
        body = _plain({"answers": [reported], "visit": page.totals()})
        for _ in range(2 if self.chance.random() < TWICE_SHARE else 1):
            reply = self.browser.put_json(page.save_address, body)
            self.timings.add("save", reply.seconds)
        saved = json.loads(reply.body)["judgments"]
        if not any(row | change == row for row in saved):
            raise HttpFailure(f"task {page.task}: acknowledged without {change}")
        self.acknowledged[page.task, criterion, target] = (value, self.sequence)

    def _clicks(self, page: OpenPage) -> Iterator[tuple[str, int, int]]:
        again = []
        for target in range(page.sentences):
            yield PASSAGE, target, 1
            if self.chance.random() < NOT_SHARE:
                yield PASSAGE, target, 0
            elif self.chance.random() < CHANGED_SHARE:
                again.append(target)
        for target in range(page.snippets):
            if self.chance.random() < RATED_SHARE:
                yield SNIPPET, target, int(self.chance.random() < 0.5)
        for target in again:
            yield PASSAGE, target, 0

    def _think(self) -> None:
        if self.think:
            time.sleep(self.think * self.chance.uniform(0.5, 1.5))


def _plain(body: object) -> bytes:
    return json.dumps(body, separators=(",", ":")).encode()


def _only(pattern: str, text: str) -> str:
    result = re.search(pattern, text)
    if result is None:
        raise HttpFailure(f"the page has no {pattern}")
    return result[1]
