"""Simulated raters in threads, after a baseline of one."""

import resource
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.load.browser import HttpFailure
from tests.load.filling import PASSWORD
from tests.load.rater import Key, SimulatedRater
from tests.load.timings import Timings

LOG_INS_AT_ONCE = 4
"""Argon2 takes a core each; raters of a lab do not come in the same second."""


@dataclass(kw_only=True)
class Outcome:
    timings: Timings
    raters: list[SimulatedRater]
    seconds: float
    client_cpu: float
    errors: list[str] = field(default_factory=list)

    @property
    def acknowledged(self) -> dict[Key, tuple[int, int]]:
        return {
            key: message for rater in self.raters for key, message in rater.acknowledged.items()
        }

    @property
    def submitted(self) -> int:
        return sum(rater.submitted for rater in self.raters)

    @property
    def requests(self) -> int:
        counted = ("claim", "task page", "save", "submit", "leave", "nothing left")
        return sum(len(self.timings.of(name)) for name in counted)


def simulated(
    names: Sequence[str], *, url: str, campaign: str, think: float, timings: Timings
) -> list[SimulatedRater]:
    return [
        SimulatedRater(
            url=url,
            username=name,
            password=PASSWORD,
            campaign=campaign,
            think=think,
            seed=seed,
            timings=timings,
        )
        for seed, name in enumerate(names)
    ]


def judge_together(
    raters: Sequence[SimulatedRater], *, minutes: float, items: int | None = None
) -> Outcome:
    gate = threading.Semaphore(LOG_INS_AT_ONCE)
    start = threading.Barrier(len(raters) + 1)
    until = 0.0

    def live(rater: SimulatedRater) -> None:
        try:
            with gate:
                rater.log_in()
        except HttpFailure as error:
            rater.errors.append(f"{rater.username}: {error}")
        start.wait()
        if not rater.errors:
            # Not all in the same millisecond: nobody clicks in step.
            time.sleep(rater.chance.random() * rater.think)
            rater.work(until=until, items=items)

    threads = [threading.Thread(target=live, args=(rater,)) for rater in raters]
    for thread in threads:
        thread.start()
    # Set before the barrier opens, so each thread sees it.
    while start.n_waiting < len(raters):
        time.sleep(0.05)
    until = time.monotonic() + minutes * 60
    begun, cpu = time.perf_counter(), _cpu_seconds()
    start.wait()
    for thread in threads:
        thread.join()
    return Outcome(
        timings=raters[0].timings,
        raters=list(raters),
        seconds=time.perf_counter() - begun,
        client_cpu=_cpu_seconds() - cpu,
        errors=[error for rater in raters for error in rater.errors],
    )


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
