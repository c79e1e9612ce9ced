"""What a bridge says, as values: anything may stand anywhere, and nothing of it is trusted."""

import json
from dataclasses import fields, is_dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from hermes_tui.bridge import answers
from hermes_tui.bridge.values import Act, LiveProcess, LiveState
from hermes_tui.core.text import plain

NAMES = (
    "session", "route", "primary", "chain", "position", "next", "skipped", "on_fallback", "cooldown_until", "backoffs",
    "cooldown_reason", "checks_from", "in_turn", "turn_since", "credential", "waiting", "last", "home", "platform",
    "parent", "provider", "model", "base_url", "id", "label", "status", "fingerprint", "acts", "at", "said", "verdict",
    "asked_at", "until",
)  # fmt: skip
WORDS = some.text(some.characters(), max_size=8) | some.sampled_from([act.value for act in Act])
NUMBERS = some.integers() | some.just(10**400) | some.floats()
THINGS = some.recursive(
    some.none() | some.booleans() | NUMBERS | WORDS,
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)
AGENTS = some.dictionaries(some.sampled_from(NAMES), THINGS).map(lambda told: {"session": "s", **told})
STATES = some.fixed_dictionaries(
    {}, optional={"at": THINGS, "left_out": THINGS, "agents": THINGS | some.lists(AGENTS), "verdicts": THINGS}
)


def texts(value: object) -> list[str]:
    """Return all text in a value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for one in value for text in texts(one)]
    if is_dataclass(value) and not isinstance(value, type):
        return [text for field in fields(value) for text in texts(getattr(value, field.name))]
    return []


def as_heard(told: object) -> Any:
    return json.loads(json.dumps(told))


@given(told=STATES | THINGS)
def test_whatever_is_said_of_sessions_is_a_state_in_plain_text(told: object) -> None:
    process = answers.process(as_heard(told), 7)
    assert isinstance(process, LiveProcess)
    state = answers.state(as_heard(told), process, 5.0)
    assert isinstance(state, LiveState)
    for text in texts(state):
        assert text == plain(text)
        assert text.encode().decode() == text
    for agent in state.agents:
        for moment in (agent.cooldown_until, agent.checks_from, agent.turn_since):
            assert moment is None or 0 < moment < 1e12
