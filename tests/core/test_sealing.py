"""Sealed history: dropped for good where its issuer takes it no more, and only what that issuer sealed (M12)."""

from dataclasses import replace

from hermes_tui.core.event import SealedHistoryDropped
from hermes_tui.core.sealing import unseal, unsealed
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText
from tests.core.made import BACKUP, NOW, PRIMARY

MINE = Message("docs", 1, Role.ASSISTANT, PlainText("b"), NOW, issuer=PRIMARY.issuer("acct-1"), opaque="[1]")
OTHERS = (
    Message("docs", 0, Role.USER, PlainText("a"), NOW),
    replace(MINE, number=2, issuer=PRIMARY.issuer("acct-2")),
    replace(MINE, number=3, issuer=BACKUP.issuer("acct-1")),
)


def test_m12_only_what_this_model_sealed_for_this_account_is_dropped() -> None:
    decision = unseal((*OTHERS, MINE), "docs", PRIMARY, "acct-1", NOW)
    (record,) = decision.records
    assert decision.value
    assert record.event == SealedHistoryDropped(
        time=NOW, session="docs", provider=PRIMARY.provider, model=PRIMARY.model, messages=1
    )
    assert record.rows == (unsealed(MINE),)


def test_m12_what_was_said_stays() -> None:
    assert unsealed(MINE) == Message("docs", 1, Role.ASSISTANT, PlainText("b"), NOW)


def test_m12_where_nothing_was_sealed_nothing_changes_and_the_next_request_is_the_same() -> None:
    assert unseal(OTHERS, "docs", PRIMARY, "acct-1", NOW).value is False
    assert unseal(OTHERS, "docs", PRIMARY, "acct-1", NOW).records == ()
