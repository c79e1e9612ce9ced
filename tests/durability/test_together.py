"""Two dashboards and a run on one state: one process runs the session, the others show it and say which."""

import os
from pathlib import Path

from hermes_tui.core.event import SessionInterrupted, TurnCompleted
from hermes_tui.simulator.action import SetPace
from hermes_tui.storage.ledger import SqliteLedger
from tests.cli.conftest import Provider
from tests.durability.life import World
from tests.durability.lives import Zygote
from tests.durability.programs import Surroundings, run, start
from tests.terminal.conftest import Open

SLOW = SetPace(provider="openai-codex", latency=3600.0)
FAST = SetPace(provider="openai-codex", latency=0.0)


def test_one_runs_the_session_and_the_others_show_it_until_its_owner_is_killed(
    lives: Zygote, world: World, provider: Provider, terminal: Open, tmp_path: Path
) -> None:
    around = Surroundings(os.environ | world.environment, tmp_path)
    provider.apply(SLOW)
    owner = start(lives, around, "run", "--prompt", "Long work.")
    left, right = (terminal(120, 40, environment=world.environment) for _ in range(2))
    for screen in (left, right):
        screen.shows(f"live in process {owner.pid}", "RUN", "Long work.")
        screen.press("x")
        screen.shows("Stop s1's turn?", f"Process {owner.pid} runs it")
        screen.press("n")
    third = run(lives, around, "run", "--prompt", "Mine.")
    assert third.exit_code == 1
    assert f"already run elsewhere: s1 (process {owner.pid})" in third.errors

    owner.kill()
    for screen in (left, right):
        screen.shows("NOBODY", "Nobody runs s1 now: the process that did has ended. R runs it here.")
        screen.press("b")
        screen.shows("Nobody runs s1 now: reload the configuration")
    provider.apply(FAST)
    assert run(lives, around, "run", "--prompt", "Go on.").exit_code == 0
    for screen in (left, right):
        screen.shows("s1 was stopped: the program that ran it ended", "Go on.", "Reply 1 of gpt")

    left.press("R")
    right.shows(f"in process {left.pid}")
    left.press("i")
    left.press("And now?")
    left.shows("And now?")
    left.press("\r")
    right.shows("And now?", "Reply 2 of gpt")
    told = [type(event) for _, event in SqliteLedger.open(world.state, read_only=True).tail(0)]
    assert (told.count(SessionInterrupted), told.count(TurnCompleted)) == (1, 2)
    assert (left.leave(), right.leave()) == (0, 0)
