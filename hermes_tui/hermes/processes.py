"""Which processes are at work in a home, and which of its files name processes that are not.

Hermes leaves claims behind: a gateway that was told to end takes `gateway.pid` away, while `gateway_state.json` goes on
saying that it runs; a session that was killed stays in `runtime/active_sessions.json`; a turn's lease runs on for
minutes. A claim counts if its process exists and started when the claim says.
"""

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.text import PlainText, plain
from hermes_tui.core.values import dataclass
from hermes_tui.hermes import cells
from hermes_tui.hermes.bounded import read_at_most, reason_of
from hermes_tui.hermes.life import Life, Process, Table
from hermes_tui.hermes.values import Conversation, Running

_DRIFT_TICKS: Final = 200
"""How far two readings of one start may lie apart; Hermes' own tolerance."""

_DRIFT_SECONDS: Final = 2.0
_LARGEST_BYTES: Final = 1_000_000
_MOST_CLAIMS: Final = 1_000
_MOST_TOLD: Final = 5
_TURN: Final = "turn"
_AT_REST: Final = frozenset({"", "stopped", "startup_failed"})


@dataclass(frozen=True, slots=True)
class Processes:
    """Who is at work in a home; `stale` are sentences about claims of processes that are not.

    `given_up` are the sessions whose turn is in flight in such a process. `registered` are those that somebody has
    open, None where this Hermes keeps no list of them. `doubts` are sentences about what could not be told: a file
    that cannot be read, a system that does not say when a process started.
    """

    alive: tuple[Running, ...] = ()
    stale: tuple[PlainText, ...] = ()
    given_up: frozenset[str] = frozenset()
    registered: frozenset[str] | None = None
    doubts: tuple[PlainText, ...] = ()

    @property
    def notes(self) -> tuple[PlainText, ...]:
        """What a person should know of all that: the first sentences, and how many there are besides."""
        every = (*self.stale, *self.doubts)
        more = len(every) - _MOST_TOLD
        return every if more <= 0 else (*every[:_MOST_TOLD], plain(f"{more} more such claims are left out here."))


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a file says of a process; `what` is the beginning of a sentence that ends with what became of it.

    `started_ticks` or `started_at` is when the process started; `not_after` the latest that it can have.
    """

    running: Running
    what: str
    started_ticks: float | None = None
    started_at: float | None = None
    not_after: float | None = None


def processes(home: Path, conversations: Iterable[Conversation], now: float, table: Table | None = None) -> Processes:
    """Return who is at work in `home` at `now` (epoch seconds); `conversations` bring the leases of turns in flight.

    Never raises: a file that cannot be read is one of the doubts.
    """
    doubts: list[PlainText] = []
    gateways = list(_gateway(home, doubts))
    opened = _sessions(home / "runtime" / "active_sessions.json", doubts)
    claims = [*gateways, *(opened or ()), *_turns(conversations, now)]
    if not claims:
        return Processes(registered=_all_of(opened, ()), doubts=tuple(dict.fromkeys(doubts)))
    table = table or Table()
    alive: dict[tuple[int, str, str | None], Running] = {}
    stale: list[PlainText] = []
    given_up: set[str] = set()
    ended: list[_Claim] = []
    for claim in claims:
        process = table.look(claim.running.pid)
        life = _life(claim, process)
        if life is Life.ALIVE:
            running = claim.running
            since = process.started_at if running.started_at is None else running.started_at
            alive.setdefault((running.pid, running.kind, running.session), replace(running, started_at=since))
        elif life is Life.UNKNOWN:
            doubts.append(plain(f"{claim.what}, which {life.value}."))
        else:
            ended.append(claim)
            stale.append(plain(f"{claim.what}, which {life.value}."))
            if claim.running.kind == _TURN and claim.running.session is not None:
                given_up.add(claim.running.session)
    if not table.tells_starts:
        doubts.append(
            plain("This system does not say when a process started: a number given out again goes unnoticed.")
        )
    told, doubted = tuple(dict.fromkeys(stale)), tuple(dict.fromkeys(doubts))
    return Processes(tuple(alive.values()), told, frozenset(given_up), _all_of(opened, ended), doubted)


def _all_of(opened: Iterable[_Claim] | None, ended: Container[_Claim]) -> frozenset[str] | None:
    """Return the sessions that are open by what is not known to have ended, None where nobody tells of any."""
    if opened is None:
        return None
    return frozenset(one.running.session for one in opened if one.running.session is not None and one not in ended)


def _life(claim: _Claim, process: Process) -> Life:
    if process.life is not Life.ALIVE or process.started_at is None or process.started_ticks is None:
        return process.life
    apart = (
        claim.started_ticks is not None and abs(claim.started_ticks - process.started_ticks) > _DRIFT_TICKS,
        claim.started_at is not None and abs(claim.started_at - process.started_at) > _DRIFT_SECONDS,
        claim.not_after is not None and process.started_at > claim.not_after + _DRIFT_SECONDS,
    )
    return Life.ANOTHER if any(apart) else Life.ALIVE


def _gateway(home: Path, doubts: list[PlainText]) -> Iterator[_Claim]:
    file = home / "gateway.pid"
    record = _read(file, doubts)
    if isinstance(record, int):  # as older versions wrote it
        record = {"pid": record}
    if (pid := _pid(record)) is not None:
        yield _claim_of_gateway(record, pid, f"{file.name} names process {pid}")
    file = home / "gateway_state.json"
    record = _read(file, doubts)
    state = cells.name(record.get("gateway_state")) if isinstance(record, Mapping) else ""
    if (pid := _pid(record)) is not None and state not in _AT_REST:
        yield _claim_of_gateway(record, pid, f"{file.name} still says {state} of process {pid}")


def _claim_of_gateway(record: object, pid: int, what: str) -> _Claim:
    started = record.get("start_time") if isinstance(record, Mapping) else None
    return _Claim(Running(pid, "gateway"), what, started_ticks=cells.number(started))


def _sessions(file: Path, doubts: list[PlainText]) -> list[_Claim] | None:
    """Return who says that it has a session open, None where there is no list of them."""
    record = _read(file, doubts)
    entries = record.get("entries") if isinstance(record, Mapping) else record
    return list(_openings(file.name, entries[:_MOST_CLAIMS])) if isinstance(entries, list) else None


def _openings(file: str, entries: Iterable[Any]) -> Iterator[_Claim]:
    for entry in entries:
        if (pid := _pid(entry)) is None:
            continue
        session, surface = cells.name(entry.get("session_id")), cells.name(entry.get("surface"))
        yield _Claim(
            Running(pid, surface or "session", session or None, cells.moment(entry.get("started_at"))),
            f"{file} says that session {session} is open in process {pid}",
            started_at=cells.moment(entry.get("process_start_time")),
        )


def _turns(conversations: Iterable[Conversation], now: float) -> Iterator[_Claim]:
    for conversation in conversations:
        pid, until = conversation.busy_by, conversation.busy_until
        if pid is not None and until is not None and until > now:
            yield _Claim(
                Running(pid, _TURN, conversation.id, conversation.busy_since),
                f"state.db says that a turn of session {conversation.id} is in flight in process {pid}",
                not_after=conversation.busy_since,
            )


def _pid(record: object) -> int | None:
    pid = record.get("pid") if isinstance(record, Mapping) else None
    if isinstance(pid, str) and pid.isascii() and pid.isdecimal() and len(pid) <= 10:
        pid = int(pid)
    return pid if isinstance(pid, int) and not isinstance(pid, bool) and pid > 0 else None


def _read(file: Path, doubts: list[PlainText]) -> object:
    """Return what the JSON `file` holds, None where it is not there; what else keeps from reading it is a doubt."""
    try:
        raw, _ = read_at_most(file, _LARGEST_BYTES + 1)
        if len(raw) > _LARGEST_BYTES:
            doubts.append(plain(f"{file.name} is too large to be what Hermes writes."))
            return None
        return json.loads(raw)
    except FileNotFoundError:
        return None
    except OSError as error:
        doubts.append(plain(f"{file.name} cannot be read ({reason_of(error)})."))
    except (ValueError, RecursionError):
        doubts.append(plain(f"{file.name} is not whole: it is no JSON."))
    return None
