"""`probe`: the usage endpoint asked about credentials; no prompt is sent, and every process shares the verdict."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.commands.edge import ATTENTION, FINE, NOTHING_REACHABLE
from hermes_tui.commands.naming import credential_keys, credential_named
from hermes_tui.commands.terminal import show
from hermes_tui.config.locate import config_path, state_directory
from hermes_tui.core.acting import model_asked
from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import NothingReachableError
from hermes_tui.core.verdict import Verdict
from hermes_tui.engine.asking import probe_now
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.keys import with_keys
from hermes_tui.engine.surroundings import Surroundings
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.probing import Asked, Unasked, probe_document, probe_lines
from hermes_tui.wiring import open_desk, open_ledger, surround


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """What the command line said: one credential or all, about which model, and whether a fresh verdict is enough."""

    config: Path | None
    state: Path | None
    credential: str | None
    model: str | None
    anyway: bool
    json: bool


def probe(options: ProbeOptions) -> int:
    """Print what the usage endpoint says of each credential; return 0 when all have quota, 3 when it never answered.

    Raises NothingReachableError where no credential can be asked.
    """
    path, state = config_path(options.config, os.environ), state_directory(options.state, os.environ)
    clock = EngineClock()
    desk = open_desk(path, os.environ, clock.now)
    loaded = desk.load()
    chosen = _chosen(loaded.configuration, options)
    loaded = asyncio.run(with_keys(loaded, [key.pool for key in chosen], desk.load, clock.now()))
    questions = [_question(key, loaded.configuration, options) for key in chosen]
    if all(isinstance(question, Unasked) for question in questions):
        reasons = "; ".join(map(str, questions)) or "no provider here has a usage endpoint"
        raise NothingReachableError(f"nothing can be asked: {reasons}")
    with open_ledger(state) as ledger:
        answers = asyncio.run(_ask_all(surround(loaded, ledger, Ownership(state), clock), questions))
    if options.json:
        sys.stdout.write(json.dumps(probe_document(answers, clock.now()), indent=2, ensure_ascii=False) + "\n")
    else:
        show(probe_lines(answers, clock.now()))
    verdicts = [answer.verdict for answer in answers if isinstance(answer, Asked)]
    if all(verdict.unreachable for verdict in verdicts):
        return NOTHING_REACHABLE
    all_open = len(verdicts) == len(answers) and all(verdict.verdict is Verdict.QUOTA for verdict in verdicts)
    return FINE if all_open else ATTENTION


def _chosen(configuration: Configuration, options: ProbeOptions) -> Sequence[CredentialKey]:
    """Return the credential that was named, else all whose provider has a usage endpoint."""
    if options.credential is not None:
        return (credential_named(options.credential, configuration),)
    asked = {pool.name for pool in configuration.pools if pool.reopens_early}
    return [key for key in credential_keys(configuration) if key.pool in asked]


def _question(key: CredentialKey, configuration: Configuration, options: ProbeOptions) -> ProbeNow | Unasked:
    """Return the question about a credential, or why it cannot be asked."""
    pool = configuration.pool(key.pool)
    member = pool.member(key.label) if pool else None
    model = options.model or model_asked(configuration, key.pool)
    if pool is None or not pool.reopens_early:
        return Unasked(key, f"{pool.provider if pool else key.pool} has no usage endpoint")
    if member is not None and member.fault:
        return Unasked(key, member.fault)
    return ProbeNow(key, model, options.anyway) if model else Unasked(key, "no route uses it: say about which --model")


async def _ask_all(around: Surroundings, questions: Sequence[ProbeNow | Unasked]) -> Sequence[Asked | Unasked]:
    try:
        return await asyncio.gather(*(_ask(around, question) for question in questions))
    finally:
        await around.probing.close()


async def _ask(around: Surroundings, question: ProbeNow | Unasked) -> Asked | Unasked:
    if isinstance(question, Unasked):
        return question
    began = around.clock.now()
    verdict = await probe_now(around, question)
    return Asked(question.credential, verdict, now=verdict.asked_at >= began)
