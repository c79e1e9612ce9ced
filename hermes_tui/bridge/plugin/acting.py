"""What each act does. What changes a session waits for its next turn (`turns.py`)."""

import time
from collections.abc import Callable
from typing import Any

from .insides import (
    CODEX,
    Refused,
    chain_of_file,
    digits_of,
    end_cooldown,
    forget_verdict,
    home_of,
    is_benched,
    label_of,
    logins_locked,
    names,
    pool_key,
    pool_on_disk,
    rows_of,
    verdicts,
)
from .turns import (
    CLEAR_COOLDOWN,
    DROP_VERDICT,
    FORCE_RESTORE,
    RESET_CHAIN,
    RESTORE,
    TAKE_CHAIN,
    USE_FALLBACK,
    in_turn,
    later,
    waiting_acts,
)

_NEEDS = {
    FORCE_RESTORE: ("_fallback_activated", "_primary_runtime"),
    RESET_CHAIN: ("_fallback_chain", "_fallback_index"),
    TAKE_CHAIN: ("_fallback_chain", "_fallback_index", "_fallback_activated", "_try_activate_fallback"),
    USE_FALLBACK: ("_fallback_chain", "_fallback_index", "_fallback_activated", "_try_activate_fallback"),
}
"""What an agent must have for an act, besides the call that each stands in the way of."""

_PIN_SECONDS = 10 * 365 * 86400.0
"""For how long a fallback that the user chose is kept: until somebody restores."""


class Hand:
    """Does what the user asks of the agents; `why_not_touched` is the reason why nothing can be done at all."""

    def __init__(self, agents: Any, home: str, why_not_touched: str | None) -> None:
        self._agents = agents
        self._home = home
        self._why_not_touched = why_not_touched

    def why_not(self, act: str) -> str | None:
        """Return why `act` cannot be done in this Hermes, None where it can."""
        if self._why_not_touched is not None:
            return self._why_not_touched
        if act == DROP_VERDICT and verdicts() is None:
            return "this Hermes asks no usage endpoint, or has not loaded what does"
        return None

    def do(self, act: str, request: dict[str, object]) -> str:
        """Do `act`; return what was done and what will happen. Raises Refused with the reason where it cannot be."""
        if (why := self.why_not(act)) is not None:
            raise Refused(why)
        if act == CLEAR_COOLDOWN:
            return self._clear_cooldown(str(request.get("provider") or ""), str(request.get("credential") or ""))
        if act == DROP_VERDICT:
            return self._drop_verdict(str(request.get("fingerprint") or ""))
        agent = self._agent(str(request.get("session") or ""))
        for name in (*_NEEDS[act], RESTORE):
            if not hasattr(agent, name):
                raise Refused(f"this Hermes has no {name}, which it takes")
        wish: Callable[[Any], str] = getattr(self, f"_{act}")
        return wish(agent)

    def _agent(self, session: str) -> Any:
        found = [agent for agent in self._agents.living() if _is_session(agent, session)]
        if not found:
            raise Refused(f"session {session} is not open in this process")
        self._refuse_other_home(found[-1])
        return found[-1]

    def _refuse_other_home(self, agent: Any) -> None:
        if not self._is_of_home(agent):
            raise Refused("the session belongs to another profile's home, which this process serves too: not touched")

    def _is_of_home(self, agent: Any) -> bool:
        try:
            return home_of(agent) == self._home
        except AttributeError:
            return False

    def _force_restore(self, agent: Any) -> str:
        if not agent._fallback_activated:
            raise Refused("the session is on its primary")
        primary = agent._primary_runtime or {}
        route = (str(primary.get("provider") or "").strip().lower(), str(primary.get("model") or "").strip())
        if route in (getattr(agent, "_entitlement_rejected_models", None) or ()):
            raise Refused(f"the account may not use {route[1]}: Hermes does not go back to it before a restart")
        with logins_locked():
            pool = pool_on_disk(pool_key(primary))
            cleared = [row for row in rows_of(pool) if is_benched(row)]
            for row in cleared:
                end_cooldown(pool, row)
        digits = [digits_of(row) for row in rows_of(pool)]

        def free(agent: Any) -> None:
            _free(agent)
            for key in digits:
                forget_verdict(key)

        later(agent, FORCE_RESTORE, free, instead_of=USE_FALLBACK)
        ended = f"Ended in auth.json: the cooldown of {_named(cleared)}. " if cleared else ""
        cost = "one call" if len(digits) <= 1 else f"up to {len(digits)} calls, one for each login"
        asked = f"the primary is asked, whatever the probe says; where it refuses, that costs {cost}"
        return f"{ended}{_when(agent)} {asked}."

    def _reset_chain(self, agent: Any) -> str:
        chain = chain_of_file()

        def reset(agent: Any) -> None:
            _take(agent, chain)
            agent._fallback_index = 0
            if getattr(agent, "_unavailable_fallback_keys", None):
                agent._unavailable_fallback_keys = set()

        later(agent, RESET_CHAIN, reset, instead_of=TAKE_CHAIN)
        return (
            f"{_when(agent)} the chain is that of config.yaml ({_counted(chain)}), from its first entry, none skipped."
        )

    def _take_chain(self, agent: Any) -> str:
        if RESET_CHAIN in waiting_acts(agent):  # which takes it too
            return self._reset_chain(agent)
        chain = chain_of_file()

        def take(agent: Any) -> None:
            if chain != agent._fallback_chain and getattr(agent, "_unavailable_fallback_keys", None):
                agent._unavailable_fallback_keys = set()
            _take(agent, chain)
            place = next((place for place, entry in enumerate(chain, 1) if names(entry, agent)), 0)
            agent._fallback_index = place if agent._fallback_activated else 0

        def leave(agent: Any) -> None:
            if agent._fallback_activated and chain and not any(names(entry, agent) for entry in chain):
                agent._try_activate_fallback()

        later(agent, TAKE_CHAIN, take, leave, instead_of=RESET_CHAIN)
        return f"{_when(agent)} the chain is that of config.yaml: {_counted(chain)}; a route that is still in it stays."

    def _use_fallback(self, agent: Any) -> str:
        passed = agent._fallback_index if agent._fallback_activated else 0
        if len(agent._fallback_chain or ()) <= passed:
            raise Refused("there is no route after it in the session's chain" if passed else "the session has no chain")

        def switch(agent: Any) -> bool:
            if not agent._fallback_activated:
                agent._fallback_index = 0
            if not agent._try_activate_fallback():
                return False
            agent._rate_limited_until = agent._codex_reopen_checked_at = time.monotonic() + _PIN_SECONDS
            return True

        later(agent, USE_FALLBACK, switch, instead_of=FORCE_RESTORE)
        return f"{_when(agent)} it goes to the next route that can serve, and stays there until you restore."

    def _clear_cooldown(self, provider: str, credential: str) -> str:
        with logins_locked():
            pool = pool_on_disk(provider)
            found = [row for row in rows_of(pool) if credential in (row.id, row.label)]
            if len(found) != 1:
                several = "several logins" if found else "no login"
                raise Refused(f"{provider or 'no provider'} has {several} {credential}")
            (row,) = found
            label = label_of(row)
            if row.last_status == "dead":
                raise Refused(f"{label} is dead: a cleared cooldown does not bring it back; sign in again")
            waiting = [agent for agent in self._agents.living() if self._waits_for(agent, provider)]
            if not is_benched(row) and not waiting:
                raise Refused(f"{label} has no cooldown to clear")
            if is_benched(row):
                end_cooldown(pool, row)
        for agent in waiting:
            later(agent, CLEAR_COOLDOWN, _free)
        asking = {0: "", 1: " One session here asks"}.get(len(waiting), f" {len(waiting)} sessions here ask")
        then = f"{asking} the primary at the next turn." if waiting else ""
        return f"{label} has no cooldown in auth.json any more.{then}"

    def _waits_for(self, agent: Any, provider: str) -> bool:
        primary = getattr(agent, "_primary_runtime", None) or {}
        on_fallback = getattr(agent, "_fallback_activated", False) and not is_pinned(agent)
        return bool(
            on_fallback and self._is_of_home(agent) and pool_key(primary) == provider and hasattr(agent, RESTORE)
        )

    def _drop_verdict(self, digits: str) -> str:
        if len(digits) < 8 or not forget_verdict(digits):
            raise Refused("there is no cached verdict of that token")
        for agent in self._agents.living():
            if self._waits_for(agent, CODEX):
                later(agent, DROP_VERDICT, _forget_check)
        return (
            "The verdict is forgotten: the usage endpoint is asked anew when Hermes next looks whether quota is back."
        )


def is_pinned(agent: Any) -> bool:
    """Tell whether the user chose the fallback that the agent is on."""
    left: float = (getattr(agent, "_rate_limited_until", 0) or 0) - time.monotonic()
    return left > _PIN_SECONDS / 2


def _free(agent: Any) -> None:
    """End the session's own cooldown, and let it look at once."""
    agent._rate_limited_until = 0
    _forget_check(agent)


def _forget_check(agent: Any) -> None:
    agent.__dict__.pop("_codex_reopen_checked_at", None)


def _take(agent: Any, chain: list[dict[str, Any]]) -> None:
    agent._fallback_chain = [dict(entry) for entry in chain]
    agent._fallback_model = agent._fallback_chain[0] if chain else None


def _is_session(agent: Any, session: str) -> bool:
    return str(getattr(agent, "session_id", "")) == session and not getattr(agent, "_persist_disabled", False)


def _named(rows: list[Any]) -> str:
    return ", ".join(map(label_of, rows))


def _counted(chain: list[Any]) -> str:
    return "1 entry" if len(chain) == 1 else f"{len(chain)} entries"


def _when(agent: Any) -> str:
    return "When the turn that runs has ended and the next begins," if in_turn(agent) else "When the next turn begins,"
