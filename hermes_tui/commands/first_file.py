"""Where the guided start makes its file: what this machine has, what servers say when they are asked, and the file."""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from hermes_tui.config.initial import file_text, found_routes, found_variables, write_new
from hermes_tui.config.key_files import keep, kept_keys, key_file
from hermes_tui.config.secrets import ConfiguredKeys, Kind, Reference, Sources, fetch, file_behind, reference, variable
from hermes_tui.config.values import base_url
from hermes_tui.core.beginning import FirstRoute, FoundKey, LocalServer, Question
from hermes_tui.core.catalogue import Answer, Catalogue
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.route import Route
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import PlainText, one_line, plain
from hermes_tui.hermes.configuration import FILE_NAME as CONFIGURATION
from hermes_tui.hermes.homes import find_home, why_not_a_home
from hermes_tui.hermes.values import Home

LOOK_SECONDS: Final = 3.0
"""How long a server of this machine may take to answer."""

LIST_SECONDS: Final = 10.0

_CODEX: Final = "openai-codex"
_BORROWED: Final = "codex:"
"""The reference to the login of the Codex command line."""


class HereFile:
    """Implements `core.beginning.FirstFile` for the file at `path`, with the state in the folder `state`."""

    def __init__(self, path: Path, state: Path, environ: Mapping[str, str]) -> None:
        self._path = path
        self._state = state
        self._environ = environ

    @property
    def path(self) -> PlainText:
        """Where the file will be."""
        return plain(str(self._path))

    def keys(self) -> tuple[FoundKey, ...]:
        """Return the keys of known providers that are set here; no value is kept."""
        variables = (FoundKey(name, f"env:{key}") for name, key in found_variables(self._environ).items())
        codex = (FoundKey(_CODEX, _BORROWED),) if self._has_codex else ()
        return (*codex, *variables, *(FoundKey(name, key) for name, key in kept_keys(self._path).items()))

    @property
    def _has_codex(self) -> bool:
        """Whether the login of the Codex command line can be borrowed."""
        return isinstance(fetch(reference(_BORROWED), self._sources), Secret)

    def sightings(self) -> tuple[PlainText, ...]:
        """Return a sentence for each login of another program that is here and cannot be used as it is."""
        file, codex = file_behind(reference(_BORROWED), self._sources), fetch(reference(_BORROWED), self._sources)
        found = []
        if file is not None and os.path.lexists(file) and isinstance(codex, str):
            found.append(f"A Codex login is here, and cannot be borrowed: {codex.removeprefix(_BORROWED).strip()}.")
        if why_not_a_home(self._hermes_home) is None:
            found.append(f"A Hermes home is here ({self._hermes_home.path}): `hermes-tui attach` shows it.")
        return tuple(map(one_line, found))

    @property
    def _hermes_home(self) -> Home:
        return find_home(None, self._environ, self._user)

    @property
    def _user(self) -> Path:
        return Path(self._environ.get("HOME") or "/")

    def hermes_home(self) -> PlainText | None:
        """Return where a Hermes home is whose configuration can be taken over, None where there is none."""
        home = self._hermes_home
        is_one = why_not_a_home(home) is None and os.path.lexists(home.path / CONFIGURATION)
        return plain(str(home.path)) if is_one else None

    def taken_over(self) -> str:
        """Return the file that comes of the Hermes home. Raises HermesTuiError where none does."""
        from hermes_tui.commands.import_home import read_home, text_of  # noqa: PLC0415 - on first use, as few have one

        home = self._hermes_home
        return text_of(home, read_home(home, self._environ, self._user))

    def proposed(self) -> tuple[FirstRoute, ...]:
        """Return a route for each key that is set here."""
        found = [FirstRoute(_CODEX, KNOWN_PROVIDERS[_CODEX].example_model, key=_BORROWED)] if self._has_codex else []
        found += found_routes(self._environ)
        kept = ((KNOWN_PROVIDERS[name], key) for name, key in kept_keys(self._path).items())
        found += (FirstRoute(known.name, known.example_model, key=key) for known, key in kept)
        routes: dict[str, FirstRoute] = {}
        for route in found:
            routes.setdefault(route.provider, route)
        return tuple(routes.values())

    def key_file(self, provider: str) -> str:
        """Return the reference to the file that a pasted key of the provider would go to."""
        return key_file(self._path, provider)

    def fault(self, question: Question, typed: str) -> str | None:
        """Say why what was typed cannot be the answer, None where it can."""
        try:
            match question:
                case Question.ADDRESS:
                    base_url(typed)
                case Question.VARIABLE:
                    variable(typed)
                case Question.KEY_FILE:
                    return self._fault_of(reference(f"file:{typed}"))
                case _:
                    return self._fault_of(Reference(Kind.LITERAL, typed))
        except ValueError as error:
            return f"it {error}"
        return None

    @property
    def _sources(self) -> Sources:
        return Sources.of(self._environ, self._path.parent, time.time())

    def _fault_of(self, asked: Reference) -> str | None:
        found = fetch(asked, self._sources)
        return found if isinstance(found, str) else None

    def text(self, routes: Sequence[FirstRoute]) -> str:
        """Return the file as it would be written."""
        return file_text(routes)

    async def look_here(self) -> tuple[LocalServer, ...]:
        """Ask the usual addresses of local servers, all of them on loopback."""
        known = [one for one in KNOWN_PROVIDERS.values() if not one.needs_key]
        routes = [FirstRoute(one.name, one.example_model) for one in known]
        answers = await asyncio.gather(*(self._ask(route, None, LOOK_SECONDS) for route in routes))
        return tuple(
            LocalServer(route.provider, answer)
            for route, answer in zip(routes, answers, strict=True)
            if isinstance(answer, Catalogue)
        )

    async def models(self, route: FirstRoute) -> Answer:
        """Ask the route's server for its models; where its key cannot be had, nobody is asked."""
        secret: Secret | str | None = route.pasted
        if secret is None and route.key:
            secret = fetch(reference(route.key), self._sources)
        if isinstance(secret, str):
            return Failure(FailureKind.NO_CREDENTIAL, Scope.CREDENTIAL, one_line(secret))
        return await self._ask(route, secret, LIST_SECONDS)

    async def _ask(self, route: FirstRoute, secret: Secret | None, patience: float) -> Answer:
        from hermes_tui.commands.wall_clock import now  # noqa: PLC0415 - with the next
        from hermes_tui.providers.catalogue import HttpCatalogues  # noqa: PLC0415 - httpx costs 90 ms: on first use

        catalogues = HttpCatalogues(ConfiguredKeys({}).redact, now=now, patience=patience)
        try:
            where = Route(route.provider, route.model, route.url, route.known.api_mode, route.provider)
            return await catalogues.read(where, secret)
        finally:
            await catalogues.close()

    def write(self, routes: Sequence[FirstRoute]) -> None:
        """Write the file, and pasted keys beside it. Raises ConfigurationError; then nothing was written."""
        written: list[Path] = []
        try:
            pasted = {route.key: route.pasted for route in routes if route.pasted is not None}
            for place, key in pasted.items():
                written.append(keep(self._path, place, key))
            write_new(self._path, file_text(routes))
        except ConfigurationError:
            for file in written:
                file.unlink()
            raise

    def write_text(self, text: str) -> None:
        """Write a file that was taken over. Raises ConfigurationError; then nothing was written."""
        write_new(self._path, text)

    async def check(self, *, ask: bool) -> tuple[str, ...]:
        """Return what is to say about the file that was written; with `ask` the servers are asked too."""
        if not ask:
            from hermes_tui.commands.check import checked_lines  # noqa: PLC0415 - after the last answer

            return checked_lines(self._path)[1][1:]
        from hermes_tui.commands.fallback import Target  # noqa: PLC0415 - as above
        from hermes_tui.commands.fitness import examine  # noqa: PLC0415 - as above
        from hermes_tui.engine.clock import EngineClock  # noqa: PLC0415 - as above
        from hermes_tui.view.fitness import fitness_lines  # noqa: PLC0415 - as above

        target, clock = Target(self._path, self._state, None), EngineClock()
        loaded = target.desk.load()
        found, _ = await examine(target, loaded, clock, offline=False)
        return tuple(fitness_lines(found, loaded.configuration.origin, clock.now(), offline=False).splitlines()[1:])
