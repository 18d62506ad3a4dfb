"""A bounded memory of answers, so that the same pair is never computed twice in a process."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Asked = TypeVar("Asked", bound=Hashable)
Answer = TypeVar("Answer")


class Memory(Generic[Asked, Answer]):
    """The latest `limit` answers; safe for several threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._known: OrderedDict[Asked, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def answers(
        self, asked: Sequence[Asked], compute: Callable[[list[Asked]], Sequence[Answer]]
    ) -> list[Answer]:
        """An answer for each, in order; `compute` gets each unknown one once."""
        found: dict[Asked, Answer] = {}
        with self._lock:
            for each in asked:
                if each in self._known:
                    self._known.move_to_end(each)
                    found[each] = self._known[each]
        unknown = [each for each in dict.fromkeys(asked) if each not in found]
        if unknown:
            new = dict(zip(unknown, compute(unknown), strict=True))
            found.update(new)
            with self._lock:
                self._known.update(new)
                while len(self._known) > self._limit:
                    self._known.popitem(last=False)
        return [found[each] for each in asked]
