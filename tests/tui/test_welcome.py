"""The guided start: every page, by key and by click, back at every step, and nothing sent or written before a yes."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from hermes_tui.commands import first_file
from hermes_tui.commands.first_file import HereFile
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.tui.dialogue import Outcome
from hermes_tui.tui.themes import ANSI, DARK, Look
from hermes_tui.tui.welcome import WelcomeApp
from hermes_tui.view.cells import width
from tests.cli.conftest import Provider, provider
from tests.config.logins import SIGNATURE, codex_login, hermes_login, token_of
from tests.engine.theatre import scenario
from tests.tui.driving import everything, showing, shown

__all__ = ["provider"]

KEY = "gsk_a-key-that-nobody-may-see"
STILL = Look(DARK, motion=False)


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A machine with one provider's key."""
    for name in [name for known in KNOWN_PROVIDERS.values() for name in known.key_variables]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    return {"GROQ_API_KEY": KEY, "HOME": str(tmp_path)}


@pytest.fixture
def file(tmp_path: Path, environ: dict[str, str]) -> HereFile:
    """A place for a configuration that is not there."""
    return HereFile(tmp_path / "config" / "hermes-tui.toml", tmp_path / "state", environ)


@pytest.fixture
def nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Where connections would be noted; there are none at the end."""
    made: list[object] = []
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, lambda _self, *target: made.append(target))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *target, **_options: made.append(target))
    yield made
    assert made == []


def written(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def press(pilot: Pilot[Any], *keys: str) -> str:
    """Press keys, wait for what they ask, and return what is shown then."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return everything(pilot.app)


@asynccontextmanager
async def begun(file: HereFile, size: tuple[int, int] = (80, 24), look: Look = STILL) -> Any:
    """Open the guided start."""
    app = WelcomeApp(file, look=look)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


async def type_in(pilot: Pilot[Any], text: str) -> None:
    """Type as a person does."""
    for letter in text:
        await pilot.press(letter)
    await pilot.pause()


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (48, 14)])
async def test_it_says_what_this_is_what_is_here_and_what_comes_next(file: HereFile, size: tuple[int, int]) -> None:
    async with begun(file, size) as (_, pilot):
        text = " ".join(everything(pilot.app).split())
        assert "agent sessions that outlive" in text
        assert "Watch the demo" in text
        assert "Set up a provider" in text
        assert KEY not in text
        if size[1] >= 20:
            assert "Nothing is sent anywhere before you say so." in text
            assert "GROQ_API_KEY (groq)" in text


@pytest.mark.parametrize(
    ("key", "outcome"),
    [("d", Outcome.DEMO), *((key, Outcome.LEAVE) for key in ("q", "escape", "ctrl+c", "ctrl+q"))],
)
async def test_a_key_leads_to_the_demo_or_to_the_shell(file: HereFile, key: str, outcome: Outcome) -> None:
    async with begun(file) as (app, pilot):
        await pilot.press(key)
    assert app.return_value is outcome


@pytest.mark.usefixtures("nothing_is_sent")
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (48, 14)])
async def test_a_first_provider_is_a_few_keys_and_the_file_is_shown_before_it_is_there(
    file: HereFile, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with begun(file, size) as (app, pilot):
        assert "Which provider do your sessions start on?" in await press(pilot, "s")
        assert "$GROQ_API_KEY" in await press(pilot, "enter")
        assert "llama-3.3-70b-versatile" in await press(pilot, "enter")
        assert "Nowhere yet" in await press(pilot, "enter")
        assert "# hermes-tui: which model your sessions" in await press(pilot, "n")
        assert written(tmp_path) == []
        assert "All of it can work." in await press(pilot, "w")
        assert written(tmp_path) == ["config/hermes-tui.toml"]
        await press(pilot, "enter")
    assert app.return_value is Outcome.DASHBOARD
    text = (tmp_path / "config" / "hermes-tui.toml").read_text()
    assert 'api_key = "${GROQ_API_KEY}"' in text
    assert KEY not in text


@pytest.mark.usefixtures("nothing_is_sent")
async def test_escape_goes_back_at_every_step_and_nothing_stays(file: HereFile, tmp_path: Path) -> None:
    async with begun(file, (80, 24)) as (app, pilot):
        pages = [everything(pilot.app)]
        pages += [await press(pilot, key) for key in ("s", "o")]
        await type_in(pilot, "https://llm.example.com/v1")
        pages += [await press(pilot, "enter"), await press(pilot, "p")]
        await type_in(pilot, "a-key-that-was-pasted")
        pages.append(await press(pilot, "enter"))
        await type_in(pilot, "m")
        pages += [await press(pilot, "enter"), await press(pilot, "n")]
        for page in reversed(pages[:-1]):
            assert await press(pilot, "escape") == page
        await press(pilot, "escape")
    assert app.return_value is Outcome.LEAVE
    assert written(tmp_path) == []


@pytest.mark.usefixtures("nothing_is_sent")
async def test_a_pasted_key_goes_into_a_file_of_its_own_and_is_never_shown(file: HereFile, tmp_path: Path) -> None:
    async with begun(file) as (_, pilot):
        await press(pilot, "s", "enter", "p")
        await type_in(pilot, KEY)
        seen = [everything(pilot.app), *[await press(pilot, key) for key in ("enter", "enter", "n", "w")]]
        assert KEY not in "".join(seen)
        assert "*" * len(KEY) in seen[0]
        assert "All of it can work." in seen[-1]
    place = tmp_path / "config" / "keys" / "groq"
    assert place.read_text().strip() == KEY
    assert (place.stat().st_mode & 0o777, place.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    text = (tmp_path / "config" / "hermes-tui.toml").read_text()
    assert 'api_key = "file:keys/groq"' in text
    assert KEY not in text


async def test_a_key_file_from_before_is_offered_and_a_pasted_key_takes_another_name(
    file: HereFile, tmp_path: Path
) -> None:
    (tmp_path / "config" / "keys").mkdir(parents=True)
    (tmp_path / "config" / "keys" / "groq").write_text("before")
    async with begun(file) as (_, pilot):
        assert "keys/groq (groq)" in everything(pilot.app)
        assert "keys/groq-2" in await press(pilot, "s", "enter")
        await press(pilot, "p")
        await type_in(pilot, KEY)
        await press(pilot, "enter", "enter", "n", "w")
    assert (tmp_path / "config" / "keys" / "groq").read_text() == "before"
    assert (tmp_path / "config" / "keys" / "groq-2").read_text().strip() == KEY


@pytest.mark.parametrize(
    ("keys", "typed", "said"),
    [
        (("s", "o"), "llm.example.com", "It must be an http or https address"),
        (("s", "o"), "https://me:secret@llm.example.com", "It must not hold a user name or password"),
        (("s", "enter", "v"), "sk-not-a-name", "It must name the environment variable"),
        (("s", "enter", "f"), "/no/such/file", "cannot be read: No such file or directory"),
        (("s", "enter", "p"), "Bearer abc", 'The key begins with "Bearer"'),
    ],
)
@pytest.mark.usefixtures("nothing_is_sent")
async def test_an_answer_that_cannot_be_is_told_and_asked_again(
    file: HereFile, keys: tuple[str, ...], typed: str, said: str
) -> None:
    async with begun(file, (120, 40)) as (_, pilot):
        before = await press(pilot, *keys)
        await type_in(pilot, typed)
        after = await press(pilot, "enter")
        assert said in after
        assert before.splitlines()[8] == after.splitlines()[8]


@pytest.fixture
def script() -> Scenario:
    """A server that lists its models to those who have a key."""
    return scenario("backup/small", primary="backup/large")


async def test_a_server_is_asked_for_its_models_when_the_user_says_so(
    file: HereFile, provider: Provider, script: Scenario
) -> None:
    address = script.configuration_for(provider.simulator.base_url)["providers"]["backup"]["base_url"]
    async with begun(file, (120, 40)) as (_, pilot):
        await press(pilot, "s", "o")
        await type_in(pilot, address)
        await press(pilot, "enter", "p")
        await type_in(pilot, "simulated-backup-1")
        page = await press(pilot, "enter")
        assert address in page
        assert "no token" in page
        assert provider.simulator.requests == []
        listed = (
            await press(pilot, "down", "enter") if "type its name, or choose" in page else await press(pilot, "enter")
        )
        assert "It lists" in listed
        assert {request.path.rpartition("/")[2] for request in provider.simulator.requests} == {"models"}
        await type_in(pilot, "lar")
        assert "large" in everything(pilot.app)
        assert "small" not in everything(pilot.app)
        assert "Where do sessions go when server/large runs out" in await press(pilot, "enter")


async def test_a_model_that_nobody_listed_is_what_was_typed(file: HereFile) -> None:
    async with begun(file) as (_, pilot):
        await press(pilot, "s", "enter", "enter")
        await type_in(pilot, "llama")
        assert "Where do sessions go when groq/llama runs out" in await press(pilot, "enter")


class Models(BaseHTTPRequestHandler):
    """A local server that lists its models to everybody."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"data": [{"id": "first:latest"}, {"id": "second:latest"}]}')

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadingHTTPServer]:
    """The one local server that is known here; it runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Models) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        known = replace(KNOWN_PROVIDERS["ollama"], base_url=f"http://127.0.0.1:{server.server_address[1]}/v1")
        monkeypatch.setattr(first_file, "KNOWN_PROVIDERS", {"ollama": known})
        monkeypatch.setitem(KNOWN_PROVIDERS, "ollama", known)
        yield server
        server.shutdown()


def test_local_servers_are_known_on_this_machine_alone() -> None:
    addresses = [known.base_url for known in KNOWN_PROVIDERS.values() if not known.needs_key]
    assert addresses
    assert all(address.startswith("http://127.0.0.1:") for address in addresses)


@pytest.mark.usefixtures("ollama")
async def test_looking_on_this_machine_shows_what_answers_and_its_models(file: HereFile) -> None:
    async with begun(file, (80, 24)) as (_, pilot):
        assert "answers here" not in await press(pilot, "s")
        assert "answers here, 2 models" in await press(pilot, "l")
        page = await click_on(pilot, "ollama ")
        assert "first:latest" in page
        assert "second:latest" in page
        assert "Ask ollama" not in page
        assert "Where do sessions go when ollama/second:latest" in await press(pilot, "down", "enter")


async def test_where_nothing_answers_on_this_machine_that_is_said(file: HereFile, ollama: ThreadingHTTPServer) -> None:
    ollama.shutdown()
    ollama.server_close()
    async with begun(file, (80, 24)) as (_, pilot):
        assert "None of them answers here" in await press(pilot, "s", "l")


@pytest.mark.usefixtures("nothing_is_sent")
async def test_a_file_that_came_meanwhile_is_never_overwritten(file: HereFile, tmp_path: Path) -> None:
    async with begun(file, (80, 24)) as (_, pilot):
        await press(pilot, "s", "enter", "p")
        await type_in(pilot, KEY)
        await press(pilot, "enter", "enter", "n")
        (tmp_path / "config").mkdir()
        (tmp_path / "config" / "hermes-tui.toml").write_text("# theirs\n")
        said = await press(pilot, "w")
        assert "is there already, and is never overwritten" in " ".join(said.split())
    assert written(tmp_path) == ["config/hermes-tui.toml"]
    assert (tmp_path / "config" / "hermes-tui.toml").read_text() == "# theirs\n"


@pytest.mark.usefixtures("nothing_is_sent")
async def test_a_place_that_cannot_be_written_is_said_with_what_to_do(file: HereFile, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file where the folder would be")
    async with begun(file, (80, 24)) as (_, pilot):
        said = " ".join((await press(pilot, "i", "w")).split())
        assert "cannot be written (Not a directory): name another place with --config" in said.replace("│ │ ", "")
        assert "Write it" in said


@pytest.mark.usefixtures("nothing_is_sent")
async def test_what_is_set_here_is_a_file_at_once_which_is_shown_first(file: HereFile, tmp_path: Path) -> None:
    async with begun(file, (120, 40)) as (_, pilot):
        assert 'provider = "groq"' in await press(pilot, "i")
        assert written(tmp_path) == []


async def test_without_any_key_that_is_not_offered(tmp_path: Path) -> None:
    bare = HereFile(tmp_path / "hermes-tui.toml", tmp_path / "state", {"HOME": str(tmp_path)})
    async with begun(bare) as (_, pilot):
        assert "No provider's key is set" in everything(pilot.app)
        before = everything(pilot.app)
        assert await press(pilot, "i") == before


def here(folder: Path) -> HereFile:
    """A place for a configuration, of a user who has no key in the environment."""
    return HereFile(folder / "config" / "hermes-tui.toml", folder / "state", {"HOME": str(folder)})


async def test_a_login_of_codex_that_cannot_be_borrowed_says_why(tmp_path: Path) -> None:
    codex_login(tmp_path / ".codex", token_of("acc-1", expires_at=1.0))
    async with begun(here(tmp_path), (120, 40)) as (_, pilot):
        text = " ".join(everything(pilot.app).replace("│", " ").split())
        assert "A Codex login is here, and cannot be borrowed: the token in" in text
        assert "run `codex login`" in text
        assert "No provider's key is set" in text


async def test_a_login_of_codex_is_borrowed_by_the_file_that_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    login = codex_login(tmp_path / ".codex", token_of("acc-1", expires_at=time.time() + 3600))
    before = login.read_bytes()
    file = here(tmp_path)
    async with begun(file, (120, 40)) as (_, pilot):
        assert "Set on this machine: the login of Codex (openai-codex)." in everything(pilot.app)
        done = await press(pilot, "i", "w")
        assert "0 openai-codex/gpt-5.5  1 credential" in done
        assert SIGNATURE not in done
    assert '\napi_key = "codex:"\n' in (tmp_path / "config" / "hermes-tui.toml").read_text()
    assert login.read_bytes() == before


def test_a_borrowed_login_is_proposed_once_and_before_a_token_in_the_environment(tmp_path: Path) -> None:
    codex_login(tmp_path / ".codex", token_of("acc-1", expires_at=time.time() + 3600))
    both = {"HOME": str(tmp_path), "CODEX_TOKEN": "made-up", "GROQ_API_KEY": KEY}
    routes = HereFile(tmp_path / "hermes-tui.toml", tmp_path / "state", both).proposed()
    assert [(route.provider, route.key) for route in routes] == [
        ("openai-codex", "codex:"),
        ("groq", "env:GROQ_API_KEY"),
    ]


async def test_a_hermes_home_is_taken_over_after_it_was_shown(tmp_path: Path, nothing_is_sent: list[object]) -> None:
    hermes_login(tmp_path / ".hermes", {"id": "1", "label": "work", "access_token": "made-up"})
    (tmp_path / ".hermes" / "config.yaml").write_text("model: {default: gpt-5.5, provider: openai-codex}\n")
    before = written(tmp_path)
    async with begun(here(tmp_path), (120, 40)) as (_, pilot):
        assert "Take over the Hermes home" in everything(pilot.app)
        shown_first = await press(pilot, "t")
        assert 'api_key = "hermes:~/.hermes#work"' in shown_first
        assert written(tmp_path) == before
        await press(pilot, "escape")
        assert "Take over the Hermes home" in everything(pilot.app)
        await press(pilot, "t")
        assert "is written." in await press(pilot, "w")
    assert written(tmp_path) == sorted([*before, "config/hermes-tui.toml"])


async def test_a_hermes_home_that_cannot_be_taken_over_says_why_and_the_start_goes_on(tmp_path: Path) -> None:
    (tmp_path / ".hermes").mkdir()
    (tmp_path / ".hermes" / "config.yaml").write_text("model: [\n")
    async with begun(here(tmp_path), (120, 40)) as (_, pilot):
        text = "".join((await press(pilot, "t")).replace("│", " ").split())  # a long path is broken anywhere
        assert "config.yaml,line2:" in text
        assert "Watchthedemo" in text


async def click_on(pilot: Pilot[Any], words: str) -> str:
    """Click on `words`, wherever they are shown."""
    lines = shown(pilot.app)
    row = next(number for number, line in enumerate(lines) if words in line)
    await pilot.click(offset=(lines[row].index(words) + 1, row))
    return await press(pilot)


@pytest.mark.usefixtures("nothing_is_sent")
@pytest.mark.parametrize("size", [(120, 40), (60, 20)])
async def test_the_mouse_alone_leads_to_the_end(file: HereFile, tmp_path: Path, size: tuple[int, int]) -> None:
    async with begun(file, size) as (app, pilot):
        await click_on(pilot, "Set up a provider")
        await click_on(pilot, "esc")
        assert "Watch the demo" in await press(pilot)
        for words in ("Set up a provider", "groq", "$GROQ_API_KEY", "llama-3.3-70b", "Nowhere yet", "Write it "):
            await click_on(pilot, words)
        await click_on(pilot, "Open the dashboard")
    assert app.return_value is Outcome.DASHBOARD
    assert written(tmp_path) == ["config/hermes-tui.toml"]


@pytest.mark.parametrize("size", [(1, 1), (5, 3), (20, 6), (48, 14)])
async def test_no_terminal_is_too_small_and_ascii_is_ascii(file: HereFile, size: tuple[int, int]) -> None:
    async with begun(file, size, Look(ANSI, ascii=True, motion=False)) as (app, pilot):
        assert (await press(pilot, "s", "down", "up", "pagedown", "pageup")).isascii()
        await pilot.resize_terminal(80, 24)
        assert "Which provider do your sessions start on?" in await showing(pilot, "Which provider")
        for key in ("enter", "p", "escape", "enter", "enter", "n"):
            assert (await press(pilot, key)).isascii()
        await pilot.resize_terminal(*size)
        await press(pilot)
        assert all(width(line) <= size[0] for line in shown(app))
