"""The command line: options and exit codes. Each command's work is loaded only when it is called."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from hermes_tui.core.errors import ConfigurationError, HermesTuiError, UsageError

F = TypeVar("F", bound=Callable[..., Any])

FINE: Final = 0
ATTENTION: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130


def _files(command: F) -> F:
    """Give a command --config and --state, which may stand before it or after."""
    path = click.Path(path_type=Path)
    for option in (
        click.option("--state", type=path, help="Folder of the state; else $HERMES_TUI_STATE, else the platform's."),
        click.option("--config", type=path, help="The configuration; else $HERMES_TUI_CONFIG, else the platform's."),
    ):
        command = option(command)
    return command


def _either(name: str, here: Path | None) -> Path | None:
    """Return an option as given after the command, else as given before it."""
    if here is not None:
        return here
    context = click.get_current_context().find_root()
    value = context.params.get(name)
    return value if isinstance(value, Path) else None


class Commands(click.Group):
    """A group whose errors are one clear sentence on standard error, with our exit codes."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command; never show a traceback for what the program raises on purpose."""
        kwargs["standalone_mode"] = False
        kwargs["prog_name"] = "hermes-tui"
        try:
            code = super().main(*args, **kwargs)
        except click.ClickException as error:
            error.show()
            sys.exit(USAGE)
        except (ConfigurationError, UsageError) as error:
            sys.exit(_complain(error, USAGE))
        except HermesTuiError as error:
            sys.exit(_complain(error, ATTENTION))
        except (KeyboardInterrupt, click.Abort):
            sys.exit(_complain("interrupted", INTERRUPTED))
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(ATTENTION)
        sys.exit(code if isinstance(code, int) else FINE)


def _complain(error: HermesTuiError | str, code: int) -> int:
    click.echo(f"hermes-tui: {error}", err=True)
    return code


@click.group(cls=Commands, invoke_without_command=True)
@click.version_option(package_name="hermes-tui")
@_files
@click.pass_context
def main(context: click.Context, config: Path | None, state: Path | None) -> int | None:
    """Watch long-running agent sessions, and put their primary model back.

    Without a command the dashboard opens.
    """
    if context.invoked_subcommand is not None:
        return None
    from hermes_tui.commands.dashboard import dashboard

    return dashboard(config, state)


@main.command()
@click.argument("scenario", default="friday-to-monday")
@click.option("--speed", type=click.FloatRange(min=0.1), help="Seconds of the story in one; else as the scenario says.")
@click.option("--plain", is_flag=True, help="Lines instead of the dashboard.")
def demo(scenario: str, speed: float | None, plain: bool) -> int:
    """Watch a story on a simulated provider: no key, nothing leaves this machine."""
    from hermes_tui.commands.demo import demo as play

    return play(scenario, speed, plain=plain)


@main.command()
@click.option("--session", help="The session to run; needed with --prompt where there are several.")
@click.option("--prompt", "prompts", multiple=True, help="A prompt; each is a turn, in this order.")
@click.option("--prompts", "prompt_file", type=click.File("r"), help="A file with a prompt on each line, - for stdin.")
@click.option("--pause", type=click.FloatRange(min=0), default=0.0, help="Seconds between turns.")
@click.option("--json", "as_json", is_flag=True, help="Every event as a line of JSON.")
@_files
def run(
    session: str | None,
    prompts: tuple[str, ...],
    prompt_file: Any,
    pause: float,
    as_json: bool,
    config: Path | None,
    state: Path | None,
) -> int:
    """Run sessions without a screen: exit code 0 when every turn brought a reply."""
    from hermes_tui.commands.run import RunOptions
    from hermes_tui.commands.run import run as play

    lines = tuple(line.rstrip("\n") for line in prompt_file if line.strip()) if prompt_file else ()
    config, state = _either("config", config), _either("state", state)
    return play(RunOptions(config, state, session, (*prompts, *lines), pause, as_json))


@main.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON, with a versioned schema.")
@_files
def status(as_json: bool, config: Path | None, state: Path | None) -> int:  # noqa: ARG001 - the state knows its file
    """Show where every session stands; exit code 1 when one needs attention."""
    from hermes_tui.commands.status import status as show

    return show(_either("state", state), as_json=as_json)


@main.command()
@click.argument("session")
@_files
def why(session: str, config: Path | None, state: Path | None) -> int:  # noqa: ARG001 - the state knows its file
    """Say why a session is where it is: the facts with their sources, and the gates on its way back."""
    from hermes_tui.commands.status import why as show

    return show(_either("state", state), session)


@main.command()
@click.argument("scenarios", nargs=-1)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(["never", "every_turn", "throttled", "adaptive"]),
    help="A policy to play under; all of them where none is given.",
)
@click.option("--json", "as_json", is_flag=True, help="As a list of JSON objects.")
def simulate(scenarios: tuple[str, ...], policies: tuple[str, ...], as_json: bool) -> int:
    """Play scenarios under each policy, without waiting, and count what they cost."""
    from hermes_tui.commands.simulate import simulate as play

    return play(scenarios, policies, as_json=as_json)


@main.command()
@_files
def check(config: Path | None, state: Path | None) -> int:  # noqa: ARG001 - accepted like everywhere
    """Check the configuration without sending anything."""
    from hermes_tui.commands.check import check as look

    return look(_either("config", config))
