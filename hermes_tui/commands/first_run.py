"""The dashboard without a configuration: it explains itself, and offers the demo or a file to begin with."""

import os
import sys
from pathlib import Path

from hermes_tui.commands.demo_screen import show_story
from hermes_tui.commands.story import story_clock
from hermes_tui.config.initial import initial_text, write_new
from hermes_tui.simulator.loading import FIRST_STORY, load_scenario
from hermes_tui.tui.themes import look_for
from hermes_tui.tui.welcome import WelcomeApp
from hermes_tui.view.welcome import Step


def first_run(path: Path) -> int | None:
    """Offer the first steps; return the exit code, None when there is a configuration at `path` now."""
    step = WelcomeApp(str(path), look=look_for(os.environ, sys.stdout.encoding or "ascii")).run()
    if step is Step.DEMO:
        scenario = load_scenario(FIRST_STORY)
        return show_story(scenario, story_clock(scenario, None))
    if step is Step.INIT:
        write_new(path, initial_text(os.environ))
        return None
    return 0
