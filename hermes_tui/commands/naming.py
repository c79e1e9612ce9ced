"""What a person names on the command line: sessions, and credentials by POOL/LABEL or the label alone."""

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import UsageError
from hermes_tui.core.facts import Facts
from hermes_tui.core.plans import listed
from hermes_tui.core.session import Session


def session_named(name: str, facts: Facts) -> Session:
    """Return the session that `name` means. Raises UsageError, with the choices, where there is none."""
    sessions = {session.name: session for session in listed(facts)}
    refuse_archived(name, facts)
    if name not in sessions:
        from hermes_tui.core.nearest import did_you_mean  # noqa: PLC0415 - only a mistyped name needs it

        hint = did_you_mean(name, sessions) or "."
        raise UsageError(f'there is no session "{name}"{hint} There are: {", ".join(sessions) or "none"}')
    return sessions[name]


def refuse_archived(name: str, facts: Facts) -> None:
    """Raise UsageError, with what to do, where the session `name` is archived."""
    row = facts.sessions.get(name)
    if row is not None and row.archived:
        raise UsageError(f'{name} is archived: `hermes-tui sessions bring-back "{name}"` lets it be there again')


def credential_keys(configuration: Configuration) -> tuple[CredentialKey, ...]:
    """Return every configured credential, in the file's order."""
    return tuple(CredentialKey(pool.name, member.label) for pool in configuration.pools for member in pool.members)


def credential_named(name: str, configuration: Configuration) -> CredentialKey:
    """Return the credential that `name` means. Raises UsageError, with the choices, where it is none or several."""
    keys = credential_keys(configuration)
    found = [key for key in keys if str(key) == name] or [key for key in keys if key.label == name]
    if len(found) == 1:
        return found[0]
    choices = ", ".join(map(str, found or keys)) or "none"
    if found:
        raise UsageError(f'several credentials are called "{name}": write one of {choices}')
    from hermes_tui.core.nearest import did_you_mean  # noqa: PLC0415 - only a mistyped name needs it

    hint = did_you_mean(name, [*map(str, keys), *(key.label for key in keys)])
    raise UsageError(f'there is no credential "{name}"{hint or "."} There are: {choices}')
