"""`check`: the configuration, read and resolved, without sending anything."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from hermes_tui.commands.edge import USAGE
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import config_path
from hermes_tui.config.problems import InvalidFileError
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.route import Link
from hermes_tui.core.text import plain
from hermes_tui.wiring import load_configuration


def check(config: Path | None) -> int:
    """Print what the file says and what is wrong with it; return 0 when all of it can work, 1 when something cannot.

    Where the file cannot be used at all, all that is wrong is printed and 2 returned; where it cannot even be read,
    ConfigurationError is raised.
    """
    path = config_path(config, os.environ)
    try:
        configuration = load_configuration(path, os.environ, now()).configuration
    except InvalidFileError as error:
        return _tell_all(error)
    findings = list(_findings(configuration))
    sys.stdout.write(f"{configuration.origin}\n")
    for number, link in enumerate((configuration.primary, *configuration.chain)):
        sys.stdout.write(f"  {number} {link.route}  {link.fault or _credentials(configuration, link)}\n")
    for finding in findings:
        sys.stdout.write(f"! {finding}\n")
    sys.stdout.write("All of it can work.\n" if not findings else f"{len(findings)} to look at.\n")
    return 1 if findings else 0


def _tell_all(error: InvalidFileError) -> int:
    problems = (error, *error.also)
    sys.stdout.write(f"{plain(str(error.path))}\n")
    for problem in problems:
        where = f"line {problem.line}: " if problem.line is not None else ""
        sys.stdout.write(f"! {where}{problem.what}\n")
    sys.stdout.write(f"{len(problems)} to mend: nothing runs with this file.\n")
    return USAGE


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
