"""What Hermes asks its user, in the two ways in which its releases do, and how each wants its answer.

0.22 sends requests, which are answered by their id; before that, events, which are answered by a method.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from hermes_tui.core.question import Answer, Question
from hermes_tui.core.text import PlainText, plain
from hermes_tui.core.values import dataclass
from hermes_tui.gateway.safe import Table, line, passage, table, text
from hermes_tui.gateway.values import NOTHING

APPROVAL: Final = "approval"
CLARIFY: Final = "clarify"
SECRETS: Final = {"sudo": "password", "secret": "value"}
"""Questions for what is not typed in here, and what the method that answers one calls it."""

_ALL_SECRETS: Final = frozenset({*SECRETS, "vault.unlock_prompt", "vault.save_login", "vault.code"})

SKIPPED: Final = "\0skipped"
"""The answer that gives none."""

DENY: Final = "deny"
_ALLOWED: Final = {"session": "Allow this kind for the session", "once": "Allow this once"}
"""For good is decided in Hermes, where it can be taken back."""

LONGEST_SHOWN: Final = 20_000
"""Characters of a command or a question that are shown; nobody can allow what they cannot read."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer on its way: the result of the request `number`, or with a `method` a request of its own."""

    content: Table
    number: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of Hermes' with what is still to be answered of it, the next first, and what was.

    `number` is the id under which it is open, empty where it has none.
    """

    kind: str
    number: str
    by_method: bool
    open: tuple[Question, ...]
    answers: tuple[tuple[str, str], ...] = ()

    def answered(self, key: str, answer: str) -> "Asked":
        """Return what is left once the next question has been answered."""
        return replace(self, open=self.open[1:], answers=(*self.answers, (key.rpartition("/")[2], answer)))

    def reply(self, session: str) -> Reply:
        """Return what is sent once all is answered; `session` is the live one."""
        given = {key: None if answer == SKIPPED else answer for key, answer in self.answers}
        only = next(iter(given.values()), None) or ""
        if self.kind == APPROVAL:
            choice: dict[str, object] = {"choice": only}
            if self.by_method and only == DENY:
                choice["all"] = True  # it answers by turn, not by name: whatever waits is meant
            return (
                Reply({"session_id": session, **choice}, method="approval.respond")
                if self.by_method
                else Reply(choice, self.number)
            )
        if self.by_method:
            return Reply({"request_id": self.number, "answer": only}, method="clarify.respond")
        return Reply({"answers": given}, self.number)


def asked(kind: str, number: str, params: Table, *, by_method: bool, serial: int) -> Asked | None:
    """Return a question that a person here can answer, None for any other; `serial` makes its keys its own."""
    key = f"{serial}/"
    if kind == APPROVAL:
        return Asked(kind, number, by_method, (_approval(f"{key}choice", params),))
    if kind != CLARIFY:
        return None
    questions = params.get("questions") if not by_method else [params]
    listed = questions if isinstance(questions, list) else []
    found = tuple(_clarification(key, table(one)) for one in listed)
    return Asked(kind, number, by_method, found) if found else None


def only_denied(asked: Asked) -> Asked:
    """Return an approval that can be denied alone: it cannot be told which of several an answer would reach."""
    (question,) = asked.open
    return replace(asked, open=(replace(question, answers=question.answers[-1:]),))


def declined(kind: str, number: str, *, by_method: bool) -> Reply | None:
    """Return the reply that gives no secret, None where it is none that is asked for."""
    if kind not in _ALL_SECRETS:
        return None
    if not by_method:
        return Reply({"value": ""}, number)
    return Reply({"request_id": number, SECRETS[kind]: ""}, method=f"{kind}.respond") if kind in SECRETS else None


def _approval(key: str, params: Table) -> Question:
    about = passage(params.get("command"))
    why = line(params.get("description"))
    offered = params.get("choices")
    choices = offered if isinstance(offered, list) else list(_ALLOWED)
    is_whole = about == plain(text(params.get("command")))
    if len(about) > LONGEST_SHOWN:
        choices, about = [], PlainText(f"{about[:LONGEST_SHOWN]}…\nIt is too long to be shown, and so to be allowed.")
    elif not is_whole:
        choices, about = [], PlainText(f"{about}\nSomething in it is hidden here, and so it cannot be allowed here.")
    allowed = tuple(Answer(choice, PlainText(words)) for choice, words in _ALLOWED.items() if choice in choices)
    asks = PlainText(f"May it run this ({why})?" if why else "May it run this?")
    return Question(key, asks, about, (*allowed, Answer(DENY, PlainText("Deny"))))


def _clarification(prefix: str, params: Mapping[str, object]) -> Question:
    answers = (*_choices(params.get("choices")), Answer(SKIPPED, PlainText("Give no answer")))
    key = f"{prefix}{text(params.get('qid'))}"
    asks, whole = line(params.get("question")), passage(params.get("question"))[:LONGEST_SHOWN]
    return Question(key, asks, NOTHING if whole == asks else PlainText(whole), answers, takes_text=True)


def _choices(offered: object) -> Iterator[Answer]:
    for one in offered if isinstance(offered, list) else []:
        if isinstance(one, str):
            yield Answer(one, line(one))
