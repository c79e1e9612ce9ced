"""Commands about the bridge: a hand on a running Hermes."""

from pathlib import Path

import click

from hermes_tui.commands.edge import Program

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


@bridge.command("remove")
@_yes
@_home
def bridge_remove(home: Path | None, yes: bool) -> int:
    """Take the plugin out of HOME, with its line in config.yaml."""
    from hermes_tui.commands.bridge import remove

    return remove(home, yes=yes)
