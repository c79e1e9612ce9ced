"""The dashboard without a configuration: it explains itself, and leads to the demo or to a file to begin with."""

import os
import sys
from pathlib import Path

from hermes_tui.commands.first_file import HereFile
from hermes_tui.tui.dialogue import Outcome
from hermes_tui.tui.themes import look_for
from hermes_tui.tui.welcome import WelcomeApp


def first_run(path: Path, state: Path) -> int | None:
    """Lead through the first steps; return the exit code, None when there is a configuration at `path` now."""
    file = HereFile(path, state, os.environ)
    outcome = WelcomeApp(file, look=look_for(os.environ, sys.stdout.encoding or "ascii")).run()
    match outcome:
        case Outcome.DASHBOARD:
            return None
        case Outcome.DEMO:
            return _demo()
        case Outcome.ATTACH:
            from hermes_tui.commands.attach import attach  # noqa: PLC0415 - only who chose it needs it

            return attach(None, path, state)
        case _:
            return 0


def _demo() -> int:
    from hermes_tui.commands.demo_screen import show_story  # noqa: PLC0415 - the simulator is not needed otherwise
    from hermes_tui.commands.story import story_clock  # noqa: PLC0415 - as above
    from hermes_tui.simulator.loading import FIRST_STORY, load_scenario  # noqa: PLC0415 - as above

    scenario = load_scenario(FIRST_STORY)
    return show_story(scenario, story_clock(scenario, None))
