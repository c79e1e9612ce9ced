"""The probe over real HTTP, and its payload in every odd shape."""

import base64
import json
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.secret import Secret
from hermes_tui.core.tokens import NO_CLAIMS, TokenClaims, claims
from hermes_tui.core.verdict import Verdict, Window
from hermes_tui.providers import usage as usage_module
from hermes_tui.providers.usage import HttpUsages, read_answer, usage_url
from hermes_tui.providers.usage_payload import length_words, meters, read_usage

from .support import KEY, NOW, ScriptedServer, redact, response, route_to


def jwt(**fields: object) -> str:
    payload = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")
    return f"eyJhbGciOiJub25lIn0.{payload}.c2lnbmF0dXJl"


ACCOUNT = {"https://api.openai.com/auth": {"chatgpt_account_id": "acc-1"}}


@pytest.fixture
async def usages() -> AsyncIterator[HttpUsages]:
    made = HttpUsages(redact, now=lambda: NOW)
    yield made
    await made.close()


def window(used: object, seconds: object = 18000, **more: object) -> dict[str, object]:
    return {"used_percent": used, "limit_window_seconds": seconds, **more}


def limits(primary: object = None, secondary: object = None, **more: object) -> dict[str, object]:
    return {"primary_window": primary, "secondary_window": secondary, **more}


async def test_m36_the_probe_reads_quota_and_names_windows_by_their_length(
    server: ScriptedServer, usages: HttpUsages
) -> None:
    payload = {
        "plan_type": "pro",
        "rate_limit": limits(window(12, reset_at=NOW + 60), window("40", 604800), allowed=True, limit_reached=False),
        "credits": {"has_credits": False, "unlimited": False, "balance": "0"},
    }
    server.scripts = [response(json.dumps(payload))]
    reading = await usages.read(codex(server), Secret(jwt(**ACCOUNT)))
    assert reading.verdict is Verdict.QUOTA
    assert reading.usage is not None
    assert reading.usage.windows == (Window("5 h", 12, NOW + 60), Window("week", 40))
    assert server.seen[0].line == "GET /backend-api/wham/usage HTTP/1.1"
    assert server.seen[0].headers["chatgpt-account-id"] == "acc-1"


def codex(server: ScriptedServer) -> Route:
    return route_to(f"http://127.0.0.1:{server.port}/backend-api/codex", ApiMode.CODEX_RESPONSES)


async def test_m36_an_expired_token_is_reported_and_not_sent(server: ScriptedServer, usages: HttpUsages) -> None:
    reading = await usages.read(codex(server), Secret(jwt(exp=NOW - 7200)))
    assert (reading.verdict, reading.why) == (Verdict.UNKNOWN, "the token expired 2 h ago")
    assert server.seen == []


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (response("{}", "401 Unauthorized"), "the usage endpoint does not accept the token (401)"),
        (response("{}", "403 Forbidden"), "the usage endpoint refuses this account (403)"),
        (response("", "404 Not Found"), "there is no usage endpoint at this URL (404)"),
        (response("", "500 Oops"), "the usage endpoint answered 500"),
        (response("<html>x</html>"), "the usage endpoint answered with an HTML page"),
        (response("nope"), "the usage endpoint's answer is not JSON"),
        (response("[]"), "the usage endpoint's answer is not an object"),
        (response("{}"), "the answer names no quota window"),
        (response('"' + "x" * 1_100_000 + '"'), "the usage endpoint's answer is too large to be one"),
    ],
)
async def test_m34_whatever_is_no_answer_is_unknown_with_why(
    server: ScriptedServer, usages: HttpUsages, script: bytes, why: str
) -> None:
    server.scripts = [script]
    reading = await usages.read(codex(server), KEY)
    assert (reading.verdict, reading.why) == (Verdict.UNKNOWN, why)


async def test_c101_a_throttled_endpoint_says_how_long_to_leave_it_alone(
    server: ScriptedServer, usages: HttpUsages
) -> None:
    server.scripts = [response("", "429 Too Many Requests", Retry_After="900")]
    reading = await usages.read(codex(server), KEY)
    assert (reading.verdict, reading.retry_after) == (Verdict.UNKNOWN, 900)


async def test_m34_silence_is_unknown(
    server: ScriptedServer, usages: HttpUsages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_module, "TIMEOUT_SECONDS", 0.05)
    server.scripts, server.hang = [b""], True
    reading = await usages.read(codex(server), KEY)
    assert reading.verdict is Verdict.UNKNOWN
    assert "did not answer" in reading.why


async def test_m34_a_port_where_nobody_listens_is_unknown(usages: HttpUsages) -> None:
    reading = await usages.read(route_to("http://127.0.0.1:9/v1"), KEY)
    assert (reading.verdict, "cannot connect" in reading.why) == (Verdict.UNKNOWN, True)


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://chatgpt.com/backend-api/codex", "https://chatgpt.com/backend-api/wham/usage"),
        ("https://chatgpt.com/backend-api/codex/", "https://chatgpt.com/backend-api/wham/usage"),
        ("https://chatgpt.com/backend-api", "https://chatgpt.com/backend-api/wham/usage"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/api/codex/usage"),
    ],
)
def test_the_usage_endpoint_follows_from_the_base_url(base: str, url: str) -> None:
    assert usage_url(base) == url


@pytest.mark.parametrize(
    ("payload", "verdict"),
    [
        ("{}", Verdict.UNKNOWN),
        ('{"rate_limit": null}', Verdict.UNKNOWN),
        ('{"rate_limit": {"primary_window": {"used_percent": "97"}}}', Verdict.QUOTA),
        ('{"rate_limit": {"primary_window": {"used_percent": 100.4}}}', Verdict.NO_QUOTA),
        ('{"rate_limit": {"primary_window": {"used_percent": NaN}}}', Verdict.UNKNOWN),
        ('{"rate_limit": []}', Verdict.UNKNOWN),
        ("[]", Verdict.UNKNOWN),
        (
            '{"additional_rate_limits": "oops", "rate_limit": {"primary_window": {"used_percent": 5}}}',
            Verdict.QUOTA,
        ),
    ],
)
def test_c106_odd_payloads_are_read_for_what_they_say(payload: str, verdict: Verdict) -> None:
    reading = read_answer(200, {}, payload.encode(), model="m", now=NOW, redact=redact)
    assert reading.verdict is verdict


def test_m34_the_models_own_full_bucket_counts_and_others_do_not() -> None:
    def payload(name: object) -> dict[str, object]:
        extra = {"limit_name": name, "rate_limit": limits(window(100))}
        return {"rate_limit": limits(window(3)), "additional_rate_limits": [7, {}, extra]}

    mine = read_usage(payload("GPT-X"), "gpt-x-codex", now=NOW, redact=redact)
    other = read_usage(payload("claude"), "gpt-x-codex", now=NOW, redact=redact)
    assert mine.model_limited
    assert [window.name for window in mine.windows] == ["5 h", "GPT-X 5 h"]
    assert not other.model_limited
    assert [window.name for window in other.windows] == ["5 h"]


@pytest.mark.parametrize(("name", "model"), [("", "m"), ("m", ""), (" ", "m"), ("a", "b")])
def test_a_bucket_without_a_name_meters_nothing(name: str, model: str) -> None:
    assert not meters(name, model)


@pytest.mark.parametrize(
    ("seconds", "words"), [(18000, "5 h"), (604800, "week"), (259200, "3 d"), (7200, "2 h"), (1800, "30 min")]
)
def test_a_window_is_named_by_its_length(seconds: float, words: str) -> None:
    assert length_words(seconds) == words


VALUES: st.SearchStrategy[object] = (
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8) | st.just([]) | st.just({})
)
KEYS = st.sampled_from(["used_percent", "limit_window_seconds", "reset_at", "reset_after_seconds"])


@given(st.dictionaries(KEYS, VALUES), VALUES, VALUES)
def test_c106_no_payload_breaks_the_reader(fields: dict[str, object], flag: object, extras: object) -> None:
    payload = {"rate_limit": limits(fields, flag, allowed=flag), "additional_rate_limits": extras, "credits": flag}
    usage = read_usage(payload, "m", now=NOW, redact=redact)
    assert all(0 <= window.used_percent < float("inf") for window in usage.windows)


def test_m36_a_token_says_when_it_ends_and_whose_it_is() -> None:
    assert claims(jwt(exp=NOW, **ACCOUNT)) == TokenClaims(NOW, "acc-1")


@pytest.mark.parametrize(
    "token",
    [
        "",
        "sk-plain",
        "a.b.c",
        "a.é.c",
        "eyJ.bm90IGpzb24.x",
        jwt(exp="soon"),
        jwt(exp=True),
        jwt(exp=float("nan")),
        jwt(chatgpt_account_id="two\r\nlines"),
        jwt(chatgpt_account_id=7),
        "a." + "W1tb" * 9000 + ".c",
    ],
)
def test_m36_what_is_no_readable_claim_says_nothing(token: str) -> None:
    assert claims(token) == NO_CLAIMS


@given(st.text(max_size=80))
def test_m36_no_token_breaks_the_reader(text: str) -> None:
    claims(f"a.{text}.c")
    inner = base64.urlsafe_b64encode(text.encode("utf-8", "replace")).decode()
    assert claims(f"a.{inner}.c").account is None
