"""Providers that write numbers for codes and Chinese for sentences: what they send, and what that means."""

import pytest

from hermes_tui.core.failure import FailureKind
from hermes_tui.core.known_providers import KNOWN_PROVIDERS

from .classifying import (
    BAD_KEY,
    BUSY,
    CLOSED,
    KEY_SPENT,
    MALFORMED,
    MODEL_UNPAID,
    MODEL_WINDOW,
    NO_CREDIT,
    NO_MODEL,
    REFUSED,
    THROTTLED,
    TOO_LONG,
    WINDOW_FULL,
    Row,
    anthropic,
    error,
    meaning,
    read,
)

K = FailureKind

SHAPES: dict[str, list[Row]] = {
    "zai": [
        (429, error("High concurrency", code="1302"), THROTTLED),
        (429, error("账户已欠费", code="1113"), NO_CREDIT),
        (429, error("您的账户已欠费,请充值后重试"), NO_CREDIT),
        (429, error("Usage limit reached. It will reset at 2030-01-02 03:04:05", code=1308), WINDOW_FULL),
        (429, error("已达到 5 小时的使用上限。您的限额将在 2030-01-02 03:04:05 重置"), WINDOW_FULL),
        (429, error("x", code="1317"), WINDOW_FULL),
        (429, error("The service may be temporarily overloaded", code="1305"), BUSY),
        (529, anthropic("overloaded_error", "[1305][The service may be temporarily overloaded][20260624]"), BUSY),
        (429, anthropic("rate_limit_error", "[1113][Insufficient balance or no resource package][x]"), NO_CREDIT),
        (400, error("模型不存在", code="1211"), NO_MODEL),
        (429, error("plan does not include model-y", code="1311"), NO_MODEL),
        (400, error("Prompt 超长", code="1261"), TOO_LONG),
        (400, error("系统检测到输入或生成内容可能包含不安全或敏感内容", code="1301"), REFUSED),
        (401, error("身份验证失败", code="1000"), BAD_KEY),
        (429, error("Account has irregular activities", code="1121"), CLOSED),
        (429, error("Your GLM Coding Plan package has expired", code="1309"), NO_CREDIT),
        (429, error("Your account is in arrears, please recharge and try again"), NO_CREDIT),
        (400, error("System detected potentially unsafe or sensitive content in input"), REFUSED),
    ],
    "dashscope": [
        (429, {"code": "Throttling.RateQuota", "message": "Requests rate limit exceeded"}, THROTTLED),
        (None, {"code": "Throttling.AllocationQuota", "message": "Allocated quota exceeded"}, THROTTLED),
        (
            429,
            error("You exceeded your current quota", code="insufficient_quota"),
            THROTTLED,
        ),
        (429, error("You exceeded your current requests list", code="limit_requests"), THROTTLED),
        (429, error("Request rate increased too quickly", code="limit_burst_rate"), THROTTLED),
        (429, error("hour allocated quota exceeded"), WINDOW_FULL),
        (429, error("concurrency allocated quota exceeded"), THROTTLED),
        (429, {"code": "Throttling.AllocationQuota", "message": "Free allocated quota exceeded."}, MODEL_UNPAID),
        (
            403,
            error("The free tier of the model has been exhausted.", code="AllocationQuota.FreeTierOnly"),
            MODEL_UNPAID,
        ),
        (
            400,
            error("Please make sure your account is in good standing.", type="Arrearage", code="Arrearage"),
            NO_CREDIT,
        ),
        (403, error("Access denied due to overdue account"), NO_CREDIT),
        (400, {"code": "DataInspectionFailed", "message": "Input data may contain inappropriate content."}, REFUSED),
        (401, {"code": "InvalidApiKey", "message": "Invalid API-key provided."}, BAD_KEY),
        (403, {"code": "Model.AccessDenied", "message": "Model access denied."}, NO_MODEL),
        (403, {"code": "AccessDenied.Unpurchased", "message": "Access to model denied. Are you eligible?"}, NO_MODEL),
        (404, {"code": "ModelNotFound", "message": "Model can not be found."}, NO_MODEL),
        (400, {"code": "InvalidParameter", "message": "Range of input length should be [1, 9]"}, TOO_LONG),
        (400, {"code": "InvalidParameter", "message": "Required parameter missing"}, MALFORMED),
    ],
    "minimax": [
        (529, anthropic("overloaded_error", "overloaded"), BUSY),
        (200, {"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}, THROTTLED),
        (200, {"base_resp": {"status_code": 1004, "status_msg": "login fail"}}, BAD_KEY),
        (200, {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}, NO_CREDIT),
        (200, {"base_resp": {"status_code": 1027, "status_msg": "output new_sensitive"}}, REFUSED),
        (
            200,
            {"base_resp": {"status_code": 2056, "status_msg": "usage limit exceeded, 5-hour usage limit reached"}},
            WINDOW_FULL,
        ),
        (None, error("output new_sensitive (1027)"), REFUSED),
        (None, error("stopped", code="new_sensitive"), REFUSED),
        (500, error("insufficient balance (1008)"), NO_CREDIT),
    ],
}


CHINESE = [
    (429, "账户余额不足", NO_CREDIT),
    (403, "用户额度不足, 剩余额度 0", NO_CREDIT),
    (403, "该令牌额度已用尽", KEY_SPENT),
    (401, "无效的令牌", BAD_KEY),
    (429, "当前分组上游负载已饱和", BUSY),
    (503, "服务器繁忙", BUSY),
    (503, "当前分组 default 下对于模型 y 无可用渠道", NO_MODEL),
    (429, "您当前使用该 API 的并发数过高", THROTTLED),
    (429, "您当前使用该 API 的频率过高", THROTTLED),
    (429, "请求过于频繁", THROTTLED),
    (429, "该 API 已达今日调用次数限额", MODEL_WINDOW),
]


@pytest.mark.parametrize("row", CHINESE)
def test_c10_a_relays_chinese_is_read_at_whatever_provider(row: Row) -> None:
    status, body, meant = row
    assert meaning(status, error(str(body))) == meant


@pytest.mark.parametrize(
    ("provider", "row"), [(provider, row) for provider, rows in SHAPES.items() for row in rows], ids=str
)
def test_c10_codes_in_numbers_and_sentences_in_chinese_are_read_for_what_they_mean(provider: str, row: Row) -> None:
    status, body, meant = row
    assert meaning(status, body, provider) == meant


@pytest.mark.parametrize(
    ("provider", "code"), [(known.name, code) for known in KNOWN_PROVIDERS.values() for code in known.codes]
)
def test_a_providers_own_code_means_it_at_that_provider_only(provider: str, code: str) -> None:
    meant = KNOWN_PROVIDERS[provider].codes[code]
    for spelt in (error("", code=code), error("", type=code), {"base_resp": {"status_code": code}}):
        told = read(400, spelt, provider)
        assert (told.kind, told.scope) == meant


def test_z_ai_codes_mean_something_for_z_ai_only() -> None:
    body = error("balance", code="1113")
    assert read(429, body, "zai").kind is K.BILLING
    assert read(429, body, "acme").kind is K.RATE_LIMIT
