"""LiteLLM's Router in a process of its own, run by an interpreter that has it."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.measuring import Spent

SCRIPT: Final = Path(__file__).with_name("router_process.py")
QUIET: Final = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "CRITICAL"}
"""What keeps it from asking the network for prices, and from talking."""


class Router:
    """The router; each question is answered before the next is asked, so that it works only while it is measured.

    `memory` is what was resident after its import, in bytes.
    """

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._questions, self._answers = process.stdin, process.stdout
        self.memory: int = self._answer("import")["bytes"]

    def ask(self, what: str, *about: object) -> dict[str, Any]:
        """Return the answer to the question `what`, a function of the script. Raises RuntimeError where it fails."""
        self._questions.write(json.dumps([what, *about]) + "\n")
        self._questions.flush()
        return self._answer(what)

    def _answer(self, what: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._answers.readline() or '{"error": "the process ended"}')
        if "error" in answer:
            raise RuntimeError(f"LiteLLM, {what}: {answer['error']}")
        return answer

    def timed(self, what: str, *about: object) -> Spent:
        """Return what the question took over there."""
        answer = self.ask(what, *about)
        return Spent(answer["wall"], answer["cpu"])


@contextmanager
def router(interpreter: Path) -> Iterator[Router]:
    """Run the router under `interpreter` while the context is open."""
    command = [str(interpreter), "-I", str(SCRIPT)]
    environment = {**os.environ, **QUIET}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield Router(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
