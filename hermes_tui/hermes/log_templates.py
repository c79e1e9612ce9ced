"""What Hermes logs of switches, benches, rotations, restores and waits: its own templates, as patterns.

The groups of a pattern are the fields of a happening; three of them make up its `until`: `seconds` from the line's own
time, `epoch` seconds, or a local `date`. A pattern takes time in proportion to a line's length whatever the line says:
names are bounded, and only the last group of a pattern is not.

Templates are those of Hermes 0.19 to 0.22. Lines that repeat another in different words (which entry a rotation swapped
in, the activation after empty responses) are left out.
"""

import re
from dataclasses import dataclass
from typing import Final

from hermes_tui.hermes.values import Kind


@dataclass(frozen=True, slots=True)
class Template:
    """One of Hermes' messages; `provider` and `reason` are what it says without naming it."""

    kind: Kind
    pattern: re.Pattern[str]
    provider: str = ""
    reason: str = ""


def _template(kind: Kind, pattern: str, *, provider: str = "", reason: str = "") -> Template:
    return Template(kind, re.compile(pattern, re.DOTALL), provider, reason)


_LABEL: Final = r"(?P<credential>.{1,200}?)"
_MODEL: Final = r"(?P<model>\S{1,200})"
_PROVIDER: Final = r"(?P<provider>\S{1,200})"
_WITH_COLONS: Final = r"(?P<{}>\S{{1,200}}?)"
_ROUTE: Final = r"(?P<provider>[^/\s]{1,200})/(?P<model>\S{1,200})"
_TO_ROUTE: Final = r"(?P<to_provider>[^/\s]{1,200})/(?P<to_model>\S{1,200})"
_CLIENT: Final = rf"thread=.{{1,200}}? provider={_PROVIDER} base_url=\S{{0,2000}} model={_MODEL}"
_SUBAGENT: Final = r"(?:\[[^\]]{1,60}\] )?"
_CODE: Final = r"(?:(?:HTTP |Error code: )(?P<code>\d{3})\b)?"
_STATUS: Final = r"status=(?:(?P<code>\d{3})|[^,)]{1,40})"
_SECONDS: Final = r"(?P<seconds>\d{1,9}(?:\.\d{1,20})?)"
_OWN: Final = r"(?!.* origin=[\w.-]+(?: last_tool=\S+)?$)"
"""Not a side question or a review that Hermes asks itself under the session's id."""

RETRIES_USED_UP: Final = "retries are used up"
NO_RETRY_HELPS: Final = "no retry can help"
"""Why a turn ended without an answer of any route."""

_ANSWERS: Final = r"(?:text_response|fallback_prior_turn_content|partial_stream_recovery)"
_ENDED: Final = (
    rf"(?P<text>(?P<reason>\S{{1,200}}.{{0,200}}?)) model={_MODEL} "
    r"api_calls=.{1,200}? session=(?P<session>\S{1,200})"
)

FIRST_TURN: Final = "first turn"
"""What a turn is in whose session nobody has been answered before."""

_TURNS: Final = (
    _template(
        Kind.TURN,
        rf"{_OWN}conversation turn: session=(?P<session>\S{{1,200}}) model={_MODEL} provider={_PROVIDER} "
        r"platform=\S{0,200} history=0 msg=(?P<prompt>.*)",
        reason=FIRST_TURN,
    ),
    _template(
        Kind.TURN,
        rf"{_OWN}conversation turn: session=(?P<session>\S{{1,200}}) model={_MODEL} provider={_PROVIDER} "
        r".{0,200}?msg=(?P<prompt>.*)",
    ),
)
_LOOP: Final = (
    _template(
        Kind.CALLED, rf"API call #\d+: model={_MODEL} provider={_PROVIDER} (?P<text>in=.{{1,80}}? latency=\S{{1,20}})"
    ),
    _template(Kind.ANSWERED, rf"{_OWN}Turn ended: reason=(?={_ANSWERS}){_ENDED}"),
    _template(Kind.ENDED, rf"{_OWN}(?:Turn ended with pending tool result [^:]{{1,80}})?Turn ended: reason={_ENDED}"),
    _template(
        Kind.FAILED,
        rf"API call failed \(attempt [^)]{{1,40}}\) error_type=(?P<reason>\S{{1,200}}) {_CLIENT} "
        rf"summary=(?P<text>{_CODE}.*)",
    ),
    _template(Kind.FAILED, r"Invalid API response \(retry \d+/\d+\): (?P<text>.*)", reason="invalid response"),
    _template(
        Kind.FAILED,
        rf"(?P<text>Empty response \(no content or reasoning\) — retry .{{1,80}}?\(model={_MODEL}\))",
        reason="empty response",
    ),
    _template(
        Kind.RETRY,
        rf"Retrying API call in {_SECONDS}s \(attempt [^)]{{1,40}}\) {_CLIENT} policy=(?P<reason>\S{{1,200}}) "
        rf"error=(?P<text>{_CODE}.*)",
    ),
    _template(
        Kind.RETRY,
        rf"{_SUBAGENT}Provider unavailable \((?P<reason>[^)]{{1,200}})\) — auto-recovery cycle \d+/\d+, "
        rf"retrying in {_SECONDS}s {_CLIENT}",
    ),
    _template(
        Kind.ENDED,
        rf"{_SUBAGENT}API call failed after \d+ retries\. (?P<text>{_CODE}.*) \| provider={_PROVIDER} model={_MODEL} ",
        reason=RETRIES_USED_UP,
    ),
    _template(
        Kind.ENDED,
        rf"{_SUBAGENT}Non-retryable client error: (?P<text>{_CODE}.*)",
        reason=NO_RETRY_HELPS,
    ),
)
_POOL: Final = (
    _template(Kind.BENCHED, rf"credential pool: marking {_LABEL} exhausted \({_STATUS}\), rotating"),
    _template(
        Kind.DEAD,
        rf"credential pool: marking {_LABEL} DEAD \({_STATUS}, reason=(?P<reason>[^)]{{1,200}})\)",
    ),
    _template(Kind.ROTATED, r"credential pool: rotated to (?P<credential>.{1,200})"),
    _template(Kind.POOL_EMPTY, r"credential pool: no available entries"),
    _template(Kind.SAME_AGAIN, rf"credential pool: rotation returned the just-marked entry {_LABEL} — "),
    _template(Kind.BENCHED, rf"credential pool: {_LABEL} unavailable for model (?P<model>[^\s;]{{1,200}});"),
    _template(
        Kind.DEAD,
        rf"credential pool: pruning DEAD manual entry {_LABEL} \(reason=(?P<reason>.{{1,200}}?), age=[^)]{{1,40}}\) "
        r".{1,40}?hermes auth add (?P<provider>[^`\s]{1,200})`",
    ),
    _template(
        Kind.DEAD,
        rf"\S{{1,200}}(?: OAuth)? refresh token for {_LABEL} is terminally invalid \((?P<reason>.{{0,400}}?)\); "
        r"the credential leaves rotation\. Re-run 'hermes auth add (?P<provider>[^'\s]{1,200})'",
    ),
    _template(
        Kind.DEAD,
        r".{1,200}? refresh token is terminally invalid \((?P<reason>.{0,400}?)\); clearing local token state\. "
        r"Re-run 'hermes auth add (?P<provider>[^'\s]{1,200})'",
    ),
)
_SWITCHES: Final = (
    _template(
        Kind.FALLBACK,
        r"Fallback activated: (?P<model>[^→]{1,200}) → (?P<to_model>[^(]{1,200}) \((?P<to_provider>[^)]{1,200})\)",
    ),
    _template(Kind.FALLBACK_POOLED, rf"Fallback to {_TO_ROUTE}: attached fallback credential pool"),
    _template(
        Kind.FALLBACK_POOLLESS,
        rf"Fallback to {_TO_ROUTE}: clearing primary credential pool \(pool_provider=(?P<provider>[^)]{{1,200}})\)",
    ),
    _template(
        Kind.FALLBACK,
        rf"Profile \S{{1,200}}: {_MODEL} via {_PROVIDER} refused for billing/credits — "
        r"using fallback (?P<to_model>\S{1,200}) via (?P<to_provider>\S{1,200})\. ",
        reason="billing",
    ),
    _template(Kind.SKIPPED, rf"Fallback skip: (?:chain entry )?{_ROUTE} (?P<reason>.*)"),
    _template(Kind.SKIPPED, r"Fallback skip: (?P<reason>.*)"),
    _template(Kind.SKIPPED, rf"Fallback to {_PROVIDER} failed: (?P<reason>.*)"),
    _template(Kind.SKIPPED, rf"Failed to activate fallback {_WITH_COLONS.format('model')}: (?P<reason>.*)"),
)
_RESTORES: Final = (
    _template(
        Kind.RESTORED,
        r"Primary runtime restored for new turn: (?P<model>[^(]{1,200}) \((?P<provider>[^)]{1,200})\)",
    ),
    _template(
        Kind.RESTORE_WAITS,
        rf"Primary {_PROVIDER} rate-limited until (?P<date>[\d:T.-]{{10,32}}); staying on fallback {_TO_ROUTE} until",
    ),
    _template(Kind.RESTORE_FAILED, r"Failed to restore primary runtime: (?P<reason>.*)"),
    _template(
        Kind.RESTORE_FAILED,
        rf"Restore could not reload primary credential pool for {_WITH_COLONS.format('provider')}: (?P<reason>.*)",
    ),
    _template(Kind.ROTATED, r"Restore re-selected pool entry \S{1,200} \((?P<credential>.{1,200})\)", reason="restore"),
    _template(
        Kind.ROTATED, rf"Credential \S{{1,200}} \({_LABEL}\) available again — reverted", reason="available again"
    ),
    _template(
        Kind.SWITCHED,
        r"Model switched in-place: (?P<model>[^(]{1,200}) \((?P<provider>[^)]{0,200})\) -> "
        r"(?P<to_model>[^(]{1,200}) \((?P<to_provider>[^)]{1,200})\)",
    ),
)
_COOLDOWNS: Final = (
    _template(
        Kind.BACKOFF,
        rf"Rate-limit backoff level \d+: cooldown {_SECONDS} s \([^,]{{1,40}}, backoff#\d+, "
        r"(?P<reason>[^)]{1,200})\)",
    ),
    _template(
        Kind.RETRY,
        rf"Rate limit resets in {_SECONDS} s \([^)]{{1,200}}\): staying on the primary",
        reason="the reset is near",
    ),
)
_ENTITLEMENTS: Final = (
    _template(
        Kind.SKIPPED,
        rf"Model entitlement rejection: (?P<reason>this account is not entitled to {_MODEL} via "
        r"(?P<provider>[^\s;]{1,200}))",
    ),
)
_STARTS: Final = (
    _template(
        Kind.FALLBACK,
        rf"Primary provider (?P<reason>rate-limited \((?P<code>\d{{3}})\)|auth failed) .*Falling back to {_TO_ROUTE}$",
    ),
    _template(Kind.SKIPPED, rf"Fallback entry {_ROUTE} is misconfigured and was skipped: (?P<reason>.*)"),
)
_GATEWAY: Final = (
    _template(
        Kind.FAILED,
        r"Primary provider (?P<reason>rate-limited \((?P<code>\d{3})\)|auth failed): (?P<text>.*) — trying fallback$",
    ),
    _template(Kind.FALLBACK, r"Fallback provider resolved: (?P<to_provider>\S{1,200}) model=(?P<to_model>\S{1,200})"),
)
_LOGINS: Final = (
    _template(Kind.LIFTED, r"Codex quota restored upstream", provider="openai-codex"),
    _template(Kind.DEAD, r"Nous OAuth state quarantined \((?P<reason>[^)]{1,200})\)", provider="nous"),
)
_NOUS: Final = (
    _template(
        Kind.BENCHED, r"Nous rate limit recorded: resets in \S{1,40} \(at (?P<epoch>\d{1,12})\)", provider="nous"
    ),
)
_ACT: Final = r"(?:Asked for|Done:) (?P<reason>[a-z_]{1,40}) of "
_ACTS: Final = (
    _template(Kind.ACT, rf"{_ACT}session (?P<session>\S{{1,200}}): (?P<text>.*)"),
    _template(Kind.ACT, rf"{_ACT}(?P<credential>.{{1,400}}?): (?P<text>.*)"),
)
"""What a bridge says of the acts that it was asked for, and of those that a turn has begun with."""

TEMPLATES: Final[dict[bytes, tuple[Template, ...]]] = {
    b"root": _COOLDOWNS,
    b"agent.agent_runtime_helpers": _RESTORES,
    b"agent.chat_completion_helpers": _SWITCHES,
    b"agent.conversation_loop": _LOOP,
    b"agent.credential_pool": _POOL,
    b"agent.credential_pool_plugin": _POOL,
    b"agent.fallback_cooldown": _ENTITLEMENTS,
    b"agent.nous_rate_guard": _NOUS,
    b"agent.turn_context": _TURNS,
    b"gateway.run": _GATEWAY,
    b"hermes_cli.auth": _LOGINS,
    b"hermes_cli.runtime_provider": _STARTS,
    b"hermes_tui_bridge": _ACTS,
}
"""The templates of each logger; a line of any other tells nothing."""
