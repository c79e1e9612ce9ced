"""What a user's act does to a session that Hermes runs, said before it is done: mostly why it has to be done there."""

from typing import Final

from hermes_tui.core.acts import (
    Command,
    ReloadConfiguration,
    ResetCooldown,
    SaveConfiguration,
    SendPrompt,
    StopTurn,
    SwitchModel,
)
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.preview import Confirm, Preview, Ready, Refused
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.takings import not_achieved
from hermes_tui.hermes.values import Login

_REASONS: Final = {
    SwitchModel: "choose it in Hermes, with /model",
    StopTurn: "stop it in Hermes, which runs it",
    SendPrompt: "write to it in Hermes, which runs it",
}
_OTHERS: Final = "do it in Hermes, which runs it"


def preview(command: Command, reading: Reading, now: float) -> Preview:
    """Return what `command` does to the home that was read. Pure over the reading."""
    match command:
        case ReloadConfiguration():
            return Ready(PlainText("The home is read again."))
        case ResetCooldown(credential):
            return _clearing(credential, reading, now)
        case SaveConfiguration():
            question = one_line(f"Save {reading.home.path / 'config.yaml'}?")
            return Confirm(question, not_achieved(reading, now))
        case _:
            return Refused(PlainText(_REASONS.get(type(command), _OTHERS)))


def login_of(credential: CredentialKey, reading: Reading) -> Login | None:
    """Return the login that `credential` names, None where auth.json has it no more."""
    return next((one for one in reading.logins.rows if (one.provider, one.label) == tuple(credential)), None)


def _clearing(credential: CredentialKey, reading: Reading, now: float) -> Preview:
    login = login_of(credential, reading)
    if login is None:
        return Refused(PlainText(f"auth.json has no {credential} any more"))
    if login.inherited:
        return Refused(PlainText(f"{credential} belongs to the root's home, which lends it: clear it there"))
    if login.status == "dead":
        return Refused(PlainText(f"{credential} is dead: a cleared cooldown does not bring it back; sign in again"))
    cooling = [until for _, until in login.model_cooldowns if until > now]
    frees = reading.memory.clears
    benched = cooling or (login.benched_until is not None and login.benched_until > now)
    if not benched and not (frees and _is_waited_for(login, reading)):
        return Refused(PlainText(f"{credential} has no cooldown to clear"))
    then = (
        "Sessions that wait for it ask the primary at their next turn, where a Hermes has them open that has a bridge."
        if frees
        else "New sessions take the credential at once; a session that is on its fallback keeps its own cooldown in "
        "memory until it is started again."
    )
    if not benched:
        return Confirm(
            PlainText(f"Have nobody wait for {credential} any more?"),
            PlainText(f"auth.json has no cooldown of it. {then}"),
        )
    effect = f"auth.json is changed as `hermes auth reset` does it. {then}"
    return Confirm(
        PlainText(f"Clear the cooldown of {credential} in {reading.home.path / 'auth.json'}?"), PlainText(effect)
    )


def _is_waited_for(login: Login, reading: Reading) -> bool:
    """Tell whether an open session stays away from the provider of `login` by a cooldown in its memory."""
    return any(
        live.position != 0 and not live.pinned and live.requested.provider == login.provider
        for live in reading.memory.sessions.values()
    )
