"""What a user's act does to a session that Hermes runs, said before it is done: mostly why it has to be done there."""

from typing import Final

from hermes_tui.core.acts import (
    Command,
    ForceRestore,
    ReloadConfiguration,
    ResetChain,
    ResetCooldown,
    SaveConfiguration,
    SendPrompt,
    StopTurn,
    SwitchModel,
    UseFallback,
)
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.preview import Confirm, Preview, Ready, Refused
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.takings import not_achieved
from hermes_tui.hermes.values import Login

_IN_MEMORY: Final = "only its own Hermes process can: its place in the chain is in that memory alone"
_CHOOSE: Final = "choose it in Hermes, with /model"

_REASONS: Final = {
    ForceRestore: _IN_MEMORY,
    ResetChain: _IN_MEMORY,
    UseFallback: _CHOOSE,
    SwitchModel: _CHOOSE,
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
    if (login.benched_until is None or login.benched_until <= now) and not cooling:
        return Refused(PlainText(f"{credential} has no cooldown to clear"))
    effect = (
        "auth.json is changed as `hermes auth reset` does it. New sessions take the credential at once; a session that "
        "is on its fallback keeps its own cooldown in memory until it is started again."
    )
    return Confirm(
        PlainText(f"Clear the cooldown of {credential} in {reading.home.path / 'auth.json'}?"), PlainText(effect)
    )
