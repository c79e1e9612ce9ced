"""Whether a route can serve: as good as its best credential, in doubt where one fails."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.catalogue import Answer, Catalogue, is_unreachable
from hermes_tui.core.configuration import Configuration, Member
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.decision import Row
from hermes_tui.core.facts import fold
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.fitness import Fitness, fitness
from hermes_tui.core.remark import Gravity
from hermes_tui.core.route import Link
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import Verdict
from tests.core.made import BACKUP, HOUR, NOW, PRIMARY, benched, dead, member, pool, verdict

NOTHING: dict[str, int | None] = {}


def backup(
    *members: Member, rows: tuple[Row, ...] = (), needed: int = 0, before: Link | None = None, **fields: Any
) -> Fitness:
    """Return the fitness of a route with `members`, behind a primary."""
    route = replace(BACKUP, **fields)
    links = (before or Link(PRIMARY), Link(route))
    pools = (pool("openai-codex"), pool("backup", members=members or (member("one"),)))
    configuration = Configuration(links[0], links[1:], pools)
    facts = fold((configuration, *rows))
    return fitness(links, 1, configuration, facts, needed=needed, now=NOW)


def words(found: Fitness, gravity: Gravity) -> list[str]:
    """Return what is said with one gravity."""
    return [remark.what for remark in found.remarks if remark.gravity is gravity]


def keys(*labels: str) -> tuple[CredentialKey, ...]:
    return tuple(CredentialKey("backup", label) for label in labels)


def failed(kind: FailureKind, status: int | None = None) -> Failure:
    return Failure(kind, Scope.CREDENTIAL, PlainText("because"), status)


FAULTY, EXPIRED = member("faulty", fault="NOPE is not set"), member("expired", expires_at=NOW)
GOOD, OTHER = member("good"), member("other")


@pytest.mark.parametrize(
    ("members", "gravity", "askable"),
    [
        ((GOOD,), Gravity.NOTE, ("good",)),
        ((GOOD, FAULTY), Gravity.DOUBT, ("good",)),
        ((EXPIRED, GOOD), Gravity.DOUBT, ("good",)),
        ((FAULTY, EXPIRED), Gravity.FAULT, ()),
    ],
)
def test_a_route_is_as_good_as_its_best_credential(
    members: tuple[Member, ...], gravity: Gravity, askable: tuple[str, ...]
) -> None:
    found = backup(*members)
    assert (found.gravity, found.askable) == (gravity, keys(*askable))


def test_a_pool_without_credentials_cannot_serve() -> None:
    links = (Link(PRIMARY), Link(BACKUP))
    configuration = Configuration(*links[:1], links[1:], ())
    found = fitness(links, 1, configuration, fold((configuration,)), needed=0, now=NOW)
    assert words(found, Gravity.FAULT) == ["no credential is configured for backup"]
    assert (found.gravity, found.askable) == (Gravity.FAULT, ())


def test_a_dead_credential_is_not_asked_and_its_sibling_is() -> None:
    found = backup(GOOD, OTHER, rows=(dead("good", "backup"),))
    assert (found.gravity, found.askable) == (Gravity.DOUBT, keys("other"))
    assert words(found, Gravity.FAULT)[0].startswith("dead: ")


def test_m7_a_route_that_only_cools_down_says_when_it_returns() -> None:
    cooling = benched("good", 2 * HOUR, "backup"), benched("other", HOUR, "backup")
    both = backup(GOOD, OTHER, rows=cooling)
    assert (both.gravity, both.returns_at) == (Gravity.DOUBT, NOW + HOUR)
    assert both.askable == keys("good", "other")
    one = backup(GOOD, OTHER, rows=cooling[:1])
    assert (one.gravity, one.returns_at) == (Gravity.DOUBT, None)
    agreed = both.told(dict.fromkeys(keys("good", "other"), verdict(Verdict.NO_QUOTA)))
    assert (agreed.gravity, agreed.returns_at) == (Gravity.DOUBT, NOW + HOUR)
    refused = both.told({keys("good")[0]: failed(FailureKind.AUTH, 401)})
    assert refused.returns_at is None
    missing = both.told({keys("good")[0]: Catalogue({"large": None})})
    assert missing.returns_at is None


def test_a_small_window_is_a_note_until_a_conversation_does_not_fit() -> None:
    large = Link(replace(PRIMARY, context_length=200_000))
    assert words(backup(before=large, context_length=8000), Gravity.NOTE) == [
        "its window of 8000 tokens is smaller than the primary's 200000: a longer conversation skips it"
    ]
    assert words(backup(before=large, context_length=8000, needed=9000), Gravity.DOUBT) == [
        "its window of 8000 tokens cannot hold the conversation of about 9000, so it is skipped"
    ]
    assert backup(before=large, context_length=200_000).remarks == ()


LISTED = Catalogue({"small": None})


@pytest.mark.parametrize(
    ("answers", "gravity"),
    [
        ((LISTED, LISTED), Gravity.NOTE),
        ((LISTED, failed(FailureKind.AUTH, 401)), Gravity.DOUBT),
        ((failed(FailureKind.AUTH, 401), failed(FailureKind.BILLING, 402)), Gravity.FAULT),
        ((failed(FailureKind.AUTH, 403), failed(FailureKind.AUTH, 403)), Gravity.DOUBT),
        ((failed(FailureKind.CONNECTION), failed(FailureKind.CONNECTION)), Gravity.FAULT),
        ((failed(FailureKind.RATE_LIMIT, 429), LISTED), Gravity.NOTE),
        ((failed(FailureKind.SERVER_ERROR, 503), failed(FailureKind.SERVER_ERROR, 503)), Gravity.DOUBT),
        ((failed(FailureKind.WRONG_ENDPOINT, 404), failed(FailureKind.WRONG_ENDPOINT, 404)), Gravity.DOUBT),
    ],
)
def test_what_a_server_answers_decides_with_the_rest(answers: tuple[Answer, ...], gravity: Gravity) -> None:
    found = backup(GOOD, OTHER).told(dict(zip(keys("good", "other"), answers, strict=True)))
    assert found.gravity is gravity
    assert len(set(found.remarks)) == len(found.remarks)


@pytest.mark.parametrize(
    ("answer", "unreachable"),
    [
        (LISTED, False),
        (failed(FailureKind.CONNECTION), True),
        (failed(FailureKind.TIMEOUT), True),
        (failed(FailureKind.TIMEOUT, 408), False),
        (failed(FailureKind.AUTH, 401), False),
    ],
)
def test_a_server_that_answered_anything_was_reached(answer: Answer, unreachable: bool) -> None:
    assert is_unreachable(answer) == unreachable


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ("gpt-5.5", "gpt-5.5"),
        ("llama3.2", "llama3.2:latest"),
        ("gemini-2.5-flash", "models/gemini-2.5-flash"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("z-ai/glm-5:nitro", "z-ai/glm-5"),
        ("openai/anything", "openai/*"),
    ],
)
def test_a_model_is_found_under_the_names_that_servers_give_it(model: str, listed: str) -> None:
    assert Catalogue({"other": None, listed: None}).name_of(model) == listed


@pytest.mark.parametrize("model", ["gpt-5", "llama3.2:7b", "claude-sonnet", "glm-5"])
def test_a_part_of_a_name_is_no_model(model: str) -> None:
    names = ("gpt-5.5", "llama3.2:latest", "claude-sonnet-4-5-20250929", "z-ai/glm-5", "[g]lm-*")
    assert Catalogue(dict.fromkeys(names)).name_of(model) is None


@pytest.mark.parametrize(
    ("catalogue", "gravity"),
    [
        (Catalogue({"large": None}), Gravity.DOUBT),
        (Catalogue({"large": None}, complete=False), Gravity.NOTE),
        (Catalogue(NOTHING), Gravity.NOTE),
    ],
)
def test_a_model_is_missed_only_in_a_list_that_has_all(catalogue: Catalogue, gravity: Gravity) -> None:
    assert backup(GOOD).told({keys("good")[0]: catalogue}).gravity is gravity


def test_a_list_that_holds_not_all_that_is_served_misses_nothing() -> None:
    azure = backup(GOOD, base_url="https://mine.openai.azure.com/openai/v1")
    for answer in (Catalogue({"gpt-4o": None}), failed(FailureKind.WRONG_ENDPOINT, 404)):
        assert azure.told({keys("good")[0]: answer}).gravity is Gravity.NOTE


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("gpt-5", '; did you mean "openai/gpt-5"?'),
        ("meta/llama-4", '; did you mean "llama-4"?'),
        ("LLAMA-4", '; did you mean "llama-4"?'),
        ("lama-4", '; did you mean "llama-4"?'),
        ("claude", ""),
    ],
)
def test_a_model_without_its_maker_or_with_one_too_many_is_found(model: str, hint: str) -> None:
    assert Catalogue({"openai/gpt-5": None, "llama-4": None}).hint(model) == hint
