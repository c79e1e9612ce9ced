"""Previews: what each act will do, said before it is done; what it asks, and why it is refused (M39 ... M45)."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.acts import (
    Command,
    ForceRestore,
    NewSession,
    ProbeNow,
    ReloadConfiguration,
    ResetChain,
    ResetCooldown,
    RetryNow,
    SendPrompt,
    StopTurn,
    SwitchModel,
    UseFallback,
)
from hermes_tui.core.cooldown import Said
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.preview import Confirm, Preview, Ready, Refused, preview
from hermes_tui.core.route import Link
from hermes_tui.core.session import Phase, RouteHold, Session
from hermes_tui.core.snapshot import Live, SessionState, Snapshot
from hermes_tui.core.text import PlainText
from tests.core.made import (
    BACKUP,
    CODEX,
    NOW,
    PRIMARY,
    SPARE,
    away,
    bench,
    benched,
    credential,
    dead,
    facts,
    failing,
    member,
    session,
    verdict,
)

KEY = CredentialKey("openai-codex", "one")
RUNNING, WAITING = Phase.RUNNING, Phase.WAITING


def _ask(command: Command, row: Session | None = None, known: Facts | None = None, **fields: Any) -> Preview:
    state = SessionState(row or away(), "own")
    shown: dict[str, Any] = {"facts": known or facts(), "sessions": (state,)}
    return preview(command, Snapshot(1, NOW, "own", **(shown | fields)), NOW)


def _refusal(answer: Preview) -> str:
    assert isinstance(answer, Refused)
    return answer.reason


def _question(answer: Preview) -> str:
    assert isinstance(answer, Confirm)
    return answer.question


def _effect(answer: Preview) -> str:
    assert isinstance(answer, Ready)
    return answer.effect


COMMANDS: list[Command] = [
    ForceRestore("docs"),
    ResetChain("docs"),
    UseFallback("docs"),
    SwitchModel("docs", "backup", "big"),
    SendPrompt("docs", "hello"),
    StopTurn("docs"),
    RetryNow("docs"),
    NewSession("new"),
    ResetCooldown(KEY),
    ProbeNow(KEY, "gpt"),
    ReloadConfiguration(),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_nothing_can_be_done_where_the_state_is_read_only(command: Command) -> None:
    assert _refusal(_ask(command, read_only=PlainText("a newer version wrote it"))) == "a newer version wrote it"


@pytest.mark.parametrize("command", COMMANDS[:7], ids=lambda command: type(command).__name__)
def test_a_session_of_another_process_is_acted_on_there(command: Command) -> None:
    foreign = SessionState(away(), "own", owner=4711, mine=False)
    assert _refusal(_ask(command, sessions=(foreign,))) == "process 4711 runs docs; act there"
    assert _refusal(_ask(command, sessions=(replace(foreign, owner=None),))).startswith("nobody runs docs now")
    assert _refusal(_ask(command, sessions=())) == "there is no session docs"


@pytest.mark.parametrize("command", COMMANDS[:7], ids=lambda command: type(command).__name__)
@pytest.mark.parametrize("phase", [RUNNING, WAITING, Phase.IDLE])
def test_an_act_on_a_session_whose_process_takes_it_is_previewed_as_on_an_own_one(
    command: Command, phase: Phase
) -> None:
    row = replace(away(), phase=phase)
    foreign = SessionState(row, "own", owner=4711, mine=False, takes_acts=True)
    own, there = _ask(command, row), _ask(command, sessions=(foreign,))
    if isinstance(own, Confirm):
        assert there == Confirm(own.question, PlainText(f"{own.effect} Process 4711 runs it, and does this."))
    else:
        assert there == own


def test_why_a_process_takes_no_act_is_the_reason() -> None:
    silent = SessionState(away(), "own", owner=7, mine=False, silence=PlainText("process 7 did not answer (in time)"))
    answer = _ask(StopTurn("docs"), sessions=(silent,))
    assert _refusal(answer) == "process 7 did not answer (in time); act on docs there, or end that process if it hangs"


def test_m39_force_restore_asks_first_while_the_providers_reset_lies_ahead() -> None:
    answer = _ask(ForceRestore("docs"), away(), facts(benched()))
    assert _question(answer) == "Put docs back on openai-codex/gpt before its reset?"
    assert isinstance(answer, Confirm)
    assert "likely answer usage limit once more" in answer.effect


def test_m39_an_assumed_date_or_none_is_no_question() -> None:
    words = "openai-codex/gpt is tried at its next turn, whatever cooldown and probe say."
    assert _effect(_ask(ForceRestore("docs"), away(), facts(benched(source=Said.ASSUMED)))) == words
    assert _effect(_ask(ForceRestore("docs"), away())) == words


@pytest.mark.parametrize("phase", [RUNNING, WAITING])
def test_m39_during_a_turn_it_waits_for_the_turn_to_end(phase: Phase) -> None:
    assert "when this turn has ended, at the next one" in _effect(_ask(ForceRestore("docs"), away(phase=phase)))


@pytest.mark.parametrize(
    ("row", "known", "reason"),
    [
        (away(forced_at=NOW), facts(), "already asked for: openai-codex/gpt is tried at its next turn"),
        (away(requested_fault="no model (line 3)"), facts(), "no model (line 3)"),
        (away(requested=replace(PRIMARY, pool="gone")), facts(), "openai-codex is not configured"),
        (away(), facts(dead()), "every credential of openai-codex is dead or missing: sign in again"),
        (session(), facts(), "docs is on its primary"),
    ],
)
def test_m39_force_restore_is_refused_with_its_reason(row: Session, known: Facts, reason: str) -> None:
    assert _refusal(_ask(ForceRestore("docs"), row, known)) == reason


def test_m39_a_primary_that_cools_down_may_be_forced_while_it_is_active() -> None:
    assert _question(_ask(ForceRestore("docs"), session(), facts(benched())))


def test_m39_a_primary_whose_failing_hold_lies_ahead_may_be_forced_although_it_is_the_active_route() -> None:
    assert isinstance(_ask(ForceRestore("docs"), session(cooldown=failing())), Ready)
    assert isinstance(_ask(ForceRestore("docs"), session(cooldown=failing(-1.0))), Refused)


def test_m40_reset_chain_says_what_stays() -> None:
    assert _effect(_ask(ResetChain("docs"))) == (
        "docs's next failure starts at entry 1; its marks are gone, cooldowns stay."
    )
    held = RouteHold(BACKUP.key, NOW + 9, 1, FailureKind.TIMEOUT)
    assert isinstance(_ask(ResetChain("docs"), session(holds=(held,))), Ready)


def test_m40_reset_chain_is_refused_where_there_is_nothing_to_reset() -> None:
    assert "at its first entry already" in _refusal(_ask(ResetChain("docs"), session()))
    assert "there is no fallback chain" in _refusal(_ask(ResetChain("docs"), session(chain=())))


def test_m42_use_fallback_names_where_it_goes_and_how_long_it_stays() -> None:
    assert _effect(_ask(UseFallback("docs"))) == "docs goes to spare/tiny, and stays until you restore."


def test_m42_leaving_a_healthy_primary_or_a_running_reply_is_asked() -> None:
    assert _question(_ask(UseFallback("docs"), session())) == "Leave openai-codex/gpt, which is fine?"
    assert _question(_ask(UseFallback("docs"), away(phase=RUNNING))) == "Leave backup/small while it answers?"
    assert isinstance(_ask(UseFallback("docs"), session(phase=WAITING)), Ready)


def test_m42_use_fallback_is_refused_at_the_end_of_the_chain() -> None:
    assert _refusal(_ask(UseFallback("docs"), away(position=2))) == "this is the last entry"
    assert _refusal(_ask(UseFallback("docs"), session(chain=()))) == "there is no chain"


def test_m42_use_fallback_is_refused_with_the_reason_where_no_later_entry_can_serve() -> None:
    known = facts(benched(pool_name="spare"))
    assert _refusal(_ask(UseFallback("docs"), away(), known)) == "spare/tiny: cooling: usage limit"


def test_m42_use_fallback_names_the_entry_that_it_will_take() -> None:
    answer = _ask(UseFallback("docs"), session(phase=WAITING), facts(benched(pool_name="backup")))
    assert "docs goes to spare/tiny" in _effect(answer)


def test_m43_switch_model_says_what_is_reset() -> None:
    words = "docs asks for backup/big at its next turn; its fallback state is reset."
    assert _effect(_ask(SwitchModel("docs", "backup", "big"))) == words


def test_m43_switch_model_is_refused_for_the_same_model_or_an_unknown_provider() -> None:
    assert _refusal(_ask(SwitchModel("docs", "openai-codex", "gpt"))) == "docs asks for openai-codex/gpt already"
    assert _refusal(_ask(SwitchModel("docs", "nobody", "big"))) == "provider nobody is not configured"


def test_a_prompt_is_sent_now_or_when_the_turn_has_ended() -> None:
    assert _effect(_ask(SendPrompt("docs", "hello"))) == "docs sends it to backup/small."
    assert _effect(_ask(SendPrompt("docs", "hello"), away(phase=RUNNING))) == "docs takes it when this turn has ended."
    assert _refusal(_ask(SendPrompt("docs", " \n"))) == "the prompt is empty"


def test_stopping_is_asked_and_refused_where_nothing_runs() -> None:
    assert _question(_ask(StopTurn("docs"), away(phase=RUNNING))) == "Stop docs's turn?"
    assert _question(_ask(StopTurn("docs"), away(phase=WAITING))) == "Stop docs's turn?"
    assert _refusal(_ask(StopTurn("docs"))) == "docs has no turn running"


def test_m2_only_a_wait_can_be_ended_by_retrying_now() -> None:
    assert _effect(_ask(RetryNow("docs"), away(phase=WAITING))) == "backup/small is tried again now."
    for phase in (Phase.IDLE, RUNNING):
        assert _refusal(_ask(RetryNow("docs"), away(phase=phase))) == "docs is not waiting"


def test_a_new_session_needs_a_name_of_its_own_and_a_configuration() -> None:
    assert _effect(_ask(NewSession("new"))) == "new starts on openai-codex/gpt with your first prompt."
    assert _refusal(_ask(NewSession(" "))) == "a session needs a name: type one"
    there = session(created_by_user=True)
    assert _refusal(_ask(NewSession("docs"), there, facts(there))).startswith("there is a session docs already")
    assert _refusal(_ask(NewSession("new"), facts=Facts())) == "there is no configuration yet"


def test_m41_clearing_asks_before_the_providers_reset_only() -> None:
    assert _question(_ask(ResetCooldown(KEY), None, facts(benched()))) == (
        "Clear openai-codex/one before the provider's reset?"
    )
    assert "its siblings stay" in _effect(_ask(ResetCooldown(KEY), None, facts(benched(source=Said.ASSUMED))))
    by_model = credential(model_cooldowns=(("mini", bench(source=Said.ASSUMED)),))
    assert isinstance(_ask(ResetCooldown(KEY), None, facts(by_model)), Ready)


def test_m41_clearing_is_refused_where_nothing_can_be_cleared() -> None:
    assert _refusal(_ask(ResetCooldown(KEY))) == "openai-codex/one has no cooldown"
    assert _refusal(_ask(ResetCooldown(KEY), None, facts(dead()))) == (
        "openai-codex/one is dead: only another token revives it"
    )
    gone = CredentialKey("openai-codex", "gone")
    assert _refusal(_ask(ResetCooldown(gone))) == "there is no credential openai-codex/gone"


def test_m41_a_probe_sends_no_prompt_and_says_so() -> None:
    assert "no prompt is sent" in _effect(_ask(ProbeNow(KEY, "gpt")))
    assert isinstance(_ask(ProbeNow(KEY, "gpt"), None, facts(verdict(ago=300.0))), Ready)


def test_m41_at_most_one_probe_in_ten_seconds_for_a_token_even_anyway() -> None:
    answer = _ask(ProbeNow(KEY, "gpt", anyway=True), None, facts(verdict(ago=9.9)))
    assert answer == Refused(PlainText("openai-codex/one was asked just now"), NOW - 9.9 + 10.0)
    assert isinstance(_ask(ProbeNow(KEY, "gpt", anyway=True), None, facts(verdict(ago=10.0))), Ready)


def test_m41_a_verdict_that_counts_is_asked_again_only_anyway() -> None:
    answer = _ask(ProbeNow(KEY, "gpt"), None, facts(verdict(ago=30.0)))
    assert isinstance(answer, Refused)
    assert answer.until == NOW + 270.0
    assert "P asks anyway" in answer.reason


@pytest.mark.parametrize(
    ("command", "codex", "reason"),
    [
        (ProbeNow(CredentialKey("backup", "one"), "small"), CODEX, "backup has no usage endpoint to ask"),
        (ProbeNow(CredentialKey("gone", "one"), "gpt"), CODEX, "no credential gone/one"),
        (ProbeNow(KEY, "gpt"), replace(CODEX, members=(member("one", fault="not set"),)), "not set"),
    ],
)
def test_m41_a_probe_is_refused_with_its_reason(command: Command, codex: Any, reason: str) -> None:
    assert _refusal(_ask(command, None, facts(codex=codex))) == reason


def test_the_configuration_can_always_be_read_again() -> None:
    assert _effect(_ask(ReloadConfiguration(), sessions=())) == "The configuration file is read again."


def test_m39_what_waits_for_the_turns_end_is_pending_in_words() -> None:
    state = SessionState(away(forced_at=NOW), "own", live=Live(queued=2))
    assert state.pending == ("force restore at the next turn", "2 prompts wait")
    assert SessionState(away(switch_to=Link(SPARE)), "own").pending == ("switch to spare/tiny at the next turn",)
    assert SessionState(away(), "own", live=Live()).pending == ()
