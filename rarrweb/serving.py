"""`python -m rarrweb.serving MODULE …`: a Python program that ends when `manage.py serve` does.

`serve` holds the other end of the pipe that is this program's standard input. However `serve`
ends, by `kill -9` too, the system closes that end, and the program hears of it here.
"""

import os
import runpy
import signal
import sys
import threading
import time

STOP_SECONDS = 20
"""How long a program may take to end what it is at, when it is told to stop."""


def end_with_parent() -> None:
    """Wait until the parent is gone, then stop this program and all that it started."""
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os.killpg(os.getpgid(0), signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, name="end-with-parent", daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
