"""`init`: a first configuration, written from what the environment has; nothing is sent, no key is copied."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

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
    found = found_variables(os.environ)
    keys = ", ".join(f"{variable} ({provider})" for provider, variable in found.items())
    sys.stdout.write(f"Wrote {plain(str(path))}.\n")
    sys.stdout.write(f"Found in the environment: {keys}.\n" if keys else "No provider's key is in the environment.\n")
    sys.stdout.write("Next: `hermes-tui check` says whether it can work, `hermes-tui` opens the dashboard.\n")
    return 0
