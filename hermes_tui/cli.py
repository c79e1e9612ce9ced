"""The command line: commands, options and their help. Each command's work is loaded only when it is called."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar, cast

import click

from hermes_tui.commands.edge import Program
from hermes_tui.core.errors import UsageError
from hermes_tui.core.route import ApiMode

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from hermes_tui.commands.fallback import Target

F = TypeVar("F", bound=Callable[..., Any])

EXIT_CODES: Final = (
    "Exit codes: 0 fine, 1 something needs attention, 2 usage or configuration, 3 nothing reachable, 130 interrupted."
)

A_DAY_SECONDS: Final = 86400.0

FASTEST: Final = 1000.0
"""Seconds of a story in one: a request of some milliseconds must stay shorter than the timeouts of the story."""


def _files(command: F) -> F:
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


def _offers(kind: str) -> Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]:
    """Return what completes a name of `kind` when a shell asks."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from hermes_tui.commands.completion import offers

        return offers(kind, context, incomplete)

    return complete


class _Range(click.FloatRange):
    """A number within bounds; `nan`, which no bound keeps out, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


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


_as_json = click.option("--json", "as_json", is_flag=True, help="As JSON, with a versioned schema.")


@click.group(cls=Program, invoke_without_command=True, epilog=EXIT_CODES)
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
@click.argument("scenario", default="friday-to-monday", shell_complete=_offers("scenarios"))
@click.option("--speed", type=_Range(0.1, FASTEST), help="Seconds of the story in one; else as it says.")
@click.option("--plain", is_flag=True, help="Lines instead of the dashboard.")
def demo(scenario: str, speed: float | None, plain: bool) -> int:
    """Watch a story on a simulated provider.

    No key is needed and nothing leaves this machine. SCENARIO is the name of one that comes with the program, or a
    file.
    """
    from hermes_tui.commands.demo import demo as play

    return play(scenario, speed, plain=plain)


@main.command()
@click.option(
    "--session",
    help="The session to run; needed with --prompt where there are several.",
    shell_complete=_offers("sessions of the file"),
)
@click.option("--prompt", "prompts", multiple=True, help="A prompt; each is a turn, in this order.")
@click.option("--prompts", "prompt_file", type=click.File("r"), help="A file with a prompt on each line, - for stdin.")
@click.option("--pause", type=_Range(0, A_DAY_SECONDS), default=0.0, help="Seconds between turns.")
@click.option("--json", "as_json", is_flag=True, help="Every event as a line of JSON.")
@_files
def run(
    session: str | None,
    prompts: tuple[str, ...],
    prompt_file: TextIO | None,
    pause: float,
    as_json: bool,
    config: Path | None,
    state: Path | None,
) -> int:
    """Run sessions without a screen.

    With prompts one session plays them, a turn each; without, every session runs its own prompt. Exit code 0 when
    every turn brought a reply.

    \b
    hermes-tui run --prompt "What is new?"
    hermes-tui run --session nightly --json
    """
    from hermes_tui.commands.run import RunOptions
    from hermes_tui.commands.run import run as play

    return play(RunOptions(config, state, session, _prompts(prompts, prompt_file), pause, as_json))


@main.command()
@click.option("--watch", is_flag=True, help="Go on, with a line for whatever changes, until it is ended.")
@_as_json
@_files
def status(watch: bool, as_json: bool, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Show where every session stands, from the state alone.

    Exit code 1 when a session is off its primary or a credential is dead, 3 when nothing has run here yet. --watch
    prints it once and then only what changes; with --json each line is an object.
    """
    if watch:
        from hermes_tui.commands.watch_status import watch_status

        return watch_status(state, as_json=as_json)
    from hermes_tui.commands.status import status as show

    return show(state, as_json=as_json)


@main.command()
@click.argument("session", shell_complete=_offers("sessions of the state"))
@_files
def why(session: str, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Say why a session is where it is.

    Its diagnosis, the facts with their sources, the gates on its way back to the primary, and what became of each
    entry of its chain. Exit code 0 on a primary that works, else 1.
    """
    from hermes_tui.commands.status import why as show

    return show(state, session)


@main.group()
def auth() -> None:
    """See the credentials, and end a cooldown by hand."""


@auth.command("list")
@_as_json
@_files
def auth_list(as_json: bool, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """List every credential with its state.

    When it returns and who says so, why it does not serve, and what the usage endpoint last said. A ~ stands before a
    time that was assumed here. Exit code 1 when one cannot be used now.
    """
    from hermes_tui.commands.auth import list_credentials

    return list_credentials(state, as_json=as_json)


@auth.command("reset")
@click.argument("credential", shell_complete=_offers("credentials of the state"))
@click.option("--yes", is_flag=True, help="Don't ask, although the provider's reset lies ahead.")
@_files
def auth_reset(credential: str, yes: bool, config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """End the cooldown of CREDENTIAL, never of its siblings.

    CREDENTIAL is POOL/LABEL, or the label where only one has it. Nothing is sent to the provider; a running
    dashboard sees it by itself.

    \b
    hermes-tui auth reset openai-codex/work
    """
    from hermes_tui.commands.auth import reset_cooldown

    return reset_cooldown(state, credential, yes=yes)


@main.command()
@click.argument("credential", required=False, shell_complete=_offers("credentials of the file"))
@click.option("--model", help="The model to ask about; else the first that a route asks for.")
@click.option("--anyway", is_flag=True, help="Ask although the last verdict still counts; at most every ten seconds.")
@_as_json
@_files
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


@main.command()
@click.argument("scenarios", nargs=-1, shell_complete=_offers("scenarios"))
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


@main.command()
@click.argument("name", required=False, shell_complete=_offers("shapes"))
@click.option("--table", "as_page", is_flag=True, help="All of them with what each means here, as a page of Markdown.")
@_as_json
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


@main.command()
@click.option("--provider", help="The primary's provider; else the first whose key is in the environment.")
@click.option("--model", help="The primary's model; else one of its provider's.")
@click.option("--fallback", "fallbacks", multiple=True, metavar="PROVIDER/MODEL", help="An entry of the chain.")
@click.option("--print", "print_only", is_flag=True, help="Print it instead of writing it.")
@_files
def init(
    provider: str | None,
    model: str | None,
    fallbacks: tuple[str, ...],
    print_only: bool,
    config: Path | None,
    state: Path | None,  # noqa: ARG001
) -> int:
    """Write a first configuration that explains itself.

    It names the variables that hold keys, never a key, and is written where --config says. A file that is there is
    never overwritten, and nothing is sent.

    \b
    hermes-tui init
    hermes-tui init --provider openai-codex --model gpt-5.5 --fallback openrouter/z-ai/glm-5
    """
    from hermes_tui.commands.init import InitOptions
    from hermes_tui.commands.init import init as write

    return write(InitOptions(config, provider, model, fallbacks, print_only))


@main.command()
@_files
def check(config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Check the configuration without sending anything.

    Exit code 1 when something in it cannot work, 2 when it cannot be read.
    """
    from hermes_tui.commands.check import check as look

    return look(config)


@main.group()
def fallback() -> None:
    """See the fallback chain, and change it in the file.

    Comments and everything else in the file stay; the content before is kept beside it as .bak. A running dashboard
    takes the change by itself.
    """


def _chain(command: F) -> F:
    """Give a command --session and the files; it gets the `Target` that they name."""

    @wraps(command)
    def with_target(*args: Any, session: str | None, config: Path | None, state: Path | None, **kwargs: Any) -> Any:
        from hermes_tui.commands.fallback import Target

        return command(Target(config, state, session), *args, **kwargs)

    decorated: Any = click.option(
        "--session",
        help="The chain of this session alone; else the file's.",
        shell_complete=_offers("sessions of the file"),
    )(with_target)
    return _files(decorated)  # type: ignore[no-any-return]


@fallback.command("list")
@_as_json
@_chain
def fallback_list(target: "Target", as_json: bool) -> int:
    """List the primary, as entry 0, and the entries behind it.

    Exit code 1 when one of them cannot be used as configured.
    """
    from hermes_tui.commands.fallback import list_chain

    return list_chain(target, as_json=as_json)


@fallback.command("test")
@click.option("--offline", is_flag=True, help="Send nothing: only what the file and the state say.")
@_as_json
@_chain
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
@click.option("--api-key", metavar="REFERENCE", help="Where its key is: '${NAME}', env:NAME, file:PATH.")
@click.option("--anyway", is_flag=True, help="Write it although it cannot work or repeats another entry.")
@_chain
def fallback_add(target: "Target", name: str, position: int | None, anyway: bool, **fields: Any) -> int:
    """Add an entry to the chain.

    A session that has no chain of its own, and so takes the file's, gets one with this entry alone.

    \b
    hermes-tui fallback add openrouter/z-ai/glm-5
    hermes-tui fallback add groq/llama-4 --at 1 --api-key env:GROQ_SPARE
    """
    from hermes_tui.commands.fallback import add_entry, entry_named

    given = {field: value for field, value in fields.items() if value is not None}
    return add_entry(target, replace(entry_named(name), **given), position, anyway=anyway)


@fallback.command("remove")
@click.argument("entry", metavar="N|PROVIDER/MODEL", shell_complete=_offers("entries of the file"))
@_chain
def fallback_remove(target: "Target", entry: str) -> int:
    """Take an entry out, with its own comments."""
    from hermes_tui.commands.fallback import remove_entry

    return remove_entry(target, entry)


@fallback.command("move")
@click.argument("entry", metavar="N|PROVIDER/MODEL", shell_complete=_offers("entries of the file"))
@click.argument("to", type=click.IntRange(min=1))
@_chain
def fallback_move(target: "Target", entry: str, to: int) -> int:
    """Take an entry to position TO, with its own comments."""
    from hermes_tui.commands.fallback import move_entry

    return move_entry(target, entry, to)


@fallback.command("clear")
@click.option("--yes", is_flag=True, help="Don't ask.")
@_chain
def fallback_clear(target: "Target", yes: bool) -> int:
    """Take every entry out of the chain.

    A session's own chain stays, without entries: it does not take the file's.
    """
    from hermes_tui.commands.fallback import clear_chain

    return clear_chain(target, yes=yes)


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print a shell's completion script.

    It completes commands and options, and the names of sessions, credentials, scenarios and shapes.

    \b
    bash:  eval "$(hermes-tui completion bash)"    in ~/.bashrc
    zsh:   eval "$(hermes-tui completion zsh)"     in ~/.zshrc
    fish:  hermes-tui completion fish | source     in ~/.config/fish/config.fish
    """
    from hermes_tui.commands.completion import script

    return script(main, shell)
