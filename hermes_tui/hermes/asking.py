"""Asking the usage endpoint with a login of a home: its token is read for that one question, and kept nowhere.

Nothing of the home is written, and no token is refreshed (C55): that is for Hermes alone, which knows what came of it.
"""

import asyncio
from collections.abc import Callable, Mapping

from hermes_tui.core.errors import RefusedError
from hermes_tui.core.ports import Usages
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.secret import Secret
from hermes_tui.core.verdict import Reading as Answer
from hermes_tui.hermes.auth_file import AUTH_FILE, LoginsError, loaded
from hermes_tui.hermes.endpoint import endpoint_of
from hermes_tui.hermes.logins import token_of
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.values import Home, Login


class Asker:
    """Asks about the logins of a home; `environ` is the environment that Hermes would have too.

    A client is opened for each question: they are rare, and none is open in between.
    """

    def __init__(self, open_usages: Callable[[], Usages], environ: Mapping[str, str]) -> None:
        self._open_usages, self._environ = open_usages, environ

    async def ask(self, login: Login, model: str, reading: Reading) -> Answer:
        """Return what the endpoint says of `login` for `model`; every failure to get an answer is one of `unknown`.

        Raises RefusedError where there is no token to ask with any more, or no address, and LoginsError.
        """
        route, secret = await asyncio.to_thread(self._question, login, model, reading)
        usages = await asyncio.to_thread(self._open_usages)
        try:
            return await usages.read(route, secret)
        finally:
            await usages.close()

    def _question(self, login: Login, model: str, reading: Reading) -> tuple[Route, Secret]:
        address = endpoint_of(login, reading, self._environ)
        route = Route(login.provider, model, address, ApiMode.CODEX_RESPONSES, login.provider)
        return route, _secret(login, reading.home)


def _secret(login: Login, home: Home) -> Secret:
    """Return the token that stands in the file now, if it is still the one that was shown."""
    file = loaded((home.root if login.inherited else home.path) / AUTH_FILE)
    if isinstance(file, LoginsError):
        raise file
    row = next((row for row in file.rows(login.provider) if isinstance(row, dict) and row.get("id") == login.id), {})
    secret = Secret(token_of(login.provider, row))
    if secret.fingerprint != login.fingerprint:
        raise RefusedError(f"{login.provider}/{login.label} has another token since a moment ago: ask again")
    return secret
