"""Actions: what a scenario, a test or a person does to the simulated world, as frozen values.

In files and over the control endpoint each is a table whose `do` names it; `account` left out means all of them.
"""

from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from pydantic import ConfigDict, Field, TypeAdapter

from hermes_tui.simulator.duration import Seconds
from hermes_tui.simulator.mode import Mode, UsageMode

_STRICT: Final = ConfigDict(extra="forbid")
Percent = Annotated[float, Field(ge=0, le=100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMode:
    """Requests meet `mode` from now on; `ok` sets the switch back, as it does a shape.

    A limit names the date `resets_in` from now.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    do: Literal["set_mode"] = "set_mode"
    provider: str
    account: str | None = None
    model: str | None = None
    mode: Mode
    resets_in: Seconds | None = None
    retry_after: Seconds | None = None
    after_chunks: Annotated[int, Field(ge=0)] = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SetShape:
    """Requests meet the answer of that name in the gallery from now on (`hermes-tui shapes` lists them)."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    do: Literal["set_shape"] = "set_shape"
    provider: str
    account: str | None = None
    model: str | None = None
    shape: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUsage:
    """The usage endpoint answers like `mode` from now on; when it lies, every window shows `used_percent`.

    When it refuses, it asks to be left alone for `retry_after`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    do: Literal["set_usage"] = "set_usage"
    provider: str
    account: str | None = None
    mode: UsageMode
    used_percent: Percent = 5.0
    retry_after: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetWindow:
    """A quota window (all of them where `window` is left out) stands at `used_percent` and resets in `resets_in`."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    do: Literal["set_window"] = "set_window"
    provider: str
    account: str | None = None
    window: str | None = None
    used_percent: Percent = 100.0
    resets_in: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopen:
    """The quota reopens, whatever date was named: windows are empty, limits are off."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    do: Literal["reopen"] = "reopen"
    provider: str
    account: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPace:
    """Replies begin after `latency` and bring `tokens_per_second` words; 0 sends them at once."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    do: Literal["set_pace"] = "set_pace"
    provider: str
    latency: Seconds | None = None
    tokens_per_second: Annotated[float, Field(ge=0)] | None = None


Action = SetMode | SetShape | SetUsage | SetWindow | Reopen | SetPace
ACTION_NAMES: Final = frozenset(fields(kind)[0].default for kind in get_args(Action))
"""What `do` may say."""

ActionTable = Annotated[Action, Field(discriminator="do")]

_ACTIONS: Final[TypeAdapter[list[Action]]] = TypeAdapter(list[ActionTable])


def parse_actions(payload: Any) -> list[Action]:
    """Return the actions in a decoded JSON payload, one or a list; raises pydantic's ValidationError."""
    return _ACTIONS.validate_python(payload if isinstance(payload, list) else [payload])
