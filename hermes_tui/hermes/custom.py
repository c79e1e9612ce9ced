"""The providers that a home defines for itself: the list `custom_providers`, and the tables of `providers`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.entries import Table, count_of, entry_of, in_snake_case, shown, table_of, text_of
from hermes_tui.hermes.known import KNOWN
from hermes_tui.hermes.values import Entry

_ADDRESSES: Final = ("base_url", "url", "api")
_OFF: Final = ("false", "0", "no", "off")
_PLACEHOLDER: Final = re.compile(r"\{[^}]+\}")


class CustomProviders:
    """The custom providers of one file in Hermes' order: the list first, then the tables."""

    def __init__(self, document: Table) -> None:
        self.entries: list[Entry] = []
        self.tables: dict[str, Table] = {}
        """What each name that Hermes accepts for a usable one leads to."""

        self._seen: dict[object, str] = {}
        listed = document.get("custom_providers")
        for number, table in enumerate(listed if isinstance(listed, list) else ()):
            where = f"custom_providers[{number}]"
            self._take(table, where, key="")
        for name, tuned in table_of(document.get("providers")).items():
            key = text_of(name)
            if isinstance(tuned, dict) and key and not _only_tunes(key, tuned):
                self._take(tuned, f"providers.{shown(key)}", key)

    def find(self, provider: str) -> Table | None:
        """Return the table of the usable one that an entry names, None where there is none."""
        return self.tables.get(provider.strip().lower().replace(" ", "-"))

    def _take(self, written: Any, where: str, key: str) -> None:
        if not isinstance(written, dict):
            no_table = one_line("not a table of name and base_url: Hermes leaves it out")
            self.entries.append(Entry("", "", where, faults=(no_table,), ignored=True))
            return
        table = in_snake_case(written)
        name = text_of(table.get("name")) or key
        model = text_of(table.get("model") or table.get("default_model"))
        address = _address(table)
        entry = entry_of(table, where, provider=key or name, model=model, base_url=address)
        if entry.context_length is None:
            entry = replace(entry, context_length=context_of(table, model))
        fault = self._fault(key, name, address, model, is_off=bool(key) and _is_off(table))
        if fault is None:
            for identity in _identities(key, name, address, model):
                self._seen[identity] = where
            self.tables |= {alias: table for alias in _aliases(name, key) if alias not in self.tables}
        self.entries.append(replace(entry, faults=(fault,) if fault else (), ignored=fault is not None))

    def _fault(self, key: str, name: str, address: str, model: str, *, is_off: bool) -> PlainText | None:
        if is_off:
            return one_line("switched off (enabled: false)")
        if not name:
            return one_line("no name: Hermes leaves it out")
        if not address:
            return one_line("no base_url that begins with http:// or https://: Hermes leaves it out")
        same = next((self._seen[one] for one in _identities(key, name, address, model) if one in self._seen), None)
        return one_line(f"the same as {same}: Hermes leaves it out") if same else None


def context_of(table: Table, model: str) -> int | None:
    """Return the tokens of context that a custom provider states for a model, None where it states none."""
    models = table_of(table.get("models"))
    return count_of(table_of(models.get(model)).get("context_length")) or count_of(table.get("context_length"))


def _only_tunes(key: str, table: Table) -> bool:
    """Tell whether a table without an address only sets timeouts for a provider that Hermes has of its own."""
    table = in_snake_case(table)
    return key.lower() in KNOWN and not any(text_of(table.get(name)) for name in _ADDRESSES)


def _address(table: Table) -> str:
    """Return the first address of a table that Hermes can use; one with a placeholder is taken as it is."""
    written = (table.get(name) for name in _ADDRESSES)
    candidates = (value.strip() for value in written if isinstance(value, str))
    return next((one for one in candidates if _PLACEHOLDER.search(one) or _is_url(one)), "")


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:  # "http://[::1"
        return False
    return bool(parts.scheme and parts.netloc)


def _is_off(table: Table) -> bool:
    flag = table.get("enabled", True)
    return flag.strip().lower() in _OFF if isinstance(flag, str) else not flag


def _identities(key: str, name: str, address: str, model: str) -> Iterator[object]:
    """Yield what makes a provider the same as an earlier one: its key, or name, address and model together."""
    if key:
        yield key.lower()
    yield (name.lower(), address.rstrip("/").lower(), model.lower())


def _aliases(name: str, key: str) -> Iterator[str]:
    for text in filter(None, (name.lower(), key.lower())):
        plain = text.replace(" ", "-")
        yield from (text, plain, plain.removeprefix("custom:"), f"custom:{plain}")
