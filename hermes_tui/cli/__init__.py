"""The command line: commands, options and their help. Each command's work is loaded only when it is called."""

from pathlib import Path
from typing import Final

import click

from hermes_tui.cli.bridge import bridge
from hermes_tui.cli.chain import fallback
from hermes_tui.cli.credentials import auth, probe
from hermes_tui.cli.keeping import kept
from hermes_tui.cli.options import files
from hermes_tui.cli.sessions import attach, run, status, timeline, why
from hermes_tui.cli.setting_up import check, completion, import_, init
from hermes_tui.cli.stories import demo, shapes, simulate
from hermes_tui.commands.edge import Program

EXIT_CODES: Final = (
    "Exit codes: 0 fine, 1 something needs attention, 2 usage or configuration, 3 nothing reachable, 130 interrupted."
)


@click.group(cls=Program, invoke_without_command=True, epilog=EXIT_CODES)
@click.version_option(package_name="hermes-tui")
@files
@click.pass_context
def main(context: click.Context, config: Path | None, state: Path | None) -> int | None:
    """Watch long-running agent sessions, and put their primary model back.

    Without a command the dashboard opens.
    """
    if context.invoked_subcommand is not None:
        return None
    from hermes_tui.commands.dashboard import dashboard

    return dashboard(config, state)


for command in (
    attach,
    auth,
    bridge,
    check,
    completion,
    demo,
    fallback,
    import_,
    init,
    probe,
    run,
    kept,
    shapes,
    simulate,
    status,
    timeline,
    why,
):
    main.add_command(command)
