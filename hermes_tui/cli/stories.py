"""Commands that play on simulated providers: nothing leaves this machine."""

from typing import Final

import click

from hermes_tui.cli.options import Range, json_option, offers
from hermes_tui.core.errors import UsageError

FASTEST: Final = 1000.0
"""Seconds of a story in one: a request of some milliseconds must stay shorter than the timeouts of the story."""


@click.command()
@click.argument("scenario", default="friday-to-monday", shell_complete=offers("scenarios"))
@click.option("--speed", type=Range(0.1, FASTEST), help="Seconds of the story in one; else as it says.")
@click.option("--plain", is_flag=True, help="Lines instead of the dashboard.")
def demo(scenario: str, speed: float | None, plain: bool) -> int:
    """Watch a story on a simulated provider.

    No key is needed and nothing leaves this machine. SCENARIO is the name of one that comes with the program, or a
    file.
    """
    from hermes_tui.commands.demo import demo as play

    return play(scenario, speed, plain=plain)


@click.command()
@click.argument("scenarios", nargs=-1, shell_complete=offers("scenarios"))
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(["never", "every_turn", "throttled", "adaptive"]),
    help="A policy to play under; all of them where none is given.",
)
@click.option("--json", "as_json", is_flag=True, help="As a list of JSON objects.")
def simulate(scenarios: tuple[str, ...], policies: tuple[str, ...], as_json: bool) -> int:
    """Count what each restore policy costs.

    Scenarios are played under each policy, over real HTTP on this machine and without waiting.

    \b
    hermes-tui simulate lying-probe --policy throttled --policy adaptive
    """
    from hermes_tui.commands.simulate import simulate as play

    return play(scenarios, policies, as_json=as_json)


@click.command()
@click.argument("name", required=False, shell_complete=offers("shapes"))
@click.option("--table", "as_page", is_flag=True, help="All of them with what each means here, as a page of Markdown.")
@json_option
def shapes(name: str | None, as_page: bool, as_json: bool) -> int:
    """See what providers answer when they fail.

    NAME is a provider, whose shapes are listed, or a shape, which is shown whole: the answer as it goes over the wire,
    what it is taken for, and what a session does next. Each can be played in a scenario, by do = "set_shape".

    \b
    hermes-tui shapes gemini
    hermes-tui shapes gemini-daily-quota
    """
    from hermes_tui.commands.shapes import print_page, show_shapes

    if as_page and (name or as_json):
        raise UsageError("--table prints all shapes as Markdown: leave the name and --json out")
    if as_page:
        return print_page()
    return show_shapes(name, as_json=as_json)
