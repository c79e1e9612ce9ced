"""Credentials: what their row says at a moment (M13, M17)."""

from hermes_tui.core.cooldown import Cooldown
from hermes_tui.core.credential import Credential, CredentialKey, Status
from tests.core.made import DAY, HOUR, NOW, bench, benched, credential, dead


def _with_models(**cooldowns: Cooldown) -> Credential:
    return credential(model_cooldowns=tuple(cooldowns.items()))


def test_m13_a_credential_without_a_cooldown_is_ok() -> None:
    assert credential().status(NOW) is Status.OK


def test_m13_a_cooldown_ahead_makes_it_exhausted_and_its_end_makes_it_ok() -> None:
    row = benched(seconds=HOUR)
    assert row.status(NOW + HOUR - 0.1) is Status.EXHAUSTED
    assert row.status(NOW + HOUR) is Status.OK


def test_m13_one_models_cooldown_makes_it_exhausted_too() -> None:
    assert _with_models(gpt=bench(HOUR)).status(NOW) is Status.EXHAUSTED


def test_m13_the_dead_stay_dead_whatever_their_cooldown() -> None:
    assert dead().status(NOW + 100 * DAY) is Status.DEAD


def test_m17_one_models_cooldown_keeps_no_other_model_away() -> None:
    row = _with_models(gpt=bench(HOUR))
    assert row.benched_for("gpt", NOW) == bench(HOUR)
    assert row.benched_for("mini", NOW) is None


def test_m17_the_accounts_cooldown_keeps_every_model_away() -> None:
    assert benched().benched_for("mini", NOW) is not None


def test_m17_the_later_of_account_and_model_decides() -> None:
    row = credential(cooldown=bench(HOUR), model_cooldowns=(("gpt", bench(2 * HOUR)), ("mini", bench(DAY))))
    assert row.benched_for("gpt", NOW) == bench(2 * HOUR)
    assert row.benched_for("mini", NOW + 2 * DAY) is None
    assert row.longest(NOW) == bench(DAY)


def test_a_models_cooldown_is_replaced_and_taken_away_alone() -> None:
    row = _with_models(gpt=bench(HOUR), mini=bench(DAY))
    later = row.with_model_cooldown("gpt", bench(2 * HOUR))
    assert dict(later.model_cooldowns) == {"gpt": bench(2 * HOUR), "mini": bench(DAY)}
    assert dict(later.with_model_cooldown("gpt", None).model_cooldowns) == {"mini": bench(DAY)}


def test_a_key_reads_as_pool_and_label() -> None:
    assert str(CredentialKey("openai-codex", "work")) == "openai-codex/work"
