"""When Hermes tries a credential again: dates in each form, and the rules of each release."""

import json
import subprocess
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from hermes_tui.hermes.cooldowns import (
    LATEST,
    OLD_RULES,
    RULES,
    CooldownRules,
    benched_until,
    is_sole,
    moment,
    rules_of,
)
from hermes_tui.hermes.values import Release
from tests.hermes.real import real

AT: Final = 1_900_000_000.5
ISO: Final = "2030-03-17T17:46:40.500000+00:00"


@pytest.mark.parametrize("written", [AT, AT * 1000, str(AT), f" {AT} ", ISO, "2030-03-17T17:46:40.5Z", f" {ISO}\n"])
def test_a_date_is_read_in_each_form(written: object) -> None:
    assert moment(written) == AT


def test_a_date_without_a_zone_is_a_local_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert moment("2030-03-17T17:46:40.5") is not None


@pytest.mark.parametrize("written", [None, True, 0, -1, "", "soon", float("nan"), "nan", [], {}, "2030-13-40"])
def test_what_is_no_date_is_none(written: object) -> None:
    assert moment(written) is None


@pytest.mark.parametrize("written", [1e300, 10**400, float("inf"), "inf", "1e99"])
def test_a_date_beyond_all_calendars_is_the_latest(written: object) -> None:
    assert moment(written) == LATEST


def benched(**values: object) -> dict[str, object]:
    return {"last_status": "exhausted", "last_status_at": AT, **values}


@pytest.mark.parametrize("sole", [True, False])
def test_the_providers_date_goes_before_any_rule(sole: bool) -> None:
    row = benched(last_error_reset_at=(AT + 9) * 1000, last_error_code=401)
    assert benched_until(row, RULES, sole=sole) == AT + 9


@pytest.mark.parametrize("status", [None, "ok", "dead", "", 7])
def test_what_is_not_exhausted_has_no_end_of_it(status: object) -> None:
    assert benched_until(benched(last_status=status, last_error_reset_at=AT), RULES, sole=False) is None


def test_an_exhaustion_without_any_date_benches_nothing() -> None:
    assert benched_until({"last_status": "exhausted"}, RULES, sole=False) is None


@pytest.mark.parametrize(
    ("code", "reason", "sole", "seconds"),
    [
        (401, None, True, 300),
        (401, "billing", False, 300),
        (429, None, False, 3600),
        (429, None, True, 60),
        (503, None, True, 60),
        (None, None, False, 3600),
        (402, None, True, 3600),
        (403, "billing", True, 3600),
        (400, "billing_unverified", False, 60),
        (402, "billing_unverified", True, 3600),
    ],
)
def test_a_rule_ends_what_has_no_date(code: int | None, reason: str | None, sole: bool, seconds: int) -> None:
    row = benched(last_error_code=code, failure_reason=reason)
    assert benched_until(row, RULES, sole=sole) == AT + seconds
    assert benched_until(row, OLD_RULES, sole=sole) == AT + (300 if code == 401 else 3600)


def test_a_sole_credential_is_the_only_one_that_is_not_dead() -> None:
    assert is_sole([{"last_status": "exhausted"}, {"last_status": "dead"}])
    assert not is_sole([{"last_status": "exhausted"}, {}])


@pytest.mark.parametrize(
    ("version", "rules"),
    [("0.19.0", OLD_RULES), ("0.9.1", OLD_RULES), ("0.22.2.post1", RULES), ("1.0", RULES), ("strange", RULES)],
)
def test_a_release_has_its_rules(version: str, rules: CooldownRules) -> None:
    assert rules_of(Release("hermes-agent", version)) == rules


def test_a_release_that_could_not_be_told_has_the_newest() -> None:
    assert rules_of(None) == RULES


_ASK: Final = """
import inspect, json, sys
from agent.credential_pool import PooledCredential, _exhausted_until
takes_sole = "sole_credential" in inspect.signature(_exhausted_until).parameters
for row, sole in json.load(sys.stdin):
    entry = PooledCredential.from_dict("openai-codex", row)
    print(json.dumps(_exhausted_until(entry, **({"sole_credential": sole} if takes_sole else {}))))
"""


@pytest.mark.parametrize(("version", "rules"), [("22", RULES), ("19", OLD_RULES)])
def test_the_real_package_ends_every_cooldown_at_the_same_time(
    version: str, rules: CooldownRules, tmp_path: Path
) -> None:
    resets = [None, AT, AT * 1000, str(AT), ISO, "soon", 0]
    reasons = [None, "billing", "billing_unverified"]
    cases: list[tuple[dict[str, Any], bool]] = [
        (benched(last_status=status, last_error_reset_at=reset, last_status_at=at, last_error_code=code)
         | ({"failure_reason": reason} if reason else {}), sole)
        for status, reset, at, code, reason, sole in product(
            ["exhausted", "dead", "ok", None], resets, [AT, ISO, None], [401, 402, 403, 429, 500, None], reasons,
            [True, False],
        )
    ]  # fmt: skip
    run = subprocess.run(
        [str(real(version)), "-c", _ASK],
        input=json.dumps(cases),
        env={"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = [json.loads(line) for line in run.stdout.splitlines()]
    assert [benched_until(row, rules, sole=sole) for row, sole in cases] == theirs
