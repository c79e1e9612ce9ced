"""The afternoon of the tests, as a moment."""

import pytest

from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.view.moment import Moment, moment_of, selection_for
from tests.tui.fakes import NOW, story_snapshot


def selecting(snapshot: Snapshot, session: str, label: str = "oauth-1", now: float = NOW) -> Moment:
    """Return the moment of `snapshot` with a session and a Codex credential selected."""
    credential = CredentialKey("openai-codex", label)
    return moment_of(snapshot, now).selecting(selection_for(snapshot, session, credential))


@pytest.fixture
def afternoon() -> Moment:
    """Return the story at 14:07:22, nightly-docs selected."""
    return selecting(story_snapshot(), "nightly-docs")
