"""`import`: a Hermes home as a configuration of this program's own; the home is read, and no key is copied."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.commands.check import checked_lines
from hermes_tui.commands.terminal import show
from hermes_tui.config.imported import imported_text, replace_with
from hermes_tui.config.initial import write_new
from hermes_tui.config.locate import config_path
from hermes_tui.config.values import base_url
from hermes_tui.core.errors import ConfigurationError, UsageError
from hermes_tui.core.text import plain
from hermes_tui.hermes.homes import find_home, why_not_a_home
from hermes_tui.hermes.importing import translation_of
from hermes_tui.hermes.translation import Translation
from hermes_tui.hermes.values import Home


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the command line said: which home, and whether to print, or to write over a file that is there."""

    config: Path | None
    home: Path | None
    profile: str | None
    print_only: bool
    force: bool


def import_home(options: ImportOptions) -> int:
    """Write the configuration and say what it lacks; return 0. A file that is there is overwritten by force alone.

    Raises UsageError where there is no home or nothing in it that can be taken over, ConfigurationError.
    """
    home = home_of(options)
    found = read_home(home, os.environ, Path.home())
    text = text_of(home, found)
    if options.print_only:
        sys.stdout.write(text)
        sys.stderr.write("".join(f"{line}\n" for line in report(found)))
        return 0
    path = config_path(options.config, os.environ)
    if not path.exists():
        write_new(path, text)
    elif options.force:
        replace_with(path, text)
    else:
        advice = "--force writes over it and keeps it as .bak, --print shows the text, --config names another place"
        raise ConfigurationError(f"is there already: {advice}", path=path)
    told = (f"Wrote {plain(str(path))} from {plain(str(home.path))}.", *checked_lines(path)[1][1:], *report(found))
    show("".join(f"{line}\n" for line in (*told, "`hermes-tui fallback test` asks each server, and spends no token.")))
    return 0


def home_of(options: ImportOptions) -> Home:
    """Return the home that was named, else the one that Hermes uses. Raises UsageError where there is none."""
    home = find_home(options.home, os.environ, Path.home())
    if options.profile is not None:
        inside = home.root if options.profile == "default" else home.root / "profiles" / options.profile
        home = find_home(inside, os.environ, Path.home())
    if (why := why_not_a_home(home)) is not None:
        raise UsageError(why)
    return home


def read_home(home: Home, environ: Mapping[str, str], user: Path) -> Translation:
    """Return what a home says. Raises UsageError where nothing of it can be taken over, ConfigurationError."""
    found = translation_of(home, environ, user, base_url)
    if not found.tables:
        reasons = "; ".join(found.notes[:3]) or "config.yaml asks for no model"
        raise UsageError(f"nothing of {home.path} can be taken over: {reasons}. `hermes-tui init` begins anew")
    return found


def text_of(home: Home, found: Translation) -> str:
    """Return the configuration that comes of a home."""
    return imported_text(found.tables, str(home.path), found.lacks, found.notes)


def report(found: Translation) -> Iterator[str]:
    """Yield what has to be done, and what is otherwise than in Hermes."""
    for title, lines in (("To be done before every route can serve:", found.lacks), ("Otherwise:", found.notes)):
        if lines:
            yield title
            yield from (f"- {line}" for line in lines)
