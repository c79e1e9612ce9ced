"""Commands about credentials: their states, their cooldowns, their quota."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_tui.cli.options import files, json_option, of_hermes, offers
from hermes_tui.commands.edge import Program

if TYPE_CHECKING:
    from hermes_tui.commands.homes import Asked


@click.group(cls=Program)
def auth() -> None:
    """See the credentials, and end a cooldown by hand."""


@auth.command("list")
@of_hermes
@json_option
@files
def auth_list(asked: "Asked | None", as_json: bool, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """List every credential with its state.

    When it returns and who says so, why it does not serve, and what the usage endpoint last said. A ~ stands before a
    time that was assumed here. Exit code 1 when one cannot be used now.
    """
    if asked is not None:
        from hermes_tui.commands import home_logins

        return home_logins.credentials(asked, as_json=as_json)
    from hermes_tui.commands.auth import list_credentials

    return list_credentials(state, as_json=as_json)


@auth.command("reset")
@click.argument("credential", shell_complete=offers("credentials"))
@click.option("--yes", is_flag=True, help="Don't ask, although the provider's reset lies ahead.")
@of_hermes
@files
def auth_reset(
    credential: str,
    yes: bool,
    asked: "Asked | None",
    config: Path | None,  # noqa: ARG001
    state: Path | None,
) -> int:
    """End the cooldown of CREDENTIAL, never of its siblings.

    CREDENTIAL is POOL/LABEL, or the label where only one has it. Nothing is sent to the provider; a running
    dashboard sees it by itself. Of Hermes it is a login of auth.json, which is changed as `hermes auth reset` does it.

    \b
    hermes-tui auth reset openai-codex/work
    """
    if asked is not None:
        from hermes_tui.commands import home_logins

        return home_logins.reset_cooldown(asked, credential, yes=yes)
    from hermes_tui.commands.auth import reset_cooldown

    return reset_cooldown(state, credential, yes=yes)


@click.command()
@click.argument("credential", required=False, shell_complete=offers("credentials of the file"))
@click.option("--model", help="The model to ask about; else the first that a route asks for.")
@click.option("--anyway", is_flag=True, help="Ask although the last verdict still counts; at most every ten seconds.")
@json_option
@files
def probe(
    credential: str | None, model: str | None, anyway: bool, as_json: bool, config: Path | None, state: Path | None
) -> int:
    """Ask whether there is quota, without a prompt.

    The usage endpoint is asked, which costs nothing; running sessions share its verdict. CREDENTIAL is POOL/LABEL, or
    the label where only one has it; without it all are asked about whose provider has such an endpoint. Exit code 0
    when all have quota, 3 when none can be reached.
    """
    from hermes_tui.commands.probe import ProbeOptions
    from hermes_tui.commands.probe import probe as ask

    return ask(ProbeOptions(config, state, credential, model, anyway, as_json))
