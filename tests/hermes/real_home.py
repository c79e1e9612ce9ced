"""A home on which the real package works: its rows, its command line, and a pool of it that lives."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hermes_tui.hermes.auth_file import AUTH_FILE
from hermes_tui.hermes.values import Home
from tests.hermes.real import real

PROVIDER: Final = "openai-codex"
LONG_SECONDS: Final = 172_800.0

_LOOPBACK_ONLY: Final = """
import socket
_connect = socket.socket.connect
def connect(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith("127."):
        raise OSError(101, "only loopback is reached here")
    return _connect(self, address)
socket.socket.connect = connect
socket.getaddrinfo = lambda host, *_, **__: (_ for _ in ()).throw(socket.gaierror(-2, "no names here"))
"""


def token(subject: str) -> str:
    """Return an unsigned token that is valid until 2099 by its own claims."""
    account = {"chatgpt_account_id": f"acct-{subject}-0123456789"}
    claims = {"exp": 4_070_908_800, "sub": subject, "https://api.openai.com/auth": account}
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "none"}, claims)
    ]
    return ".".join([*parts, "sig"])


def row(name: str, **values: object) -> dict[str, Any]:
    """Return a row of the pool as `hermes auth add` leaves it."""
    return {
        "id": f"{name}11111",
        "label": f"login-{name}",
        "auth_type": "oauth",
        "priority": "ab".index(name),
        "source": "manual:device_code",
        "access_token": token(name),
        "refresh_token": f"refresh-made-up-{name}",
        "base_url": "http://127.0.0.1:9/backend-api/codex",
        "last_refresh": "2026-01-01T00:00:00Z",
        "request_count": 0,
        **values,
    }


class RealHome:
    """A home of one release."""

    def __init__(self, folder: Path, version: str) -> None:
        self.interpreter = real(version)
        self.home = Home(folder / "home", folder / "home")
        self.file = self.home.path / AUTH_FILE
        self._guard = folder / "guard"
        self._guard.mkdir(parents=True)
        (self._guard / "sitecustomize.py").write_text(_LOOPBACK_ONLY)
        self.home.path.mkdir()
        self.home.path.joinpath("config.yaml").write_text(f"model:\n  default: gpt-5.5\n  provider: {PROVIDER}\n")
        self.write(row("a"))

    def write(self, *rows: dict[str, Any]) -> None:
        """Write the file anew, with these rows."""
        document = {"version": 1, "active_provider": PROVIDER, "providers": {}, "credential_pool": {PROVIDER: [*rows]}}
        self.file.write_text(json.dumps(document, indent=2))
        self.file.chmod(0o600)

    @property
    def document(self) -> dict[str, Any]:
        """What stands in the file."""
        document = json.loads(self.file.read_text())
        assert isinstance(document, dict)
        return document

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows that stand in the file."""
        rows = self.document["credential_pool"][PROVIDER]
        assert isinstance(rows, list)
        return rows

    @property
    def environment(self) -> dict[str, str]:
        """What a process of Hermes is started with: nothing of this one's, and no way out."""
        return {
            "HERMES_HOME": str(self.home.path),
            "HOME": str(self._guard.parent),
            "PATH": os.defpath,
            "PYTHONPATH": str(self._guard),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start `hermes` with these words."""
        command = [str(self.interpreter), "-m", "hermes_cli.main", *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def run(self, *words: str) -> str:
        """Run `hermes` with these words to its end; return what it said."""
        with self.start(*words) as process:
            said, errors = process.communicate(timeout=60)
        assert process.returncode == 0, said + errors
        return said

    @contextmanager
    def pool(self) -> Iterator["Pool"]:
        """Let a pool live in a process of its own."""
        script = Path(__file__).with_name("living_pool.py")
        with subprocess.Popen(
            [str(self.interpreter), str(script)],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sys.stderr,
            text=True,
        ) as process:
            try:
                yield Pool(process)
            finally:
                process.kill()


class Pool:
    """A pool in another process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, *words: object) -> dict[str, Any]:
        """Tell it to do something; return how it sees its first row then."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert isinstance(answer, dict)
        return answer
