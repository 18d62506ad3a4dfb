"""A language model's server and a search engine, in one process, that fail as a file says.

    python -m tests.faults.servers PORT FOLDER

`FOLDER/mode` names one of `MODES`. `FOLDER/asked` gets a line `begun KEY` before a right answer is
sent, and `sent KEY` once it was, so that what clients have stored can be compared with it.
"""

import hashlib
import json
import re
import sys
import threading
from collections import Counter
from pathlib import Path

from tests.support import llm_script
from tests.support.llm_server import CUT_OFF, HALF_JSON, Fault, LlmServer, Request, error, silence

RIGHT = "right"
MODES = {
    RIGHT: None,
    "hangs": silence(3600),
    "answers 500": error(500),
    "answers 429": error(429, Retry_After="1"),
    "closes in the middle": CUT_OFF,
    "sends half a JSON": HALF_JSON,
}


def text_of(hall: int) -> str:
    return f"Hall {hall} opened in 1902."


def answer(prompt: str) -> str:
    """As `llm_script`, with a question of its own for each hall, so that no two prompts are one."""
    said = llm_script.answer(prompt)
    hall = re.findall(r"Hall (\d+)", prompt)
    return said.replace("Marlow Hall", f"Hall {hall[-1]}") if hall else said


class FailingServers(LlmServer):
    def __init__(self, port: int, folder: Path) -> None:
        super().__init__(answer, port=port)
        self._folder = folder
        self._answered = threading.local()

    def reply(self, request: Request) -> Fault:
        return self._failure() or self._begin(request.prompt, super().reply(request))

    def read(self, path: str) -> Fault:
        # No result is an answer: evidence comes from the corpus that is searched beside it.
        found = Fault(body=json.dumps({"results": []}).encode())
        return self._failure() or self._begin(path, found)

    def sent(self, what: str) -> None:
        if self._answered.right:
            self._note("sent", what)

    def _failure(self) -> Fault | None:
        self._answered.right = False
        return MODES[(self._folder / "mode").read_text()]

    def _begin(self, what: str, said: Fault) -> Fault:
        self._answered.right = True
        self._note("begun", what)
        return said

    def _note(self, word: str, what: str) -> None:
        kind = "search" if what.startswith("/search") else "prompt"
        key = hashlib.sha256(what.encode()).hexdigest()[:16]
        with (self._folder / "asked").open("a") as log:
            log.write(f"{word} {kind}-{key}\n")


def asked(folder: Path, word: str, kind: str) -> Counter[str]:
    """How often each right answer was begun, or sent."""
    lines = map(str.split, (folder / "asked").read_text().splitlines())
    return Counter(key for said, key in lines if said == word and key.startswith(kind))


if __name__ == "__main__":
    with FailingServers(int(sys.argv[1]), Path(sys.argv[2])) as server:
        print(server.url, flush=True)
        threading.Event().wait()
