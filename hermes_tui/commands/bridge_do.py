"""An act on a running Hermes, from the command line."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from hermes_tui.bridge.live import LiveHome
from hermes_tui.bridge.values import Act, Live, LiveAgent
from hermes_tui.commands.bridge import home_of, names_in
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.core.errors import NothingReachableError, RefusedError, UsageError
from hermes_tui.core.text import PlainText
from hermes_tui.view.words import wall


def do(act: Act, target: str | None, given: Path | None, *, yes: bool) -> int:
    """Do `act` to a session, a login or a token's verdict of a home, and print what will happen; return 0.

    Raises RefusedError and NothingReachableError with the reason, UsageError where it is not clear to what.
    """
    home = home_of(given)
    live_home = LiveHome(home)
    try:
        show(f"{_done(live_home, home, act, target, yes=yes)}\n")
    finally:
        live_home.close()
    return 0


def _done(live_home: LiveHome, home: Path, act: Act, target: str | None, *, yes: bool) -> PlainText:
    match act:
        case Act.CLEAR_COOLDOWN:
            provider, slash, login = (target or "").rpartition("/")
            if not slash:
                raise UsageError("name the login as PROVIDER/LABEL, as `hermes auth list` shows it")
            return live_home.clear_cooldown(provider, login)
        case Act.DROP_VERDICT:
            return live_home.drop_verdict(target or "")
        case _:
            agent = _agent(live_home.look(), names_in(home), target)
            if act is Act.FORCE_RESTORE and not yes:
                _ask(agent)
            return live_home.execute(act, agent)


def _agent(live: Live, called: Mapping[str, str], target: str | None) -> LiveAgent:
    """Return the session of that name or id, or whose id ends so; without one the only session that is open."""
    if not live.processes:
        raise NothingReachableError("; ".join(live.troubles) or "no Hermes with a bridge runs in this home")
    named = [agent for agent in live.agents if target is not None and called.get(agent.session) == target]
    found = named or [agent for agent in live.agents if target is None or agent.session.endswith(target)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(called.get(agent.session, agent.session) for agent in live.agents) or "none"
    raise UsageError(f"name one session; open are: {known}")


def _ask(agent: LiveAgent) -> None:
    """Ask where the date lies ahead (M39). Raises RefusedError for a no, UsageError where nobody can be asked."""
    until, at = agent.cooldown_until, now()
    if until is None or until <= at:
        return
    question = f"It is held until {wall(until, at)}: the primary may refuse once more. Restore it at the next turn?"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{question} Nobody can be asked here: add --yes")
    if not click.confirm(question, err=True):
        raise RefusedError("nothing was changed")
