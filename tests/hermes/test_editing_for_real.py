"""A chain that was edited here, to the real Hermes: what it lists, when a session takes it, what its writes leave."""

import subprocess
from dataclasses import replace
from pathlib import Path

from hermes_tui.core.editing import AddEntry, ChainChange, ClearChain, EditEntry, MoveEntry
from hermes_tui.hermes.desk import HomeDesk
from hermes_tui.hermes.document import read_document
from hermes_tui.simulator import Mode, SetMode, Simulator
from hermes_tui.wiring import open_home
from tests.hermes.lab.agent import hermes_environment, running_agent
from tests.hermes.lab.environments import Build, interpreter
from tests.hermes.lab.homes import Fallback, make_home
from tests.hermes.lab.provider import PRIMARY, make_world
from tests.hermes.made import NOW

REMARK = "  # the good one\n"


def desk_of(home: Path) -> HomeDesk:
    return open_home(home, {}, lambda: NOW).desk


def hermes(build: Build, home: Path, *words: str) -> str:
    """Return what Hermes' own command says."""
    command = [str(interpreter(build)), "-m", "hermes_cli.main", *words]
    done = subprocess.run(command, env=hermes_environment(home), capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def second(home: Path) -> ChainChange:
    """Return that the fallback of the home is added again, first, for another model."""
    desk = desk_of(home)
    (entry,) = desk.check(desk.read().text, None).entries
    key = read_document((home / "config.yaml").read_bytes(), home)["fallback_providers"][0]["api_key"]
    return AddEntry(replace(entry, model="medium", context_length=100_000, api_key=key), 1)


def test_hermes_lists_what_was_edited_and_keeps_it_when_it_writes_the_file_itself(build: Build, tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home, build, "http://127.0.0.1:9", fallback=Fallback.POOLLESS, logins=("work",))
    file = home / "config.yaml"
    file.write_text(file.read_text().replace("fallback_providers:\n", f"fallback_providers:\n{REMARK}"))
    desk = desk_of(home)
    desk.apply(lambda _: second(home))
    desk.apply(lambda entries: EditEntry(1, replace(entries[0], model="large")))
    desk.apply(lambda _: MoveEntry(2, 1))
    edited = file.read_text()
    assert edited.index(REMARK) < edited.index("model: small") < edited.index("model: large")
    listed = hermes(build, home, "fallback", "list")
    assert [line.split()[1] for line in listed.splitlines() if line.strip()[:2] in ("1.", "2.")] == ["small", "large"]
    hermes(build, home, "config", "set", "agent.max_turns", "7")
    after = file.read_text()
    assert (
        read_document(after.encode(), file)["fallback_providers"]
        == read_document(edited.encode(), file)["fallback_providers"]
    )
    assert (REMARK in after) == (build is Build.HERMES_22)
    assert len(desk.check(desk.read().text, None).entries) == 2


async def test_a_session_takes_the_edited_chain_at_its_next_turn_and_none_while_it_cools_down(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with Simulator(make_world()) as simulator:
        make_home(home, Build.HERMES_22, simulator.base_url, fallback=Fallback.POOLLESS, logins=("work",))
        async with running_agent(Build.HERMES_22, home) as agent:
            await agent.turn("What is left to do?")
            desk = desk_of(home)
            desk.apply(lambda _: second(home))
            assert (await agent.take_chain())["chain"] == ["medium", "small"]
            simulator.world.apply(SetMode(provider=PRIMARY, mode=Mode.USAGE_LIMIT, resets_in=86_400.0))
            await agent.turn("And then?")
            state = await agent.state()
            assert (state["on_fallback"], state["model"]) == (True, "medium")
            desk.apply(lambda _: ClearChain())
            assert (await agent.take_chain())["chain"] == ["medium", "small"]
            await agent.leave()
