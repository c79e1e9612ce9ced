"""`check`: the configuration, read and resolved, without sending anything."""

import os
import sys
from pathlib import Path

from hermes_tui.commands.edge import ATTENTION, FINE, USAGE
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
    path = config_path(config, os.environ)
    desk = open_desk(path, os.environ, now)
    checked = desk.check(desk.read().text, None)
    sys.stdout.write(f"{plain(str(path))}\n")
    if checked.configuration is not None:
        for number, link in enumerate((checked.configuration.primary, *checked.configuration.chain)):
            sys.stdout.write(f"  {number} {link.route}  {link.fault or _credentials(checked.configuration, link)}\n")
    for finding in checked.findings:
        sys.stdout.write(f"! {_told(finding)}\n")
    if checked.configuration is None:
        sys.stdout.write(f"{len(checked.findings)} to mend: nothing runs with this file.\n")
        return USAGE
    sys.stdout.write(f"{len(checked.findings)} to look at.\n" if checked.findings else "All of it can work.\n")
    return ATTENTION if checked.findings else FINE


def _told(finding: Finding) -> str:
    where = f"line {finding.line}: " if finding.line is not None else ""
    return f"{where}{finding.what}"


def _credentials(configuration: Configuration, link: Link) -> str:
    pool = configuration.pool(link.route.pool)
    return count(len(pool.keys()) if pool else 0, "credential")
