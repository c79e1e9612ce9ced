"""Which plugins `config.yaml` enables, and the smallest change of the file that enables one or takes one out.

Everything else stays as it is, to the letter: the change is made in the text, and counts only if the file then says
what it said before and that one name more or less.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.errors import ConfigurationError, RefusedError
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.document import read_nodes

_PLUGINS, _ENABLED, _DISABLED = "plugins", "enabled", "disabled"
_BLOCK: Final = "{0}plugins:{1}{0}  enabled:{1}{0}  - {2}{1}"
_BY_HAND: Final = "change it by hand, or with `hermes plugins"


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """What the file says of plugins: what may load, what must not, and whether they run outside of Hermes' process."""

    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    isolated: bool = False


def settings(data: bytes, path: Path) -> PluginSettings:
    """Return what the content of the file at `path` says. Raises ConfigurationError where it is broken."""
    table = read_nodes(data, path)[1].get(_PLUGINS)
    if not isinstance(table, Mapping):
        return PluginSettings()
    return PluginSettings(
        _names(table.get(_ENABLED)), _names(table.get(_DISABLED)), str(table.get("isolation")).lower() == "host"
    )


def with_plugin(data: bytes, path: Path, name: str) -> bytes:
    """Return the content with `name` under `plugins.enabled`, the same where it stands there already.

    Raises ConfigurationError where the file is broken, RefusedError where it says otherwise or is of a form that is
    better changed by hand.
    """
    root, document = read_nodes(data, path)
    found = settings(data, path)
    if name in found.disabled:
        raise RefusedError(f"{path} names {name} under plugins.disabled: take it out there first")
    if name in found.enabled:
        return data
    table = document.get(_PLUGINS)
    wanted = {**(table if isinstance(table, Mapping) else {}), _ENABLED: [name, *found.enabled]}
    return _proved(_inserted(_Text(data), root, name), {**document, _PLUGINS: wanted}, path, f"{_BY_HAND} enable`")


def without_plugin(data: bytes, path: Path, name: str) -> bytes:
    """Return the content without `name` under `plugins.enabled`, and without what is empty then; raises as above."""
    root, document = read_nodes(data, path)
    found = settings(data, path)
    if name not in found.enabled:
        return data
    rest = [other for other in found.enabled if other != name]
    text = _Text(data)
    plugins, enabled = _keys(root, _PLUGINS), _keys(_value(root, _PLUGINS), _ENABLED)
    table = dict(document[_PLUGINS])
    expected: dict[Any, Any] = {**document, _PLUGINS: {**table, _ENABLED: rest}}
    items = _value(_value(root, _PLUGINS), _ENABLED)
    ours = next(item for item in items.value if item.value == name)
    if _is_flow(items):
        changed = text.without_item(items, ours)
    elif rest:
        changed = text.without_lines(ours.start_mark.line, ours.start_mark.line + 1)
    elif len(table) > 1:
        expected = {**document, _PLUGINS: {key: value for key, value in table.items() if key != _ENABLED}}
        changed = text.without_lines(enabled.start_mark.line, ours.start_mark.line + 1)
    else:
        expected = {key: value for key, value in document.items() if key != _PLUGINS}
        changed = text.without_lines(plugins.start_mark.line, ours.start_mark.line + 1)
    return _proved(changed, expected, path, f"{_BY_HAND} disable`")


class _Text:
    """The text of the file, changed by lines and columns; what stands elsewhere keeps every letter."""

    def __init__(self, data: bytes) -> None:
        self.mark = "\ufeff" if data.startswith(b"\xef\xbb\xbf") else ""
        self.text = data.decode("utf-8-sig")
        self.end = "\r\n" if "\r\n" in self.text else "\n"
        self.lines = self.text.splitlines(keepends=True)

    def appended(self, block: str) -> str:
        gap = "" if not self.text or self.text.endswith("\n") else self.end
        return self.mark + self.text + gap + block

    def with_line(self, line: int, block: str) -> str:
        return self.mark + "".join([*self.lines[:line], block, *self.lines[line:]])

    def without_lines(self, first: int, end: int) -> str:
        return self.mark + "".join([*self.lines[:first], *self.lines[end:]])

    def with_first(self, node: Any, words: str) -> str:
        """Put words behind the bracket that a node begins with."""
        place = self._place(node.start_mark) + 1
        return self.mark + self.text[:place] + words + (", " if node.value else "") + self.text[place:]

    def without_item(self, node: Any, item: Any) -> str:
        at = node.value.index(item)
        first, end = item.start_mark, item.end_mark
        if at + 1 < len(node.value):
            end = node.value[at + 1].start_mark
        elif at:
            first = node.value[at - 1].end_mark
        return self.mark + self.text[: self._place(first)] + self.text[self._place(end) :]

    def _place(self, mark: Any) -> int:
        return sum(map(len, self.lines[: mark.line])) + int(mark.column)


def _inserted(text: _Text, root: Any, name: str) -> str:
    """Return the text with the name put where the nodes of the file say that it belongs."""
    if (plugins := _value(root, _PLUGINS)) is None:
        return text.appended(_BLOCK.format("", text.end, name))
    if _is_flow(plugins):
        enabled = _value(plugins, _ENABLED)
        return text.with_first(enabled, name) if enabled is not None else text.with_first(plugins, f"enabled: [{name}]")
    key = _keys(root, _PLUGINS)
    if not isinstance(plugins.value, list):  # nothing stands under it
        return text.with_line(key.start_mark.line + 1, f"  enabled:{text.end}  - {name}{text.end}")
    indent = " " * plugins.start_mark.column
    if (enabled := _value(plugins, _ENABLED)) is None:
        return text.with_line(plugins.start_mark.line, f"{indent}enabled:{text.end}{indent}- {name}{text.end}")
    if _is_flow(enabled):
        return text.with_first(enabled, name)
    if not isinstance(enabled.value, list):
        key = _keys(plugins, _ENABLED)
        return text.with_line(key.start_mark.line + 1, f"{indent}- {name}{text.end}")
    return text.with_line(enabled.start_mark.line, f"{' ' * enabled.start_mark.column}- {name}{text.end}")


def _proved(text: str, expected: Mapping[Any, Any], path: Path, advice: str) -> bytes:
    """Return the text as bytes where it says what is expected. Raises RefusedError with the advice otherwise."""
    data = text.encode()
    with suppress(ConfigurationError):
        if read_nodes(data, path)[1] == expected:
            return data
    raise RefusedError(f"plugins.enabled in {path} is written in a form that is not changed here: {advice}")


def _is_flow(node: Any) -> bool:
    """Tell whether a node is written in brackets."""
    return bool(getattr(node, "flow_style", False))


def _keys(node: Any, name: str) -> Any:
    return next((key for key, _ in _pairs(node) if key.value == name), None)


def _value(node: Any, name: str) -> Any:
    return next((value for key, value in _pairs(node) if key.value == name), None)


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    value = getattr(node, "value", None)
    return value if isinstance(value, list) and all(isinstance(one, tuple) for one in value) else []


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(name) for name in value) if isinstance(value, list) else ()
