"""The shape of `hermes-tui.toml`: what may stand in it, and what each value may be.

The names are Hermes' own where it has one. Unknown keys are kept aside (`model_extra`) for a warning; wrong
values are errors. No message ever shows a value of the file: it might be a key.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, PlainValidator

from hermes_tui.config.problems import Where
from hermes_tui.config.secrets import Reference, reference, variable
from hermes_tui.config.values import base_url
from hermes_tui.core.configuration import OnRefusal, Policy, RestoreMode, Settings, Strategy
from hermes_tui.core.durations import seconds
from hermes_tui.core.naming import NAME_LIMIT
from hermes_tui.core.route import ApiMode
from hermes_tui.core.telling import Occasion
from hermes_tui.core.text import one_line

_DEFAULT: Final = Settings()
_A_MINUTE: Final = 60.0
_A_DAY: Final = 86400.0
_NOT_A_CHAIN: Final[dict[type, str]] = {
    str: "is text, so the chain would be empty: take the quotes away and write a [[fallback_providers]] table "
    "with provider and model for each entry",
    dict: "is one table: write it with two brackets, [[fallback_providers]], once for each entry",
}


def _word(text: str) -> str:
    return one_line(text, 200)


def _name(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return one_line(text, NAME_LIMIT)


def _argument(text: str) -> str:
    if not text or "\0" in text:
        raise ValueError("must be a word of the command: it is empty or holds a character that no command takes")
    return text


def _minutes(seconds: float) -> float:
    if seconds < _A_MINUTE:
        raise ValueError('must be a duration of at least a minute, as in "12h"')
    return seconds


def _command(value: object) -> object:
    if isinstance(value, list):
        return value
    raise ValueError('must be a list, the program first, as in ["notify-send", "hermes-tui"]: no shell reads it')


def _chain(value: object) -> object:
    if reason := _NOT_A_CHAIN.get(type(value)):
        raise ValueError(reason)
    return value


Word = Annotated[str, AfterValidator(_word)]
Name = Annotated[str, AfterValidator(_name)]
Url = Annotated[str, AfterValidator(base_url)]
Key = Annotated[Reference, PlainValidator(reference)]
KeyVariable = Annotated[Reference, PlainValidator(variable)]
Duration = Annotated[float, PlainValidator(seconds)]
Argument = Annotated[str, AfterValidator(_argument)]
Mode = Annotated[ApiMode, Field(strict=False)]
Order = Annotated[Strategy, Field(strict=False)]
Seconds = Annotated[FiniteFloat, Field(gt=0, le=_A_DAY)]
Wait = Annotated[FiniteFloat, Field(ge=0, le=_A_DAY)]


class Table(BaseModel):
    """A table of the file; it prints as its kind only, for it may hold keys."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, hide_input_in_errors=True)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    __str__ = __repr__


class Keyed(Table):
    """A table that may name a key: as `api_key`, or by a variable's name as Hermes writes it."""

    api_key: Key | None = None
    key_env: KeyVariable | None = None
    api_key_env: KeyVariable | None = None

    def keys(self) -> dict[str, Reference]:
        """Return the references that are written, by the field that holds them: one, where nothing is contradictory."""
        named = {"api_key": self.api_key, "key_env": self.key_env, "api_key_env": self.api_key_env}
        return {field: key for field, key in named.items() if key is not None}

    @property
    def key(self) -> Reference | None:
        """The key that the table names, None where it names none."""
        return next(iter(self.keys().values()), None)


class Entry(Keyed):
    """A route: the primary, or an entry of a chain."""

    provider: Word = ""
    model: Word = ""
    base_url: Url | None = None
    api_mode: Mode | None = None
    context_length: Annotated[int, Field(gt=0)] | None = None


Chain = Annotated[list[Entry], BeforeValidator(_chain)]


class Credential(Table):
    """One key of a provider's pool; without a label it is called after its position."""

    label: Name | None = None
    api_key: Key


class Provider(Keyed):
    """What is configured about a provider; a key of its own is the short form of a single credential."""

    base_url: Url | None = None
    api_mode: Mode | None = None
    request_timeout_seconds: Seconds | None = None
    strategy: Order | None = None
    credentials: list[Credential] = Field(default_factory=list)


class Runtime(Table):
    """The settings of the mechanism; the names and defaults of `core.configuration.Settings`."""

    policy: Annotated[Policy, Field(strict=False)] = _DEFAULT.policy
    restore: Annotated[RestoreMode, Field(strict=False)] = _DEFAULT.restore
    on_refusal: Annotated[OnRefusal, Field(strict=False)] = _DEFAULT.on_refusal
    max_retries: Annotated[int, Field(ge=1, le=100)] = _DEFAULT.max_retries
    backoff_base_seconds: Wait = _DEFAULT.backoff_base_seconds
    backoff_cap_seconds: Wait = _DEFAULT.backoff_cap_seconds
    probe_interval_seconds: Annotated[FiniteFloat, Field(ge=1, le=_A_DAY)] = _DEFAULT.probe_interval_seconds
    min_switch_reset_seconds: Wait = _DEFAULT.min_switch_reset_seconds
    first_token_timeout_seconds: Seconds = _DEFAULT.first_token_timeout_seconds
    idle_timeout_seconds: Seconds = _DEFAULT.idle_timeout_seconds
    turn_timeout_seconds: Seconds = _DEFAULT.turn_timeout_seconds


class Session(Table):
    """A session: what it is called and asked, how often it runs by itself, and its own routes if any."""

    name: Name
    prompt: str | None = None
    system_prompt: str | None = None
    every: Duration | None = None
    primary: Entry | None = None
    fallback_providers: Chain | None = None


class ScreenTable(Table):
    """How the screen looks."""

    theme: Word | None = None
    glyphs: Literal["auto", "unicode", "ascii"] = "auto"
    motion: Literal["auto", "full", "none"] = "auto"
    updates_per_second: Annotated[int, Field(ge=1, le=10)] = 10
    hermes_homes: list[Argument] | None = None


class TellTable(Table):
    """How the user is told of what matters while nobody looks at the screen."""

    bell: bool = False
    desktop: bool = False
    command: Annotated[list[Argument], BeforeValidator(_command)] = Field(default_factory=list)
    on: list[Annotated[Occasion, Field(strict=False)]] = Field(default_factory=lambda: list(Occasion))
    remind: Annotated[Duration, AfterValidator(_minutes)] | None = None


class File(Table):
    """The whole file."""

    primary: Entry
    fallback_providers: Chain = Field(default_factory=list)
    fallback_model: Entry | None = None
    providers: dict[Word, Provider] = Field(default_factory=dict)
    credential_pool_strategies: dict[Word, Order] = Field(default_factory=dict)
    runtime: Runtime = Field(default_factory=Runtime)
    sessions: list[Session] = Field(default_factory=list)
    keys: dict[Word, Word] = Field(default_factory=dict)
    screen: ScreenTable = Field(default_factory=ScreenTable)
    tell: TellTable = Field(default_factory=TellTable)


def walk(value: object, where: Where = ()) -> Iterator[tuple[Where, object]]:
    """Yield every table, list and value that is written in a checked file with the way to it."""
    yield where, value
    inside: Iterator[tuple[str | int, object]] = iter(())
    if isinstance(value, Table):
        written = value.model_fields_set
        inside = ((name, getattr(value, name)) for name in type(value).model_fields if name in written)
    elif isinstance(value, dict):
        inside = iter(value.items())
    elif isinstance(value, list):
        inside = iter(enumerate(value))
    for name, item in inside:
        yield from walk(item, (*where, name))
