"""What sentences mean, the most specific first: providers put into words what their codes leave open.

Z.AI, MiniMax, DashScope and the relays in front of them also write Chinese.
"""

from typing import Final

from hermes_tui.core.failure import FailureKind as Kind
from hermes_tui.core.failure import Scope
from hermes_tui.providers.rule import HOUR, Rule, any_of, matching

_SHAPE: Final = any_of(None, 400, 413, 422, 429, 500)
_SEALED: Final = any_of(None, 400, 404, 422)
_REFUSABLE: Final = any_of(None, 400, 402, 403, 404, 409, 422, 429, 500)
_REVOKING: Final = any_of(None, 400, 401, 403)
_BUSY: Final = any_of(None, 400, 402, 408, 429, 500, 502, 503, 529)
_LIMITING: Final = any_of(None, 400, 401, 402, 403, 429)
_UNPAID: Final = any_of(None, 400, 401, 402, 403, 404, 412, 429, 500, 502, 503)
_STANDING: Final = any_of(None, 400, 401, 402, 403, 412, 429)
_ON_THE_WAY: Final = any_of(None, 400, 401, 403, 405, 429, 451, 503)
_MODELS: Final = any_of(None, 400, 401, 403, 404, 410, 422, 500, 503)

_TOO_SHORT_FOR_A_DAY: Final = HOUR / 12
"""Seconds below which a wait given for the quota of a day speaks of another limit (C14)."""

PHRASES: Final = (
    Rule(
        Kind.CONTEXT_OVERFLOW,
        Scope.REQUEST,
        phrase=matching(
            "request too large", r"(?:maximum|exceeds?\b.{0,40}) context (?:length|window|size|limit)",
            "context length exceeded", r"prompt (?:is )?too long", "input is too long", "context window exceeded",
            "context size has been exceeded", r"input length .{0,60}exceeds?", r"input token count .{0,60}exceeds?",
            "range of input length should be", "required for long context requests", "maximum prompt length",
            r"greater than the context (?:length|window|size)", r"\binputs?\b.{0,3} tokens .{0,60}must be <=",
            r"context length of only\b", "prompt ?超长",
        ),
        statuses=_SHAPE,
    ),
    Rule(
        Kind.FOREIGN_HISTORY,
        Scope.REQUEST,
        phrase=matching(
            r"invalid .{0,3}(?:signature|data).{0,3} in .{0,3}(?:redacted_)?thinking",
            r"(?:invalid|corrupted) thought[ _]signature",
            r"encrypted (?:reasoning )?content .{0,120}(?:verified|decrypted|parsed|not supported)",
            r"\bthinking\.signature\b", r"thinking.{1,30}\bblocks? .{0,120}cannot be modified",
            "block is bound to a different conversation", "without its required following item",
            r"items are not persisted when\b",
        ),
        statuses=_SEALED,
    ),
    Rule(
        Kind.REFUSED,
        Scope.REQUEST,
        phrase=matching(
            r"content (?:management )?policy", r"usage (?:polic|guideline)", "safety system", r"content filter",
            "flagged", "for safety reasons", "new_sensitive", "requires moderation", "sensitive content",
            "inappropriate content", "content exists risk", "敏感内容", "不安全",
        ),
        statuses=_REFUSABLE,
    ),
    Rule(
        Kind.INVALID_RESPONSE,
        Scope.REQUEST,
        phrase=matching(
            "invalid tool call arguments", "failed to call a function", "failed to (?:generate|validate) json",
            "tool call validation failed",
        ),
        statuses=_SEALED,
    ),
    Rule(
        Kind.AUTH_REVOKED,
        Scope.CREDENTIAL,
        phrase=matching(
            r"(?:token|session|credential|key) (?:has been |was |is )?(?:revoked|invalidated)",
            r"(?:revoked|invalidated) (?:oauth )?(?:token|session|credential|key)\b",
            r"refresh token .{0,30}(?:reused|already (?:been )?used)", "reported as leaked",
        ),
        statuses=_REVOKING,
    ),
    Rule(
        Kind.BILLING,
        Scope.MODEL,
        phrase=matching(
            r"exceeded budget for (?:deployment|provider|model)", "crossed budget", "can only afford",
            "prompt tokens limit exceeded", "free allocated quota exceeded", r"free tier .{0,30}has been exhausted",
        ),
        statuses=_UNPAID,
        believes_from_seconds=HOUR,
    ),
    Rule(Kind.RATE_LIMIT, Scope.MODEL, phrase=matching("limit_rpm/"), statuses=_LIMITING),
    Rule(Kind.USAGE_LIMIT, Scope.MODEL, phrase=matching("limit_rpd/"), statuses=_LIMITING),
    Rule(
        Kind.OVERLOADED,
        Scope.PROVIDER,
        phrase=matching(
            "overloaded", r"(?:at|over) (?:full )?capacity", r"capacity (?:temporarily )?exceeded",
            "no capacity available", "high (?:demand|traffic)", "rate-limited upstream", "no deployments available",
            "no healthy upstream", r"(?:model|server|service|engine)(?: is)? (?:currently |too )?(?:busy|loading)",
            "is currently loading", "loading model", "maximum pending requests",
            "(?:temporarily|currently) unavailable", "访问量过大", "服务器?繁忙", "负载已饱和",
        ),
        statuses=_BUSY,
    ),
    Rule(
        Kind.BILLING,
        Scope.CREDENTIAL,
        phrase=matching(
            r"\bkey (?:\w+ )?(?:spend(?:ing)? )?limit exceeded", "budget has been exceeded", r"exceeded ?budget\b",
            "over budget", "令牌额度",
        ),
        statuses=_UNPAID,
        believes_from_seconds=HOUR,
    ),
    Rule(Kind.USAGE_LIMIT, Scope.ACCOUNT, phrase=matching("(?:hit|reached) your usage limit"), statuses=_LIMITING),
    Rule(
        Kind.BILLING,
        Scope.ACCOUNT,
        phrase=matching(
            r"spend(?:ing)?[ -](?:limit|cap)", "credit balance",
            r"(?:insufficient|out of|no|not enough) (?:\w+ )?credits?\b(?! (?:was|were) (?:charged|used))",
            "(?:does ?n.t|do not|don.t) have any credits", r"used up (?:all )?your (?:points|balance)",
            "(?:used all|(?:used up|exceeded|exhausted) your) .{0,40}credits",
            "credits? (?:(?:is|are|has|have)(?: been)? )?(?:depleted|exhausted|used up|run out)",
            "(?:your|out of) extra usage", r"insufficient (?:\w+ )?(?:balance|funds|quota)",
            "balance is (?:insufficient|too low|negative|not enough)", r"top[ -]up your (?:account|balance|credit)",
            "(?:add|purchase|buy) (?:more )?credits", "billing hard limit",
            "requires? billing", "enable billing", "payment required", r"\barrears\b", "in good standing",
            r"\b(?:account|balance|bill|invoice|payment)s?\b.{0,30}\boverdue\b",
            r"\boverdue[ -](?:account|bill|invoice|payment)",
            "need a .{0,20}subscription", "inactive subscription",
            "(?:subscription|package|plan|trial) (?:has |is )?(?:expired|ended)", "欠费", "余额不足", "额度不足",
        ),
        statuses=_UNPAID,
        believes_from_seconds=HOUR,
    ),
    Rule(
        Kind.AUTH,
        Scope.ACCOUNT,
        phrase=matching(
            r"\b(?:account|organi[sz]ation|workspace|consumer|team)\b.{0,120}"
            r"\b(?:disabled|deactivated|suspended|restricted|locked|terminated|banned)\b",
        ),
        statuses=_STANDING,
    ),
    Rule(
        Kind.BLOCKED,
        Scope.PROVIDER,
        phrase=matching(
            r"\berror code: 1[0-9]{3}\b", r"location is not supported", "virtual network", "firewall rules",
            "public access is disabled", "check your network settings",
            r"ip (?:address )?(?:is )?not (?:authori[sz]ed|allowed)",
        ),
        statuses=_ON_THE_WAY,
    ),
    Rule(
        Kind.WRONG_ENDPOINT,
        Scope.PROVIDER,
        phrase=matching("http request .{0,20}to (?:an )?https (?:port|server)"),
        statuses=any_of(None, 400),
    ),
    Rule(
        Kind.MODEL_UNAVAILABLE,
        Scope.MODEL,
        phrase=matching(r"quota exceeded .{0,200}limit: 0\b"),
        statuses=any_of(429),
    ),
    Rule(Kind.USAGE_LIMIT, Scope.ACCOUNT, phrase=matching("you will regain access on"), statuses=_LIMITING),
    Rule(
        Kind.USAGE_LIMIT,
        Scope.MODEL,
        phrase=matching(r"(?:requests|tokens) per day \([rt]pd\)"),
        statuses=_LIMITING,
    ),
    Rule(
        Kind.USAGE_LIMIT,
        Scope.MODEL,
        phrase=matching(r"free-models-per-day", r"per[ -]?day", r"\bdaily\b", "今日"),
        statuses=_LIMITING,
        believes_from_seconds=_TOO_SHORT_FOR_A_DAY,
        of_a_day=True,
    ),
    Rule(Kind.RATE_LIMIT, Scope.MODEL, code=matching("resource_exhausted"), statuses=_LIMITING),
    Rule(
        Kind.USAGE_LIMIT,
        Scope.ACCOUNT,
        phrase=matching(
            r"\b(?:session|weekly|monthly|hourly|[0-9]{1,3}-hour|five-hour|rolling)(?: usage)? (?:window )?limit",
            r"\b(?:weekly|monthly) (?:rate limit|(?:\w+ )?quota)", r"\b(?:hour|week|month) allocated quota exceeded",
            "out of call volume quota", r"\bout of (?:\w+ )?messages", "使用上限",
            r"limited to [0-9,]{1,9} (?:api )?(?:calls|requests) (?:/|per|a) month",
        ),
        statuses=_LIMITING,
    ),
    Rule(Kind.USAGE_LIMIT, Scope.ACCOUNT, plan_full=True, statuses=any_of(429)),
    Rule(
        Kind.RATE_LIMIT,
        Scope.MODEL,
        phrase=matching(
            r"rate[ _-]?limit(?!s? reset)", "too many (?:requests|tokens)", "throttl", "increased too quickly",
            r"(?:requests|tokens) per (?:minute|second)", "concurrency", "current requests list", "并发", "频率过高",
            "请求过于频繁",
        ),
        statuses=any_of(None, 400, 401, 403, 429),
    ),
    Rule(
        Kind.USAGE_LIMIT,
        Scope.ACCOUNT,
        phrase=matching(r"usage[ _-]limit", r"\bplan\b.{0,40}\blimit"),
        statuses=_LIMITING,
        with_reset=True,
    ),
    Rule(Kind.USAGE_LIMIT, Scope.ACCOUNT, phrase=matching(r"usage[ _-]limit"), statuses=any_of(429)),
    Rule(
        Kind.RATE_LIMIT,
        Scope.MODEL,
        phrase=matching(
            "exceeded your current quota", "quota exceeded",
            r"\bquota\b.{0,40}\b(?:exceeded|exhausted|reached|used up)",
        ),
        statuses=_LIMITING,
        with_reset=True,
    ),
    Rule(
        Kind.BILLING,
        Scope.ACCOUNT,
        phrase=matching(
            r"usage[ _-]limit", "exceeded your current quota", "quota exceeded",
            r"\bquota\b.{0,40}\b(?:exceeded|exhausted|reached|used up)", "plan and billing",
        ),
        statuses=_LIMITING,
        believes_from_seconds=HOUR,
    ),
    Rule(
        Kind.MODEL_UNAVAILABLE,
        Scope.MODEL,
        phrase=matching(
            r"\bmodels?\b.{0,100}\b(?:not found|(?:does )?n[o']t exist|not (?:supported|available|allowed|enabled)"
            r"|deprecated|decommissioned|retired|no longer|end of (?:its )?life|only available (?:to|for))",
            "not a valid model", "model identifier is invalid", r"supported .{0,20}model names? (?:are|is)",
            r"(?:unknown|no such|invalid|unsupported) model\b", r"(?:not|n.t) have access to .{0,20}model",
            r"not allowed to (?:access|call|use) .{0,20}model", "no endpoints found", "no allowed providers",
            "could not resolve the foundation model", "must be verified to (?:stream|use) (?:this|the) model",
            "on-demand throughput is", r"\bmodel requires a .{0,20}(?:subscription|plan)", r"no models? loaded",
            r"access to .{0,20}\bmodel\b.{0,60}\b(?:denied|restricted)", r"not eligible (?:to use|for) .{0,20}model",
            "模型不存在", "无可用渠道",
        ),
        statuses=_MODELS,
    ),
    Rule(Kind.MODEL_UNAVAILABLE, Scope.MODEL, names_model=True, statuses=any_of(404, 410)),
    Rule(
        Kind.AUTH,
        Scope.CREDENTIAL,
        phrase=matching(
            r"(?:incorrect|invalid|wrong) (?:x-)?api[ _-]?key", "credential is only authorized",
            r"api[ _-]?key (?:is )?(?:not (?:valid|found)|invalid|expired)", "身份验证", "令牌",
        ),
        statuses=any_of(None, 400, 401, 403),
    ),
    Rule(
        Kind.BLOCKED,
        Scope.PROVIDER,
        phrase=matching("cloudflare", "captcha", r"\bwaf\b", "blocked by (?:a |the |your )?(?:proxy|firewall|network)"),
        statuses=any_of(403, 451),
    ),
    Rule(Kind.SERVER_ERROR, Scope.PROVIDER, phrase=matching("internal (?:server )?error"), statuses=any_of(None, 403)),
)  # fmt: skip
