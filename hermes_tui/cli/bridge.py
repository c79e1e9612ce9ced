"""Commands about the bridge: a hand on a running Hermes."""

from pathlib import Path

import click

from hermes_tui.commands.edge import Program

ACTS = ("force-restore", "reset-chain", "take-chain", "use-fallback", "clear-cooldown", "drop-verdict")

_home = click.argument("home", required=False, type=click.Path(path_type=Path))
_yes = click.option("--yes", is_flag=True, help="Don't ask.")


@click.group(cls=Program)
def bridge() -> None:
    """Put a hand into a running Hermes: a small plugin.

    Where a session stands in its chain, and its own cooldown, live in the memory of Hermes alone. The plugin tells them
    on a socket that you alone can reach, and puts the primary back when you say so. HOME is a home or a profile's;
    else $HERMES_HOME, else the one that Hermes uses.
    """


@bridge.command("install")
@_yes
@_home
def bridge_install(home: Path | None, yes: bool) -> int:
    """Put the plugin into HOME and enable it, or bring it up to date.

    The files that are written and the lines of config.yaml that change are shown first.
    """
    from hermes_tui.commands.bridge import install

    return install(home, yes=yes)


@bridge.command("status")
@_home
def bridge_status(home: Path | None) -> int:
    """Show whether HOME has the plugin, and which processes and sessions it answers for.

    Exit code 1 when it is not installed as it was shipped, not enabled, or does not answer.
    """
    from hermes_tui.commands.bridge import status

    return status(home)


@bridge.command("do")
@click.argument("act", type=click.Choice(ACTS))
@click.argument("target", required=False)
@click.option("--home", type=click.Path(path_type=Path), help="The home; else $HERMES_HOME, else the one Hermes uses.")
@_yes
def bridge_do(act: str, target: str | None, home: Path | None, yes: bool) -> int:
    """Do ACT to a running Hermes, and say what will happen.

    What changes a session is done when its next turn begins. TARGET is the session, by its name, its id or how that
    ends; it may be left out where one is open. For clear-cooldown it is PROVIDER/LABEL of a login, for drop-verdict the
    fingerprint of a token.

    \b
    hermes-tui bridge do force-restore
    hermes-tui bridge do use-fallback weekly
    hermes-tui bridge do clear-cooldown openai-codex/work
    """
    from hermes_tui.bridge.values import Act
    from hermes_tui.commands.bridge_do import do

    return do(Act(act.replace("-", "_")), target, home, yes=yes)


@bridge.command("remove")
@_yes
@_home
def bridge_remove(home: Path | None, yes: bool) -> int:
    """Take the plugin out of HOME, with its line in config.yaml."""
    from hermes_tui.commands.bridge import remove

    return remove(home, yes=yes)
