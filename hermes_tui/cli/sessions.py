"""Commands about sessions: run them, see where they stand and why."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar, cast

import click

from hermes_tui.cli.options import Range, files, json_option, length_of_time, of_hermes, offers
from hermes_tui.core.errors import UsageError

if TYPE_CHECKING:
    from hermes_tui.commands.homes import Asked

F = TypeVar("F", bound=Callable[..., Any])

A_DAY_SECONDS: Final = 86400.0


def _prompted(command: F) -> F:
    """Give a command --prompt and --prompts; it gets all `prompts`, those of the file last."""

    @wraps(command)
    def with_prompts(*args: Any, given: tuple[str, ...], prompt_file: TextIO | None, **kwargs: Any) -> Any:
        return command(*args, prompts=_prompts(given, prompt_file), **kwargs)

    decorated: Any = with_prompts
    for option in (
        click.option(
            "--prompts", "prompt_file", type=click.File("r"), help="A file with a prompt on each line, - for stdin."
        ),
        click.option("--prompt", "given", multiple=True, help="A prompt; each is a turn, in this order."),
    ):
        decorated = option(decorated)
    return cast("F", decorated)


def _prompts(given: tuple[str, ...], file: TextIO | None) -> tuple[str, ...]:
    """Return the prompts of the command line, then those of the file, one on each line that is not blank."""
    try:
        lines = tuple(line.rstrip("\n") for line in file if line.strip()) if file else ()
    except UnicodeDecodeError as error:
        raise UsageError(f"--prompts is not {error.encoding} text: save the file so, or convert it") from error
    if file and not lines:
        raise UsageError("--prompts holds no prompt: write one on each line")
    if not all(prompt.strip() for prompt in given):
        raise UsageError("--prompt is empty: say what to ask")
    return (*given, *lines)


@click.command()
@click.option(
    "--session",
    help="The session to run; needed with --prompt where there are several.",
    shell_complete=offers("sessions of the file"),
)
@_prompted
@click.option("--pause", type=Range(0, A_DAY_SECONDS), default=0.0, help="Seconds between turns.")
@click.option("--stay", is_flag=True, help="Go on afterwards: run every session, take prompts and acts from screens.")
@click.option("--json", "as_json", is_flag=True, help="Every event as a line of JSON.")
@files
def run(
    session: str | None,
    prompts: tuple[str, ...],
    pause: float,
    stay: bool,
    as_json: bool,
    config: Path | None,
    state: Path | None,
) -> int:
    """Run sessions without a screen.

    With prompts one session plays them, a turn each; without, every session runs its own prompt. Exit code 0 when
    every turn brought a reply.

    With --stay it runs until it is ended, and sends nothing before a prompt or a due schedule. A dashboard that is
    opened meanwhile shows its sessions live and acts on them; they go on when it is closed.

    \b
    hermes-tui run --prompt "What is new?"
    hermes-tui run --session nightly --json
    hermes-tui run --stay
    """
    from hermes_tui.commands.run import RunOptions
    from hermes_tui.commands.run import run as play

    return play(RunOptions(config, state, session, prompts, pause, stay, as_json))


@click.command()
@click.option("--archived", "with_archived", is_flag=True, help="The archived sessions too, last.")
@click.option("--watch", is_flag=True, help="Go on, with a line for whatever changes, until it is ended.")
@of_hermes
@json_option
@files
def status(
    with_archived: bool,
    watch: bool,
    asked: "Asked | None",
    as_json: bool,
    config: Path | None,  # noqa: ARG001
    state: Path | None,
) -> int:
    """Show where every session stands, from the state alone.

    Exit code 1 when a session is off its primary or a credential is dead, 3 when nothing has run here yet. --watch
    prints it once and then only what changes; with --json each line is an object. Of Hermes every profile is told.
    """
    if asked is not None:
        from hermes_tui.commands import home_sessions

        if watch:
            from hermes_tui.commands.watch_homes import watch_homes

            return watch_homes(asked, as_json=as_json)
        return home_sessions.status(asked, as_json=as_json, with_archived=with_archived)
    if watch:
        from hermes_tui.commands.watch_status import watch_status

        return watch_status(state, as_json=as_json)
    from hermes_tui.commands.status import status as show

    return show(state, as_json=as_json, with_archived=with_archived)


@click.command()
@click.argument("session", shell_complete=offers("sessions"))
@click.option("--since", callback=length_of_time, metavar="TIME", help="How far back: 12h, 3d; else all.")
@of_hermes
@json_option
@files
def timeline(
    session: str,
    since: float | None,
    asked: "Asked | None",
    as_json: bool,
    config: Path | None,  # noqa: ARG001
    state: Path | None,
) -> int:
    """Say which route served a session when, and why.

    Each time away from its primary in one sentence, how it came back, what you did, and what is known to come; above
    them the time on each route, the switches, the failed restores. Exit code 0 on a primary that
    works, else 1.

    \b
    hermes-tui timeline nightly-docs --since 3d
    """
    if asked is not None:
        from hermes_tui.commands import home_sessions

        return home_sessions.timeline(asked, session, since, as_json=as_json)
    from hermes_tui.commands.timeline import timeline as show

    return show(state, session, since, as_json=as_json)


@click.command()
@click.argument("session", shell_complete=offers("sessions"))
@of_hermes
@files
def why(session: str, asked: "Asked | None", config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Say why a session is where it is.

    Its diagnosis, the facts with their sources, the gates on its way back to the primary, and what became of each
    entry of its chain. Exit code 0 on a primary that works, else 1.
    """
    if asked is not None:
        from hermes_tui.commands import home_sessions

        return home_sessions.why(asked, session)
    from hermes_tui.commands.status import why as show

    return show(state, session)


@click.command()
@click.argument("home", required=False, type=click.Path(path_type=Path))
@files
def attach(home: Path | None, config: Path | None, state: Path | None) -> int:
    """Show a real Hermes home on the screen.

    HOME is its folder; else $HERMES_HOME, else the one that Hermes uses. Its sessions, logins and logs are read and
    never locked; nothing is changed, and no session started, but by a key that you press. How it looks and its keys are
    those of your hermes-tui.toml, where there is one, and so is how you are told of what happens ([tell]); without, the
    bell rings when a session asks you something.
    """
    from hermes_tui.commands.attach import attach as show

    return show(home, config, state)
