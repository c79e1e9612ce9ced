"""The outermost edge: usable streams, exit codes, and every error as one sentence on standard error."""

import errno
import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

import click

from hermes_tui.core.errors import ConfigurationError, HermesTuiError, NothingReachableError, UsageError
from hermes_tui.core.secret import without_any
from hermes_tui.core.text import one_line

PROGRAM: Final = "hermes-tui"

FINE: Final = 0
ATTENTION: Final = 1
USAGE: Final = 2
NOTHING_REACHABLE: Final = 3
INTERRUPTED: Final = 130

_OUTPUT_FAULTS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

SENTENCE_LIMIT: Final = 8000
"""Characters of an error: more than the longest path that a system knows."""


class Group(click.Group):
    """A group of commands that proposes the nearest one for a name that it does not have."""

    group_class = type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"no_args_is_help": False, **kwargs})

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that `args` begin with. Raises click.UsageError."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            from hermes_tui.core.nearest import did_you_mean  # noqa: PLC0415 - only a mistyped name needs it

            ctx.fail(f'there is no command "{name}"{did_you_mean(name, known)}')
        return super().resolve_command(ctx, args)


class Program(Group):
    """The whole command line: ends with an exit code, and shows no traceback for what is raised on purpose."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command, and exit."""
        _make_streams_usable()
        kwargs |= {"standalone_mode": False, "prog_name": PROGRAM}
        try:
            code = super().main(*args, **kwargs)
            sys.stdout.flush()
        except (KeyboardInterrupt, click.Abort):
            code = _complain("interrupted", INTERRUPTED)
        except click.ClickException as error:
            code = _complain(_mistake(error), USAGE)
        except HermesTuiError as error:
            code = _complain(_sentence(error), _code_of(error))
        except BrokenPipeError:
            _let_go(sys.stdout)
            code = ATTENTION
        except OSError as error:
            code = _complain(_refusal(error), ATTENTION)
        except Exception:  # noqa: BLE001 - a fault of this program: told whole, but for the keys
            code = _crash()
        sys.exit(code if isinstance(code, int) else FINE)


def _make_streams_usable() -> None:
    """Give closed streams a place, so that no file takes theirs, and let no letter that one cannot show end us."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _let_go(stream: TextIO) -> None:
    """Send what is left in a broken stream nowhere; else the interpreter complains about it at its end."""
    with suppress(OSError, io.UnsupportedOperation), Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def _complain(sentence: str, code: int) -> int:
    try:
        click.echo(f"{PROGRAM}: {one_line(sentence, SENTENCE_LIMIT)}", err=True)
    except OSError:
        _let_go(sys.stderr)
    return code


def _crash() -> int:
    from traceback import format_exc  # noqa: PLC0415 - only a fault of ours needs it

    with suppress(OSError):
        sys.stderr.write(f"{without_any(format_exc())}{PROGRAM}: this is a fault of the program; the state is safe.\n")
    return ATTENTION


def _code_of(error: HermesTuiError) -> int:
    match error:
        case ConfigurationError() | UsageError():
            return USAGE
        case NothingReachableError():
            return NOTHING_REACHABLE
        case _:
            return ATTENTION


def _sentence(error: HermesTuiError) -> str:
    """Return an error's own sentence; where a file has more problems than the first, with their number."""
    more = len(getattr(error, "also", ()))
    return f"{error} (and {more} more: {PROGRAM} check names them)" if more else str(error)


def _refusal(error: OSError) -> str:
    """Return what the system refused; where standard output is full, what is left in it is let go."""
    if error.filename is None and error.errno in _OUTPUT_FAULTS:
        _let_go(sys.stdout)
        return f"standard output cannot be written: {error.strerror}"
    return f"{error.filename or 'the system refused'}: {error.strerror or error}"


def _mistake(error: click.ClickException) -> str:
    """Return what was wrong on the command line, and where it is explained."""
    said = error.format_message().strip().rstrip(".")
    stop = "" if said.endswith("?") else "."
    command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else PROGRAM
    return f"{said[:1].lower()}{said[1:]}{stop} See {command} --help."
