"""`fallback`: the chain in the file, seen, tested and changed."""

from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from hermes_tui.cli.options import F, files, json_option, of_hermes, offers
from hermes_tui.commands.edge import Program
from hermes_tui.core.errors import UsageError
from hermes_tui.core.route import ApiMode

if TYPE_CHECKING:
    from hermes_tui.commands.fallback import ChainTarget, Target
    from hermes_tui.commands.homes import Asked


@click.group(cls=Program)
def fallback() -> None:
    """See the fallback chain, and change it in the file.

    Comments and everything else in the file stay; the content before is kept beside it as .bak. A running dashboard
    takes the change by itself. With --hermes the file is a Hermes home's own config.yaml: the lines that change are
    shown and asked about, and the content before is kept in its backups/config.
    """


def chain(command: F) -> F:
    """Give a command --session and the files; it gets the `Target` that they name."""

    @wraps(command)
    def with_target(*args: Any, session: str | None, config: Path | None, state: Path | None, **kwargs: Any) -> Any:
        from hermes_tui.commands.fallback import Target

        return command(Target(config, state, session), *args, **kwargs)

    decorated: Any = click.option(
        "--session",
        help="The chain of this session alone; else the file's.",
        shell_complete=offers("sessions of the file"),
    )(with_target)
    return files(decorated)  # type: ignore[no-any-return]


def any_chain(command: F) -> F:
    """Give a command what `chain` and `of_hermes` give; asked about a Hermes home, its target is that home's."""
    own: Any = chain(command)

    @wraps(own)
    def with_home(*args: Any, asked: "Asked | None", **kwargs: Any) -> Any:
        if asked is None:
            return own(*args, **kwargs)
        if kwargs.pop("session") is not None:
            raise UsageError("Hermes gives all sessions of a home one chain: leave out --session")
        from hermes_tui.commands.home_chain import HomeTarget

        return command(HomeTarget(asked), *args, **{name: kwargs[name] for name in kwargs.keys() - {"config", "state"}})

    return cast("F", of_hermes(with_home))


_yes = click.option("--yes", is_flag=True, help="Don't ask; only about a Hermes home, or to clear, anybody is asked.")


@fallback.command("list")
@json_option
@any_chain
def fallback_list(target: "ChainTarget", as_json: bool) -> int:
    """List the primary, as entry 0, and the entries behind it.

    Exit code 1 when one of them cannot be used as configured.
    """
    from hermes_tui.commands.fallback import list_chain

    return list_chain(target, as_json=as_json)


@fallback.command("test")
@click.option("--offline", is_flag=True, help="Send nothing: only what the file and the state say.")
@json_option
@chain
def fallback_test(target: "Target", offline: bool, as_json: bool) -> int:
    """Find out whether each route can serve, before one is needed.

    Every server is asked for its list of models, or a Codex account for its usage: no prompt is sent and no token
    spent. It is told whether the server is there, takes the key and has the model. Exit code 0 when all can serve
    (with --offline, when nothing is known against any), 1 when one may not, 3 when no server answers.
    """
    from hermes_tui.commands.fitness import examine_chain

    return examine_chain(target, offline=offline, as_json=as_json)


@fallback.command("add")
@click.argument("name", metavar="PROVIDER/MODEL")
@click.option("--at", "position", type=click.IntRange(min=1), help="Its position; else at the end.")
@click.option("--base-url", help="Where it is; else where its provider is.")
@click.option("--api-mode", type=click.Choice([mode.value for mode in ApiMode]), help="Its dialect.")
@click.option("--context-length", type=click.IntRange(min=1), help="Its context window, in tokens.")
@click.option(
    "--api-key",
    metavar="REFERENCE",
    help="Where its key is: '${NAME}', env:NAME, file:PATH, command:ARGV, codex:, hermes:LABEL.",
)
@click.option("--anyway", is_flag=True, help="Write it although it cannot work or repeats another entry.")
@_yes
@any_chain
def fallback_add(target: "ChainTarget", name: str, position: int | None, anyway: bool, yes: bool, **fields: Any) -> int:
    """Add an entry to the chain.

    A session that has no chain of its own, and so takes the file's, gets one with this entry alone.

    \b
    hermes-tui fallback add openrouter/z-ai/glm-5
    hermes-tui fallback add groq/llama-4 --at 1 --api-key env:GROQ_SPARE
    """
    from hermes_tui.commands.fallback import add_entry, entry_named

    given = {field: value for field, value in fields.items() if value is not None}
    return add_entry(target, replace(entry_named(name), **given), position, anyway=anyway, yes=yes)


@fallback.command("remove")
@click.argument("entry", metavar="N|PROVIDER/MODEL", shell_complete=offers("entries of the file"))
@_yes
@any_chain
def fallback_remove(target: "ChainTarget", entry: str, yes: bool) -> int:
    """Take an entry out, with its own comments."""
    from hermes_tui.commands.fallback import remove_entry

    return remove_entry(target, entry, yes=yes)


@fallback.command("move")
@click.argument("entry", metavar="N|PROVIDER/MODEL", shell_complete=offers("entries of the file"))
@click.argument("to", type=click.IntRange(min=1))
@_yes
@any_chain
def fallback_move(target: "ChainTarget", entry: str, to: int, yes: bool) -> int:
    """Take an entry to position TO, with its own comments."""
    from hermes_tui.commands.fallback import move_entry

    return move_entry(target, entry, to, yes=yes)


@fallback.command("clear")
@_yes
@any_chain
def fallback_clear(target: "ChainTarget", yes: bool) -> int:
    """Take every entry out of the chain.

    A session's own chain stays, without entries: it does not take the file's.
    """
    from hermes_tui.commands.fallback import clear_chain

    return clear_chain(target, yes=yes)
