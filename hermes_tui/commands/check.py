"""`check`: the configuration, read and resolved, without sending anything."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import config_path
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.route import Link
from hermes_tui.wiring import load_configuration


def check(config: Path | None) -> int:
    """Print what the file says and what is wrong with it; return 0 when all of it can work, else 1."""
    path = config_path(config, os.environ)
    configuration = load_configuration(path, os.environ, now()).configuration
    findings = list(_findings(configuration))
    sys.stdout.write(f"{path}\n")
    for number, link in enumerate((configuration.primary, *configuration.chain)):
        sys.stdout.write(f"  {number} {link.route}  {link.fault or _credentials(configuration, link)}\n")
    for finding in findings:
        sys.stdout.write(f"! {finding}\n")
    sys.stdout.write("All of it can work.\n" if not findings else f"{len(findings)} to look at.\n")
    return 1 if findings else 0


def _credentials(configuration: Configuration, link: Link) -> str:
    pool = configuration.pool(link.route.pool)
    usable = pool.keys() if pool else ()
    return f"{len(usable)} credential{'s' if len(usable) != 1 else ''}"


def _findings(configuration: Configuration) -> Iterator[str]:
    yield from configuration.warnings
    if configuration.primary.fault:
        yield configuration.primary.fault
    tried: list[Link] = [configuration.primary]
    for number, link in enumerate(configuration.chain, 1):
        if link.fault:
            yield f"entry {number}: {link.fault}"
        elif any(link.route.same_backend(other.route) for other in tried):
            yield f"entry {number}: {link.route} is the same backend as one before it, and is skipped"
        tried.append(link)
    for pool in configuration.pools:
        for member in pool.members:
            if member.fault:
                yield f"{pool.name}/{member.label}: {member.fault}"
        if not pool.members and any(link.route.pool == pool.name for link in tried):
            yield f"{pool.name}: no credential"
