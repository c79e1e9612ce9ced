"""Values are the standard library's frozen dataclasses, whose methods are there from their first use on."""

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from hermes_tui.core import values
from hermes_tui.core.acts import SendPrompt


def made(decorator: Any) -> Any:
    """Return a class with everything that ours use: defaults, a factory, a post-init, a parent, keywords only."""

    @decorator(frozen=True, slots=True)
    class Base:
        """A base."""

        time: float
        tags: list[str] = dataclasses.field(default_factory=list)

    @decorator(frozen=True, slots=True, kw_only=True)
    class Made(Base):
        """A value."""

        name: str
        note: str | None = None

        def __post_init__(self) -> None:
            if not self.name:
                raise ValueError("no name")

    return Made


@pytest.fixture(params=[dataclasses.dataclass, values.dataclass], ids=["standard", "ours"])
def kind(request: pytest.FixtureRequest) -> Any:
    return made(request.param)


def test_a_value_is_made_shown_compared_and_hashed(kind: Any) -> None:
    one, same, other = kind(1.0, (), name="a"), kind(1.0, (), name="a"), kind(1.0, (), name="b")
    assert repr(one).endswith("Made(time=1.0, tags=(), name='a', note=None)")
    assert (one == same, one == other, one == 1) == (True, False, False)
    assert (hash(one) == hash(same), len({one, same, other})) == (True, 2)
    assert dataclasses.replace(one, name="b") == other
    assert kind(2.0, name="x").tags == []
    assert kind.__match_args__ == ("time", "tags")


def test_the_first_use_may_be_any_method() -> None:
    for use in (repr, hash):
        kind = made(values.dataclass)
        with pytest.raises(AttributeError, match="time"):
            use(object.__new__(kind))


def test_a_value_cannot_be_changed(kind: Any) -> None:
    one = kind(1.0, name="a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="field 'name'"):
        one.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError, match="field 'name'"):
        del one.name
    assert one.name == "a"


def test_what_is_missing_or_wrong_is_said_as_ever(kind: Any) -> None:
    with pytest.raises(TypeError, match=r"Made.__init__.. missing 1 required keyword-only argument: 'name'"):
        kind(1.0)
    with pytest.raises(ValueError, match="no name"):
        kind(1.0, name="")


def test_a_value_can_be_copied_and_sent_to_another_process(kind: Any) -> None:
    one = kind(1.0, ["a"], name="a")
    assert copy.copy(one) == copy.deepcopy(one) == one
    assert copy.deepcopy(one).tags is not one.tags
    sent = SendPrompt("docs", "Go on.")
    assert pickle.loads(pickle.dumps(sent)) == sent
