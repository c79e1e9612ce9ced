"""The timeline document: `timeline --json`, and the same as lines for people and screen readers."""

from typing import Any

from hermes_tui.core.codec import encode_event
from hermes_tui.core.course import Absence, Course, Mark
from hermes_tui.view.course_words import absence_sentence, ahead_sentence, mark_sentence, sentences, sums
from hermes_tui.view.status import SCHEMA_VERSION

Document = dict[str, Any]


def course_document(course: Course) -> Document:
    """Return everything that `timeline --json` says. Times are epoch seconds or None, `position` 0 is the primary."""
    return {
        "schema_version": SCHEMA_VERSION,
        "time": course.until,
        "session": course.session,
        "since": course.since,
        "spans": [
            {"from": span.start, "until": span.end, "route": span.route, "position": span.position}
            for span in course.spans
        ],
        "absences": [_absence(absence) for absence in course.absences],
        "marks": [_mark(mark) for mark in course.marks],
        "cooldowns": [
            {
                "provider": one.provider,
                "credential": one.credential,
                "model": one.model,
                "from": one.start,
                "until": one.end,
                "until_source": one.source.value,
                "approximate": one.approximate,
                "reason": one.reason.value,
            }
            for one in course.coolings
        ],
        "ahead": [
            {
                "at": one.at,
                "kind": one.kind.value,
                "approximate": one.approximate,
                "text": ahead_sentence(one, course.until),
            }
            for one in course.ahead
        ],
        "totals": {
            "seconds": dict(course.served),
            "switches": course.switches,
            "failed_restores": course.failed_restores,
            "failed_requests": course.failed_requests,
        },
    }


def _absence(absence: Absence) -> Document:
    return {
        "from": absence.start,
        "until": absence.end,
        "left": absence.left,
        "reason": absence.reason,
        "credential": absence.cause.credential if absence.cause is not None else None,
        "returned_by": absence.how.value if absence.how is not None else None,
        "verified_at": absence.verified_at,
        "failed_restores": absence.failed_restores,
        "failed_requests": absence.failed_requests,
        "seconds": dict(absence.served),
        "text": absence_sentence(absence),
    }


def _mark(mark: Mark) -> Document:
    return {"at": mark.time, "kind": mark.kind.value, "text": mark_sentence(mark), "event": encode_event(mark.event)}


def course_lines(course: Course) -> str:
    """Return the timeline as text: the sums, then what happened and what is known to come, oldest first."""
    told = (f"  - {text}" for _, text in sentences(course, course.until))
    return "\n".join((f"{course.session}:", *sums(course), *told)) + "\n"
