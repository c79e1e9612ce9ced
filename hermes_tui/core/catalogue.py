"""What a free question to a provider's server says about a route: its list of models, its verdict, or its refusal."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final

from hermes_tui.core.advice import remedy
from hermes_tui.core.failure import Failure, FailureKind
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.nearest import did_you_mean
from hermes_tui.core.remark import Gravity, Remark, Witness
from hermes_tui.core.route import Route
from hermes_tui.core.text import one_line
from hermes_tui.core.values import dataclass
from hermes_tui.core.verdict import CachedVerdict, Verdict


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The models that a server lists, each with its context window in tokens where it tells.

    `complete` is False where it has more than it listed. `checks_keys` tells that nobody gets the list without a key,
    so that the key with which it came is a good one.
    """

    windows: Mapping[str, int | None]
    complete: bool = True
    checks_keys: bool = False

    def name_of(self, model: str) -> str | None:
        """Return the name under which `model` is listed: its own, a longer form of it, or a pattern that holds it."""
        family, _, _ = model.rpartition(":")
        for name in (model, f"{model}:latest", f"models/{model}", family):
            if name in self.windows:
                return name
        dated = re.compile(rf"{re.escape(model)}-\d{{4}}-?\d{{2}}-?\d{{2}}")
        return next((name for name in self.windows if dated.fullmatch(name) or _holds(name, model)), None)

    def hint(self, model: str) -> str:
        """Return the end of a sentence that proposes what `model` may be meant to be, empty where nothing is close."""
        alike = (name for name in self.windows if _last_part(name) == _last_part(model))
        close = next(alike, None)
        return did_you_mean(model, self.windows) if close is None else f'; did you mean "{close}"?'


def _last_part(model: str) -> str:
    """Return a model's name without who made it: `z-ai/glm-5` and `glm-5` are often the same."""
    return model.rpartition("/")[2].lower()


def _holds(pattern: str, model: str) -> bool:
    return "*" in pattern and fnmatchcase(model, pattern.replace("[", "[[]"))


_UNREACHABLE: Final = "the server cannot be reached"

Answer = Catalogue | CachedVerdict | Failure
"""What came of a question: the list of models, the usage endpoint's verdict, or why there is neither."""


def is_unreachable(answer: Answer) -> bool:
    """Tell whether no server answered at all."""
    match answer:
        case CachedVerdict():
            return answer.unreachable
        case Failure():
            return answer.kind in (FailureKind.CONNECTION, FailureKind.TIMEOUT) and answer.status is None
        case Catalogue():
            return False


def about_answer(route: Route, label: str, answer: Answer, *, has_key: bool) -> Iterator[Remark]:
    """Yield what an answer says about a route, and about the credential that it was asked with."""
    match answer:
        case CachedVerdict():
            yield _about_verdict(label, answer)
        case Failure():
            yield _about_failure(route, label, answer)
        case Catalogue():
            yield _said(Gravity.NOTE, _accepted(answer) if has_key else "the server answers", label)
            yield from _about_model(route, answer)


def _accepted(catalogue: Catalogue) -> str:
    return "the server accepts the key" if catalogue.checks_keys else "the server answers, and does not check the key"


def _about_verdict(label: str, verdict: CachedVerdict) -> Remark:
    if verdict.unreachable:
        return _said(Gravity.FAULT, f"{_UNREACHABLE}: {verdict.why}")
    gravity = Gravity.NOTE if verdict.verdict is Verdict.QUOTA else Gravity.DOUBT
    return _said(gravity, f"{verdict.verdict.words}: {verdict.why}", label)


def _about_failure(route: Route, label: str, failure: Failure) -> Remark:
    said = f"{failure}: {failure.message}"
    if is_unreachable(failure):
        return _said(Gravity.FAULT, f"{_UNREACHABLE}: {failure.message}")
    known = provider_behind(route.provider, route.base_url)
    match failure.kind:
        case FailureKind.AUTH if failure.status == 403:
            return _said(Gravity.DOUBT, f"the server does not let the key list its models ({said})", label)
        case FailureKind.AUTH | FailureKind.AUTH_REVOKED:
            what = f"the server does not accept the key ({said}). {remedy(failure.kind, known)}"
            return _said(Gravity.FAULT, what, label)
        case FailureKind.BILLING:
            return _said(Gravity.FAULT, f"the account cannot pay ({said}). {remedy(failure.kind, known)}", label)
        case FailureKind.WRONG_ENDPOINT if known.lists_models:
            return _said(Gravity.DOUBT, f"there is no list of models at {route.base_url} ({said}): is the path right?")
        case kind if kind.is_limit or kind is FailureKind.WRONG_ENDPOINT:
            return _said(Gravity.NOTE, f"not checked: no list of models came ({said})")
        case _:
            return _said(Gravity.DOUBT, f"not checked: no list of models came ({said})")


def _about_model(route: Route, catalogue: Catalogue) -> Iterator[Remark]:
    known = provider_behind(route.provider, route.base_url)
    name = catalogue.name_of(route.model)
    if name is not None:
        yield _said(Gravity.NOTE, "the server lists the model")
        yield from _about_window(route, catalogue.windows[name])
    elif not known.lists_models or not catalogue.windows or not catalogue.complete:
        yield _said(Gravity.NOTE, "the model is not checked: the server does not list all that it has")
    else:
        number, hint = len(catalogue.windows), catalogue.hint(route.model)
        yield _said(Gravity.DOUBT, f'model "{route.model}" is not among the {number} that the server lists{hint}')


def _about_window(route: Route, window: int | None) -> Iterator[Remark]:
    said = route.context_length
    if window is None or window == said:
        return
    if said is None:
        yield _said(Gravity.NOTE, f"the server tells a window of {window} tokens, the file none")
    elif window < said:
        told = f"the server tells a window of {window} tokens, the file {said}: write context_length = {window}"
        yield _said(Gravity.DOUBT, told)


def _said(gravity: Gravity, what: str, label: str | None = None) -> Remark:
    return Remark(gravity, Witness.SERVER, one_line(what), label)
