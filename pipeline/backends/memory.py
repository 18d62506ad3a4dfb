"""A bounded, thread-safe cache of computed answers."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class Memory(Generic[Key, Answer]):
    """The latest answers, at most `limit` together by `weigh` (default: 1 each), at least one."""

    def __init__(self, limit: int, *, weigh: Callable[[Answer], int] = lambda _: 1) -> None:
        self._limit = limit
        self._weigh = weigh
        self._weight = 0
        self._known: OrderedDict[Key, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def answers(
        self, keys: Sequence[Key], compute: Callable[[list[Key]], Sequence[Answer]]
    ) -> list[Answer]:
        """Return an answer for each key; `compute` gets unknown ones once."""
        answers_by_key: dict[Key, Answer] = {}
        with self._lock:
            for each in keys:
                if each in self._known:
                    self._known.move_to_end(each)
                    answers_by_key[each] = self._known[each]
        unknown = [each for each in dict.fromkeys(keys) if each not in answers_by_key]
        if unknown:
            new = dict(zip(unknown, compute(unknown), strict=True))
            answers_by_key.update(new)
            with self._lock:
                for each, answer in new.items():
                    if each not in self._known:  # another thread may have added it
                        self._known[each] = answer
                        self._weight += self._weigh(answer)
                while self._weight > self._limit and len(self._known) > 1:
                    self._weight -= self._weigh(self._known.popitem(last=False)[1])
        return [answers_by_key[each] for each in keys]
