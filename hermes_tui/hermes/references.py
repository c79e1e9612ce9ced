"""Where the keys of a home are, as this program's configuration refers to them: never the keys themselves."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.entries import COMMAND, LITERAL
from hermes_tui.hermes.servers import CODEX, Server, identity, server_of
from hermes_tui.hermes.values import Login

_NAMED: Final = re.compile(r"\$\{(\w+)\}", re.ASCII)
_ENVIRONMENT: Final = "env:"
_PLAIN_LABEL: Final = re.compile(r"[^\s#\"'\\][^#\"'\\]*")
_WHY: Final = {
    LITERAL: "stands in config.yaml itself, and is not copied",
    COMMAND: 'is printed by a command: api_key = "command:…" takes one, and until then',
}


@dataclass(frozen=True, slots=True)
class Key:
    """A reference to a key, and what it is called in its pool."""

    label: str
    reference: str


@dataclass(frozen=True, slots=True)
class Keys:
    """Finds the keys of one home. `here` are the variables of this process, `there` those of the home's `.env`.

    `home` and `root` are paths as the configuration writes them.
    """

    logins: Sequence[Login]
    here: Mapping[str, str]
    there: Mapping[str, str]
    home: str
    root: str

    def of_codex(self) -> tuple[Key, ...]:
        """Return a reference to each login for Codex, in the order in which Hermes takes them."""
        rows = [row for row in self.logins if row.provider == "openai-codex"]
        labels = [row.label for row in rows]
        return tuple(
            Key(row.label or row.id, f"hermes:{self.root if row.inherited else self.home}#{_login_name(row, labels)}")
            for row in rows
        ) or (Key("main", f"hermes:{self.home}#"),)

    def of_server(self, server: Server) -> tuple[Key, ...]:
        """Return a reference to each key of a provider that is in a variable; where none is, to the usual variable."""
        rows = [row for row in self.logins if server_of(row.provider) is server]
        sources = [row.source for row in rows if row.source.startswith(_ENVIRONMENT)]
        variables = server.key_variables.split()
        usual = [name for name in variables if self._is_set(name)][:1] or variables[:1]
        names_of_keys = dict.fromkeys([source.removeprefix(_ENVIRONMENT) for source in sources] or usual)
        return tuple(Key(name.lower().replace("_", "-"), f"${{{name}}}") for name in names_of_keys)

    def kept_by_hermes(self, providers: Iterable[str]) -> Iterator[PlainText]:
        """Yield what is to say of keys that stand in auth.json alone."""
        told = {identity(provider) for provider in providers} - {CODEX}
        for row in self.logins:
            if identity(row.provider) in told and row.has_token and not row.source.startswith(_ENVIRONMENT):
                what = "key" if row.auth_type == "api_key" else "sign-in"
                yield one_line(
                    f"{row.provider}: the {what} {row.label or row.id} is in auth.json alone and is not copied: "
                    f"add it as a variable or a file under [[providers.{row.provider}.credentials]]"
                )

    def of_entry(self, written: str, provider: str) -> tuple[str, PlainText | None]:
        """Return the reference that stands for what an entry says of its key, and what its user has to do."""
        if not written or _NAMED.fullmatch(written):
            return written, None
        variable = re.sub(r"\W", "_", f"{provider}_API_KEY", flags=re.ASCII).upper()
        variable = variable if variable[0].isalpha() else f"KEY_{variable}"
        if self.here.get(variable, "").strip():
            return f"${{{variable}}}", None
        why = _WHY.get(written, "is in a variable with an unusual name")
        return f"${{{variable}}}", one_line(f"{provider}: its key {why}: put it into {variable}")

    def lacking(self, references: Iterable[str]) -> Iterator[PlainText]:
        """Yield the variables that are not set in this process, with where Hermes has them, or that it has none."""
        for name in dict.fromkeys(found[1] for one in references if (found := _NAMED.fullmatch(one))):
            if not self.here.get(name, "").strip():
                where = f"Hermes reads it from {self.home}/.env" if name in self.there else "Hermes has none either"
                yield one_line(f"{name} is not set here: {where}")

    def _is_set(self, name: str) -> bool:
        return bool((self.there.get(name) or self.here.get(name, "")).strip())


def _login_name(row: Login, labels: Sequence[str]) -> str:
    """Return the label of a login where it says which one is meant, else its id."""
    return row.label if labels.count(row.label) == 1 and _PLAIN_LABEL.fullmatch(row.label) else row.id
