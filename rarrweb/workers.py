"""`python -m rarrweb.workers`: the two workers of `manage.py serve`, for short and for long work.

They are forks of this process, so that what both have loaded is in memory once. When one of them
ends, the other is told to, and `serve` starts both again.
"""

import gc
import os
import signal
import sys
from types import FrameType

from rarrweb.celery import LONG, SHORT, app

WORKERS = {
    "short": ("-Q", ",".join(SHORT)),
    "long": ("-Q", ",".join(LONG), "--concurrency", "1"),
}


def main() -> int:
    """Until both have ended; 0 where they were told to, 1 where one ended by itself."""
    app.loader.import_default_modules()
    gc.collect()
    gc.freeze()  # else each fork's garbage collector would write to all of it, and so copy it
    children = {fork(name, *options) for name, options in WORKERS.items()}
    was_told = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal was_told
        was_told = True
        tell(children)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    while children:
        ended, _ = os.wait()
        children.discard(ended)
        if not was_told:
            tell(children)
    return 0 if was_told else 1


def fork(name: str, *options: str) -> int:
    """A worker in a process of its own; its id."""
    pid = os.fork()
    if pid:
        return pid
    # --quiet spares the terminal the banner; what goes wrong is still said.
    arguments = ["--quiet", "worker", "--loglevel", "WARNING", "-n", f"{name}@%h", *options]
    try:
        app.worker_main(arguments)
    finally:
        sys.stderr.flush()
        os._exit(1)


def tell(children: set[int]) -> None:
    for pid in children:
        os.kill(pid, signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
