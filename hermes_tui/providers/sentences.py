"""Sentences that say when to come back: "try again in 2 days 17 hours", "resets Aug 3, 7am (Europe/Zurich)" (M14).

A time counts only right after words that ask to come back then: numbers elsewhere in a sentence are limits, prices,
versions and dates of other things.
"""

import re
from itertools import islice
from typing import Final

from hermes_tui.core.failure import Reset
from hermes_tui.providers.durations import SPAN, TIMESPAN, span_seconds, timespan_seconds
from hermes_tui.providers.moments import WEEKDAY, moment_at, placed
from hermes_tui.providers.resets import bounded, read_time

_READ: Final = 4000
"""Characters of a text that are read."""
_CUES: Final = 20
"""Places in it at which a time is looked for."""

_FLAGS: Final = re.IGNORECASE | re.ASCII

_CUE: Final = re.compile(
    rf"""
    (?<![a-z])
    (?:
        try(?:ing)?[ ](?:(?:it|this|that|(?:your|the|this)[ ]request)[ ])?again
      | (?P<retry>retry(?:ing)?)
      | (?<!last[ ])(?<!was[ ])(?<!been[ ])(?<!connection[ ])(?<!stream[ ])reset(?:s|ting)?
      | wait | available[ ]again | regain[ ]access | come[ ]back
      | renews? | refreshes | reopens? | resumes? | replenish(?:es|ed)?
      | (?:limited|blocked|paused|suspended|disabled|exhausted|unavailable|cool(?:ing|s)?[ ]down)(?=[ ]until)
      | limit[ ]reached(?=\|)
    )(?![a-z])
    (?P<link>
        (?:
            [ :=\\"'(\[{{|~_\u00b7\u2022\u2219\u2013\u2014-]
          | (?:at[ ]least|(?:your|the|this)[ ]request|(?:every|each)[ ]day|every(?=[ ](?:{WEEKDAY}))
              |less[ ]than|not[ ]before|on|at|in|after|from|for|by|until|about|around
              |approximately|approx|roughly|under|another|only|daily
              |time|date|next|this|is|are|be|it|will|automatically|scheduled|seconds|ms|delay)(?![a-z])
        ){{0,14}}+
    )
    | \u5c06[\u5728\u4e8e][ ]?(?=.{{1,60}}(?:\u91cd\u7f6e|\u6062\u590d))
    """,
    _FLAGS | re.VERBOSE,
)
"""Words that ask to come back, and whatever links them to the time."""

_WORD: Final = re.compile("[a-z]+", _FLAGS)
_VAGUE: Final = re.compile(r"~|about|around|approx|roughly|less than|under", _FLAGS)
_BEFORE_A_LENGTH: Final = frozenset(["in", "another"])
_BEFORE_A_MOMENT: Final = frozenset(["at", "on", "until", "by"])
_PREPOSITIONS: Final = _BEFORE_A_LENGTH | _BEFORE_A_MOMENT | {"after"}
_BEFORE_SECONDS: Final = {"after": 1.0, "seconds": 1.0, "delay": 1.0, "ms": 0.001}
"""Words of a field's name (`retry_after`, `resets_in_seconds`) that give a bare number its unit, in seconds."""

_SOMETHING_ELSE: Final = re.compile(
    r"[ ](?:ago|of|per|windows?|limits?|quotas?|(?:after|from)(?!\ now))(?![a-z])", _FLAGS
)
"""What makes a length one that began at another time, or that is none to wait."""
_EPOCH: Final = re.compile(r"[0-9]{10,19}(?:\.[0-9]{1,9})?(?![0-9a-z:])", _FLAGS)
_BARE: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?(?=[ \"'\\]{0,3}(?:$|[,;)}\]|]|\.(?![0-9])))", re.ASCII)


def read_text(text: str, *, now: float) -> Reset | None:
    """Return the time that a sentence gives for coming back, the first one that can be read. Never raises."""
    if len(text) > _READ:
        text = text[:_READ].rpartition(" ")[0]  # half a word is another word
    told = " ".join(text.split())
    found = (_time_after(cue, now) for cue in islice(_CUE.finditer(told), _CUES))
    return next((reset for reset in found if reset is not None), None)


def _time_after(cue: re.Match[str], now: float) -> Reset | None:
    text, start = cue.string, cue.end()
    link = cue["link"] or ""
    words = _WORD.findall(link.lower().replace("at least", ""))
    number = _number(cue, words, now)
    if number is not None:
        return number
    preposition = next((word for word in reversed(words) if word in _PREPOSITIONS), None)
    vague = _VAGUE.search(link) is not None
    if preposition not in _BEFORE_A_MOMENT and (span := SPAN.match(text, start)):
        if _SOMETHING_ELSE.match(text, span.end()):
            return None
        return bounded(now + span_seconds(span[0]), now, approximate=vague)
    if preposition in _BEFORE_A_LENGTH:
        timespan = TIMESPAN.match(text, start)
        return bounded(now + timespan_seconds(timespan), now, approximate=vague) if timespan else None
    moment = moment_at(text, start)
    instant = placed(moment, now) if moment else None
    return bounded(instant.at, now, approximate=instant.approximate or vague) if instant else None


def _number(cue: re.Match[str], words: list[str], now: float) -> Reset | None:
    """Read a number that has no unit of its own: an epoch, or what a field's name counts in."""
    epoch = _EPOCH.match(cue.string, cue.end())
    if epoch is not None:
        return read_time(epoch[0], now=now)
    unit = _BEFORE_SECONDS.get(words[-1]) if words else None
    if unit is None or (words[-1] == "after" and cue["retry"] is None):
        return None
    bare = _BARE.match(cue.string, cue.end())
    return read_time(bare[0], now=now, unit=unit) if bare else None
