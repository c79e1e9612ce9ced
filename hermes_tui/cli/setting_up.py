"""Commands around the configuration file and the shell."""

from pathlib import Path

import click

from hermes_tui.cli.options import files


@click.command()
@click.option("--provider", help="The primary's provider; else the first whose key is in the environment.")
@click.option("--model", help="The primary's model; else one of its provider's.")
@click.option("--fallback", "fallbacks", multiple=True, metavar="PROVIDER/MODEL", help="An entry of the chain.")
@click.option("--print", "print_only", is_flag=True, help="Print it instead of writing it.")
@files
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


@click.command("import")
@click.argument("home", required=False, type=click.Path(path_type=Path))
@click.option("--profile", metavar="NAME", help="A profile of that home.")
@click.option("--print", "print_only", is_flag=True, help="Print it instead of writing it.")
@click.option("--force", is_flag=True, help="Write over a configuration that is there, and keep it as .bak.")
@files
def import_(
    home: Path | None,
    profile: str | None,
    print_only: bool,
    force: bool,
    config: Path | None,
    state: Path | None,  # noqa: ARG001
) -> int:
    """Write a configuration from a home of Hermes Agent.

    HOME is $HERMES_HOME or ~/.hermes unless it is named. The chain is the one that Hermes makes up, each route goes
    where Hermes would send it, and keys are named by their places: a variable, or Hermes' own login for Codex, which
    is read and never renewed. What has no counterpart is said with its reason. The home is left as it is.

    \b
    hermes-tui import --print
    hermes-tui import ~/.hermes --profile docs --config docs.toml
    """
    from hermes_tui.commands.import_home import ImportOptions, import_home

    return import_home(ImportOptions(config, home, profile, print_only, force))


@click.command()
@files
def check(config: Path | None, state: Path | None) -> int:  # noqa: ARG001
    """Check the configuration without sending anything.

    Exit code 1 when something in it cannot work, 2 when it cannot be read.
    """
    from hermes_tui.commands.check import check as look

    return look(config)


@click.command()
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

    return script(click.get_current_context().find_root().command, shell)
