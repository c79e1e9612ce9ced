"""`sessions`: the sessions themselves, kept: listed, made, renamed, archived, scheduled."""

from pathlib import Path
from typing import Final

import click

from hermes_tui.cli.options import files, json_option, length_of_time, offers
from hermes_tui.commands.edge import Program

PLAIN_ACTS: Final = ("force-restore", "reset-chain", "use-fallback", "stop-turn", "retry-now")
"""The acts that need no more than a session."""

session_argument = click.argument("session", shell_complete=offers("sessions of the state"))


@click.group("sessions", cls=Program)
def kept() -> None:
    """See the sessions, make, rename and archive them, and let them run by themselves.

    Those of the file are named and scheduled there. A running dashboard sees each change by itself, and runs what
    was made; what is to be done to a session that it runs, or `hermes-tui run`, is done there. Nothing is ever deleted.
    """


@kept.command("list")
@click.option("--archived", "with_archived", is_flag=True, help="The archived ones too.")
@json_option
@files
def sessions_list(with_archived: bool, as_json: bool, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """List every session: where it comes from, when it runs by itself, who runs it."""
    from hermes_tui.commands.sessions import list_sessions

    return list_sessions(state, with_archived=with_archived, as_json=as_json)


@kept.command("new")
@click.argument("name")
@click.option(
    "--like",
    metavar="SESSION",
    help="Takes that one's system prompt, primary and chain.",
    shell_complete=offers("sessions of the state"),
)
@click.option("--every", callback=length_of_time, metavar="DURATION", help="Runs by itself so often: 15m, 2h, 1d.")
@click.option("--prompt", default="", help="What it sends each time.")
@files
def sessions_new(
    name: str, like: str | None, every: float | None, prompt: str, config: Path | None, state: Path | None
) -> int:
    """Make the session NAME.

    It sends nothing before its first prompt, or before its schedule is run: by a dashboard, or by `hermes-tui run`.

    \b
    hermes-tui sessions new docs --like nightly
    hermes-tui sessions new watch --every 2h --prompt "What is new?"
    """
    if prompt.strip() and every is None:
        raise click.UsageError(f'--prompt needs --every; else: hermes-tui run --session "{name}" --prompt "..."')
    from hermes_tui.commands.sessions import new_session

    return new_session(config, state, name, like=like, prompt=prompt, every_seconds=every)


@kept.command("rename")
@session_argument
@click.argument("name")
@files
def sessions_rename(session: str, name: str, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Call SESSION otherwise, with its conversation and its history."""
    from hermes_tui.commands.sessions import rename_session

    return rename_session(state, session, name)


@kept.command("archive")
@session_argument
@click.option("--yes", is_flag=True, help="Ask nothing first.")
@files
def sessions_archive(session: str, yes: bool, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Put SESSION aside: it runs nothing and is out of every list; nothing of it is deleted."""
    from hermes_tui.commands.sessions import archive_session

    return archive_session(state, session, yes=yes)


@kept.command("bring-back")
@click.argument("session", shell_complete=offers("archived sessions"))
@files
def sessions_bring_back(session: str, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Let an archived SESSION be there again, as it was."""
    from hermes_tui.commands.sessions import bring_back_session

    return bring_back_session(state, session)


@kept.command("schedule")
@session_argument
@click.option("--every", callback=length_of_time, metavar="DURATION", help="How often: 15m, 2h, 1d.")
@click.option("--prompt", help="What it sends each time; else what it sends now.")
@click.option("--end", is_flag=True, help="It runs by itself no more.")
@files
def sessions_schedule(
    session: str,
    every: float | None,
    prompt: str | None,
    end: bool,
    config: Path | None,  # noqa: ARG001
    state: Path | None,
) -> int:
    """Let SESSION run by itself, otherwise than before, or no more."""
    if end == (every is not None):
        raise click.UsageError("say either --every DURATION or --end")
    from hermes_tui.commands.sessions import schedule_session

    return schedule_session(state, session, every_seconds=every, prompt=prompt)


@kept.command("send")
@session_argument
@click.argument("prompt")
@files
def sessions_send(session: str, prompt: str, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Send PROMPT to SESSION, where a dashboard or `hermes-tui run` runs it.

    It does not wait for the reply: `hermes-tui timeline SESSION` tells of the turn.
    """
    from hermes_tui.commands.handing_over import do
    from hermes_tui.core.prompting import typed

    return do(state, typed(session, prompt), yes=True)


@kept.command("do")
@click.argument("act", type=click.Choice(PLAIN_ACTS))
@session_argument
@click.option("--yes", is_flag=True, help="Ask nothing first.")
@files
def sessions_do(act: str, session: str, yes: bool, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Act on SESSION, where a dashboard or `hermes-tui run` runs it.

    ACT is what a key does on the screen.

    \b
    hermes-tui sessions do force-restore nightly-docs
    hermes-tui sessions do stop-turn nightly-docs --yes
    """
    from hermes_tui.commands.handing_over import ACTS, do

    return do(state, ACTS[act](session), yes=yes)
