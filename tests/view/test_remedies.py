"""What helps against a failure, where a person meets it: in the provider's terms, and the same words everywhere."""

import pytest

from hermes_tui.core.advice import remedy
from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import CredentialBenched
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.text import PlainText
from hermes_tui.view.event_words import tell
from tests.tui.fakes import NOW


@pytest.mark.parametrize(
    ("reason", "model", "words"),
    [
        (FailureKind.BILLING, None, "Add credit or raise the cap at platform.openai.com"),
        (FailureKind.BILLING, "gpt", "if it is yours; another model may answer."),
        (FailureKind.AUTH, None, "Make a key at platform.openai.com"),
        (FailureKind.USAGE_LIMIT, None, "usage limit"),
    ],
)
def test_c04_a_bench_that_only_a_person_ends_is_told_with_what_helps(
    reason: FailureKind, model: str | None, words: str
) -> None:
    benched = CredentialBenched(
        time=NOW,
        session="triage",
        provider="openai",
        credential="one",
        model=model,
        until=NOW + 3600,
        source=Said.ASSUMED,
        reason=reason,
        code=429,
        message=PlainText("no"),
    )
    told = tell(benched).text
    assert words in told
    assert (reason is FailureKind.USAGE_LIMIT) == told.endswith(reason.words)


@pytest.mark.parametrize("provider", ["openai-codex", "openai", "acme"])
def test_c53_a_dead_credential_is_told_once_with_what_revives_it(provider: str) -> None:
    dead = CredentialBenched(
        time=NOW,
        session="triage",
        provider=provider,
        credential="one",
        model=None,
        until=None,
        source=Said.PROVIDER,
        reason=FailureKind.AUTH_REVOKED,
        code=401,
        message=PlainText("invalidated"),
    )
    helps = remedy(FailureKind.AUTH_REVOKED, provider_behind(provider))
    assert tell(dead).text == f"{provider}/one is dead: 401 sign-in revoked. {helps}"
