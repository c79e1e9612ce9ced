"""`init`: a first configuration, written from what the environment has; nothing is sent, no key is copied."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.commands.terminal import show
from hermes_tui.config.initial import found_variables, initial_text, write_new
from hermes_tui.config.locate import config_path
from hermes_tui.core.text import plain


@dataclass(frozen=True, slots=True)
class InitOptions:
    """What the command line said: the primary, the chain as `provider/model`, and whether to print instead."""

    config: Path | None
    provider: str | None
    model: str | None
    fallbacks: tuple[str, ...]
    print_only: bool


def init(options: InitOptions) -> int:
    """Write the configuration and say what comes next; return 0. A file that is there is never overwritten."""
    text = initial_text(os.environ, provider=options.provider, model=options.model, fallbacks=options.fallbacks)
    if options.print_only:
        sys.stdout.write(text)
        return 0
    path = config_path(options.config, os.environ)
    write_new(path, text)
    show("".join(f"{line}\n" for line in _told(path, found_variables(os.environ))))
    return 0


def _told(path: Path, found: Mapping[str, str]) -> Iterator[str]:
    """Yield what was written, from what, and the next step."""
    yield f"Wrote {plain(str(path))}."
    if found:
        yield f"Found in the environment: {', '.join(f'{variable} ({name})' for name, variable in found.items())}."
    else:
        yield "No provider's key is in the environment: set those that the file names, or name other providers in it."
    yield "Next, without sending anything: `hermes-tui check` says what is missing."
    yield "Then `hermes-tui fallback test` asks each server whether it can serve, and spends no token."
    yield "`hermes-tui` opens the dashboard: i writes the first prompt to the session main, n makes another session."
