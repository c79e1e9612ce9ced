"""What commands have in common: where the files are, --json, numbers within bounds, names that a shell completes."""

import math
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="As JSON, with a versioned schema.")


def files(command: F) -> F:
    """Give a command --config and --state, which may stand before it or after."""

    @wraps(command)
    def with_files(*args: Any, config: Path | None, state: Path | None, **kwargs: Any) -> Any:
        before = click.get_current_context().find_root().params
        return command(*args, config=config or before["config"], state=state or before["state"], **kwargs)

    decorated: Any = with_files
    path = click.Path(path_type=Path, readable=False)
    for option in (
        click.option("--state", type=path, help="Folder of the state; else $HERMES_TUI_STATE, else the platform's."),
        click.option("--config", type=path, help="The configuration; else $HERMES_TUI_CONFIG, else the platform's."),
    ):
        decorated = option(decorated)
    return cast("F", decorated)


def of_hermes(command: F) -> F:
    """Give a command --hermes, --home and --profile; it gets the `Asked` homes, None where it is about our own."""

    @wraps(command)
    def with_homes(*args: Any, hermes: bool, home: Path | None, profile: str | None, **kwargs: Any) -> Any:
        asked = None
        if hermes or home is not None or profile is not None:  # each asks for Hermes by itself
            from hermes_tui.commands.homes import Asked

            asked = Asked(home, profile)
        return command(*args, asked=asked, **kwargs)

    decorated: Any = with_homes
    for option in (
        click.option("--profile", metavar="NAME", help="One profile of Hermes alone; default is the root's own."),
        click.option("--home", metavar="DIR", type=click.Path(path_type=Path), help="Of the Hermes home in there."),
        click.option("--hermes", is_flag=True, help="Of Hermes: its home in $HERMES_HOME, else where Hermes has it."),
    ):
        decorated = option(decorated)
    return cast("F", decorated)


def offers(kind: str) -> Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]:
    """Return what completes a name of `kind` when a shell asks."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from hermes_tui.commands.completion import offers as completing

        return completing(kind, context, incomplete)

    return complete


def length_of_time(context: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Return the seconds that `value`, such as `3d` or `1h30m`, spells; fails with a sentence where it spells none."""
    from hermes_tui.core.durations import seconds

    try:
        return None if value is None else seconds(value)
    except ValueError:
        raise click.BadParameter(
            f'"{value}" is no length of time: write it as 30m, 12h or 3d', context, param
        ) from None


class Range(click.FloatRange):
    """A number within bounds; `nan`, which no bound keeps out, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that `value` spells; fails with a sentence where it spells none."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number
