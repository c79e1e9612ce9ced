"""What each diagnosis means to somebody whose sessions Hermes runs, and what helps there."""

from typing import Final

from hermes_tui.core.diagnosis import Code

SENTENCES: Final = {
    Code.PINNED: ("It stays on this route because it was told to.", "Force restore."),
    Code.PRIMARY_FORGOTTEN: (
        "Hermes has another primary for the session by now, and never returns to this one by itself.",
        "Choose its model in Hermes, with /model.",
    ),
    Code.ON_PRIMARY: ("It is on its primary.", "Nothing to do."),
    Code.WAITING_FOR_RESET: (
        "The primary has run out; Hermes goes back at its reset, or earlier if its usage check says so.",
        "Wait until the time shown, top up, or add a credential (hermes auth add).",
    ),
    Code.NO_EARLY_REOPEN: (
        "The primary has run out, and this Hermes does not ask whether it reopened early.",
        "Wait until the time shown, or start a new session after `hermes auth reset`.",
    ),
    Code.RESTORE_DUE: (
        "What kept it away is over.",
        "Hermes returns by itself at the session's next turn: write to it.",
    ),
    Code.LYING_PROBE: (
        "The usage endpoint says quota, but requests still answer 429.",
        "Look for a limit of this model or of the organisation, or try another account.",
    ),
    Code.PROBE_BLIND: (
        "The login's access token has expired and cannot be renewed: nobody can ask for quota, only the date counts.",
        "Sign in again: hermes auth add.",
    ),
    Code.OUT_OF_CREDIT: (
        "The primary's account is out of credit or at its spend cap.",
        "Add credit, clear the cooldown here, then start the session again: it keeps its own cooldown in memory.",
    ),
    Code.CREDENTIAL_DEAD: ("No login of the primary is alive.", "Sign in again: hermes auth add."),
    Code.PRIMARY_FAILING: (
        "The primary failed, and not for a limit. Hermes arms no cooldown for that and tries it again at every turn.",
        "Look at the errors, or put another provider first until it has recovered.",
    ),
    Code.CONFIGURATION_FAULT: (
        "The primary cannot be used as config.yaml has it.",
        "Mend config.yaml (hermes model), then write to the session.",
    ),
    Code.COOLDOWN_IN_MEMORY: (
        "auth.json has a usable login, but the session keeps a cooldown of its own in Hermes' memory.",
        "Only the session's process can end it: start the session again, or wait until the time shown.",
    ),
    Code.LIFT_NOT_SAVED: (
        "The quota is back, but Hermes cannot return: its fallback has a pool of its own, so a lift is not saved.",
        "Clear the cooldown here, then start the session again: it keeps its own cooldown in memory.",
    ),
    Code.CHAIN_EXHAUSTED: (
        "No route answered its last turn.",
        "Wait until the time shown, or give it a route that can serve: hermes auth add, hermes fallback add.",
    ),
    Code.CREDENTIAL_NOT_TRIED: (
        "Another credential of the primary is free, but Hermes selects the one that failed again and again.",
        "Start the session again: a new one takes the free credential.",
    ),
}

_REOPENED: Final = (
    "The usage endpoint says that the quota is back; Hermes asks it too, at a turn, at most every 300 s.",
    "Write to the session. If it stays, write again after five minutes.",
)
_REOPENED_BEFORE_022: Final = (
    "The usage endpoint says that the quota is back, and this Hermes tries its primary again a minute after a limit.",
    "Write to the session.",
)
_TRIED_ANYWAY: Final = (
    "The primary has run out. This Hermes asks nobody, and tries it again after a minute, whatever the date.",
    "Each such turn before the time of the login costs a failed request: wait, or put another provider first.",
)


_BY_HAND: Final = {
    Code.COOLDOWN_IN_MEMORY: "Force restore: its next turn asks the primary.",
    Code.LIFT_NOT_SAVED: "Force restore: its next turn asks the primary.",
    Code.OUT_OF_CREDIT: "Add credit, then force restore.",
    Code.NO_EARLY_REOPEN: "Wait until the time shown, or force restore once there is quota.",
}
"""What helps where a force restore reaches the session."""


def sentences_of(code: Code, *, is_benched: bool, tries_anyway: bool, has_hand: bool = False) -> tuple[str, str]:
    """Return what a diagnosis means, and what helps.

    `is_benched` tells that no login of the primary is free; `tries_anyway` that its Hermes goes back whatever they say;
    `has_hand` that a force restore reaches the session.
    """
    if has_hand and code in _BY_HAND and not (code is Code.NO_EARLY_REOPEN and tries_anyway):
        return SENTENCES[code][0], _BY_HAND[code]
    if code is Code.RESTORE_DUE and is_benched:
        return _REOPENED_BEFORE_022 if tries_anyway else _REOPENED
    return _TRIED_ANYWAY if code is Code.NO_EARLY_REOPEN and tries_anyway else SENTENCES[code]
