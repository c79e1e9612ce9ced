"""Where Hermes keeps its things: the home that it would use, the profiles in it, and whether a folder is one at all."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Final

from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.bounded import read_at_most, reason_of
from hermes_tui.hermes.values import Home

MARKS: Final = ("config.yaml", ".env", "SOUL.md", "profile.yaml", "auth.json", "state.db")
"""A folder with none of these is nobody's home."""

DEFAULT: Final = "default"
"""What Hermes calls the root's own home among the profiles."""

_PROFILES: Final = "profiles"
_DELETED: Final = ".deleted"
_STICKY: Final = "active_profile"
_STICKY_BYTES: Final = 256
_PROFILE_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def find_home(given: Path | None, environ: Mapping[str, str], user: Path) -> Home:
    """Return the home that is `given`, else the one in which `hermes` would start: it need not exist.

    That is `$HERMES_HOME` or `.hermes` in the folder of the `user`; unless it is a profile already, the profile that
    `hermes profile use` chose goes before it, even where it was deleted since (`why_not_a_home` tells).
    """
    home = _named(given, environ, user)
    if given is None and home.path.parent.name != _PROFILES and (profile := _sticky(home.root)):
        return _profile(home.root, profile)
    return home


def chosen_homes(given: Path | None, profile: str | None, environ: Mapping[str, str], user: Path) -> tuple[Home, ...]:
    """Return the homes that somebody asks for: those that share the root of `given`, else of `find_home`.

    It is one alone where the path is that of a profile, or where a `profile` is named: none, if there is no such one.
    Without a profile there is at least one, which need not be a home (`why_not_a_home` tells).
    """
    home = _named(given, environ, user)
    if profile is not None:
        return tuple(one for one in homes_of(home) if profile_name(one) == profile)
    return (home,) if home.profile is not None else homes_of(home) or (home,)


def profile_name(home: Home) -> str:
    """Return what Hermes calls the profile that a home is."""
    return home.profile or DEFAULT


def _named(given: Path | None, environ: Mapping[str, str], user: Path) -> Home:
    """Return the home at a path, else at that of the variable, else the user's own."""
    named = environ.get("HERMES_HOME", "").strip()
    own = user / f".hermes{environ.get('HERMES_DATA_DIR_SUFFIX', '')}"
    path = given or (Path(Template(named).safe_substitute(environ)) if named else own)
    return _at(_whole(path, user), own)


def _profile(root: Path, name: str) -> Home:
    return Home(root / _PROFILES / name, root, name)


def homes_of(home: Home) -> tuple[Home, ...]:
    """Return the homes that share a root: the root's own, if it is one, then its profiles by name.

    A folder that nothing marks as a profile, or that was deleted, is none. What cannot be listed counts as empty:
    `why_not_a_home` says so of a root.
    """
    own = Home(home.root, home.root)
    try:
        names = sorted(os.listdir(home.root / _PROFILES))  # noqa: PTH208 - names, not paths
    except OSError:
        names = []
    folders = (home.root / _PROFILES / name for name in names if _is_profile_name(name))
    profiles = tuple(_profile(home.root, path.name) for path in folders if not _why_not(path) and not _deleted(path))
    return profiles if _why_not(own.path) else (own, *profiles)


def why_not_a_home(home: Home) -> PlainText | None:
    """Say in a sentence why there is no home at a path and what to do, None where there is one."""
    if home.profile is not None and _deleted(home.path):
        return one_line(f"profile {home.profile} was deleted: choose another with `hermes profile use`")
    return _why_not(home.path)


def _why_not(path: Path) -> PlainText | None:
    try:
        names = os.listdir(path)  # noqa: PTH208 - names, not paths
    except FileNotFoundError:
        return one_line(f"there is no folder {path}: run `hermes setup`, or name the home to read")
    except NotADirectoryError:
        return one_line(f"{path} is a file, not a folder: name the folder that holds config.yaml")
    except OSError as error:
        return one_line(f"{path} cannot be read ({reason_of(error)})")
    if any(mark in names for mark in MARKS):
        return None
    return one_line(f"{path} is no home of Hermes: it holds none of {', '.join(MARKS)}")


def _at(path: Path, own: Path) -> Home:
    """Return the home at a path; the root is `own` for what lies in it, as Hermes has it."""
    real, real_own = (Path(os.path.realpath(one)) for one in (path, own))  # Path.resolve raises on a loop of links
    elsewhere = path.parent.parent if path.parent.name == _PROFILES else path
    root = own if real.is_relative_to(real_own) else elsewhere
    is_profile = path.parent == root / _PROFILES and _is_profile_name(path.name)
    return Home(path, root, path.name if is_profile else None)


def _whole(path: Path, user: Path) -> Path:
    """Return a path from the root; `~` is the folder of the `user`."""
    first, *others = path.parts or ("",)
    if first == "~":
        return user.joinpath(*others)
    try:
        return path.expanduser().absolute()
    except RuntimeError:  # `~name` of nobody
        return path.absolute()


def _sticky(root: Path) -> str | None:
    """Return the profile that was chosen for every start, None for the root's own."""
    try:
        text = read_at_most(root / _STICKY, _STICKY_BYTES)[0].decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):  # as Hermes: then nothing was chosen
        return None
    name = text.strip().lower()
    return name if _is_profile_name(name) else None


def _is_profile_name(name: str) -> bool:
    return _PROFILE_NAME.fullmatch(name) is not None and name != DEFAULT


def _deleted(path: Path) -> bool:
    """Tell whether a profile was deleted: a mark beside it outlives its folder."""
    return os.path.lexists(path.parent / _DELETED / path.name)
