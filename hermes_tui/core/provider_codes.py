"""Error codes that mean something else, or anything at all, only at one provider, as data.

They are spelt as the reader of error bodies spells them: in snake case, `AllocationQuota` as `allocation_quota`.
"""

from typing import Final

from hermes_tui.core.failure import FailureKind as Kind
from hermes_tui.core.failure import Meaning, Scope

_ASKED_AGAIN: Final = Meaning(Kind.SERVER_ERROR, Scope.PROVIDER)
_BUSY: Final = Meaning(Kind.OVERLOADED, Scope.PROVIDER)
_BAD_KEY: Final = Meaning(Kind.AUTH, Scope.CREDENTIAL)
_CLOSED: Final = Meaning(Kind.AUTH, Scope.ACCOUNT)
_NO_CREDIT: Final = Meaning(Kind.BILLING, Scope.ACCOUNT)
_THROTTLED: Final = Meaning(Kind.RATE_LIMIT, Scope.MODEL)
_WINDOW_FULL: Final = Meaning(Kind.USAGE_LIMIT, Scope.ACCOUNT)
_NOT_OFFERED: Final = Meaning(Kind.MODEL_UNAVAILABLE, Scope.MODEL)
_REFUSED: Final = Meaning(Kind.REFUSED, Scope.REQUEST)
_MALFORMED: Final = Meaning(Kind.BAD_REQUEST, Scope.REQUEST)

ZAI_CODES: Final = {
    **dict.fromkeys(("1000", "1001", "1002", "1003", "1004"), _BAD_KEY),
    **dict.fromkeys(("1110", "1111", "1112", "1121"), _CLOSED),
    **dict.fromkeys(("1113", "1309"), _NO_CREDIT),
    **dict.fromkeys(("1120", "1200", "1230", "1234"), _ASKED_AGAIN),
    **dict.fromkeys(("1210", "1213", "1214", "1215"), _MALFORMED),
    **dict.fromkeys(("1211", "1212", "1220", "1221", "1222", "1311"), _NOT_OFFERED),
    "1261": Meaning(Kind.CONTEXT_OVERFLOW, Scope.REQUEST),
    "1301": _REFUSED,
    **dict.fromkeys(("1302", "1303"), _THROTTLED),
    "1304": Meaning(Kind.USAGE_LIMIT, Scope.MODEL),
    **dict.fromkeys(("1305", "1312"), _BUSY),
    **dict.fromkeys(("1308", "1310", *map(str, range(1316, 1322))), _WINDOW_FULL),
    "1313": Meaning(Kind.RATE_LIMIT, Scope.ACCOUNT),
}

MINIMAX_CODES: Final = {
    "1001": Meaning(Kind.TIMEOUT, Scope.PROVIDER),
    **dict.fromkeys(("1000", "1024", "1033"), _ASKED_AGAIN),
    **dict.fromkeys(("1002", "1039", "1041"), _THROTTLED),
    **dict.fromkeys(("1004", "2049"), _BAD_KEY),
    "1008": _NO_CREDIT,
    **dict.fromkeys(("1026", "1027"), _REFUSED),
    "2013": _MALFORMED,
    "2056": _WINDOW_FULL,
    "2061": _NOT_OFFERED,
}

DASHSCOPE_CODES: Final = {
    "insufficient_quota": _THROTTLED,
    "allocation_quota_free_tier_only": Meaning(Kind.BILLING, Scope.MODEL),
    **dict.fromkeys(("prepaid_bill_overdue", "postpaid_bill_overdue", "commodity_not_purchased"), _NO_CREDIT),
}
