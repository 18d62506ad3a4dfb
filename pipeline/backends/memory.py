"""A bounded, thread-safe memory of computed results."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Asked = TypeVar("Asked", bound=Hashable)
Answer = TypeVar("Answer")


class Memory(Generic[Asked, Answer]):
    """The latest results of at most `limit` together, as `weigh` counts them (default: 1 each).

    The latest result stays whatever it weighs.
    """

    def __init__(self, limit: int, *, weigh: Callable[[Answer], int] = lambda _: 1) -> None:
        self._limit = limit
        self._weigh = weigh
        self._held = 0
        self._known: OrderedDict[Asked, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def answers(
        self, asked: Sequence[Asked], compute: Callable[[list[Asked]], Sequence[Answer]]
    ) -> list[Answer]:
        """Return a result for each, in order; `compute` gets each unknown one once."""
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
                for each, answer in new.items():
                    if each not in self._known:  # another thread may have added it
                        self._known[each] = answer
                        self._held += self._weigh(answer)
                while self._held > self._limit and len(self._known) > 1:
                    self._held -= self._weigh(self._known.popitem(last=False)[1])
        return [found[each] for each in asked]
