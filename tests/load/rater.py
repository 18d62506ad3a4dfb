"""A simulated rater: asks for the next task, clicks through it as the page's script does, hands in.

Every click is one PUT of the target's absolute state, as static/js/attribution/saver.js sends it;
a sentence that is not attributable takes two clicks, so it is saved as attributable first. A rater
waits for each answer of the server, as a person who thinks for longer than that does.
"""

import json
import random
import re
import time
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
LOOK_AGAIN_SECONDS = 1.0

Key = tuple[int, str, int]
"""(assignment, criterion, target)"""


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
            "/log-in/", username=self.username, password=self.password, next=""
        )
        if reply.status != 302:
            raise HttpFailure(f"{self.username} cannot log in: {reply.status}")
        self.timings.add("log in", reply.seconds)

    def work(self, *, until: float, items: int | None = None) -> None:
        """Judge until nothing is left, `until` (by `time.monotonic`), or so many `items`."""
        try:
            while time.monotonic() < until and (items is None or self.submitted < items):
                page = self.next_task()
                if page is None:
                    if "Look again" not in self.end:
                        return
                    time.sleep(LOOK_AGAIN_SECONDS)
                    continue
                self.judge(page)
        except (HttpFailure, ValueError) as error:
            self.errors.append(f"{self.username}: {error}")
        finally:
            self.browser.close()

    def next_task(self) -> Reply | None:
        """The task page, by way of the claim; None where there is nothing to judge."""
        claim = self.browser.get(f"/tasks/next/?campaign={self.campaign}")
        if claim.status != 302:
            self.end = claim.text
            self.timings.add("nothing left", claim.seconds)
            return None
        page = self.browser.get(claim.location)
        self.timings.add("claim", claim.seconds)
        self.timings.add("task page", page.seconds)
        self.timings.add("next task", claim.seconds + page.seconds)
        return page

    def judge(self, page: Reply) -> None:
        """Every click of one item, then the submission."""
        text = page.text
        task = int(_only(r'data-task="(\d+)"', text))
        address = _only(r'data-judgments-url="([^"]+)"', text).replace("/0/", f"/{task}/")
        sentences = len(re.findall(r'id="sentence-\d+"', text))
        snippets = len(re.findall(r'id="evidence-\d+"', text))
        if not sentences:
            raise HttpFailure(f"task {task} shows no sentence")
        self.sequence = max(self.sequence, int(_only(r'data-sequence="(\d+)"', text)))
        for criterion, target, value in self._clicks(sentences, snippets):
            self._think()
            self.save(address, task, criterion, target, value)
        self._think()
        reply = self.browser.post_form(f"/tasks/{task}/submit/")
        if reply.status != 302 or "/tasks/next/" not in reply.location:
            raise HttpFailure(f"task {task} was not handed in: {reply.status} {reply.location}")
        self.timings.add("submit", reply.seconds)
        self.submitted += 1

    def save(self, address: str, task: int, criterion: str, target: int, value: int) -> None:
        self.sequence = max(self.sequence + 1, time.time_ns() // 1_000_000)
        change = {
            "criterion": criterion,
            "target": target,
            "value": value,
            "sequence": self.sequence,
        }
        body = json.dumps([change], separators=(",", ":")).encode()
        for _ in range(2 if self.chance.random() < TWICE_SHARE else 1):
            reply = self.browser.put_json(address, body)
            self.timings.add("save", reply.seconds)
        saved = json.loads(reply.body)["judgments"]
        if not any(row | change == row for row in saved):
            raise HttpFailure(f"task {task}: acknowledged without {change}")
        self.acknowledged[task, criterion, target] = (value, self.sequence)

    def _clicks(self, sentences: int, snippets: int) -> Iterator[tuple[str, int, int]]:
        again = []
        for target in range(sentences):
            yield PASSAGE, target, 1
            if self.chance.random() < NOT_SHARE:
                yield PASSAGE, target, 0
            elif self.chance.random() < CHANGED_SHARE:
                again.append(target)
        for target in range(snippets):
            if self.chance.random() < RATED_SHARE:
                yield SNIPPET, target, int(self.chance.random() < 0.5)
        for target in again:
            yield PASSAGE, target, 0

    def _think(self) -> None:
        if self.think:
            time.sleep(self.think * self.chance.uniform(0.5, 1.5))


def _only(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise HttpFailure(f"the page has no {pattern}")
    return found[1]
