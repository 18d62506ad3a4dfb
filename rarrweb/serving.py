"""`python -m rarrweb.serving SECONDS MODULE …`: a Python program that ends with `manage.py serve`.

`serve` holds the other end of the pipe that is this program's standard input. However `serve`
ends, by `kill -9` too, the system closes that end, and the program hears of it here.
"""

import os
import runpy
import signal
import sys
import threading
import time


def end_with_parent(seconds: float) -> None:
    """Wait until the parent is gone, then tell this program to stop; end it after `seconds`."""
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(seconds)
    os.killpg(os.getpgid(0), signal.SIGKILL)


if __name__ == "__main__":
    _, seconds, *sys.argv = sys.argv
    threading.Thread(target=end_with_parent, args=(float(seconds),), daemon=True).start()
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
