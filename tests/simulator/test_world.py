"""The world by itself: windows, switches and what covers what."""

import pytest

from hermes_tui.core.secret import Secret
from hermes_tui.simulator import (
    Account,
    Dialect,
    Mode,
    Provider,
    QuotaWindow,
    Reopen,
    SetMode,
    SetShape,
    SetUsage,
    SetWindow,
    UnknownTargetError,
    UsageMode,
    World,
)

HOUR = 3600.0


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        """Return the time that the test set."""
        return self.time


def two_accounts(clock: Clock) -> World:
    accounts = {
        label: Account(label, Secret(f"key-of-{label}"), windows=[QuotaWindow("5 h", 5 * HOUR, 5 * HOUR, 80.0, 10.0)])
        for label in ("home", "work")
    }
    return World([Provider("codex", Dialect.CODEX_RESPONSES, accounts)], now=clock)


def met(world: World, account: str = "work", model: str = "gpt") -> Mode:
    return world.rule(world.providers["codex"], f"key-of-{account}", model).behaviour.mode


def test_a_window_fills_by_use_and_then_refuses_until_its_reset() -> None:
    clock = Clock()
    world = two_accounts(clock)
    assert [met(world) for _ in range(3)] == [Mode.OK, Mode.OK, Mode.USAGE_LIMIT]
    assert world.rule(world.providers["codex"], "key-of-work", "gpt").behaviour.resets_at == 5 * HOUR
    clock.time = 5 * HOUR
    assert met(world) is Mode.OK


def test_accounts_have_quotas_of_their_own() -> None:
    world = two_accounts(Clock())
    world.apply(SetWindow(provider="codex", account="work"))
    assert (met(world, "work"), met(world, "home")) == (Mode.USAGE_LIMIT, Mode.OK)


def test_a_reset_that_was_missed_many_times_lies_ahead_again() -> None:
    window = QuotaWindow("5 h", 5 * HOUR, 5 * HOUR, 100.0)
    window.elapse(23 * HOUR)
    assert (window.used_percent, window.resets_at) == (0.0, 25 * HOUR)


def test_the_switch_that_fits_best_wins() -> None:
    world = two_accounts(Clock())
    world.apply(SetMode(provider="codex", mode=Mode.SERVER_ERROR))
    world.apply(SetMode(provider="codex", model="mini", mode=Mode.UNKNOWN_MODEL))
    world.apply(SetMode(provider="codex", account="work", mode=Mode.UNAUTHORIZED))
    world.apply(SetMode(provider="codex", account="work", model="mini", mode=Mode.OK))
    assert met(world, "home") is Mode.SERVER_ERROR
    assert met(world, "home", "mini") is Mode.UNKNOWN_MODEL
    assert met(world, "work") is Mode.UNAUTHORIZED
    assert met(world, "work", "mini") is Mode.OK


def test_a_switch_on_the_whole_provider_replaces_those_on_its_parts() -> None:
    world = two_accounts(Clock())
    world.apply(SetMode(provider="codex", account="work", mode=Mode.UNAUTHORIZED))
    world.apply(SetMode(provider="codex", mode=Mode.OK))
    assert met(world) is Mode.OK


@pytest.mark.parametrize("limited", [None, "work"])
def test_reopening_one_account_leaves_the_others_limited(limited: str | None) -> None:
    world = two_accounts(Clock())
    world.apply(SetMode(provider="codex", account=limited, mode=Mode.USAGE_LIMIT))
    world.apply(SetMode(provider="codex", account="home", mode=Mode.USAGE_LIMIT))
    world.apply(Reopen(provider="codex", account="work"))
    assert (met(world, "work"), met(world, "home")) == (Mode.OK, Mode.USAGE_LIMIT)


def test_reopening_does_not_repair_a_server() -> None:
    world = two_accounts(Clock())
    world.apply(SetMode(provider="codex", mode=Mode.SERVER_ERROR))
    world.apply(Reopen(provider="codex"))
    assert met(world) is Mode.SERVER_ERROR


def test_asking_for_usage_costs_no_quota() -> None:
    world = two_accounts(Clock())
    for _ in range(9):
        ruling = world.rule_usage(world.providers["codex"], "key-of-work")
    assert ruling.windows[0].used_percent == 80.0


def test_lying_about_usage_changes_no_window() -> None:
    world = two_accounts(Clock())
    world.apply(SetUsage(provider="codex", mode=UsageMode.LIES, used_percent=5.0))
    ruling = world.rule_usage(world.providers["codex"], "key-of-work")
    assert ruling.windows[0].used_percent == 5.0
    assert world.providers["codex"].accounts["work"].windows[0].used_percent == 80.0


@pytest.mark.parametrize(
    ("action", "field"),
    [
        (Reopen(provider="kodex"), "provider"),
        (Reopen(provider="codex", account="wrok"), "account"),
        (SetWindow(provider="codex", window="month"), "window"),
    ],
)
def test_an_action_on_what_is_not_there_names_the_field_and_what_is(action: Reopen | SetWindow, field: str) -> None:
    with pytest.raises(UnknownTargetError, match="known: ") as caught:
        two_accounts(Clock()).apply(action)
    assert caught.value.field == field


def test_a_path_names_the_provider_else_the_key_does() -> None:
    world = two_accounts(Clock())
    world.providers["other"] = Provider("other", Dialect.CODEX_RESPONSES, {"x": Account("x", Secret("key-of-x"))})
    for path, key, name in (
        ("/other/v1/responses", "key-of-work", "other"),
        ("/v1/responses", "key-of-x", "other"),
        ("/v1/responses", "nobody's", "codex"),
    ):
        provider = world.provider_for(path, key, Dialect.CODEX_RESPONSES)
        assert provider is not None
        assert provider.name == name


def shape_met(world: World, account: str = "work", model: str = "gpt") -> str | None:
    return world.rule(world.providers["codex"], f"key-of-{account}", model).behaviour.shape


def test_a_shape_is_met_by_its_account_and_model_alone_until_a_mode_takes_its_place() -> None:
    world = two_accounts(Clock())
    world.apply(SetShape(provider="codex", account="work", model="gpt", shape="openai-out-of-credit"))
    assert (shape_met(world), shape_met(world, model="o"), shape_met(world, "home")) == (
        "openai-out-of-credit",
        None,
        None,
    )
    world.apply(SetMode(provider="codex", mode=Mode.OK))
    assert shape_met(world) is None


def test_a_shape_costs_the_account_nothing_but_a_reply_does() -> None:
    world = two_accounts(Clock())
    world.apply(SetShape(provider="codex", account="work", shape="broken-cut"))
    shape_met(world, "work")
    shape_met(world, "home")
    assert [account.served for account in world.providers["codex"].accounts.values()] == [1, 0]


@pytest.mark.parametrize(
    ("shape", "left"), [("codex-usage-limit", None), ("groq-minute", None), ("openai-wrong-key", "openai-wrong-key")]
)
@pytest.mark.parametrize("account", [None, "work"])
def test_reopening_ends_the_shapes_that_are_limits(account: str | None, shape: str, left: str | None) -> None:
    world = two_accounts(Clock())
    world.apply(SetShape(provider="codex", shape=shape))
    world.apply(Reopen(provider="codex", account=account))
    assert shape_met(world, "work") == left
    assert shape_met(world, "home") == (left if account is None else shape)


@pytest.mark.parametrize(
    ("shape", "met"),
    [
        ("openai-wrong-key", True),
        ("edge-challenge", True),
        ("broken-reset", True),
        ("broken-stall", False),
        ("groq-minute", False),
        ("openai-out-of-credit", False),
        ("openai-unknown-model", False),
    ],
)
def test_the_list_of_models_meets_what_is_about_the_key_or_the_way_and_no_limit(shape: str, met: bool) -> None:
    world = two_accounts(Clock())
    world.apply(SetShape(provider="codex", shape=shape))
    ruling = world.rule_list(world.providers["codex"], "key-of-work")
    assert (ruling.behaviour.shape == shape) is met


def test_the_usage_page_tells_a_limit_that_is_a_shape() -> None:
    world = two_accounts(Clock())
    world.apply(SetShape(provider="codex", account="work", shape="codex-usage-limit"))
    told = [world.rule_usage(world.providers["codex"], f"key-of-{label}").windows[-1] for label in ("work", "home")]
    assert [window.used_percent for window in told] == [100.0, 80.0]


@pytest.mark.parametrize(
    ("shape", "hint"),
    [("gemini-dayly-quota", 'did you mean "gemini-daily-quota"'), ("qqq", "hermes-tui shapes lists them")],
)
def test_a_shape_that_is_not_there_is_refused_with_a_hint_and_changes_nothing(shape: str, hint: str) -> None:
    world = two_accounts(Clock())
    with pytest.raises(UnknownTargetError, match=hint) as caught:
        world.apply(SetShape(provider="codex", shape=shape))
    assert caught.value.field == "shape"
    assert shape_met(world) is None
