"""A bridge's answers as values: anything may stand anywhere, and whatever is of another kind is left out."""

import math
from collections.abc import Iterator, Mapping
from typing import Final, TypeVar

from hermes_tui.bridge.values import (
    Act,
    Applied,
    Held,
    LiveAgent,
    LiveCredential,
    LiveProcess,
    LiveRoute,
    LiveState,
    LiveVerdict,
)
from hermes_tui.core.secret import Redactor
from hermes_tui.core.snapshot import NOTHING_YET, Live
from hermes_tui.core.text import PlainText, one_line, plain

NAME_LIMIT: Final = 200
MOST: Final = 500
"""How many agents, entries or verdicts are taken from one answer."""

_END_OF_TIME: Final = 253_402_300_800.0
"""The year 10000, which no clock here can show."""

_LARGEST: Final = 1_000_000
_REDACTOR: Final = Redactor()

T = TypeVar("T")
Table = Mapping[str, object]


def process(told: object, pid: int) -> LiveProcess:
    """Return who answered `hello`; `pid` is what the system says of the other side."""
    table = _table(told)
    abilities = _table(table.get("abilities"))
    missing = PlainText("this bridge does not know that: update it with `hermes-tui bridge install`")
    refusals = tuple(
        (act, sentence(why) or missing) for act in Act if (why := abilities.get(act.value, missing)) is not None
    )
    return LiveProcess(
        pid,
        name(table.get("hermes")),
        name(table.get("plugin")),
        name(table.get("home")),
        name(table.get("profile")) or None,
        _moment(table.get("since")),
        refusals,
    )


def state(told: object, process: LiveProcess, now: float) -> LiveState:
    """Return what the process said; `now` stands for a moment that it does not give."""
    table = _table(told)
    agents = (agent(one, process.pid) for one in _tables(table.get("agents")))
    verdicts = (_verdict(one, process.pid) for one in _tables(table.get("verdicts")))
    at = _moment(table.get("at"))
    left_out = _count(table.get("left_out")) or 0
    return LiveState(process, now if at is None else at, _known(agents), _known(verdicts), left_out)


def agent(told: Table, pid: int) -> LiveAgent | None:
    """Return where a session stands, None where it is not said which."""
    session = name(told.get("session"))
    if not session:
        return None
    return LiveAgent(
        session,
        pid,
        _route(told.get("route")),
        _route(told.get("primary")),
        tuple(_route(entry) for entry in _tables(told.get("chain"))),
        _count(told.get("position")),
        _count(told.get("next")),
        tuple(_skipped(told.get("skipped"))),
        told.get("on_fallback") is True,
        _moment(told.get("cooldown_until")),
        next((held for held in Held if held.value == told.get("cooldown_reason")), None),
        _count(told.get("backoffs")),
        _moment(told.get("checks_from")),
        told.get("in_turn") is True,
        _moment(told.get("turn_since")),
        _credential(told.get("credential")),
        _acts(told.get("waiting")),
        _applied(told.get("last")),
        name(told.get("home")),
        name(told.get("platform")),
        name(told.get("parent")) or None,
    )


def lives(told: object) -> dict[str, Live]:
    """Return what a process says of the sessions of this program that it runs, by name."""
    found = list(_table(_table(told).get("lives")).items())[:MOST]
    return {str(session): _live(one) for session, one in found}


def _live(told: object) -> Live:
    table = _table(told)
    text = table.get("text")
    return Live(
        plain(text) if isinstance(text, str) else NOTHING_YET,
        _moment(table.get("sent_at")),
        _moment(table.get("waiting_until")),
        _count(table.get("queued")) or 0,
        sentence(table.get("doing")),
    )


def name(value: object) -> PlainText:
    """Return an id or a name on one line, empty where there is none."""
    return one_line(value, NAME_LIMIT) if isinstance(value, str) else PlainText("")


def sentence(value: object) -> PlainText:
    """Return words for a person on one line, without keys and tokens; empty where there are none."""
    return one_line(_REDACTOR.clean(value[:_LARGEST])) if isinstance(value, str) else PlainText("")


def _verdict(told: Table, pid: int) -> LiveVerdict | None:
    asked_at, until = _moment(told.get("asked_at")), _moment(told.get("until"))
    if asked_at is None or until is None:
        return None
    quota = {"quota": True, "no_quota": False}.get(str(told.get("verdict")))
    return LiveVerdict(pid, name(told.get("fingerprint")), quota, asked_at, until)


def _route(told: object) -> LiveRoute:
    table = _table(told)
    return LiveRoute(name(table.get("provider")), name(table.get("model")), sentence(table.get("base_url")))


def _credential(told: object) -> LiveCredential | None:
    if not isinstance(told, Mapping):
        return None
    parts = (name(told.get(key)) for key in ("provider", "id", "label", "status", "fingerprint"))
    return LiveCredential(*parts)


def _applied(told: object) -> Applied | None:
    table = _table(told)
    at = _moment(table.get("at"))
    return None if at is None else Applied(_acts(table.get("acts")), at, sentence(table.get("said")))


def _acts(told: object) -> tuple[Act, ...]:
    return tuple(act for act in Act if act.value in _list(told))


def _skipped(told: object) -> Iterator[PlainText]:
    for pair in _list(told):
        if isinstance(pair, list) and len(pair) == 2:
            yield one_line("/".join(map(str, pair)), NAME_LIMIT)


def _known(found: Iterator[T | None]) -> tuple[T, ...]:
    return tuple(one for one in found if one is not None)


def _table(told: object) -> Table:
    return told if isinstance(told, Mapping) else {}


def _tables(told: object) -> Iterator[Table]:
    return (one for one in _list(told) if isinstance(one, Mapping))


def _list(told: object) -> list[object]:
    return told[:MOST] if isinstance(told, list) else []


def _moment(told: object) -> float | None:
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    try:
        found = float(told)
    except OverflowError:
        return None
    return found if math.isfinite(found) and 0 < found < _END_OF_TIME else None


def _count(told: object) -> int | None:
    return min(told, _LARGEST) if isinstance(told, int) and not isinstance(told, bool) and told >= 0 else None
