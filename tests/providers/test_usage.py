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
from hermes_tui.core.verdict import Reading, Usage, Verdict, Window, is_new_evidence
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
        (response("<html>503</html>", "503 Busy", "text/html"), "the usage endpoint answered 503"),
        (
            response("<!doctype html>Just a moment", "403 Forbidden", "text/html"),
            "a page in the way of the usage endpoint refuses the request (403)",
        ),
        (
            response("", "302 Found", Location="http://127.0.0.1:9/login"),
            "the usage endpoint sends elsewhere (302), where the token does not go",
        ),
        (response("<html>x</html>"), "the usage endpoint answered with an HTML page"),
        (response(b"\xef\xbb\xbf  <html>"), "the usage endpoint answered with an HTML page"),
        (response(""), "the usage endpoint's answer is empty"),
        (response(" \r\n"), "the usage endpoint's answer is empty"),
        (response("nope"), "the usage endpoint's answer is not JSON"),
        (response("[" * 100_000), "the usage endpoint's answer is not JSON"),
        (response('{"rate_limit": ' + "9" * 5000 + "}"), "the usage endpoint's answer is not JSON"),
        (response(b'{"plan_type": "\xff\xfe"}'), "the usage endpoint's answer is not text"),
        (response('{"error": {"message": "no"}}'), "the answer names no quota window"),
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
    assert reading.why == "the usage endpoint itself is throttled (429)"


async def test_c101_a_throttle_is_known_before_its_words_end(server: ScriptedServer, usages: HttpUsages) -> None:
    server.scripts, server.hang = [response("{}", "429 Slow", Retry_After="900")[:-1]], True
    reading = await usages.read(codex(server), KEY)
    assert (reading.retry_after, reading.unreachable) == (900, False)


async def test_c101_a_wait_may_be_a_date(server: ScriptedServer, usages: HttpUsages) -> None:
    server.scripts = [
        response("", "429 Slow", Date="Fri, 15 Jan 2027 07:00:00 GMT", Retry_After="Fri, 15 Jan 2027 07:15:00 GMT")
    ]
    assert (await usages.read(codex(server), KEY)).retry_after == 900


@pytest.mark.parametrize("begun", [b"", response("{}")[:-1], b"HTTP/1.1 200 OK\r\nContent-Le"])
async def test_m34_silence_is_unknown_at_the_beginning_and_in_the_middle(
    server: ScriptedServer, usages: HttpUsages, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(usage_module, "TIMEOUT_SECONDS", 0.05)
    server.scripts, server.hang = [begun], True
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


def read(payload: object, model: str = "m", account: str | None = None) -> Reading:
    body = payload if isinstance(payload, str) else json.dumps(payload)
    return read_answer(200, {}, body.encode(), model=model, now=NOW, redact=redact, account=account)


def usage_of(payload: object, model: str = "m") -> Usage:
    usage = read(payload, model).usage
    assert usage is not None
    return usage


@pytest.mark.parametrize(
    ("payload", "verdict"),
    [
        ("{}", Verdict.UNKNOWN),
        ('{"rate_limit": null}', Verdict.UNKNOWN),
        ('{"rate_limit": {}}', Verdict.UNKNOWN),
        ('{"rate_limit": []}', Verdict.UNKNOWN),
        ('{"rate_limit": [{"used_percent": 3}]}', Verdict.UNKNOWN),
        ('{"rate_limit": {"primary_window": [{"used_percent": 3}]}}', Verdict.UNKNOWN),
        ('{"rate_limit": {"primary_window": {"used_percent": 0}}}', Verdict.QUOTA),
        ('{"rate_limit": {"primary_window": {"used_percent": "97"}}}', Verdict.QUOTA),
        ('{"rate_limit": {"primary_window": {"used_percent": 100.4}}}', Verdict.NO_QUOTA),
        ('{"rate_limit": {"primary_window": {"used_percent": NaN}}}', Verdict.UNKNOWN),
        ('{"rate_limit": {"primary_window": {"used_percent": Infinity}}}', Verdict.UNKNOWN),
        ('{"rate_limit": {"primary_window": {"used_percent": 1e400}}}', Verdict.UNKNOWN),
        ('{"rate_limit": {"primary_window": {"used_percent": -1}}}', Verdict.UNKNOWN),
        ('{"rate_limit": {"primary_window": {"used_percent": null}}}', Verdict.UNKNOWN),
        ('{"rate_limit": {"primary_window": {"used_percent": true}}}', Verdict.UNKNOWN),
        ('{"rate_limit": {"primary_window": {}}}', Verdict.UNKNOWN),
        ('{"detail": "no", "rate_limit": {"allowed": true}}', Verdict.QUOTA),
        ("[]", Verdict.UNKNOWN),
        (
            '{"additional_rate_limits": "oops", "rate_limit": {"primary_window": {"used_percent": 5}}}',
            Verdict.QUOTA,
        ),
    ],
)
def test_c106_odd_payloads_are_read_for_what_they_say(payload: str, verdict: Verdict) -> None:
    assert read(payload).verdict is verdict


@pytest.mark.parametrize(
    ("written", "used"),
    [("97", 97.0), ("97%", 97.0), (" 97 % ", 97.0), ("97.5", 97.5), ("97,5", 97.5), (100.4, 100.4), (250, 250.0)],
)
def test_c106_a_percentage_is_read_however_it_is_written(written: object, used: float) -> None:
    assert usage_of({"rate_limit": limits(window(written))}).windows == (Window("5 h", used),)


@pytest.mark.parametrize("written", ["1,000", "full", "", "nan", "-3", "9" * 400, [97], {"value": 97}])
def test_c106_a_percentage_that_cannot_be_read_is_never_all_clear(written: object) -> None:
    assert read({"rate_limit": limits(window(written))}).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("other", [window(None), window("much"), [], "oops", {}, 7])
def test_m34_there_is_quota_only_if_every_window_tells_its_use(other: object) -> None:
    reading = read({"rate_limit": limits(window(12), other)})
    assert reading.verdict is Verdict.UNKNOWN
    assert reading.why == "the answer does not tell the use of every quota window"
    assert read({"rate_limit": limits(window(100), other)}).verdict is Verdict.NO_QUOTA
    assert read({"rate_limit": limits(window(12), other, allowed=True)}).verdict is Verdict.QUOTA


@pytest.mark.parametrize(
    ("flags", "verdict"),
    [
        ({"allowed": True, "limit_reached": False}, Verdict.QUOTA),
        ({"allowed": "true"}, Verdict.QUOTA),
        ({"allowed": False}, Verdict.NO_QUOTA),
        ({"allowed": " False "}, Verdict.NO_QUOTA),
        ({"allowed": True, "limit_reached": True}, Verdict.NO_QUOTA),
        ({"allowed": None, "limit_reached": None}, Verdict.QUOTA),
        ({"allowed": "maybe", "limit_reached": 1}, Verdict.QUOTA),
    ],
)
def test_m34_explicit_words_outrank_the_windows(flags: dict[str, object], verdict: Verdict) -> None:
    assert read({"rate_limit": limits(window(12), **flags)}).verdict is verdict


@pytest.mark.parametrize(
    ("credits_left", "has_credits"),
    [
        ({"has_credits": True, "balance": "0"}, True),
        ({"has_credits": False, "balance": "$5.00"}, False),
        ({"balance": "$5.00"}, True),
        ({"balance": "5"}, True),
        ({"balance": 5}, True),
        ({"balance": 5.39}, True),
        ({"balance": "0"}, False),
        ({"balance": None}, None),
        ({"balance": "some"}, None),
        ([], None),
        (None, None),
    ],
)
def test_m34_credits_are_read_from_their_flag_or_else_their_balance(
    credits_left: object, has_credits: bool | None
) -> None:
    usage = usage_of({"rate_limit": limits(window(100)), "credits": credits_left})
    assert usage.has_credits is has_credits


def test_m34_unlimited_credits_outrank_a_full_window() -> None:
    said = {"rate_limit": limits(window(100)), "credits": {"has_credits": False, "unlimited": True}}
    assert read(said).verdict is Verdict.QUOTA


def test_m34_the_code_review_limit_is_another_matter() -> None:
    said = {"rate_limit": limits(window(12)), "code_review_rate_limit": limits(window(100), limit_reached=True)}
    assert read(said).verdict is Verdict.QUOTA


WEEK = window(40, 604800, reset_at=NOW + 900)


@pytest.mark.parametrize(
    "rate_limit", [limits(WEEK, None), limits(None, WEEK), limits(WEEK), {"secondary_window": WEEK}]
)
def test_m34_the_weekly_window_is_the_week_in_whichever_slot_it_comes(rate_limit: dict[str, object]) -> None:
    assert usage_of({"rate_limit": rate_limit}).windows == (Window("week", 40.0, NOW + 900),)


def test_c106_a_window_in_a_slot_that_nobody_knows_counts() -> None:
    usage = usage_of({"rate_limit": limits(window(12), monthly_window=window(100, 2592000), individual={"used": 3})})
    assert [window.name for window in usage.windows] == ["5 h", "30 d"]


def test_m38_windows_of_one_length_are_told_apart_and_stay_so() -> None:
    def usage(first: int, second: int) -> Usage:
        return usage_of({"rate_limit": limits(window(first), window(second))})

    assert [window.name for window in usage(50, 10).windows] == ["5 h", "5 h (2)"]
    assert not is_new_evidence(usage(50, 10), usage(50, 10))
    assert is_new_evidence(usage(50, 10), usage(50, 9))


SPELLINGS: list[dict[str, object]] = [
    {"rate_limit": limits(window(12, reset_at=NOW + 60), window(40, 604800, reset_at=NOW + 900))},
    {  # a line of a session's log
        "rate_limits": {
            "primary": {"used_percent": 12.0, "window_minutes": 299, "resets_at": NOW + 60},
            "secondary": {"used_percent": 40.0, "window_minutes": 10079, "resets_in_seconds": 900},
            "credits": None,
        }
    },
    {  # the app server
        "rateLimits": {
            "primary": {"usedPercent": 12, "windowDurationMins": 300, "resetsAt": NOW + 60},
            "secondary": {"usedPercent": 40, "windowDurationMins": 10080, "resetsAt": NOW + 900},
        }
    },
    {  # an event on a socket
        "type": "codex.rate_limits",
        "rate_limits": {
            "primary": {"used_percent": 12, "window_minutes": 300, "reset_after_seconds": 60, "reset_at": NOW + 60},
            "secondary": {"used_percent": 40, "window_minutes": 10080, "reset_after_seconds": 900, "reset_at": 0},
        },
    },
]


@pytest.mark.parametrize("payload", SPELLINGS)
def test_m34_the_same_windows_are_read_in_each_of_their_spellings(payload: dict[str, object]) -> None:
    assert usage_of(payload).windows == (Window("5 h", 12.0, NOW + 60), Window("week", 40.0, NOW + 900))


def test_m34_plan_and_credits_are_found_beside_the_windows_too() -> None:
    beside = {"rateLimits": {"planType": "pro", "credits": {"hasCredits": True, "unlimited": False}}}
    usage = usage_of(beside)
    assert (usage.plan, usage.has_credits, usage.unlimited) == ("pro", True, False)


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ({"reset_at": NOW + 60}, NOW + 60),
        ({"reset_at": (NOW + 60) * 1000}, NOW + 60),
        ({"reset_at": str(int(NOW + 60))}, NOW + 60),
        ({"reset_at": "2027-01-15T08:01:00Z"}, NOW + 60),
        ({"reset_at": NOW - 3600}, NOW),
        ({"reset_at": "soon", "reset_after_seconds": 60}, NOW + 60),
        ({"reset_at": None, "reset_after_seconds": "60"}, NOW + 60),
        ({"reset_at": 0, "reset_after_seconds": 60}, NOW + 60),
        ({"reset_after_seconds": 0}, NOW),
        ({"reset_at": "nan", "reset_after_seconds": -1}, None),
        ({"reset_at": [], "reset_after_seconds": {}}, None),
        ({}, None),
    ],
)
def test_m14_a_windows_reset_is_read_in_all_its_forms(written: dict[str, object], at: float | None) -> None:
    assert usage_of({"rate_limit": limits(window(12, **written))}).windows == (Window("5 h", 12.0, at),)


def bucket(used: object, name: object = "model-x", **more: object) -> dict[str, object]:
    return {"limit_name": name, "metered_feature": "feature-x", "rate_limit": limits(window(used), **more)}


def test_m34_the_models_own_full_bucket_counts_and_others_do_not() -> None:
    said = {"rate_limit": limits(window(3)), "additional_rate_limits": [7, {}, bucket(100, "GPT-X")]}
    mine, other = usage_of(said, "gpt-x-codex"), usage_of(said, "claude")
    assert mine.model_limited
    assert [window.name for window in mine.windows] == ["5 h", "GPT-X 5 h"]
    assert not other.model_limited
    assert [window.name for window in other.windows] == ["5 h"]


@pytest.mark.parametrize("full", [bucket(100), bucket(3, limit_reached=True), bucket(3, allowed=False)])
def test_c99_a_full_bucket_blocks_its_model_and_no_other(full: dict[str, object]) -> None:
    said = {"rate_limit": limits(window(20), window(30, 604800), allowed=True), "additional_rate_limits": [full]}
    assert read(said, "model-x").verdict is Verdict.NO_QUOTA
    assert read(said, "model-y").verdict is Verdict.QUOTA


def test_c99_a_model_is_not_blocked_by_the_bucket_of_one_whose_name_goes_on() -> None:
    spark = bucket(100, "GPT-5.3-Codex-Spark") | {"metered_feature": "codex_bengalfox"}
    said = {"rate_limit": limits(window(20)), "additional_rate_limits": [spark]}
    verdicts = {name: read(said, name).verdict for name in ("gpt-5.3-codex", "gpt-5.3", "gpt-5.3-codex-spark")}
    assert verdicts == {
        "gpt-5.3-codex": Verdict.QUOTA,
        "gpt-5.3": Verdict.QUOTA,
        "gpt-5.3-codex-spark": Verdict.NO_QUOTA,
    }


def test_c99_the_bucket_that_names_the_model_most_closely_is_its_own() -> None:
    extras = [bucket(100, "gpt-5.3-codex"), bucket(3, "gpt-5.3-codex-spark")]
    said = {"rate_limit": limits(window(20)), "additional_rate_limits": extras}
    assert read(said, "gpt-5.3-codex-spark").verdict is Verdict.QUOTA
    assert read(said, "gpt-5.3-codex").verdict is Verdict.NO_QUOTA


def test_c99_a_bucket_is_known_by_its_feature_too() -> None:
    nameless = bucket(100, None) | {"metered_feature": "model-x"}
    said = {"rate_limit": limits(window(20)), "additional_rate_limits": [nameless]}
    assert read(said, "model-x").verdict is Verdict.NO_QUOTA


@pytest.mark.parametrize("account", [limits(window(100)), limits(limit_reached=True), None, {}])
def test_c99_a_free_bucket_does_not_free_the_account(account: object) -> None:
    said = {"rate_limit": account, "additional_rate_limits": [bucket(3, allowed=True)]}
    assert read(said, "model-x").verdict is not Verdict.QUOTA


def test_c106_more_than_anybody_reads_is_not_all_clear() -> None:
    crowd = {f"w{n}_window": window(3, 3600 * n) for n in range(1, 2000)}
    assert read({"rate_limit": crowd}).verdict is Verdict.UNKNOWN
    buckets = [bucket(3) for _ in range(2000)]
    said = {"rate_limit": limits(window(3)), "additional_rate_limits": buckets}
    assert read(said, "model-x").verdict is Verdict.UNKNOWN
    assert len(usage_of(said, "model-x").windows) < 20


ACCOUNT_ID = "11111111-2222-4333-8444-555555555555"


@pytest.mark.parametrize(
    ("named", "verdict"),
    [
        (ACCOUNT_ID.upper(), Verdict.QUOTA),
        ("99999999-2222-4333-8444-555555555555", Verdict.UNKNOWN),
        ("user-abc", Verdict.QUOTA),
        (None, Verdict.QUOTA),
        (7, Verdict.QUOTA),
    ],
)
def test_c98_numbers_of_another_account_than_the_tokens_are_no_verdict(named: object, verdict: Verdict) -> None:
    reading = read({"account_id": named, "rate_limit": limits(window(3))}, account=ACCOUNT_ID)
    assert reading.verdict is verdict
    assert ("another account" in reading.why) is (verdict is Verdict.UNKNOWN)


def test_c121_nothing_personal_in_a_payload_is_kept() -> None:
    key = KEY.reveal()
    said = {
        "email": "ada@example.invalid",
        "user_id": "user-abcdefgh12345678",
        "plan_type": f"pro of ada@example.invalid {key}",
        "rate_limit": limits(window(3), **{f"{key}_window": window(4, None)}),
        "additional_rate_limits": [bucket(5, f"model-x {key}"), bucket(5, "model-x")],
    }
    for model in ("model-x", f"model-x {key}"):
        kept = repr(read(said, model))
        assert "pro of" in kept
        assert not [
            part for part in ("ada@", "example.invalid", "abcdefgh1234", key[:12].lower()) if part in kept.lower()
        ]


@pytest.mark.parametrize(("name", "model"), [("", "m"), ("m", ""), (" ", "m"), ("a", "b")])
def test_a_bucket_without_a_name_meters_nothing(name: str, model: str) -> None:
    assert not meters(name, model)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (18000, "5 h"),
        (604800, "week"),
        (259200, "3 d"),
        (7200, "2 h"),
        (1800, "30 min"),
        (17940, "5 h"),
        (604740, "week"),
        (1, "1 min"),
    ],
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
