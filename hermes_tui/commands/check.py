"""`check`: the configuration, read and resolved, without sending anything."""

import os
from collections.abc import Iterator
from pathlib import Path

from hermes_tui.commands.edge import ATTENTION, FINE, USAGE
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import config_path
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.editing import Finding
from hermes_tui.core.route import Link
from hermes_tui.core.text import plain
from hermes_tui.view.words import count
from hermes_tui.wiring import open_desk


def check(config: Path | None) -> int:
    """Print what the file says and what is wrong with it; return 0 when all of it can work, 1 when something cannot.

    Where the file cannot be used at all, all that is wrong is printed and 2 returned; where it cannot even be read,
    ConfigurationError is raised.
    """
    code, lines = checked_lines(config_path(config, os.environ))
    show("".join(f"{line}\n" for line in lines))
    return code


def checked_lines(path: Path) -> tuple[int, tuple[str, ...]]:
    """Return the exit code and the lines of a check of the file at `path`; raises as `check` does."""
    desk = open_desk(path, os.environ, now)
    checked = desk.check(desk.read().text, None)
    findings = checked.findings
    if checked.configuration is None:
        code, lines, total = USAGE, [], f"{len(findings)} to mend: nothing runs with this file."
    else:
        code, lines = ATTENTION if findings else FINE, list(_routes(checked.configuration))
        total = f"{len(findings)} to look at." if findings else "All of it can work."
    return code, (plain(str(path)), *lines, *(f"! {_told(finding)}" for finding in findings), total)


def _routes(configuration: Configuration) -> Iterator[str]:
    """Yield a line for each route of the file; what one lacks is a finding below."""
    for number, link in enumerate((configuration.primary, *configuration.chain)):
        yield f"  {number} {link.route}  {'not set' if link.fault else _credentials(configuration, link)}"


def _told(finding: Finding) -> str:
    where = f"line {finding.line}: " if finding.line is not None else ""
    return f"{where}{finding.what}"


def _credentials(configuration: Configuration, link: Link) -> str:
    pool = configuration.pool(link.route.pool)
    return count(len(pool.keys()) if pool else 0, "credential")
