"""`probe` of a real Hermes: the usage endpoint asked with a login of a home, which is neither renewed nor changed."""

import asyncio

from hermes_tui.commands.homes import Asked, Opened, opened, unless_unread
from hermes_tui.commands.probe import ProbeOptions, chosen_keys, question_about, tell, unless_nothing
from hermes_tui.commands.wall_clock import now
from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.errors import HermesTuiError
from hermes_tui.hermes.watching import SOURCE
from hermes_tui.view.probing import Asked as Answered
from hermes_tui.view.probing import Unasked

Question = tuple[Opened, ProbeNow]


def probe(asked: Asked, options: ProbeOptions) -> int:
    """Print what the usage endpoint says of each login; return 0 when all have quota, 3 when it never answered.

    Raises NothingReachableError where no login can be asked about, or a home cannot be read.
    """
    homes = opened(asked)
    unless_unread(homes)
    put: list[Question | Unasked] = [question for home in homes for question in _questions(home, options)]
    unless_nothing([question for question in put if isinstance(question, Unasked)], len(put))
    answers = asyncio.run(_ask_all(put))
    return tell(answers, now(), as_json=options.json, source=SOURCE)


def _questions(home: Opened, options: ProbeOptions) -> list[Question | Unasked]:
    configuration = home.source.snapshot().facts.configuration
    if configuration is None:
        return []
    about = (question_about(key, configuration, options) for key in chosen_keys(configuration, options))
    return [one if isinstance(one, Unasked) else (home, one) for one in about]


async def _ask_all(put: list[Question | Unasked]) -> list[Answered | Unasked]:
    return [one if isinstance(one, Unasked) else await _ask(*one) for one in put]


async def _ask(home: Opened, question: ProbeNow) -> Answered | Unasked:
    try:
        await home.source.execute(question)
    except HermesTuiError as error:
        return Unasked(question.credential, str(error))
    facts = home.source.snapshot().facts
    newest = max(facts.verdicts.values(), key=lambda verdict: verdict.asked_at)
    return Answered(question.credential, newest, now=True)
