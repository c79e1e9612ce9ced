"""The door: a unix socket in the home that its owner alone can open, served by one thread that mostly sleeps.

A request is a line of JSON and so is its answer: {"id": 1, "do": "hello", "versions": [1]} first, then
{"id": 2, "do": "state"}, or an act. An answer carries the id, and either "result" or "error", a sentence.
"""

import errno
import json
import logging
import os
import selectors
import socket
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from .insides import Refused

FOLDER, PREFIX, SUFFIX = "run", "hermes-tui-", ".sock"
MOST_PEERS = 8
BACKLOG = 32
LONGEST_REQUEST = 16 << 10
LONGEST_UNSENT = 4 << 20
PATIENCE_SECONDS = 10.0
"""How long a line that was begun may take, and an answer to be fetched."""

IDLE_SECONDS = 600.0
BREATH_SECONDS = 0.002
SHARE = 0.2
"""How long the thread rests after each round at least, and of what part of the time it makes use at most, whoever asks
how much: Hermes shares one interpreter with it."""

MOMENT_SECONDS = 0.1
OPENING_SECONDS = 60.0
"""How long after it was made a socket of a living process is left alone at which nobody listens yet."""

LONGEST_PATH = 100
"""Bytes of an address that any system takes."""


logger = logging.getLogger("hermes_tui_bridge")


class Closed(Exception):
    """The door cannot be opened; the text is the reason."""


class _Peer:
    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.greeted = False
        self.inbox = b""
        self.outbox = b""
        self.until = time.monotonic() + PATIENCE_SECONDS


class Door:
    """Listens for the owner's requests; `hello` and `answer` return what a request is answered with.

    A request has `longest_request` bytes at most.
    """

    def __init__(
        self,
        home: str,
        hello: Callable[[object], object],
        answer: Callable[[dict[str, object]], object],
        longest_request: int = LONGEST_REQUEST,
    ) -> None:
        self._path = os.path.join(home, FOLDER)
        self._name = f"{PREFIX}{os.getpid()}{SUFFIX}"
        self._pid = os.getpid()
        self._hello, self._answer, self._longest_request = hello, answer, longest_request
        self._peers: dict[socket.socket, _Peer] = {}
        self._lines: list[socket.socket] = []
        self._made: tuple[int, int] | None = None
        self._stopping = False

    def open(self) -> None:
        """Listen, in a thread of its own. Raises Closed with the reason, and OSError."""
        if not hasattr(socket, "AF_UNIX"):
            raise Closed("this system has no unix sockets")
        self._folder = _own_folder(self._path)
        try:
            self._listen()
            threading.Thread(target=self._run, name="hermes-tui-bridge", daemon=True).start()
        except BaseException:
            self._let_go()
            raise
        os.register_at_fork(after_in_child=self._leave_to_parent)

    def close(self) -> None:
        """Listen no more, and take the socket away."""
        if self._pid == os.getpid():
            self.remove()  # before the thread ends, which lets go of the folder
            self._stopping = True
            with suppress(OSError):
                self._waker.send(b".")

    def remove(self) -> None:
        """Take the socket away if it is still this one; what else happens at exit is the system's."""
        with suppress(OSError):
            if self._pid == os.getpid() and _inode(self._folder, self._name) == self._made:
                os.unlink(self._name, dir_fd=self._folder)

    def _leave_to_parent(self) -> None:
        """Let go, in a child that was forked: nobody serves there, and who asks the parent shall notice its end."""
        for line in (self._listener, *self._peers):
            line.close()

    def _listen(self) -> None:
        for name in os.listdir(self._folder):
            if name.startswith(PREFIX) and name.endswith(SUFFIX):
                with suppress(FileNotFoundError):  # another process sweeps too
                    self._sweep(name)
        if _inode(self._folder, self._name) is not None:
            raise Closed(f"{self._path}/{self._name} is there already, and not ours to take away")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._lines.append(self._listener)
        self._listener.bind(self._address(self._name))
        self._made = _inode(self._folder, self._name)
        os.chmod(self._name, 0o600, dir_fd=self._folder)
        self._listener.listen(BACKLOG)
        self._listener.setblocking(False)
        self._waker, self._woken = socket.socketpair()
        self._lines += (self._waker, self._woken)

    def _address(self, name: str) -> str:
        """Return how the socket is named to the system: through the open folder where paths are too long for it."""
        if sys.platform == "linux":
            return f"/proc/self/fd/{self._folder}/{name}"
        path = f"{self._path}/{name}"
        if len(os.fsencode(path)) > LONGEST_PATH:
            raise Closed(f"{path} is too long a path for a socket")
        return path

    def _sweep(self, name: str) -> None:
        """Take away a socket of ours at which nobody listens, unless its process may be about to.

        One that is older was left by an earlier process of the same number.
        """
        found = os.stat(name, dir_fd=self._folder, follow_symlinks=False)
        pid = name[len(PREFIX) : -len(SUFFIX)]
        if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid() or not pid.isdecimal():
            return
        if int(pid) != self._pid and _lives(int(pid)) and time.time() - found.st_mtime < OPENING_SECONDS:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line, suppress(OSError):
            line.setblocking(False)
            if line.connect_ex(self._address(name)) == errno.ECONNREFUSED:
                os.unlink(name, dir_fd=self._folder)

    def _run(self) -> None:
        try:
            with selectors.DefaultSelector() as self._selector:
                self._selector.register(self._listener, selectors.EVENT_READ)
                self._selector.register(self._woken, selectors.EVENT_READ)
                while not self._stopping:
                    self._round()
        except Exception:  # nobody can ask any more; Hermes goes on
            logger.warning("The bridge of hermes-tui has ended", exc_info=True)
        finally:
            self._let_go()

    def _let_go(self) -> None:
        """Close all that was opened."""
        self.remove()
        for line in (*self._lines, *self._peers):
            line.close()
        folder, self._folder = self._folder, -1
        os.close(folder)

    def _round(self) -> None:
        ends = [peer.until for peer in self._peers.values()]
        ready = self._selector.select(max(min(ends) - time.monotonic(), 0.0) if ends else None)
        began = time.thread_time()
        for key, events in ready:
            if (peer := self._peers.get(key.fileobj)) is not None:  # type: ignore[call-overload]
                self._serve(peer, events)
        for peer in [peer for peer in self._peers.values() if peer.until <= time.monotonic()]:
            self._drop(peer)
        if any(key.fileobj is self._listener for key, _ in ready):
            self._let_in()
        worked = time.thread_time() - began
        time.sleep(max(BREATH_SECONDS, worked / SHARE - worked))

    def _let_in(self) -> None:
        for _ in range(BACKLOG):
            try:
                line, _ = self._listener.accept()
            except BlockingIOError:
                return
            except OSError:  # no descriptor is left: Hermes needs them more
                time.sleep(MOMENT_SECONDS)
                return
            line.setblocking(False)
            if len(self._peers) >= MOST_PEERS:
                line.close()
                return  # who has left meanwhile is noticed before the next one is let in
            if not _is_owner(line):
                line.close()
                continue
            self._peers[line] = _Peer(line)
            self._selector.register(line, selectors.EVENT_READ)

    def _serve(self, peer: _Peer, events: int) -> None:
        try:
            if not peer.outbox and (events & selectors.EVENT_READ or b"\n" in peer.inbox):
                self._read(peer)
            if peer.outbox:
                peer.outbox = peer.outbox[peer.line.send(peer.outbox) :]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(peer)
            return
        except Exception:  # a fault of ours: this line ends, and the door stays open
            logger.warning("The bridge of hermes-tui hangs up", exc_info=True)
            self._drop(peer)
            return
        self._wait_on(peer)

    def _read(self, peer: _Peer) -> None:
        """Answer the first whole line; the others wait until that answer was fetched. Raises where there is an end."""
        if b"\n" not in peer.inbox:
            data = peer.line.recv(LONGEST_REQUEST)
            if not data:
                raise ConnectionError
            peer.inbox += data
        line, end, rest = peer.inbox.partition(b"\n")
        if len(line) > self._longest_request:
            raise ConnectionError
        if end:
            peer.inbox = rest
            peer.outbox = self._answered(peer, line)
            peer.until = time.monotonic() + PATIENCE_SECONDS
            if len(peer.outbox) > LONGEST_UNSENT:
                raise ConnectionError

    def _answered(self, peer: _Peer, line: bytes) -> bytes:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return _line({"error": "that is no JSON"})
        if not isinstance(request, dict):
            return _line({"error": "a request is a JSON object"})
        number = {"id": request["id"]} if isinstance(request.get("id"), int) else {}
        try:
            return _line({"result": self._result(peer, request), **number})
        except Refused as why:
            return _line({"error": str(why), **number})
        except Exception as error:  # told by its kind: its words may be anything
            fault = f"that failed inside ({type(error).__name__}); process {self._pid} goes on as it was"
            return _line({"error": fault, **number})

    def _result(self, peer: _Peer, request: dict[str, object]) -> object:
        if request.get("do") == "hello":
            welcome = self._hello(request.get("versions"))
            peer.greeted = True
            return welcome
        if not peer.greeted:
            raise Refused("say hello first, with the versions that you speak")
        return self._answer(request)

    def _wait_on(self, peer: _Peer) -> None:
        busy = bool(peer.inbox or peer.outbox)
        now = time.monotonic()
        peer.until = min(peer.until, now + PATIENCE_SECONDS) if busy else now + IDLE_SECONDS
        wanted = selectors.EVENT_WRITE if peer.outbox or b"\n" in peer.inbox else selectors.EVENT_READ
        self._selector.modify(peer.line, wanted)

    def _drop(self, peer: _Peer) -> None:
        with suppress(KeyError, ValueError, OSError):
            self._selector.unregister(peer.line)
        self._peers.pop(peer.line, None)
        peer.line.close()


def _own_folder(path: str) -> int:
    """Return a descriptor of the folder, made if it is missing, closed to everybody else. Raises Closed."""
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Closed(f"{path} is a link or a file: a folder is needed there") from None
        raise
    found = os.fstat(folder)
    if found.st_uid != os.geteuid():
        os.close(folder)
        raise Closed(f"{path} belongs to another user")
    if stat.S_IMODE(found.st_mode) & 0o077:
        os.fchmod(folder, 0o700)
    return folder


def _line(told: dict[str, object]) -> bytes:
    return json.dumps(told).encode() + b"\n"


def _inode(folder: int, name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _is_owner(line: socket.socket) -> bool:
    """Tell whether this user is on the other side, where the system says; the folder and the mode say it anyway."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, uid, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return bool(uid == os.geteuid())
