"""What may happen in a story: what providers and users do, as strategies."""

from typing import Any, Final

from hypothesis import strategies as st

from hermes_tui.core.acts import (
    ForceRestore,
    ProbeNow,
    ResetChain,
    ResetCooldown,
    RetryNow,
    StopTurn,
    SwitchModel,
    UseFallback,
)
from hermes_tui.core.credential import CredentialKey
from hermes_tui.simulator.action import Reopen, SetMode, SetPace, SetUsage
from hermes_tui.simulator.mode import Mode, UsageMode
from tests.engine.theatre import DAY
from tests.machine.world import ACCOUNTS, CODEX, CODEX_MODELS, ENTRIES, LABELS, PRIMARY, SESSIONS, provider_of

Place = tuple[str, str | None]
"""A provider, and one account of it or all."""

SessionAct = ForceRestore | ResetChain | UseFallback | StopTurn | RetryNow | SwitchModel

CODEX_LABELS: Final = tuple(label for label in LABELS if provider_of(label) == CODEX)
FAULTS: Final = (
    Mode.SERVER_ERROR,
    Mode.CONTENT_REFUSED,
    Mode.TIMEOUT,
    Mode.BROKEN,
    Mode.UNKNOWN_MODEL,
    Mode.STALL,
    Mode.HTML,
)
REFUSALS: Final = (Mode.REVOKED, Mode.UNAUTHORIZED, Mode.PAYMENT_REQUIRED, Mode.FORBIDDEN)


def mode_at(place: Place, mode: Mode, **how: Any) -> SetMode:
    """Return the action that lets requests at `place` meet `mode`."""
    provider, account = place
    return SetMode(provider=provider, account=account, mode=mode, **how)


def switch(session: str, route: str) -> SwitchModel:
    """Return the act that gives `session` another primary, written as provider/model."""
    return SwitchModel(session, *route.split("/"))


def reset(label: str) -> ResetCooldown:
    """Return the act that ends the cooldown of one credential."""
    return ResetCooldown(CredentialKey(provider_of(label), label))


def probe(label: str, model: str, *, anyway: bool) -> ProbeNow:
    """Return the act that asks the usage endpoint by hand."""
    return ProbeNow(CredentialKey(CODEX, label), model, anyway)


sessions = st.sampled_from(SESSIONS)
labels = st.sampled_from(LABELS)
codex_labels = st.sampled_from(CODEX_LABELS)
primaries = st.sampled_from([(CODEX, None), (CODEX, None), *((CODEX, label) for label in CODEX_LABELS)])
others = st.sampled_from([(provider, None) for provider in ACCOUNTS] + [(provider_of(each), each) for each in LABELS])
places = primaries | others
dates = st.sampled_from([None, 20.0, 1200.0, 3600.0, 2 * DAY])

limits = st.builds(mode_at, primaries, st.just(Mode.USAGE_LIMIT), resets_in=dates)
other_limits = st.builds(mode_at, others, st.just(Mode.USAGE_LIMIT), resets_in=dates)
throttles = st.builds(mode_at, places, st.just(Mode.RATE_LIMIT), retry_after=st.sampled_from([None, 3.0, 900.0]))
refusals = st.builds(mode_at, places, st.sampled_from(REFUSALS))
faults = st.builds(mode_at, places, st.sampled_from(FAULTS))
recoveries = st.builds(mode_at, places, st.just(Mode.OK))
reopenings = st.builds(Reopen, provider=st.just(CODEX), account=st.none() | codex_labels)
lies = st.builds(
    SetUsage, provider=st.just(CODEX), mode=st.just(UsageMode.LIES), used_percent=st.sampled_from([2.0, 5.0])
)
usages = lies | st.builds(SetUsage, provider=st.just(CODEX), mode=st.sampled_from(UsageMode))
paces = st.builds(
    SetPace,
    provider=st.sampled_from(sorted(ACCOUNTS)),
    latency=st.sampled_from([0.0, 1.0]),
    tokens_per_second=st.sampled_from([0.0, 2.0]),
)

acts = st.one_of(
    st.builds(ForceRestore, sessions),
    st.builds(ResetChain, sessions),
    st.builds(UseFallback, sessions),
    st.builds(StopTurn, sessions),
    st.builds(RetryNow, sessions),
    st.builds(switch, sessions, st.sampled_from([PRIMARY, *ENTRIES])),
)
resets = st.builds(reset, labels)
probes = st.builds(probe, codex_labels, st.sampled_from(CODEX_MODELS), anyway=st.booleans())
chains = st.lists(st.sampled_from([*ENTRIES, PRIMARY]), unique=True, max_size=4)
