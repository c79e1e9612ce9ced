"""The bridge of a Hermes home: put there, looked at, taken away; each change is shown before it is made."""

import difflib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import click

from hermes_tui.bridge import installation, places
from hermes_tui.bridge.installation import NAME, VERSION, Installed, Standing
from hermes_tui.bridge.live import LiveHome
from hermes_tui.bridge.values import Held, Live, LiveAgent, LiveProcess
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.core.errors import HermesTuiError, RefusedError, UsageError, told
from hermes_tui.core.secret import Redactor
from hermes_tui.core.text import PlainText, plain
from hermes_tui.hermes import config_file, plugins
from hermes_tui.hermes.configuration import FILE_NAME
from hermes_tui.hermes.database import Database
from hermes_tui.hermes.homes import find_home, why_not_a_home
from hermes_tui.hermes.managed import why_managed
from hermes_tui.hermes.naming import names
from hermes_tui.hermes.plugins import PluginSettings
from hermes_tui.hermes.state import FILE_NAME as STATE_FILE
from hermes_tui.hermes.state import SessionReader
from hermes_tui.view.words import count, countdown, local, wall

_RUNS: Final = (
    "It runs inside Hermes from its next start on: it opens a socket in the home that you alone can reach, and waits. "
    "Nothing is sent anywhere, and no key or token leaves Hermes."
)
_ISOLATED: Final = "plugins.isolation is host, where the bridge sees no session: set it to in_process."
_LONGEST_LINE: Final = 200


def install(given: Path | None, *, yes: bool) -> int:
    """Put the bridge into a home, or bring it up to date; return 0.

    Raises RefusedError where it must not be done or is declined, UsageError where nobody can be asked.
    """
    home = _own_home(given)
    found = installation.look(home)
    path = home / FILE_NAME
    before = config_file.read_file(path)
    after = plugins.with_plugin(before, path, NAME)
    isolated = plugins.settings(before, path).isolated
    if found.standing is Standing.CURRENT and before == after:
        show(f"The bridge {VERSION} is installed in {home} already.\n")
        return 0
    lines = [*_writes(found), *_changes(path, before, after), "", _RUNS, *([_ISOLATED] if isolated else [])]
    _confirm(f"Install the bridge {VERSION} in {home}?", lines, yes=yes)
    if found.standing is not Standing.CURRENT:
        installation.install(home)
    try:
        _enable(path, before, after)
    except HermesTuiError:
        if found.standing is Standing.ABSENT:
            installation.remove(home)
        raise
    show(f"The bridge {VERSION} is installed. Start Hermes again where it runs; `hermes-tui bridge status` shows it.\n")
    return 0


def remove(given: Path | None, *, yes: bool) -> int:
    """Take the bridge out of a home, with its line in config.yaml and the sockets that were left; return 0.

    Raises as `install` does.
    """
    home = _own_home(given)
    found = installation.look(home)
    path = home / FILE_NAME
    before = config_file.read_file(path)
    after = plugins.without_plugin(before, path, NAME)
    if found.standing is Standing.ABSENT and before == after:
        _sweep(home)
        show(f"There is no bridge in {home}.\n")
        return 0
    installation.refuse_others(found)
    gone = [] if found.standing is Standing.ABSENT else [f"- {found.folder}"]
    _confirm(f"Remove the bridge from {home}?", [*gone, *_changes(path, before, after)], yes=yes)
    _enable(path, before, after)
    installation.remove(home)
    _sweep(home)
    show("The bridge is removed. A Hermes that runs has it until it is started again.\n")
    return 0


def status(given: Path | None) -> int:
    """Print what stands in a home and which processes answer; return 0 when both are as they should be, else 1."""
    home = home_of(given)
    found = installation.look(home)
    path = home / FILE_NAME
    settings = plugins.settings(config_file.read_file(path), path)
    live_home = LiveHome(home)
    live = live_home.look()
    live_home.close()
    enabled = NAME in settings.enabled and NAME not in settings.disabled
    lines = [
        f"{home}",
        f"  The plugin {found.standing.value}{f' ({found.version})' if found.version else ''}{_advice(found)}",
        f"  config.yaml {_wanted(settings)}",
        *([f"  {_ISOLATED}"] if settings.isolated else []),
        *_running(live, names_in(home) if live.agents else {}),
        *(f"  {trouble}" for trouble in live.troubles),
    ]
    show("\n".join(lines) + "\n")
    return 0 if found.standing is Standing.CURRENT and enabled and not settings.isolated and not live.troubles else 1


def home_of(given: Path | None) -> Path:
    """Return the folder of the home that is `given`, else the one that Hermes uses. Raises UsageError."""
    home = find_home(given, os.environ, Path.home())
    if (why := why_not_a_home(home)) is not None:
        raise UsageError(why)
    return home.path


def names_in(home: Path) -> Mapping[str, str]:
    """Return what the sessions of a home are called, by their ids; of one that cannot be read, nothing."""
    return names(SessionReader(Database(home / STATE_FILE)).read(now()).conversations)


def _own_home(given: Path | None) -> Path:
    """Return the folder of a home that its user decides about. Raises RefusedError where something else does."""
    home = home_of(given)
    if why_managed(home, os.environ) is not None:
        raise RefusedError(f"a package manager decides about {home}: declare the plugin {NAME} there")
    return home


def _enable(path: Path, before: bytes, after: bytes) -> None:
    if before != after:
        config_file.replace(path, after, config_file.digest(before), local(now()))


def _writes(found: Installed) -> Iterator[str]:
    """Yield what happens to files; of one that somebody changed, that its changes are lost."""
    if found.standing is Standing.CURRENT:
        return
    installation.refuse_others(found)
    if found.standing is not Standing.ABSENT:
        yield f"{found.folder} is replaced: it holds {found.version or 'an unknown version'}."
    for name in found.changed:
        yield f"! {name} was changed since it was put there; the change is lost."
    for file, content in installation.shipped().items():
        yield f"+ {found.folder / file} ({len(content)} bytes)"


def _changes(path: Path, before: bytes, after: bytes) -> Iterator[str]:
    """Yield the lines of the file that change."""
    if before == after:
        return
    yield f"{path}:"
    old, new = (text.decode(errors="replace").splitlines() for text in (before, after))
    for line in [*difflib.unified_diff(old, new, n=0, lineterm="")][2:]:
        yield f"  line {line.split()[2][1:].partition(',')[0]}:" if line.startswith("@@") else f"  {_shown(line)}"


def _shown(line: str) -> PlainText:
    return plain(Redactor().clean(line), _LONGEST_LINE)


def _confirm(question: str, lines: list[str], *, yes: bool) -> None:
    """Show what will be done and ask; raises RefusedError for a no, UsageError where nobody can be asked."""
    show("\n".join(lines) + "\n")
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{question} Nobody can be asked here: add --yes")
    if not click.confirm(question, err=True):
        raise RefusedError("nothing was changed")


def _sweep(home: Path) -> None:
    try:
        places.sweep(home)
    except HermesTuiError as error:
        show(f"The sockets that were left cannot be taken away: {told(error)}\n")


def _advice(found: Installed) -> str:
    if found.standing is Standing.CURRENT:
        return "."
    if found.foreign:
        return f": {', '.join(found.foreign)} is not the bridge's."
    changed = f": {', '.join(found.changed)} differs from what was put there" if found.changed else ""
    return f"{changed}. Put {VERSION} there: hermes-tui bridge install"


def _wanted(settings: PluginSettings) -> str:
    if NAME in settings.disabled:
        return "names it under plugins.disabled, so that it never runs: take it out there."
    return "enables it." if NAME in settings.enabled else "does not enable it."


def _running(live: Live, called: Mapping[str, str]) -> Iterator[str]:
    if not live.processes:
        yield "  No Hermes runs with it."
    for process in live.processes:
        here = [agent for agent in live.agents if agent.pid == process.pid]
        who = f"Process {process.pid}, Hermes {process.hermes}, bridge {process.plugin}"
        yield f"  {who}: {count(len(here), 'session')}"
        for why in dict.fromkeys(why for _, why in process.refusals):
            yield f"    {_acts(process, why)} cannot be done: {why}"
        for agent in here:
            name = f"{called[agent.session]}  " if agent.session in called else ""
            yield f"    {name}{agent.session}  {_where(agent, now())}"


def _acts(process: LiveProcess, why: PlainText) -> str:
    return ", ".join(act.value.replace("_", " ") for act, other in process.refusals if other == why)


def _where(agent: LiveAgent, at: float) -> str:
    if not agent.on_fallback:
        return f"on its primary {agent.route}"
    if agent.held is Held.PINNED:
        return f"on the fallback {agent.route}, which you chose"
    held = f", {agent.held.value}" if agent.held is not None else ""
    until = agent.cooldown_until
    if until is None:
        return f"on the fallback {agent.route}"
    return f"on the fallback {agent.route}, held until {wall(until, at)} ({countdown(until, at)}{held})"
